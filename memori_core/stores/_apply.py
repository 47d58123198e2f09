"""What each operation makes of an entity: the same rules for every store."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from memori_core.conversation import StoredMessage
from memori_core.errors import ConfigError
from memori_core.models import KINDS, Fact, FactRecord, FactVersion, Mention, check_text, utc
from memori_core.stores._conversations import (
    ConversationTable,
    append_turn,
    create_attribute,
    create_triple,
    finish_job,
    update_conversation,
)
from memori_core.stores._sources import SourceTable, end_messages, forget_messages, note_source
from memori_core.writes import (
    AppendTurn,
    Applied,
    CreateAttribute,
    CreateFact,
    CreateTriple,
    DeleteFacts,
    EndTriples,
    FinishJob,
    Op,
    UpdateConversation,
    UpdateFact,
    UpsertFact,
)

FACT_FIELDS = frozenset(f.name for f in fields(Fact)) - {"id", "revision", "learnt_at"}
RECORD_FIELDS = frozenset(f.name for f in fields(FactRecord)) - {"fact"}
_TIMES = ("said_at", "learnt_at", "last_said_at", "valid_until")
_TEXTS = (
    "content",
    "id",
    "superseded_by",
    "speaker",
    "process_id",
    "session_id",
    "source_message_id",
)


class Table(SourceTable, ConversationTable, Protocol):
    """One entity inside a transaction. Deleted facts are never seen through it."""

    def add(self, record: FactRecord) -> bool:
        """Store a new fact; False, and nothing stored, where its id or its `uniq` is taken."""
        ...

    def by_uniq(self, uniq: bytes) -> FactRecord | None:
        """The fact that says the same."""
        ...

    def add_version(self, fact_id: str, version: FactVersion) -> None:
        """Append to the history of a fact."""
        ...

    def norms(self, fact_id: str) -> set[str]:
        """The `norm` of each mention of a fact."""
        ...

    def link(self, fact_id: str, mentions: Sequence[Mention]) -> None:
        """Add mentions to a fact. Of one norm, the first text and the last vector are kept."""
        ...

    def unlink(self, fact_id: str, norms: Collection[str]) -> None:
        """Take mentions from a fact, and drop those that no fact speaks of any more."""
        ...


def apply_ops(table: Table, ops: Sequence[Op], *, revision: int, now: datetime) -> Applied:
    """Apply operations in order; the revision of the answer is higher by one if any did something.

    Args:
        table: The entity. On an error the caller takes back what was done to it.
        ops: What to do.
        revision: The entity's revision so far.
        now: When a text that is updated counts as replaced.
    """
    changer = _Changer(table, revision + 1, now)
    facts: list[Fact | None] = []
    deleted: list[str] = []
    messages: list[StoredMessage] = []
    for op in ops:
        match op:
            case CreateFact():
                facts.append(changer.create(op))
            case UpsertFact():
                facts.append(changer.upsert(op))
            case UpdateFact():
                facts.append(changer.update(op))
            case DeleteFacts():
                deleted += changer.delete(op)
            case AppendTurn():
                messages += changer.append(op)
            case UpdateConversation():
                changer.changed |= update_conversation(table, op)
            case CreateTriple():
                changer.connect(op)
            case EndTriples():
                changer.disconnect(op)
            case CreateAttribute():
                create_attribute(table, op)
                changer.changed = True
            case FinishJob():
                finish_job(table, op)
            case _:
                raise ConfigError(f"a batch holds something that is no operation: {op!r}")
    return Applied(
        revision=revision + changer.changed,
        facts=tuple(facts),
        deleted=tuple(deleted),
        messages=tuple(messages),
        queued=changer.queued,
    )


class _Changer:
    def __init__(self, table: Table, revision: int, now: datetime) -> None:
        self.changed = False
        self.queued = False
        self._table = table
        # The id of a fact that was there, by the one under which this batch said it again.
        self._id_of: dict[str, str] = {}
        self._revision = revision
        self._now = now

    def create(self, op: CreateFact | UpsertFact) -> Fact:
        record = checked(op.record, revision=self._revision)
        table = self._table
        if not table.add(record):
            twin = table.by_uniq(record.uniq)
            if twin is None:
                raise ConfigError(
                    f"the fact id {record.fact.id!r} is taken by another fact. "
                    "Use a new id, or `UpsertFact` to replace that fact."
                )
            self._id_of[record.fact.id] = twin.fact.id
            record = repeated(twin, record)
            table.put(record)
        note_source(table, record.fact.id, op.record.fact)
        if op.mentions:
            table.link(record.fact.id, op.mentions)
        self.changed = True
        return record.fact

    def upsert(self, op: UpsertFact) -> Fact:
        old = self._table.by_id(op.record.fact.id)
        if old is None:
            return self.create(op)
        new = checked(op.record, revision=old.fact.revision)
        fact = replace(new.fact, learnt_at=old.fact.learnt_at)
        return self._replace(
            old, replace(new, fact=fact), mentions=op.mentions, replaced_at=new.fact.learnt_at
        )

    def update(self, op: UpdateFact) -> Fact | None:
        _check_names(op.changes)
        old = self._table.by_id(self._id(op.fact_id))
        if old is None or op.if_revision not in (None, old.fact.revision):
            return None
        new = checked(updated(old, op.changes), revision=old.fact.revision)
        if (successor := new.fact.superseded_by) is not None:
            successor = self._id(successor)
            if successor == old.fact.id:  # what was said last is this very fact: it holds
                return old.fact
            new = replace(new, fact=replace(new.fact, superseded_by=successor))
        return self._replace(old, new, mentions=op.mentions, replaced_at=self._now)

    def delete(self, op: DeleteFacts) -> list[str]:
        table, revision = self._table, self._revision
        ids = list(dict.fromkeys(op.fact_ids))
        messages = [message_id for i in ids for message_id in table.sources(i)]
        deleted = [i for i in ids if table.remove(i, revision)]
        forget_messages(table, messages, revision=revision)
        self.changed = self.changed or bool(deleted)
        return deleted

    def append(self, op: AppendTurn) -> list[StoredMessage]:
        appended = append_turn(self._table, op)
        self.changed |= appended.changed
        self.queued |= appended.queued
        return appended.messages

    def connect(self, op: CreateTriple) -> None:
        fact_id = self._id(op.fact_id)
        if self._table.by_id(fact_id) is not None:
            create_triple(self._table, op.triple, fact_id=fact_id)
            self.changed = True

    def disconnect(self, op: EndTriples) -> None:
        valid_until = utc(op.valid_until, name="valid_until")
        if self._table.end_triples(self._id(op.fact_id), valid_until):
            self.changed = True

    def _id(self, fact_id: str) -> str:
        return self._id_of.get(fact_id, fact_id)

    def _replace(
        self,
        old: FactRecord,
        new: FactRecord,
        *,
        mentions: tuple[Mention, ...] | None,
        replaced_at: datetime,
    ) -> Fact:
        table, fact_id = self._table, old.fact.id
        if new.uniq != old.uniq and (other := table.by_uniq(new.uniq)):
            raise ConfigError(
                f"the new text of fact {fact_id!r} is what fact {other.fact.id!r} says already. "
                "Delete one of the two, or keep the text."
            )
        relinked = mentions is not None and self._relink(fact_id, mentions)
        if new == old and not relinked:
            return old.fact
        if new.fact.content != old.fact.content:
            table.add_version(fact_id, FactVersion(old.fact.content, replaced_at=replaced_at))
            table.drop_triples(fact_id)  # they were made of the old text
        new = replace(new, fact=replace(new.fact, revision=self._revision))
        table.put(new)
        note_source(table, fact_id, new.fact)
        if _end(new.fact) != _end(old.fact):
            end_messages(table, fact_id, revision=self._revision)
        self.changed = True
        return new.fact

    def _relink(self, fact_id: str, mentions: tuple[Mention, ...]) -> bool:
        before = self._table.norms(fact_id)
        after = {m.norm for m in mentions}
        if before - after:
            self._table.unlink(fact_id, before - after)
        if mentions:
            self._table.link(fact_id, mentions)
        return before != after


def _end(fact: Fact) -> tuple[datetime | None, str | None]:
    return fact.valid_until, fact.superseded_by


def repeated(old: FactRecord, new: FactRecord) -> FactRecord:
    """The fact that is there, after `new` said it once more. One that had ended holds again."""
    end = old.fact.valid_until
    holds_again = end is not None and new.fact.said_at > end
    fact = replace(
        old.fact,
        valid_until=new.fact.valid_until if holds_again else end,
        superseded_by=None if holds_again else old.fact.superseded_by,
        revision=new.fact.revision,
        times=old.fact.times + new.fact.times,
        said_at=min(old.fact.said_at, new.fact.said_at),
        last_said_at=max(old.fact.last_said_at, new.fact.last_said_at),
        pinned=old.fact.pinned or new.fact.pinned,
    )
    if old.vector is None and new.vector is not None:
        return replace(old, fact=fact, vector=new.vector, embedder=new.embedder)
    return replace(old, fact=fact)


def updated(old: FactRecord, changes: Mapping[str, object]) -> FactRecord:
    """The record with some of its fields, and those of its fact, changed."""
    # Any: the names were checked, the values are checked by `checked` and by the storage.
    in_fact: dict[str, Any] = {k: v for k, v in changes.items() if k in FACT_FIELDS}
    in_record: dict[str, Any] = {k: v for k, v in changes.items() if k in RECORD_FIELDS}
    return replace(old, fact=replace(old.fact, **in_fact), **in_record)


def checked(record: FactRecord, *, revision: int) -> FactRecord:
    """The record as of a revision, with its times in UTC and its own copy of the metadata.

    Raises:
        ConfigError: A text, time, kind or the metadata could not be read back as it is.
    """
    fact = record.fact
    for name in _TEXTS:
        if (text := getattr(fact, name)) is not None:
            if not isinstance(text, str):
                raise ConfigError(f"`{name}` must be text, got {type(text).__name__}: {text!r}")
            check_text(name, text)
    if not fact.id:
        raise ConfigError("`id` of a fact is empty. Leave it out, or give one.")
    if fact.kind not in KINDS:
        raise ConfigError(f"`kind` is {fact.kind!r}; it can be one of {', '.join(KINDS)}.")
    better: dict[str, Any] = {"revision": revision}  # Any: fields of several types
    for name in _TIMES:
        if (time := getattr(fact, name)) is not None and time.__class__ is not datetime:
            raise ConfigError(f"`{name}` must be a datetime, got {type(time).__name__}: {time!r}")
        if time is not None and time.tzinfo is not UTC:
            better[name] = utc(time, name=name)
    if fact.metadata:
        better["metadata"] = json.loads(metadata_json(fact))
    return FactRecord(  # not `replace`, which takes twice as long, for every fact that is stored
        replace(fact, **better),
        uniq=record.uniq,
        terms=record.terms,
        tokenizer=record.tokenizer,
        vector=record.vector,
        embedder=record.embedder,
    )


def metadata_json(fact: Fact) -> str:
    """The metadata of a fact as JSON.

    Raises:
        ConfigError: It holds something that JSON has no word for.
    """
    if not fact.metadata:
        return "{}"
    try:
        return json.dumps(dict(fact.metadata), allow_nan=False)
    except (TypeError, ValueError) as e:
        raise ConfigError(f"`metadata` of fact {fact.id!r} cannot be kept as JSON: {e}") from e


def _check_names(changes: Mapping[str, object]) -> None:
    if unknown := sorted(set(changes) - FACT_FIELDS - RECORD_FIELDS):
        raise ConfigError(
            f"a fact has no field {unknown[0]!r} that can be changed. "
            f"These can: {', '.join(sorted(FACT_FIELDS | RECORD_FIELDS))}."
        )
