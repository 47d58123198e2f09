"""What an import does with the lines of an export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, cast

from memori_core.conversation import StoredTriple
from memori_core.models import FactRecord, FactVersion, Mention, Scope, folded, unique_key
from memori_core.stores._transfer_json import (
    decoded,
    fact_from_json,
    text_of,
    triple_from_json,
    turn_from_json,
)
from memori_core.stores.base import Store
from memori_core.writes import (
    CreateAttribute,
    CreateTriple,
    EndTriples,
    Op,
    UpdateConversation,
    UpdateFact,
    UpsertFact,
    WriteBatch,
)

_PAGE = 500
_BATCH = 500


class Importer:
    """Gathers the facts of one entity at a time into batches."""

    def __init__(self, store: Store) -> None:
        self.count = 0
        self._store = store
        self._scope: Scope | None = None
        self._ops: list[Op] = []
        self._id_of: dict[bytes, str] = {}
        self._uniq_of: dict[str, bytes] = {}
        # The ids of facts that say the same as one that was there, and the id of that one.
        self._twins: dict[str, str] = {}
        self._triples: dict[tuple[str, ...], StoredTriple] = {}
        self._attributes: dict[tuple[str, bytes], int] = {}

    def add(self, line: str, scope: Scope | None) -> None:
        """Take in a line of an export."""
        data = json.loads(line)
        if not isinstance(data, dict):
            raise TypeError(f"not a JSON object: {line[:40]!r}")
        values = cast("dict[str, Any]", data)  # Any: JSON of any shape; what is wrong raises
        whose = scope or Scope(values["entity_id"])
        match values.get("type", "fact"):
            case "fact":
                # Read before anything is done: a bad line shall not even open its entity.
                record, history, mentions = _fact(values)
                self._turn_to(whose)
                self._add_fact(record, history, mentions, values.get("sources", ()))
                self.count += 1
            case "turn":
                op = turn_from_json(values)
                self._turn_to(whose)
                self._ops.append(op)
            case "session":
                session_id, summary = text_of(values, "id"), values.get("summary")
                self._turn_to(whose)
                if summary is not None:
                    self._ops.append(
                        UpdateConversation(session_id, summary=text_of(values, "summary"))
                    )
            case "triple":
                triple = triple_from_json(values)
                self._turn_to(whose)
                self._add_triple(triple)
            case "attribute":
                process_id, content = text_of(values, "process_id"), text_of(values, "content")
                times = int(values["times"])
                self._turn_to(whose)
                self._add_attribute(process_id, content, times)
            case other:
                raise ValueError(f"its type is {other!r}")
        if len(self._ops) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Store what was taken in."""
        if self._scope is not None and self._ops:
            self._store.apply(self._scope, WriteBatch(tuple(self._ops)))
        self._ops = []

    def _turn_to(self, scope: Scope) -> None:
        if self._scope is not None and scope.entity_id == self._scope.entity_id:
            return
        self.flush()
        self._scope = scope
        self._id_of, self._uniq_of, self._twins = {}, {}, {}
        known = self._store.triples(scope, include_ended=True)
        self._triples = {_statement(t): t for t in known}
        self._attributes = {
            (process_id, unique_key(content)): times
            for process_id, noted in self._store.attribute_times(scope).items()
            for content, times in noted.items()
        }
        after: str | None = None
        while page := self._store.facts(scope, after=after, limit=_PAGE):
            self._id_of |= {r.uniq: r.fact.id for r in page}
            self._uniq_of |= {r.fact.id: r.uniq for r in page}
            after = page[-1].fact.id

    def _add_fact(
        self,
        record: FactRecord,
        history: list[FactVersion],
        mentions: tuple[Mention, ...],
        sources: Sequence[str],
    ) -> None:
        twin = self._id_of.get(record.uniq, record.fact.id)
        if twin == record.fact.id:
            self._upsert(record, history, mentions, sources)
        else:
            self._twins[record.fact.id] = twin
            self._merge(twin, record)

    def _upsert(
        self,
        record: FactRecord,
        history: list[FactVersion],
        mentions: tuple[Mention, ...],
        sources: Sequence[str],
    ) -> None:
        fact_id = record.fact.id
        if (before := self._uniq_of.get(fact_id)) is not None:
            del self._id_of[before]
        else:
            if history:
                self._ops += _replay(record, history)
                # An upsert takes its time of learning as the end of the text before it.
                learnt = replace(record.fact, learnt_at=history[-1].replaced_at)
                record = replace(record, fact=learnt)
            for source in sources:  # a message that the fact names once stays its source
                if source != record.fact.source_message_id:
                    said = replace(record.fact, source_message_id=source)
                    self._ops.append(UpsertFact(replace(record, fact=said)))
        self._ops.append(UpsertFact(record, mentions=mentions))
        self._id_of[record.uniq], self._uniq_of[fact_id] = fact_id, record.uniq

    def _add_triple(self, new: StoredTriple) -> None:
        """As often as it was said, unless it is known as such: twice changes nothing."""
        fact_id = self._twins.get(new.fact_id, new.fact_id)
        new = replace(new, fact_id=fact_id)
        known = self._triples.get(_statement(new))
        more = new.times - (known.times if known else 0)
        self._ops += [CreateTriple(new.triple, fact_id=fact_id)] * max(more, 0)
        if new.valid_until is not None and (more > 0 or not known or not known.valid_until):
            self._ops.append(EndTriples(fact_id, valid_until=new.valid_until))
        self._triples[_statement(new)] = new

    def _add_attribute(self, process_id: str, content: str, times: int) -> None:
        key = (process_id, unique_key(content))
        more = max(times - self._attributes.get(key, 0), 0)
        self._ops += [CreateAttribute(content, process_id=process_id)] * more
        self._attributes[key] = max(times, self._attributes.get(key, 0))

    def _merge(self, twin_id: str, record: FactRecord) -> None:
        """Widen the fact that says the same. Not counted up: a second import changes nothing."""
        assert self._scope is not None
        self.flush()
        ((twin,), new) = self._store.facts(self._scope, ids=[twin_id]), record.fact
        changes = {
            "times": max(twin.fact.times, new.times),
            "said_at": min(twin.fact.said_at, new.said_at),
            "last_said_at": max(twin.fact.last_said_at, new.last_said_at),
            "pinned": twin.fact.pinned or new.pinned,
        }
        self._ops.append(UpdateFact(twin_id, changes=changes))


def _replay(record: FactRecord, history: list[FactVersion]) -> Iterator[Op]:
    """What the fact said before, as operations that leave the same history."""
    learnt_at = record.fact.learnt_at
    for number, version in enumerate(history):
        # A key of its own: another fact may say today what this one said then.
        uniq = blake2b(f"{record.fact.id}/{number}".encode(), digest_size=16).digest()
        fact = replace(record.fact, content=version.content, learnt_at=learnt_at)
        yield UpsertFact(replace(record, fact=fact, uniq=uniq))
        learnt_at = version.replaced_at


# Any: see `Importer.add`.
def _fact(values: dict[str, Any]) -> tuple[FactRecord, list[FactVersion], tuple[Mention, ...]]:
    record = fact_from_json(values)
    history = [
        FactVersion(text_of(v, "content"), replaced_at=datetime.fromisoformat(v["replaced_at"]))
        for v in values.get("history", ())
    ]
    mentions = tuple(
        Mention(text_of(m, "text"), type=text_of(m, "type"), vector=decoded(m.get("vector")))
        for m in values.get("mentions", ())
    )
    return record, history, mentions


def _statement(stored: StoredTriple) -> tuple[str, ...]:
    triple = stored.triple
    return folded(triple.subject), folded(triple.predicate), folded(triple.object), stored.fact_id
