"""One entity in dictionaries, as `apply_ops` works on it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from memori_core.models import Fact, FactRecord, FactVersion, Mention
from memori_core.stores._memory_conversations import Conversations, MemoryConversations, UndoLog


@dataclass(slots=True)
class Entity:
    """What the store holds of one entity."""

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
    sources: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """The ids of the messages that said a fact."""
    said: Conversations = field(default_factory=Conversations)

    def count(self) -> int:
        """How many facts there are, indexed messages not counted."""
        return sum(r.fact.kind != "message" for r in self.facts.values() if r)

    def is_known(self) -> bool:
        """Whether there is more than a trace of it."""
        return bool(self.by_uniq or self.said.sessions or self.said.attributes)

    def size(self) -> int:
        """The bytes of its texts and vectors."""
        records = (r for r in self.facts.values() if r)
        facts = sum(len(r.fact.content.encode()) + len(r.vector or b"") for r in records)
        return facts + sum(len(m.message.content.encode()) for m in self.said.messages.values())


class MemoryTable(MemoryConversations):
    """The entity for `apply_ops`; notes how to undo each change."""

    def __init__(self, entity: Entity, numbers: Iterator[int]) -> None:
        log = UndoLog()
        super().__init__(entity.said, log, numbers)
        self._entity = entity
        self._set, self._drop, self.roll_back = log.set, log.drop, log.roll_back

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
        self._drop(entity.sources, fact_id)
        self.drop_triples(fact_id)
        self._set(entity.facts, fact_id, None)
        self._set(entity.tombstones, fact_id, revision)
        return True

    def add_source(self, fact_id: str, message_id: str) -> None:
        sources = self._entity.sources
        self._set(sources, fact_id, sources.get(fact_id, frozenset()) | {message_id})

    def sources(self, fact_id: str) -> list[str]:
        return sorted(self._entity.sources.get(fact_id, ()))

    def said_in(self, message_id: str) -> list[Fact]:
        entity = self._entity
        found = (entity.facts[i] for i, ids in entity.sources.items() if message_id in ids)
        return [record.fact for record in found if record]

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
