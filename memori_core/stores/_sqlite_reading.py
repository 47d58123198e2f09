"""What is read of one entity's conversations and knowledge graph in SQLite."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

from memori_core.conversation import Session, Status, StoredMessage, StoredTriple, Triple
from memori_core.models import folded
from memori_core.stores._rows import from_micros, to_micros
from memori_core.stores._sqlite_conversations import (
    MESSAGE_COLUMNS,
    SESSION_COLUMNS,
    to_message,
    to_session,
)


def messages(
    connection: sqlite3.Connection, key: bytes, *, session_id: str | None, limit: int | None
) -> list[StoredMessage]:
    """What was said, oldest first: the last `limit`."""
    of_session, order = "", "said_at DESC, position DESC, id DESC"
    values: list[object] = [key]
    if session_id is not None:
        of_session, order = "AND session_id = ? ", "position DESC"
        values.append(session_id)
    rows = connection.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE entity_key = ? {of_session}"
        f"ORDER BY {order} LIMIT ?",
        (*values, -1 if limit is None else limit),
    ).fetchall()
    return [to_message(row) for row in reversed(rows)]


def sessions(connection: sqlite3.Connection, key: bytes) -> list[Session]:
    """The conversations, the one that was active last first."""
    rows = connection.execute(
        f"SELECT {SESSION_COLUMNS} FROM sessions WHERE entity_key = ? "
        "ORDER BY last_active_at DESC, id DESC",
        (key,),
    ).fetchall()
    return list(map(to_session, rows))


def session_at(
    connection: sqlite3.Connection,
    key: bytes,
    at: datetime,
    *,
    process_id: str | None,
    idle: timedelta,
) -> Session | None:
    """The conversation of a process that goes on at a time."""
    row = connection.execute(
        f"SELECT {SESSION_COLUMNS} FROM sessions "
        "WHERE entity_key = :key AND process_id IS :process_id "
        "AND started_at - :at < :idle AND :at - last_active_at < :idle "
        "ORDER BY last_active_at DESC, id DESC LIMIT 1",
        {
            "key": key,
            "process_id": process_id,
            "at": to_micros(at),
            "idle": idle // timedelta(microseconds=1),
        },
    ).fetchone()
    return None if row is None else to_session(row)


def turns(connection: sqlite3.Connection, key: bytes) -> dict[str, Status]:
    """How each turn ended."""
    return dict(
        connection.execute("SELECT id, status FROM turns WHERE entity_key = ? ORDER BY id", (key,))
    )


def triples(
    connection: sqlite3.Connection,
    key: bytes,
    *,
    subject: str | None,
    predicate: str | None,
    object: str | None,
    include_ended: bool,
) -> list[StoredTriple]:
    """The statements that match, oldest first."""
    conditions: list[str] = ["entity_key = ?"]
    values: list[object] = [key]
    parts = {"subject_key": subject, "predicate_key": predicate, "object_key": object}
    for column, part in parts.items():
        if part is not None:
            conditions.append(f"{column} = ?")
            values.append(folded(part))
    if not include_ended:
        conditions.append("valid_until IS NULL")
    rows = connection.execute(
        "SELECT subject, predicate, object, subject_type, object_type, fact_id, times, valid_until "
        f"FROM triples WHERE {' AND '.join(conditions)} ORDER BY rowid",
        values,
    ).fetchall()
    return [
        StoredTriple(
            Triple(row[0], row[1], row[2], subject_type=row[3], object_type=row[4]),
            fact_id=row[5],
            times=row[6],
            valid_until=None if row[7] is None else from_micros(row[7]),
        )
        for row in rows
    ]


def attribute_times(connection: sqlite3.Connection, key: bytes) -> dict[str, dict[str, int]]:
    """By process: what was noted, and how often."""
    found: dict[str, dict[str, int]] = {}
    for process_id, content, times in connection.execute(
        "SELECT process_id, content, times FROM attributes WHERE entity_key = ? ORDER BY rowid",
        (key,),
    ):
        found.setdefault(process_id, {})[content] = times
    return found


def sources(connection: sqlite3.Connection, key: bytes) -> dict[str, tuple[str, ...]]:
    """By fact: the messages that said it."""
    found: dict[str, tuple[str, ...]] = {}
    for fact_id, message_id in connection.execute(
        "SELECT fact_id, message_id FROM fact_sources WHERE entity_key = ? "
        "ORDER BY fact_id, message_id",
        (key,),
    ):
        found[fact_id] = (*found.get(fact_id, ()), message_id)
    return found
