"""The ranking of the package `memori` 3.3.6: cosine, and BM25 inside the pool of candidates."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from memori_core.config import env_number
from memori_core.errors import ConfigError
from memori_core.retrieval.candidates import IntArray, best_first, candidate_limit, top_rows
from memori_core.retrieval.fusion.base import Fusion, Pool, Search
from memori_core.retrieval.lexical import Float64Array

# Every constant: reference/memori.md, sections 3.1 to 3.5, checked against recorded outputs of the
# package in tests/core/retrieval/fusion/test_memori_fixtures.py.
STOP_WORDS = frozenset(
    """
a an and are as at be by did do does for from had has have how i in is it of on or that the their
then there to was were what when where which who why with you your
""".split()
)
K1 = 1.2
B = 0.75
LEXICAL_WEIGHT = 0.15
SHORT_LEXICAL_WEIGHT = 0.30
SHORT_QUERY_TOKENS = 2
"""Up to this many tokens, repeats counted, a query is short."""
WEIGHT_RANGE = (0.05, 0.40)
THRESHOLD = 0.1
LEXICAL_WEIGHT_VARIABLE = "MEMORI_RECALL_LEX_WEIGHT"
SHORT_LEXICAL_WEIGHT_VARIABLE = "MEMORI_RECALL_LEX_WEIGHT_SHORT"

_TOKEN = re.compile(r"[a-z0-9]+")


def memori_tokens(text: str) -> list[str]:
    """Runs of ASCII letters and digits of the lower-cased text without stop words, not stemmed."""
    return [token for token in _TOKEN.findall(text.lower()) if token not in STOP_WORDS]


def lexical_weight_for(
    query: str,
    *,
    lexical_weight: float = LEXICAL_WEIGHT,
    short_lexical_weight: float = SHORT_LEXICAL_WEIGHT,
) -> float:
    """What words count for this query, clamped to [0.05, 0.40]; the cosine counts the rest."""
    short = len(memori_tokens(query)) <= SHORT_QUERY_TOKENS
    lowest, highest = WEIGHT_RANGE
    return min(max(short_lexical_weight if short else lexical_weight, lowest), highest)


def pool_bm25(query: Sequence[str], contents: Sequence[Sequence[str]]) -> Float64Array:
    """BM25 with the pool as the whole collection, divided by the pool's best.

    Args:
        query: Tokens; repeats count once.
        contents: Tokens of each candidate.

    Returns:
        Shape `(p,)`, in [0, 1]; all 0 where no candidate holds a token of the query.
    """
    scores = np.zeros(len(contents))
    counts = [Counter(tokens) for tokens in contents]
    lengths = [len(tokens) for tokens in contents]
    total = len(contents)
    average = sum(lengths) / total if total else 0.0
    for token in dict.fromkeys(query):
        holding = sum(1 for count in counts if token in count)
        idf = math.log(1 + (total - holding + 0.5) / (holding + 0.5))
        for row, count in enumerate(counts):
            if f := count[token]:
                length = (1 - B) + B * lengths[row] / average
                scores[row] += idf * f * (K1 + 1) / (f + K1 * length)
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores


def memori_scores(
    cosines: npt.ArrayLike,
    contents: Sequence[str],
    query: str | None,
    *,
    lexical_weight: float = LEXICAL_WEIGHT,
    short_lexical_weight: float = SHORT_LEXICAL_WEIGHT,
) -> tuple[Float64Array, Float64Array]:
    """Score candidates whose similarity is known. They are the whole collection to BM25.

    Args:
        cosines: Shape `(p,)`.
        contents: The texts of the candidates.
        query: None or empty: similarity alone ranks.
        lexical_weight: What words count.
        short_lexical_weight: The same for queries of up to two tokens.

    Returns:
        The lexical scores, in [0, 1], and the rank scores, both of the shape `(p,)`, float64.

    Example:
        ```python
        from memori_core.retrieval.fusion.memori import memori_scores

        lexical, rank = memori_scores([0.3, 0.6], ["likes rust", "likes tea"], "rust")
        print(lexical, rank)
        #> [1. 0.] [0.51 0.42]
        ```
    """
    dense = np.asarray(cosines, dtype=np.float64)
    if not query:
        return np.zeros(len(dense)), dense
    lexical = pool_bm25(memori_tokens(query), [memori_tokens(text) for text in contents])
    weight = lexical_weight_for(
        query, lexical_weight=lexical_weight, short_lexical_weight=short_lexical_weight
    )
    return lexical, (1 - weight) * dense + weight * lexical


class MemoriFusion(Fusion):
    """`rank = (1 - w) · cosine + w · lexical`, as the package `memori` ranks.

    The pool is dense: `candidate_limit` facts of the highest cosine; words reorder it and let
    nothing in, so a memory without an embedder recalls nothing. The lexical score is relative to
    the pool's best. Use it to compare or to move over; `CoverageFusion` finds more.

    Args:
        dense_limit: See only this many facts, those said last (the package: 1,000). None: all.
        lexical_weight: `w`. Default: `MEMORI_RECALL_LEX_WEIGHT`, else 0.15.
        short_lexical_weight: `w` for queries of up to two tokens.
            Default: `MEMORI_RECALL_LEX_WEIGHT_SHORT`, else 0.30.
        threshold: The rank score that a fact must reach, times `strictness`.

    Weights are clamped to [0.05, 0.40]. The environment is read when the object is made.

    Raises:
        ConfigError: A weight or the threshold is not a number, in an argument or a variable
            (the package puts its default in silently), or `dense_limit` is negative.
    """

    name: ClassVar[str] = "memori"
    needs_vector: ClassVar[bool] = True

    def __init__(
        self,
        *,
        dense_limit: int | None = None,
        lexical_weight: float | None = None,
        short_lexical_weight: float | None = None,
        threshold: float = THRESHOLD,
    ) -> None:
        if dense_limit is not None and dense_limit < 0:
            raise ConfigError(f"`dense_limit` must be 0 or more, or None, got {dense_limit!r}.")
        numbers = {
            "lexical_weight": lexical_weight,
            "short_lexical_weight": short_lexical_weight,
            "threshold": threshold,
        }
        for key, value in numbers.items():
            if value is not None and math.isnan(value):
                raise ConfigError(f"`{key}` must be a number, got {value!r}.")
        if lexical_weight is None:
            lexical_weight = env_number(LEXICAL_WEIGHT_VARIABLE, LEXICAL_WEIGHT)
        if short_lexical_weight is None:
            short_lexical_weight = env_number(SHORT_LEXICAL_WEIGHT_VARIABLE, SHORT_LEXICAL_WEIGHT)
        lowest, highest = WEIGHT_RANGE
        self.dense_limit = dense_limit
        self.lexical_weight = min(max(lexical_weight, lowest), highest)
        self.short_lexical_weight = min(max(short_lexical_weight, lowest), highest)
        self.threshold = threshold

    def candidates(self, search: Search) -> IntArray:
        if search.vector is None or search.limit == 0:
            return np.zeros(0, np.intp)
        cosines = search.cosines
        seen = search.searched
        if self.dense_limit is not None and self.dense_limit < seen:
            newest = _newest(search, self.dense_limit)
            cosines = np.full_like(cosines, -np.inf)
            cosines[newest] = search.cosines[newest]
            seen = len(newest)
        # Without words to reorder it, the package makes the pool no larger than the answer.
        count = candidate_limit(search.limit, seen) if search.text else search.limit
        if seen == 0:
            return np.zeros(0, np.intp)
        rows = top_rows(cosines, count)
        if len(rows) > count:  # equal facts at the end: the size of the pool is part of BM25
            id_of = Pool(search, rows).id_of
            rows = rows[best_first(cosines[rows], cosines[rows], id_of, count)]
        return np.sort(rows)

    def parts(self, pool: Pool) -> dict[str, Float64Array]:
        query = pool.search.text
        lexical, _ = memori_scores(
            pool.cosines, [fact.content for fact in pool.facts], query or None
        )
        weight = 0.0
        if query:
            weight = lexical_weight_for(
                query,
                lexical_weight=self.lexical_weight,
                short_lexical_weight=self.short_lexical_weight,
            )
        return {
            "dense": (1 - weight) * pool.cosines.astype(np.float64),
            "lexical": weight * lexical,
        }

    def cut(self, search: Search, strictness: float) -> float:
        return self.threshold * strictness


def _newest(search: Search, count: int) -> list[int]:
    """The rows said last, then most often, then of the highest id, as the package orders them."""
    facts = search.snapshot.facts
    rows = np.flatnonzero(search.cosines > -np.inf).tolist()
    return heapq.nlargest(
        count, rows, key=lambda row: (facts[row].last_said_at, facts[row].times, facts[row].id)
    )
