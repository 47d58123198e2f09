"""The arithmetic of `mem0ai` 2.2.1: pure functions, float64, in its order of operations.

Every constant: reference/mem0.md, section 3, checked against recorded outputs of the package in
tests/core/retrieval/fusion/test_mem0_fixtures.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memori_core.models import Mention
from memori_core.retrieval.lexical import Float64Array

# Number of terms of the query, at most: midpoint and steepness of the logistic curve.
_SIGMOIDS = ((3, 5.0, 0.7), (6, 7.0, 0.6), (9, 9.0, 0.5), (15, 10.0, 0.5))
_LONG_SIGMOID = (12.0, 0.5)

ENTITY_WEIGHT = 0.5
ENTITY_SIMILARITY = 0.5
"""A name less similar than this is another name."""
SPREAD = 0.001
"""How quickly a name that many facts speak of loses its weight."""
QUERY_ENTITIES = 8


def over_fetch(limit: int) -> int:
    """How many facts each leg brings."""
    return max(limit * 4, 60)


def sigmoid_params(terms: int) -> tuple[float, float]:
    """Midpoint and steepness of the curve for a query of this many lemmatised terms."""
    for most, midpoint, steepness in _SIGMOIDS:
        if terms <= most:
            return midpoint, steepness
    return _LONG_SIGMOID


def normalize_bm25(raw: float, midpoint: float, steepness: float) -> float:
    """A raw keyword score on a logistic curve, from 0 to 1.

    Never overflows: where `mem0ai` raises OverflowError (raw scores below about -1,000, which a
    search never gives), this is 0.0.
    """
    try:
        return 1.0 / (1.0 + math.exp(-steepness * (raw - midpoint)))
    except OverflowError:
        return 0.0


def query_names(mentions: Iterable[Mention]) -> list[Mention]:
    """The names to look up: of the first eight, each once (first spelling), blank ones left out."""
    first = list(mentions)[:QUERY_ENTITIES]
    return list({m.norm: m for m in reversed(first) if m.norm}.values())[::-1]


def entity_boost(similarity: float, linked: int) -> float:
    """What a matching name adds to each of the `linked` facts that speak of it; 0 below 0.5."""
    if similarity < ENTITY_SIMILARITY:
        return 0.0
    return similarity * ENTITY_WEIGHT * (1.0 / (1.0 + SPREAD * ((linked - 1) ** 2)))


def entity_boosts(matches: Iterable[tuple[float, Sequence[str]]]) -> dict[str, float]:
    """The boost of each fact: the best of its matches, not their sum.

    Args:
        matches: Per match of a name in the question with a stored one, their similarity and the
            ids of the facts linked to it.
    """
    boosts: dict[str, float] = {}
    for similarity, fact_ids in matches:
        boost = entity_boost(similarity, len(fact_ids))
        if boost > 0:
            for fact_id in fact_ids:
                boosts[fact_id] = max(boosts.get(fact_id, 0.0), boost)
    return boosts


def max_possible(*, bm25: bool, entities: bool) -> float:
    """The highest sum there could be. A signal counts if it found anything at all."""
    return 1.0 + (1.0 if bm25 else 0.0) + (ENTITY_WEIGHT if entities else 0.0)


def fused_scores(
    dense: npt.ArrayLike, bm25: npt.ArrayLike, boosts: npt.ArrayLike, divisor: float
) -> Float64Array:
    """`min((cosine + bm25 + boost) / divisor, 1)`, element by element, shape `(p,)`."""
    raw = np.asarray(dense, np.float64) + np.asarray(bm25, np.float64)
    return np.minimum((raw + np.asarray(boosts, np.float64)) / divisor, 1.0)


@dataclass(frozen=True, slots=True)
class FusedScore:
    """One fact's score and what it is made of, under the names `mem0ai` gives them."""

    id: str
    semantic_score: float
    bm25_score: float
    entity_boost: float
    raw_score: float
    max_possible_score: float
    final_score: float


def fuse(
    semantic: Sequence[tuple[str, float]],
    bm25: Mapping[str, float],
    boosts: Mapping[str, float],
    *,
    threshold: float,
    top_k: int,
) -> list[FusedScore]:
    """Rank candidates that come scored from elsewhere.

    Args:
        semantic: Id and cosine of each candidate. Only these can be returned.
        bm25: Normalised keyword scores by id, also of ids that are no candidates.
        boosts: Entity boosts by id, likewise.
        threshold: The cosine that a candidate must have.
        top_k: At most this many.

    Returns:
        The best first; equal scores in the order given.

    Example:
        ```python
        from memori_core.retrieval.fusion.mem0_scoring import fuse

        found = fuse([("a", 0.5), ("b", 0.3)], {"b": 0.9}, {}, threshold=0.1, top_k=5)
        print([(one.id, one.final_score) for one in found])
        #> [('b', 0.6), ('a', 0.25)]
        ```
    """
    divisor = max_possible(bm25=bool(bm25), entities=bool(boosts))
    passed = [(id, score) for id, score in semantic if score >= threshold]
    words = [bm25.get(id, 0.0) for id, _ in passed]
    names = [boosts.get(id, 0.0) for id, _ in passed]
    final = fused_scores([score for _, score in passed], words, names, divisor)
    order = np.argsort(-final, kind="stable")[:top_k]
    return [
        FusedScore(
            passed[i][0],
            semantic_score=passed[i][1],
            bm25_score=words[i],
            entity_boost=names[i],
            raw_score=passed[i][1] + words[i] + names[i],
            max_possible_score=divisor,
            final_score=float(final[i]),
        )
        for i in map(int, order)
    ]
