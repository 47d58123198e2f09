"""Measures of one ranking. Pure; every one is in [0, 1], and higher is better.

A ranking holds ids, best first, each id once. `gold` holds the ids that answer the question, and
is never empty.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean

Scores = Mapping[str, float]
"""Measures by name."""


def rounded(scores: Scores) -> dict[str, float]:
    """The same to four places, for reports."""
    return {name: round(value, 4) for name, value in scores.items()}


def recall_at(k: int, ranking: Sequence[str], gold: Collection[str]) -> float:
    """The share of the gold ids that are among the first `k`."""
    wanted = set(gold)
    return len(wanted.intersection(ranking[:k])) / len(wanted)


def hit_at(k: int, ranking: Sequence[str], gold: Collection[str]) -> float:
    """1 if any gold id is among the first `k`, else 0."""
    return float(not set(gold).isdisjoint(ranking[:k]))


def mrr_at(k: int, ranking: Sequence[str], gold: Collection[str]) -> float:
    """1 / the place of the first gold id, counted from 1; 0 if the first `k` hold none."""
    wanted = set(gold)
    places = (place for place, found in enumerate(ranking[:k], 1) if found in wanted)
    return 1 / next(places, math.inf)


def ndcg_at(k: int, ranking: Sequence[str], gold: Collection[str]) -> float:
    """`Σ 1/log2(place + 1)` over the gold ids among the first `k`, over that of the best ranking.

    Binary: every gold id gains 1.
    """
    wanted = set(gold)
    gained = sum(_discount(place) for place, found in enumerate(ranking[:k], 1) if found in wanted)
    return gained / sum(_discount(place) for place in range(1, min(k, len(wanted)) + 1))


def score(ranking: Sequence[str], gold: Collection[str]) -> Scores:
    """Every measure that looks no deeper than 10."""
    return {
        "hit@1": hit_at(1, ranking, gold),
        "recall@5": recall_at(5, ranking, gold),
        "recall@10": recall_at(10, ranking, gold),
        "hit@10": hit_at(10, ranking, gold),
        "mrr@10": mrr_at(10, ranking, gold),
        "ndcg@10": ndcg_at(10, ranking, gold),
    }


def mean(rows: Sequence[Scores]) -> dict[str, float]:
    """The mean of each measure over questions, every question alike; nothing for no rows."""
    return {name: fmean(row[name] for row in rows) for name in rows[0]} if rows else {}


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which `percent` of the values lie, interpolated between neighbours.

    Args:
        values: At least one, in any order.
        percent: From 0 to 100.
    """
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    low = math.floor(place)
    return ordered[low] + (ordered[math.ceil(place)] - ordered[low]) * (place - low)


def _discount(place: int) -> float:
    return 1 / math.log2(place + 1)
