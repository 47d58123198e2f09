"""The ranking of the package `mem0ai` 2.2.1: cosine, keywords on a logistic curve, names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np

from memori_core.errors import ConfigError
from memori_core.retrieval.candidates import IntArray, top_rows
from memori_core.retrieval.dense import cosine_scores
from memori_core.retrieval.entities import EntityExtractor, default_extractor
from memori_core.retrieval.fusion import mem0_scoring as scoring
from memori_core.retrieval.fusion.base import Fusion, Pool, Search
from memori_core.retrieval.fusion.mem0_keywords import keyword_scores, keyword_view
from memori_core.retrieval.lemmas import Lemmatizer, default_lemmatizer
from memori_core.retrieval.lexical import Float64Array

THRESHOLD = 0.1
MATCHES_PER_NAME = 500


class Mem0Fusion(Fusion):
    """`rank = (cosine + bm25 + boost) / max_possible`, as the package `mem0ai` ranks.

    Candidates are the `max(4 · limit, 60)` facts of the highest cosine that reach the threshold;
    words and names reorder them and let nothing in, so a memory without an embedder recalls
    nothing. The divisor depends on what the question finds anywhere, so scores of two questions
    cannot be compared. Use it to compare or to move over; `CoverageFusion` finds more.

    The threshold is a cosine. It acts before the ranking, times `Search.strictness`, and again as
    the cut; at strictness 0 it does not act.

    Args:
        threshold: The cosine that a fact must have, in [0, 1].
        entities: What finds the names. Default: `default_extractor()`.
        lemmatizer: What makes the words of the keyword leg. Default: `default_lemmatizer()`.

    Raises:
        ConfigError: The threshold is not in [0, 1].
    """

    name: ClassVar[str] = "mem0"
    needs_vector: ClassVar[bool] = True
    uses_mentions: ClassVar[bool] = True

    def __init__(
        self,
        *,
        threshold: float = THRESHOLD,
        entities: EntityExtractor | None = None,
        lemmatizer: Lemmatizer | None = None,
    ) -> None:
        if not 0 <= threshold <= 1:
            raise ConfigError(f"`threshold` must be a number from 0 to 1, got {threshold!r}.")
        self.threshold = threshold
        self.entities = default_extractor() if entities is None else entities
        self.lemmatizer = default_lemmatizer() if lemmatizer is None else lemmatizer

    def candidates(self, search: Search) -> IntArray:
        rows = search.dense_rows(scoring.over_fetch(search.limit)) if search.limit else _NO_ROWS
        if len(rows) == 0 or search.strictness == 0:
            return rows
        cosines = search.cosines[rows]
        passed = rows[cosines >= self.threshold * search.strictness]
        # Where none passes, the nearest stays for the cut to refuse, so that it can be named.
        return passed if len(passed) else rows[[int(np.argmax(cosines))]]

    def parts(self, pool: Pool) -> dict[str, Float64Array]:
        keywords = self.keyword_hits(pool.search)
        boosts = scoring.entity_boosts(self.entity_matches(pool.search))
        divisor = scoring.max_possible(bm25=bool(keywords), entities=bool(boosts))
        bm25 = [keywords.get(row, 0.0) for row in pool.rows.tolist()]
        names = [boosts.get(fact.id, 0.0) for fact in pool.facts]
        return scoring.fused_parts(pool.cosines, bm25, names, divisor)

    def rank(self, pool: Pool, parts: Mapping[str, Float64Array]) -> Float64Array:
        return np.minimum(super().rank(pool, parts), 1.0)

    def relevance(self, pool: Pool, rank: Float64Array) -> Float64Array:
        return pool.cosines.astype(np.float64)

    def cut(self, search: Search, strictness: float) -> float:
        return self.threshold * strictness

    def keyword_hits(self, search: Search) -> dict[int, float]:
        """The rows that the keyword leg brings, with their normalised scores.

        Rows that share the last score that fits all come, so that the order in which facts were
        stored does not decide; under `mem0ai` it is an accident which of them do.
        """
        lemmas = self.lemmatizer.lemmas([search.text])[0]
        terms = self.lemmatizer.stems(lemmas)
        if not terms:
            return {}
        raw = keyword_scores(terms, keyword_view(search.snapshot, self.lemmatizer))
        allowed = raw > 0
        for mask in (search.mask, search.snapshot.lexical.alive):
            if mask is not None:
                allowed &= mask
        raw = np.where(allowed, raw, -np.inf)
        midpoint, steepness = scoring.sigmoid_params(len(lemmas))
        return {
            row: scoring.normalize_bm25(float(raw[row]), midpoint, steepness)
            for row in top_rows(raw, scoring.over_fetch(search.limit)).tolist()
        }

    def entity_matches(self, search: Search) -> Iterator[tuple[float, tuple[str, ...]]]:
        """Similarity and linked fact ids of each stored name that one of the question matches.

        The same spelling is a similarity of 1.0, also without vectors.
        """
        stored = search.mentions
        if stored is None or not stored.texts:
            return
        names = scoring.query_names(self.entities.extract([search.text])[0])
        if not names:
            return
        vectors = None if search.embed is None else search.embed([name.text for name in names])
        for i, name in enumerate(names):
            similarity = np.zeros(len(stored.texts))
            if vectors is not None and stored.matrix.shape[1]:
                similarity = cosine_scores(vectors[i], stored.matrix).astype(np.float64)
            exact = stored.row_of.get(name.norm)
            if exact is not None:
                similarity[exact] = 1.0
            for row in _matching(similarity):
                yield float(similarity[row]), stored.fact_ids[row]


_NO_ROWS = np.zeros(0, np.intp)


def _matching(similarity: Float64Array) -> list[int]:
    """The rows that are similar enough, at most 500."""
    near = np.where(similarity >= scoring.ENTITY_SIMILARITY, similarity, -np.inf)
    return top_rows(near, MATCHES_PER_NAME).tolist()
