"""How a message that can be recalled follows the facts that were made of it.

What was forgotten or has ended as a fact must not come back through the message that said it, also
where the message said other things besides: those are facts of their own. The message is a fact of
kind `message` whose id is that of the stored message.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from memori_core.models import Fact, FactRecord

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class SourceTable(Protocol):
    """One entity's facts and the messages that said them, inside a transaction."""

    def by_id(self, fact_id: str) -> FactRecord | None:
        """The fact with this id."""
        ...

    def put(self, record: FactRecord) -> None:
        """Replace the fact that has the record's id."""
        ...

    def remove(self, fact_id: str, revision: int) -> bool:
        """Delete a fact with all that hangs on it; False where there is none."""
        ...

    def add_source(self, fact_id: str, message_id: str) -> None:
        """Note that a message said a fact."""
        ...

    def sources(self, fact_id: str) -> list[str]:
        """The ids of the messages that said a fact."""
        ...

    def said_in(self, message_id: str) -> list[Fact]:
        """The facts that a message said, as far as they are there."""
        ...


def note_source(table: SourceTable, fact_id: str, said: Fact) -> None:
    """Keep that the message of `said` said the fact: the first one, and each that repeated it."""
    if said.kind != "message" and said.source_message_id is not None:
        table.add_source(fact_id, said.source_message_id)


def forget_messages(table: SourceTable, message_ids: Iterable[str], *, revision: int) -> None:
    """After deletions: remove the messages that said what was deleted."""
    for message_id in sorted(set(message_ids)):
        if _message(table, message_id) is not None:
            table.remove(message_id, revision)


def end_messages(table: SourceTable, fact_id: str, *, revision: int) -> None:
    """After a fact ended or holds again: let its messages end with the first of their facts."""
    for message_id in table.sources(fact_id):
        message = _message(table, message_id)
        if message is None:
            continue
        said = table.said_in(message_id)
        ended = [fact for fact in said if fact.valid_until or fact.superseded_by]
        valid_until, superseded_by = None, None
        if ended:
            first = min(ended, key=lambda fact: (fact.valid_until or _LONG_AGO, fact.id))
            valid_until, superseded_by = first.valid_until, first.superseded_by
        fact = replace(message.fact, valid_until=valid_until, superseded_by=superseded_by)
        if fact != message.fact:
            table.put(replace(message, fact=replace(fact, revision=revision)))


def _message(table: SourceTable, message_id: str) -> FactRecord | None:
    record = table.by_id(message_id)
    return record if record is not None and record.fact.kind == "message" else None
