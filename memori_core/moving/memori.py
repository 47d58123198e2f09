"""The facts in a database of Memori (PyPI `memori`, version 3, own database in SQLite)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from memori_core.errors import ConfigError
from memori_core.models import NewFact
from memori_core.moving._facts import MovedFact, file_time, moment
from memori_core.moving._sqlite import reading, tables

_FACTS = """
SELECT entity.external_id, fact.id, fact.uuid, fact.content, fact.num_times, fact.date_created,
       fact.date_last_time, {conversation}
  FROM memori_entity_fact fact
  JOIN memori_entity entity ON entity.id = fact.entity_id
  {joins}
 ORDER BY entity.external_id, fact.date_created, fact.id
"""

# The conversation that brought the fact first. Memori may store what one user says in the session
# of another (its session cache outlives `attribution()`): such a session is not taken over.
_CONVERSATION = """
  LEFT JOIN (SELECT fact_id, min(id) AS id FROM memori_entity_fact_mention GROUP BY fact_id) first
    ON first.fact_id = fact.id
  LEFT JOIN memori_entity_fact_mention mention ON mention.id = first.id
  LEFT JOIN memori_conversation conversation ON conversation.id = mention.conversation_id
  LEFT JOIN memori_session session
    ON session.id = conversation.session_id AND session.entity_id = fact.entity_id
  LEFT JOIN memori_process process ON process.id = session.process_id
"""


def from_memori(path: str | Path) -> Iterator[MovedFact]:
    """The facts of every entity in a database of Memori, those of one entity together.

    The file is read only. What Memori counts and dates comes along: `times`, when a fact was said
    first and last, and the session and process of its first conversation. Ids are made of the date
    and of Memori's own id, so that they sort by age and are the same each time.

    Args:
        path: The SQLite file that Memori's connections open.

    Raises:
        ConfigError: The file is not Memori's.
        StoreError: Another program holds the file.
    """
    file = Path(path).expanduser()
    with reading(file) as connection:
        undated = file_time(file)
        for row in connection.execute(_query(connection, file)):
            yield _moved(*row, undated=undated)


def _query(connection: sqlite3.Connection, file: Path) -> str:
    there = tables(connection)
    if not {"memori_entity", "memori_entity_fact"} <= there:
        raise ConfigError(f"{file} is no database of Memori 3: {_other(there)}")
    if "memori_entity_fact_mention" in there:
        return _FACTS.format(conversation="session.uuid, process.external_id", joins=_CONVERSATION)
    return _FACTS.format(conversation="NULL, NULL", joins="")  # schema 1, before the mentions


def _other(there: frozenset[str]) -> str:
    if {"facts", "entities", "fact_versions"} <= there:
        return "it is a store of memori-core, which `memori export` and `memori import` move."
    if {"long_term_memory", "chat_history"} <= there:
        return "it was made by memorisdk, the version before."
    return "the table memori_entity_fact is missing."


def _moved(
    entity_id: str,
    number: int,
    uuid: str,
    content: str,
    times: int,
    created: Any,  # Any: SQLite's columns hold what was put into them
    last: Any,
    session_id: str | None,
    process_id: str | None,
    *,
    undated: datetime,
) -> MovedFact:
    said_at = moment(created) or undated
    return MovedFact(
        NewFact(
            content, id=_fact_id(said_at, number, uuid), said_at=said_at, session_id=session_id
        ),
        entity_id=entity_id,
        process_id=process_id,
        times=max(times, 1),
        last_said_at=moment(last),
    )


def _fact_id(created: datetime, number: int, uuid: str) -> str:
    """A UUID version 7 that sorts by when the fact was made, and in one second by its number."""
    noise = int.from_bytes(blake2b(uuid.encode(), digest_size=8).digest()) >> 2
    value = int(created.timestamp() * 1000) << 80 | 0x7 << 76 | (number & 0xFFF) << 64
    digits = f"{value | 0b10 << 62 | noise:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
