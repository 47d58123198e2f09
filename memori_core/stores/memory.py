"""A store that lives and dies with the program."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from memori_core.errors import StoreClosedError
from memori_core.models import (
    Applied,
    Changes,
    FactRecord,
    FactVersion,
    LinkedMention,
    Mention,
    Scope,
    WriteBatch,
)
from memori_core.stores._apply import apply_ops
from memori_core.stores.base import Store


class InMemoryStore(Store):
    """Keeps facts in dictionaries: for tests, and for memory that need not outlive the program.

    ```python
    from memori_core import Scope
    from memori_core.stores import InMemoryStore

    store = InMemoryStore()
    print(store.revision(Scope("alice")))
    #> 0
    ```
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entities: dict[bytes, _Entity] | None = {}
        self._settings: dict[str, bytes] = {}

    def apply(self, scope: Scope, batch: WriteBatch) -> Applied:
        with self._lock:
            entities = self._open()
            entity = entities.get(scope.entity_key) or _Entity()
            table = _Table(entity)
            try:
                applied = apply_ops(
                    table, batch.ops, revision=entity.revision, now=datetime.now(UTC)
                )
            except BaseException:
                table.roll_back()
                raise
            if applied.revision > entity.revision:
                entity.revision = applied.revision
                entity.entity_id = scope.entity_id
                entities[scope.entity_key] = entity
            return applied

    def revision(self, scope: Scope) -> int:
        with self._lock:
            entity = self._open().get(scope.entity_key)
            return entity.revision if entity else 0

    def changes(self, scope: Scope, *, since: int = 0) -> Changes:
        with self._lock:
            entity = self._open().get(scope.entity_key) or _Entity()
            complete = since <= 0 or since < entity.floor or since > entity.revision
            start = 0 if complete else since
            records = [r for r in entity.facts.values() if r and r.fact.revision > start]
            deleted = () if complete else (i for i, n in entity.tombstones.items() if n > start)
            return Changes(
                revision=entity.revision,
                complete=complete,
                records=tuple(records),
                deleted=tuple(deleted),
            )

    def facts(
        self,
        scope: Scope,
        *,
        ids: Sequence[str] | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> list[FactRecord]:
        with self._lock:
            entity = self._open().get(scope.entity_key) or _Entity()
            wanted = sorted(entity.facts) if ids is None else ids
            found = (entity.facts.get(i) for i in wanted if after is None or i > after)
            return [record for record in found if record][:limit]

    def history(self, scope: Scope, fact_id: str) -> list[FactVersion]:
        with self._lock:
            entity = self._open().get(scope.entity_key) or _Entity()
            return list(entity.versions.get(fact_id, ()))

    def mentions(self, scope: Scope) -> list[LinkedMention]:
        with self._lock:
            entity = self._open().get(scope.entity_key) or _Entity()
            return [
                LinkedMention(mention, fact_ids=tuple(sorted(entity.links[norm])))
                for norm, mention in sorted(entity.mentions.items())
            ]

    def erase(self, scope: Scope) -> int:
        with self._lock:
            entities = self._open()
            entity = entities.get(scope.entity_key)
            if entity is None or not entity.facts:
                return 0
            revision = entity.revision + 1
            entities[scope.entity_key] = _Entity(revision=revision, floor=revision)
            return entity.count()

    def entities(self) -> list[str]:
        with self._lock:
            return sorted(e.entity_id for e in self._open().values() if e.count())

    def setting(self, name: str) -> bytes | None:
        with self._lock:
            self._open()
            return self._settings.get(name)

    def set_setting(self, name: str, value: bytes) -> None:
        with self._lock:
            self._open()
            self._settings[name] = bytes(value)

    def stats(self) -> Mapping[str, int | str]:
        with self._lock:
            counts = [e.count() for e in self._open().values()]
            size = sum(e.size() for e in self._open().values())
            return {
                "store": "memory",
                "entities": sum(n > 0 for n in counts),
                "facts": sum(counts),
                "bytes": size,
            }

    def close(self) -> None:
        with self._lock:
            self._entities = None

    def _open(self) -> dict[bytes, _Entity]:
        if self._entities is None:
            raise StoreClosedError("this InMemoryStore was closed. Make a new one.")
        return self._entities


@dataclass(slots=True)
class _Entity:
    entity_id: str = ""
    revision: int = 0
    floor: int = 0
    """The revision of the last erasure; what came before cannot be told any more."""
    facts: dict[str, FactRecord | None] = field(default_factory=dict[str, FactRecord | None])
    """By id, in the order they were stored; None stands for a deleted one."""
    tombstones: dict[str, int] = field(default_factory=dict[str, int])
    """The revision in which a fact was deleted."""
    by_uniq: dict[bytes, str] = field(default_factory=dict[bytes, str])
    versions: dict[str, tuple[FactVersion, ...]] = field(
        default_factory=dict[str, tuple[FactVersion, ...]]
    )
    mentions: dict[str, Mention] = field(default_factory=dict[str, Mention])
    links: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """The ids of the facts that speak of a norm."""
    norms: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """The norms that a fact speaks of."""

    def count(self) -> int:
        return len(self.by_uniq)

    def size(self) -> int:
        records = (r for r in self.facts.values() if r)
        return sum(len(r.fact.content.encode()) + len(r.vector or b"") for r in records)


class _Table:
    """The facts of an entity for `apply_ops`; notes how to undo each change."""

    def __init__(self, entity: _Entity) -> None:
        self._entity = entity
        # Any: dictionaries of different types, each with one of its own keys and values.
        self._undo: list[tuple[dict[Any, Any], object, object]] = []

    def roll_back(self) -> None:
        for target, key, before in reversed(self._undo):
            if before is _ABSENT:
                target.pop(key, None)
            else:
                target[key] = before

    def add(self, record: FactRecord) -> bool:
        entity, fact_id = self._entity, record.fact.id
        if record.uniq in entity.by_uniq or entity.facts.get(fact_id):
            return False
        if fact_id in entity.facts:
            self._drop(entity.facts, fact_id)  # so that it moves to the end
            self._drop(entity.tombstones, fact_id)
        self._set(entity.facts, fact_id, record)
        self._set(entity.by_uniq, record.uniq, fact_id)
        return True

    def by_id(self, fact_id: str) -> FactRecord | None:
        return self._entity.facts.get(fact_id)

    def by_uniq(self, uniq: bytes) -> FactRecord | None:
        fact_id = self._entity.by_uniq.get(uniq)
        return None if fact_id is None else self._entity.facts[fact_id]

    def put(self, record: FactRecord) -> None:
        entity, fact_id = self._entity, record.fact.id
        old = entity.facts[fact_id]
        if old and old.uniq != record.uniq:
            self._drop(entity.by_uniq, old.uniq)
            self._set(entity.by_uniq, record.uniq, fact_id)
        self._set(entity.facts, fact_id, record)

    def remove(self, fact_id: str, revision: int) -> bool:
        entity = self._entity
        old = entity.facts.get(fact_id)
        if old is None:
            return False
        self.unlink(fact_id, self.norms(fact_id))
        self._drop(entity.by_uniq, old.uniq)
        self._drop(entity.versions, fact_id)
        self._set(entity.facts, fact_id, None)
        self._set(entity.tombstones, fact_id, revision)
        return True

    def add_version(self, fact_id: str, version: FactVersion) -> None:
        versions = self._entity.versions
        self._set(versions, fact_id, (*versions.get(fact_id, ()), version))

    def norms(self, fact_id: str) -> set[str]:
        return set(self._entity.norms.get(fact_id, ()))

    def link(self, fact_id: str, mentions: Sequence[Mention]) -> None:
        entity = self._entity
        for mention in mentions:
            norm = mention.norm
            known = entity.mentions.get(norm)
            if known is None:
                self._set(entity.mentions, norm, mention)
            elif mention.vector is not None:
                self._set(entity.mentions, norm, replace(known, vector=mention.vector))
            self._set(entity.links, norm, entity.links.get(norm, frozenset()) | {fact_id})
            self._set(entity.norms, fact_id, entity.norms.get(fact_id, frozenset()) | {norm})

    def unlink(self, fact_id: str, norms: Collection[str]) -> None:
        entity = self._entity
        for norm in norms:
            if left := entity.links[norm] - {fact_id}:
                self._set(entity.links, norm, left)
            else:
                self._drop(entity.links, norm)
                self._drop(entity.mentions, norm)
        if left := entity.norms.get(fact_id, frozenset()) - set(norms):
            self._set(entity.norms, fact_id, left)
        else:
            self._drop(entity.norms, fact_id)

    # Any: see `_undo`.
    def _set(self, target: dict[Any, Any], key: object, value: object) -> None:
        self._undo.append((target, key, target.get(key, _ABSENT)))
        target[key] = value

    def _drop(self, target: dict[Any, Any], key: object) -> None:
        self._undo.append((target, key, target.pop(key, _ABSENT)))


_ABSENT = object()
