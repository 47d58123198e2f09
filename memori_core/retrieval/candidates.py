"""Which facts are looked at closely, and which come first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.intp]
Scores: TypeAlias = npt.NDArray[np.floating[Any]]
"""One number a row, of either precision. Higher is better."""


def candidate_limit(limit: int, total: int) -> int:
    """How many candidates each signal nominates for an answer of `limit` facts.

    Ten times the answer and at least 50, so that a fact in the middle of one signal can still win
    by the other; never more than there are, never fewer than asked for
    (seeds/000, `dynamic_candidate_limit`).

    ```python
    from memori_core.retrieval.candidates import candidate_limit

    print(candidate_limit(5, 800), candidate_limit(20, 800), candidate_limit(5, 8))
    #> 50 200 8
    ```
    """
    return max(limit, min(total, max(limit * 10, 50)))


def top_rows(scores: Scores, count: int, *, ties: Scores | None = None) -> IntArray:
    """The rows of the `count` highest scores, in no particular order, -inf left out.

    Args:
        scores: Shape `(n,)`. Higher is better.
        count: How many rows at most.
        ties: Shape `(n,)`. Among rows that share the last score that fits, the higher one here
            goes in. Where that is equal too, all of them go in, so that the order in which rows
            were stored never decides.
    """
    total = len(scores)
    if count < total:
        last = np.partition(scores, total - count)[total - count]
    else:
        last = -np.inf
    if last == -np.inf:
        return np.flatnonzero(scores > -np.inf)
    rows = np.flatnonzero(scores >= last)
    if ties is None or len(rows) <= count:
        return rows
    at_last = scores[rows] == last
    tied = rows[at_last]
    room = count - (len(rows) - len(tied))
    tied_scores = ties[tied]
    floor = np.partition(tied_scores, len(tied) - room)[len(tied) - room]
    return np.concatenate([rows[~at_last], tied[tied_scores >= floor]])


def best_first(rank: Scores, ties: Scores, id_of: Callable[[int], str], count: int) -> list[int]:
    """Positions of the `count` best, by rank, then by the second score, then by id.

    Args:
        rank: Shape `(n,)`.
        ties: Shape `(n,)`: decides between equal ranks.
        id_of: Gives the id at a position; asked only about those that may be among the best.
        count: How many at most.
    """
    if count < 1:
        return []
    if count >= len(rank):
        places = range(len(rank))
    else:
        places = top_rows(rank, count, ties=ties).tolist()
    return sorted(places, key=lambda i: (-rank[i], -ties[i], id_of(i)))[:count]
