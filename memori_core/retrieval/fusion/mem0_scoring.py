"""The arithmetic of `mem0ai` 2.2.1: pure functions, float64, in its order of operations.

Every constant: reference/mem0.md, section 3, checked against recorded outputs of the package in
tests/core/retrieval/fusion/test_mem0_fixtures.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

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


def fused_parts(
    cosines: npt.ArrayLike, bm25: npt.ArrayLike, boosts: npt.ArrayLike, divisor: float
) -> dict[str, Float64Array]:
    """What each signal adds to a score; a score is their sum, at most 1.

    Args:
        cosines: Shape `(p,)`.
        bm25: Shape `(p,)`, normalised keyword scores.
        boosts: Shape `(p,)`, of names.
        divisor: See `max_possible`.
    """
    signals = {"dense": cosines, "bm25": bm25, "entity": boosts}
    return {name: np.asarray(scores, np.float64) / divisor for name, scores in signals.items()}
