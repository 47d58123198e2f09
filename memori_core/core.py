"""What every memory handle does, given a scope: embed, store, find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from memori_core import _intake
from memori_core._extras import load_extra
from memori_core._intake import Rememberable
from memori_core.embedding import FloatArray
from memori_core.errors import DimensionMismatchError, StoreClosedError
from memori_core.models import Fact, FactRecord, FactVersion, Mention, NewFact, Scope
from memori_core.retrieval.dense import unit_vector
from memori_core.retrieval.entities import EntityExtractor, default_extractor
from memori_core.retrieval.hybrid import HybridRetriever
from memori_core.retrieval.index_text import embedded_text
from memori_core.stores.base import Store
from memori_core.stores.transfer import export_jsonl, import_jsonl
from memori_core.writes import CreateFact, DeleteFacts, UpdateFact, UpsertFact, WriteBatch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BATCH = 500
"""Facts per transaction in bulk work."""


class MemoryCore:
    """The write path for facts, beside the retriever that reads them.

    Args:
        store: Where the facts are.
        retriever: What finds them; its embedder makes their vectors.
        clock: What time it is.
    """

    def __init__(
        self,
        store: Store,
        retriever: HybridRetriever,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._retriever = retriever
        self._clock = clock
        self._closed = False
        self._entities: EntityExtractor | None = None

    @property
    def store(self) -> Store:
        """The store, unless it was closed."""
        if self._closed:
            raise StoreClosedError("This memory was closed. Create a new Memori to go on.")
        return self._store

    @property
    def retriever(self) -> HybridRetriever:
        """The retriever, unless the memory was closed."""
        _ = self.store
        return self._retriever

    def close(self) -> None:
        """Refuse all further work."""
        self._closed = True

    def remember(
        self,
        scope: Scope,
        items: Iterable[Rememberable],
        *,
        vectors: Sequence[Sequence[float]] | FloatArray | None = None,
        progress: bool = False,
    ) -> list[Fact]:
        """Store facts and return them as they are stored: a repeat is the fact that was there."""
        ops = self.creations(scope, _intake.new_facts(items), vectors=vectors, progress=progress)
        stored: list[Fact] = []
        for batch in _batches(ops, progress=progress, title="remember"):
            applied = self.store.apply(scope, WriteBatch(tuple(batch)))
            stored += [fact for fact in applied.facts if fact is not None]
        return stored

    def creations(
        self,
        scope: Scope,
        new: Sequence[NewFact],
        *,
        names: Sequence[Sequence[Mention]] = (),
        vectors: Sequence[Sequence[float]] | FloatArray | None = None,
        progress: bool = False,
    ) -> list[CreateFact | UpsertFact]:
        """The operations that store facts, embedded and with their names, one per fact.

        Args:
            scope: Whose they are.
            new: The facts.
            names: What the first of them speak of, beside the names that their texts show.
            vectors: Their vectors, shape `(n, dim)`, if they are known already.
            progress: Show a progress bar.
        """
        now = self._clock()
        said = [fact if fact.said_at else replace(fact, said_at=now) for fact in new]
        rows = self._rows([embedded_text(fact) for fact in said], vectors, progress=progress)
        mentions = self._mentions([fact.content for fact in said], names)
        ops: list[CreateFact | UpsertFact] = []
        for fact, row, named in zip(said, rows, mentions, strict=True):
            record = _intake.record(
                fact, scope=scope, now=now, vector=row, embedder=self._embedder_name
            )
            kind = CreateFact if fact.id is None else UpsertFact
            ops.append(kind(record, mentions=named))
        return ops

    def update(self, scope: Scope, fact_id: str, changes: Mapping[str, object]) -> Fact | None:
        """Change fields of one fact; None if there is no such fact."""
        _intake.fact_ids(fact_id)
        values = dict(changes)
        mentions: tuple[Mention, ...] | None = None
        content = values.get("content")
        if content is not None:
            _intake.check_content(content)
            fact = self.get(scope, fact_id)
            if fact is None:
                return None
            fact = replace(fact, content=str(content))
            row = self._rows([embedded_text(fact)], None)[0]
            values |= _intake.derived(fact)
            values |= {"vector": row, "embedder": self._embedder_name if row else None}
            mentions = self._mentions([fact.content])[0]
        op = UpdateFact(fact_id, changes=values, mentions=mentions)
        return self.store.apply(scope, WriteBatch((op,))).facts[0]

    def stats(self, scope: Scope) -> Mapping[str, int | str]:
        """Counts of the entity's memory."""
        return {
            "entity_id": scope.entity_id,
            "facts": self.store.count(scope),
            "sessions": len(self.store.sessions(scope)),
            "revision": self.store.revision(scope),
        }

    def timeline(self, scope: Scope, *, limit: int | None, ax: Any = None) -> Figure:
        """A figure of the facts that were said last."""
        _intake.check_limit(limit)
        load_extra("matplotlib", feature="timeline()", package="matplotlib", extra="notebooks")
        from memori_core._display.figures import plot_timeline

        facts = sorted(self.facts(scope, limit=None, after=None), key=lambda fact: fact.said_at)
        first = 0 if limit is None else max(0, len(facts) - limit)
        return plot_timeline(facts[first:], now=self._clock(), ax=ax)

    def get(self, scope: Scope, fact_id: str) -> Fact | None:
        """One fact, or None."""
        found = self.store.facts(scope, ids=_intake.fact_ids(fact_id))
        return found[0].fact if found else None

    def facts(self, scope: Scope, *, limit: int | None, after: str | None) -> list[Fact]:
        """Facts in the order of their ids, without indexed messages."""
        _intake.check_limit(limit)
        _intake.check_texts(after=after)
        found: list[Fact] = []
        while limit is None or len(found) < limit:
            page = self.store.facts(scope, after=after, limit=BATCH)
            found += [record.fact for record in page if record.fact.kind != "message"]
            if len(page) < BATCH:
                break
            after = page[-1].fact.id
        return found[:limit]

    def history(self, scope: Scope, fact_id: str) -> Sequence[FactVersion]:
        """What a fact said before."""
        _intake.fact_ids(fact_id)
        return self.store.history(scope, fact_id)

    def forget(self, scope: Scope, ids: str | Iterable[str]) -> int:
        """Delete facts and return how many there were."""
        chosen = tuple(_intake.fact_ids(ids))
        if not chosen:
            return 0
        return len(self.store.apply(scope, WriteBatch((DeleteFacts(chosen),))).deleted)

    def erase(self, scope: Scope) -> int:
        """Remove everything about the entity, and return how many facts there were."""
        count = self.store.erase(scope)
        self.retriever.forget(scope)
        return count

    def export(self, scope: Scope | None) -> Iterator[str]:
        """The facts of one entity, or of all, as JSON Lines."""
        return export_jsonl(self.store, scope)

    def import_lines(self, lines: Iterable[str], *, scope: Scope | None) -> int:
        """Store exported facts and return how many lines brought one."""
        return import_jsonl(self.store, lines, scope=scope)

    def reindex(self, *, progress: bool = False) -> int:
        """Make vectors, terms and mentions anew where they are not of today's making."""
        changed = 0
        for entity_id in self.store.entities():
            scope = Scope(entity_id)
            stale = [r for r in self.store.facts(scope) if self._is_stale(r)]
            for batch in _batches(stale, progress=progress, title=f"reindex {entity_id}"):
                texts = [record.fact.content for record in batch]
                rows = self._rows([embedded_text(record.fact) for record in batch], None)
                named = self._mentions(texts)
                ops = [
                    UpdateFact(
                        record.fact.id,
                        changes=_intake.derived(record.fact)
                        | {"vector": row, "embedder": self._embedder_name if row else None},
                        mentions=mentions,
                        if_revision=record.fact.revision,  # or it was written anew meanwhile
                    )
                    for record, row, mentions in zip(batch, rows, named, strict=True)
                ]
                applied = self.store.apply(scope, WriteBatch(tuple(ops)))
                changed += sum(fact is not None for fact in applied.facts)
        return changed

    def _is_stale(self, record: FactRecord) -> bool:
        if record.tokenizer != _intake.TOKENIZER_VERSION or self._retriever.fusion.uses_mentions:
            return True
        return self._embedder_name is not None and record.embedder != self._embedder_name

    @property
    def _embedder_name(self) -> str | None:
        embedder = self._retriever.encoder.embedder
        return None if embedder is None else embedder.name

    def _rows(
        self,
        texts: Sequence[str],
        vectors: Sequence[Sequence[float]] | FloatArray | None,
        *,
        progress: bool = False,
    ) -> list[bytes | None]:
        embedder = self._retriever.encoder.embedder
        if embedder is None:
            return [None] * len(texts)
        if vectors is None:
            matrix = embedder.embed_documents(texts, progress=progress)
        else:
            if len(vectors) != len(texts):
                raise DimensionMismatchError(
                    f"`vectors` has {len(vectors)} rows for {len(texts)} facts."
                )
            rows = [unit_vector(row, dim=embedder.dim, name="vectors") for row in vectors]
            matrix = np.array(rows, np.float32).reshape(len(texts), embedder.dim)
        return [row.astype("<f4").tobytes() for row in matrix]

    def _mentions(
        self, texts: Sequence[str], known: Sequence[Sequence[Mention]] = ()
    ) -> list[tuple[Mention, ...]]:
        if not self._retriever.fusion.uses_mentions:
            return [()] * len(texts)
        self._entities = self._entities or default_extractor()
        found = [list(mentions) for mentions in self._entities.extract(texts)]
        for mentions, others in zip(found, known, strict=False):
            norms = {mention.norm for mention in mentions}
            mentions += [other for other in others if other.norm not in norms]
        names = list(dict.fromkeys(m.text for mentions in found for m in mentions))
        vectors = dict(zip(names, self._rows(names, None), strict=True))
        return [
            tuple(replace(mention, vector=vectors[mention.text]) for mention in mentions)
            for mentions in found
        ]


def _batches(items: Sequence[Any], *, progress: bool, title: str) -> Iterator[Sequence[Any]]:
    starts = range(0, len(items), BATCH)
    quiet = not progress or len(starts) < 2
    for start in tqdm(starts, desc=title, unit_scale=BATCH, disable=quiet):
        yield items[start : start + BATCH]
