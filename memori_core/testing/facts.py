"""Facts for tests, and short ways to store and read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from memori_core._ids import uuid7
from memori_core.models import Fact, FactRecord, Mention, Scope, unique_key
from memori_core.stores.base import Store
from memori_core.writes import Applied, CreateFact, Op, WriteBatch

SAID_AT = datetime(2026, 5, 1, 12, 30, 15, 123456, tzinfo=UTC)
"""When the facts of `fact_record` were said, unless told otherwise."""

ALICE, BOB = Scope("alice"), Scope("bob")
_FACT_FIELDS = {f.name for f in fields(Fact)}


def fact_record(content: str, /, **changes: object) -> FactRecord:
    """A record for tests: real `uniq`, lower-cased words as `terms`, said at `SAID_AT`.

    Args:
        content: What the fact says.
        **changes: Fields of `Fact` and `FactRecord` that shall differ.
    """
    said_at = changes.get("said_at", SAID_AT)
    # Any: fields of many types, checked by the dataclasses' users.
    fact: dict[str, Any] = {"said_at": said_at, "learnt_at": said_at, "last_said_at": said_at}
    record: dict[str, Any] = {
        "uniq": unique_key(content),
        "terms": " ".join(content.lower().split()),
        "tokenizer": 0,
    }
    for name, value in changes.items():
        (fact if name in _FACT_FIELDS else record)[name] = value
    fact.setdefault("id", uuid7())
    return FactRecord(Fact(content, **fact), **record)


def run(store: Store, scope: Scope, *ops: Op) -> Applied:
    """Apply operations as one batch."""
    return store.apply(scope, WriteBatch(ops))


def create(store: Store, scope: Scope, record: FactRecord, *mentions: Mention) -> Applied:
    """Store one fact."""
    return run(store, scope, CreateFact(record, mentions=mentions))


def contents(store: Store, scope: Scope) -> list[str]:
    """What the entity's facts say, in order of their ids."""
    return [r.fact.content for r in store.facts(scope)]


def fact_ids(records: Sequence[FactRecord]) -> list[str]:
    """The ids of records, in their order."""
    return [r.fact.id for r in records]
