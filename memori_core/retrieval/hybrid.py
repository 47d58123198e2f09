"""From a question to a `Recall`: the read path, end to end."""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime

import numpy as np

from memori_core._threads import run_sync
from memori_core.embedding import Embedder, FloatArray
from memori_core.errors import ConfigError, EmbedderChangedWarning
from memori_core.models import Fact, Kind, Scope
from memori_core.results import Reason, Recall, RecalledFact
from memori_core.retrieval.boosts import Boost, Witness
from memori_core.retrieval.cache import DEFAULT_CACHE_BYTES, IndexCache
from memori_core.retrieval.candidates import best_first
from memori_core.retrieval.encoder import QueryEncoder
from memori_core.retrieval.filters import (
    Where,
    allowed_rows,
    asks_about_past,
    check_kinds,
    check_where,
)
from memori_core.retrieval.fusion import Fusion, Pool, Search, make_fusion
from memori_core.retrieval.index import Snapshot
from memori_core.retrieval.lexical import Float64Array
from memori_core.retrieval.questions import check_arguments, clean_query, without_search
from memori_core.retrieval.reranking import Scored
from memori_core.stores.base import Store

logger = logging.getLogger(__name__)

_WITNESS = Witness()
FACT_SHARE = 0.95
"""A fact stands for its message from this share of the message's rank on: it is shorter."""
MAX_PINNED = 5
MAX_PINNED_CHARS = 600
"""How much room pinned facts may take in every block."""


class HybridRetriever:
    """Finds the facts of an entity that bear on a question, by meaning and by words.

    ```python
    from memori_core import HybridRetriever, InMemoryStore, Memori, Scope

    store = InMemoryStore()
    Memori(store, embedder=None).scoped("alice").remember("User plays the cello.")
    retriever = HybridRetriever(store, embedder=None)
    print(retriever.recall("Who plays cello?", scope=Scope("alice"))[0].content)
    #> User plays the cello.
    ```

    Args:
        store: Where the facts are.
        embedder: What made their vectors; None for recall by words only.
        fusion: How the signals become one order: a policy or its name.
        boosts: Further stages, for example `boosts.conversation()`.
        cache_bytes: How much memory the indexes of entities may take.
        clock: What time it is; facts that ended before stay out.
    """

    def __init__(
        self,
        store: Store,
        *,
        embedder: Embedder | None,
        fusion: Fusion | str = "coverage",
        boosts: Sequence[Boost] = (),
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.store = store
        self.encoder = QueryEncoder(embedder, store=store)
        self.fusion = make_fusion(fusion, has_embedder=embedder is not None)
        self.boosts = tuple(boosts)
        self._cache_bytes = cache_bytes
        self._clock = clock
        self._lock = threading.Lock()
        self._cache: IndexCache | None = None
        self._reported = False

    def recall(
        self,
        query: str | None = None,
        *,
        scope: Scope,
        vector: Sequence[float] | FloatArray | None = None,
        limit: int = 5,
        strictness: float = 1.0,
        where: Where | None = None,
        include_history: bool = False,
        kinds: Collection[Kind] | None = None,
        process_only: bool = False,
    ) -> Recall:
        """The facts of the entity that bear on a question, best first.

        Args:
            query: The question. Blank recalls nothing, unless there is a vector.
            scope: Whose facts.
            vector: The question's vector, shape `(dim,)`, if it is known already.
            limit: At most this many facts; 0 recalls nothing.
            strictness: Scales the cut below which nothing is recalled; 0 switches it off.
            where: Metadata the facts must have: key to value, or to a list of allowed values.
            include_history: Also facts that ended or were superseded. Questions about the past
                bring them too.
            kinds: Only facts of these kinds.
            process_only: Only what the scope's own process stored.

        Raises:
            ConfigError: An argument cannot be right.
            DimensionMismatchError: `vector` is not of the embedder's shape.
        """
        started = time.perf_counter()
        check_arguments(query, limit, strictness)
        check_where(where)
        check_kinds(kinds)
        if process_only and scope.process_id is None:
            raise ConfigError(
                "`process_only` needs a scope with a `process_id`: "
                "memori.scoped(entity_id, process_id=...)."
            )
        text = clean_query(query or "")
        nothing = without_search(
            text, scope, has_vector=vector is not None, policy=self.fusion.name
        )
        if nothing is not None:
            return nothing
        asked = vector is not None or self.fusion.uses_vector
        asked_vector = self.encoder.question(text, vector) if asked else None
        embed_ms = _ms_since(started)
        loading = time.perf_counter()
        snapshot = self.cache.snapshot(scope)
        load_ms = _ms_since(loading)
        ranking = time.perf_counter()
        mask = allowed_rows(
            snapshot,
            now=self._clock(),
            where=where,
            kinds=kinds,
            process_id=scope.process_id if process_only else None,
            include_ended=include_history or asks_about_past(text),
        )
        search = Search(
            text,
            snapshot=snapshot,
            vector=asked_vector,
            profile=self.encoder.profile,
            mask=mask,
            limit=limit,
            embed=self.encoder.names if self.fusion.uses_mentions else None,
            mentions=self.cache.mentions(scope, snapshot) if self.fusion.uses_mentions else None,
            strictness=strictness,
        )
        reason, facts, cut, rejected = self._ranked(search, strictness)
        self._report_vectors(snapshot)
        return Recall(
            text,
            scope=scope,
            reason=reason,
            facts=facts,
            pinned=_pinned(search, self._clock()),
            searched=search.searched,
            cut=cut,
            best_rejected=rejected,
            without_vector=snapshot.without_vector,
            policy=self.fusion.name,
            timings_ms={
                "embed": embed_ms,
                "load": load_ms,
                "rank": _ms_since(ranking),
                "total": _ms_since(started),
            },
        )

    async def arecall(
        self,
        query: str | None = None,
        *,
        scope: Scope,
        vector: Sequence[float] | FloatArray | None = None,
        limit: int = 5,
        strictness: float = 1.0,
        where: Where | None = None,
        include_history: bool = False,
        kinds: Collection[Kind] | None = None,
        process_only: bool = False,
    ) -> Recall:
        """`recall` without blocking the event loop."""
        return await run_sync(
            self.recall,
            query,
            scope=scope,
            vector=vector,
            limit=limit,
            strictness=strictness,
            where=where,
            include_history=include_history,
            kinds=kinds,
            process_only=process_only,
        )

    def catch_up(self, scope: Scope) -> None:
        """Have the entity's index follow what was stored, so that the next recall need not.

        An index that nobody recalls from is not loaded, nor is the embedder.
        """
        if self._cache is not None:
            self._cache.catch_up(scope)

    def forget(self, scope: Scope) -> None:
        """Drop the entity's index from memory, if it is there."""
        if self._cache is not None:
            self._cache.forget(scope)

    def warm_up(self) -> None:
        """Load the embedder and its profile, so that the first recall is as quick as the next."""
        self.encoder.warm_up()

    @property
    def cache(self) -> IndexCache:
        """The indexes in memory. Loads the embedder to learn its dimension."""
        if self._cache is None:
            encoder = self.encoder
            made = IndexCache(
                self.store, embedder=encoder.name, dim=encoder.dim, max_bytes=self._cache_bytes
            )
            with self._lock:
                self._cache = self._cache or made
        return self._cache

    def _ranked(
        self, search: Search, strictness: float
    ) -> tuple[Reason, tuple[RecalledFact, ...], float, RecalledFact | None]:
        cut = self.fusion.cut(search, strictness)
        if search.searched == 0:
            return "no_facts", (), cut, None
        rows = self.fusion.candidates(search)
        boosts = (*self.boosts, _WITNESS) if search.snapshot.holds_messages else self.boosts
        for boost in boosts:
            rows = boost.widen(search, rows)
        if len(rows) == 0:
            return "below_cut", (), cut, None
        pool = Pool(search, rows)
        parts = dict(self.fusion.parts(pool))
        fused = self.fusion.rank(pool, parts)
        relevance = self.fusion.relevance(pool, fused)
        rank = fused
        for boost in boosts:
            parts[boost.name] = boost.part(pool, fused)
            rank = rank + parts[boost.name]

        scored = Scored(pool, parts=parts, rank=rank, relevance=relevance)
        # With the cut off and a vector, everything is some answer; else a hit needs a signal.
        hits = np.isfinite(rank) if strictness == 0 and search.vector is not None else fused > 0
        best = int(np.argmax(np.where(hits, relevance, -np.inf)))
        kept = hits & ((relevance >= self.fusion.keep(cut)) | (strictness == 0))
        if not kept.any() or (relevance[best] < cut and strictness > 0):
            return "below_cut", (), cut, scored.fact(best) if hits[best] else None
        shown = np.where(hits, rank, -np.inf).astype(np.float64)
        first = _first_places(shown, pool, search.limit)
        facts = [scored.fact(place) for place in first if kept[place]]
        if asks_about_past(search.text):  # what held then may be the best answer
            return "ok", tuple(facts), cut, None
        return "ok", _behind_successors(facts), cut, None

    def _report_vectors(self, snapshot: Snapshot) -> None:
        """Say once that some facts can be found by their words only."""
        if not snapshot.without_vector or self._reported:
            return
        self._reported = True
        if not snapshot.other_embedders:
            logger.warning(
                "%d facts have no usable vector and are found by their words only; "
                "Memori.reindex() makes their vectors anew",
                snapshot.without_vector,
            )
            return
        others = ", ".join(sorted(snapshot.other_embedders))
        warnings.warn(
            f"{snapshot.without_vector} facts have vectors of {others}, but this memory uses "
            f"`{self.encoder.name}` ({self.encoder.dim}-d). They are found by their words only. "
            "Make their vectors anew with Memori.reindex() or `memori reindex`, or go back to the "
            "embedder that filled the store.",
            EmbedderChangedWarning,
            stacklevel=4,
        )


def _first_places(rank: Float64Array, pool: Pool, limit: int) -> list[int]:
    """The best candidates, one for each message: the message itself, or a fact made of it."""
    if not pool.search.snapshot.holds_messages:
        return best_first(rank, pool.cosines, pool.id_of, limit)
    chosen: dict[str, int] = {}
    for place in best_first(rank, pool.cosines, pool.id_of, len(rank)):
        fact = pool.fact(place)
        source = fact.source_message_id or fact.id
        first = chosen.get(source)
        if first is None:
            if len(chosen) < limit:
                chosen[source] = place
        elif pool.fact(first).kind == "message" and rank[place] >= FACT_SHARE * rank[first]:
            chosen[source] = place
    return list(chosen.values())


def _behind_successors(facts: Sequence[RecalledFact]) -> tuple[RecalledFact, ...]:
    """The same facts, each superseded one moved behind the one that took its place."""
    order = list(facts)
    by_id = {found.id: found for found in facts}
    for found in facts:
        successor = by_id.get(found.fact.superseded_by or "")
        if successor is not None and order.index(found) < order.index(successor):
            order.remove(found)
            order.insert(order.index(successor) + 1, found)
    return tuple(order)


def _pinned(search: Search, now: datetime) -> tuple[Fact, ...]:
    """The pinned facts that still hold and pass the filters, newest first, if there is room."""
    rows = [r for r in search.snapshot.pinned if search.mask is None or search.mask[r]]
    facts = [search.snapshot.facts[row] for row in rows]
    facts = sorted((f for f in facts if not f.ended_by(now)), key=lambda f: (f.said_at, f.id))
    chosen: list[Fact] = []
    room = MAX_PINNED_CHARS
    for fact in reversed(facts):
        if len(chosen) < MAX_PINNED and len(fact.content) <= room:
            chosen.append(fact)
            room -= len(fact.content)
    return tuple(chosen)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1e3
