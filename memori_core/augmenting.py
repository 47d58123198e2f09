"""From a captured turn to memory: what the worker does with one job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from memori_core.augmentation.base import Extractor
from memori_core.augmentation.merging import OPPOSITES, Claim, ended_by, held_claims
from memori_core.augmentation.messages import asks_only
from memori_core.conversation import ExtractedFact, Extraction, Job, StoredMessage, StoredTriple
from memori_core.core import MemoryCore
from memori_core.interception.handling import handled
from memori_core.models import FactRecord, Mention, NewFact, Scope, unique_key
from memori_core.retrieval.tokenization import has_cjk, index_terms, query_words
from memori_core.writes import (
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
    WriteBatch,
)

FORGET_SHARE = 0.6
"""The share of an order's content words that a fact must hold to be forgotten by it."""


class Augmenter:
    """Extracts, embeds, merges, and applies the result in one batch.

    Jobs of one entity must come one at a time, as stores give them out: two would not see each
    other's new facts when they merge.

    Args:
        core: Embeds and stores.
        extractor: What makes facts of messages.
        index_messages: Whether messages are recalled beside facts.
    """

    def __init__(self, core: MemoryCore, extractor: Extractor, *, index_messages: bool) -> None:
        self._core = core
        self._extractor = extractor
        self._index_messages = index_messages

    def __call__(self, job: Job) -> None:
        """Do one job. Whatever it raises leaves the store as it was."""
        messages = [replace(m.message, said_at=m.said_at) for m in job.messages]
        extraction = Extraction()
        if messages:
            # The model may be a registered client: what we ask it is no conversation of the user's.
            with handled():
                extraction = self._extractor.extract(
                    messages, said_at=job.messages[-1].said_at, summary=job.summary
                )
        scope = Scope(job.entity_id, process_id=job.process_id, session_id=job.session_id)
        ops = (*self._ops(scope, job, extraction), FinishJob(job.id, lease=job.lease))
        self._core.store.apply(scope, WriteBatch(ops))
        with suppress(Exception):  # all is stored; the next recall will say what is wrong
            self._core.retriever.catch_up(scope)

    def _ops(self, scope: Scope, job: Job, extraction: Extraction) -> Iterator[Op]:
        facts = _one_of_each(extraction.facts)
        # An order to forget something would be found by what it names.
        indexed = self._index_messages and not extraction.forget
        spoken = [m for m in job.messages if indexed and _tells(m)]
        new = [_new_fact(fact, job.messages[fact.message]) for fact in facts]
        creations = self._core.creations(
            scope, [*new, *map(_new_message, spoken)], names=[_named(fact) for fact in facts]
        )
        yield from creations
        yield from self._graph(scope, facts, creations[: len(facts)])
        yield from self._forgotten(scope, extraction.forget)
        if job.process_id is not None:
            for attribute in extraction.attributes:
                yield CreateAttribute(attribute, process_id=job.process_id)
        if extraction.summary:
            yield UpdateConversation(job.session_id, summary=extraction.summary)

    def _graph(
        self,
        scope: Scope,
        facts: Sequence[ExtractedFact],
        creations: Sequence[CreateFact | UpsertFact],
    ) -> Iterator[Op]:
        """The statements of the new facts, and the end of those that they contradict."""
        new: list[Claim] = []
        for extracted, creation in zip(facts, creations, strict=True):
            fact = creation.record.fact
            for triple in extracted.triples:
                yield CreateTriple(triple, fact_id=fact.id)
            claims = [(triple, False) for triple in extracted.triples]
            claims += [(triple, True) for triple in extracted.ends]
            new += [
                Claim(triple, fact_id=fact.id, said_at=fact.said_at, ends=ends)
                for triple, ends in claims
            ]
        stored, records = self._stored(scope, new)
        # What is said again is the fact that is there: its own statements end nothing of it.
        known = {record.uniq: record.fact.id for record in records}
        again = {c.record.fact.id: known.get(c.record.uniq, c.record.fact.id) for c in creations}
        new = [replace(claim, fact_id=again[claim.fact_id]) for claim in new]
        held = held_claims(stored, {r.fact.id: r.fact.last_said_at for r in records})
        for ended in ended_by(new, held):
            changes = {"valid_until": ended.valid_until, "superseded_by": ended.superseded_by}
            yield UpdateFact(ended.fact_id, changes=changes)
            yield EndTriples(ended.fact_id, valid_until=ended.valid_until)

    def _stored(
        self, scope: Scope, new: Sequence[Claim]
    ) -> tuple[Sequence[StoredTriple], Sequence[FactRecord]]:
        """The stored statements that new ones could contradict, and their facts."""
        predicates = {claim.triple.predicate for claim in new}
        predicates |= {OPPOSITES[name] for name in predicates if name in OPPOSITES}
        stored: list[StoredTriple] = []
        for predicate in sorted(predicates):
            stored += self._core.store.triples(scope, predicate=predicate, include_ended=True)
        ids = list(dict.fromkeys(kept.fact_id for kept in stored))
        return stored, self._core.store.facts(scope, ids=ids) if ids else []

    def _forgotten(self, scope: Scope, orders: Sequence[str]) -> Iterator[Op]:
        for order in orders:
            words = _content(order)
            found = self._core.retriever.recall(
                order, scope=scope, limit=20, strictness=0, include_history=True
            )
            gone = [
                f.id
                for f in found
                if words and len(words & _content(f.content)) >= FORGET_SHARE * len(words)
            ]
            if gone:
                yield DeleteFacts(tuple(gone))


_SELF = frozenset({"", "user", "用户"})
_OWN_WORDS = frozenset(index_terms("user name is 用户叫"))
_REDACTED = "[redacted"


def _content(text: str) -> set[str]:
    """The terms of a text that say what it is about; of Chinese the single characters."""
    words = query_words(text)
    terms = {word.alternatives[0][0] for word in words if not word.stop and not word.function}
    return {term for term in terms if len(term) == 1 or not has_cjk(term)} - _OWN_WORDS


def _one_of_each(facts: Sequence[ExtractedFact]) -> list[ExtractedFact]:
    """The facts, each once; one whose point was redacted says nothing any more."""
    said = [fact for fact in facts if _REDACTED not in fact.content]
    return list({unique_key(fact.content): fact for fact in reversed(said)}.values())[::-1]


def _tells(stored: StoredMessage) -> bool:
    """Whether a message is worth finding: a user's questions to an assistant are not.

    Among people, who have names, a question is what makes its answer findable.
    """
    message = stored.message
    return message.role == "user" and (message.name is not None or not asks_only(message.content))


def _named(fact: ExtractedFact) -> list[Mention]:
    """Who and what the statements of a fact are about, once each."""
    parts = [(t.subject, t.subject_type) for t in fact.triples]
    parts += [(t.object, t.object_type) for t in fact.triples]
    mentions = [Mention(text, type=kind or "thing") for text, kind in parts]
    named = {m.norm: m for m in reversed(mentions) if m.norm not in _SELF}
    return list(named.values())[::-1]


def _new_fact(fact: ExtractedFact, source: StoredMessage) -> NewFact:
    return NewFact(
        fact.content,
        kind=fact.kind,
        said_at=source.said_at,
        pinned=fact.pinned,
        speaker=fact.speaker,
        position=source.position,
        session_id=source.session_id,
        source_message_id=source.id,
        metadata={**fact.metadata, "dates": list(fact.dates)} if fact.dates else fact.metadata,
    )


def _new_message(stored: StoredMessage) -> NewFact:
    return NewFact(
        stored.message.content,
        id=stored.id,
        kind="message",
        said_at=stored.said_at,
        speaker=stored.message.name,
        position=stored.position,
        session_id=stored.session_id,
        source_message_id=stored.id,
    )
