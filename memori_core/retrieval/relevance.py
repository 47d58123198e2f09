"""When to recall nothing: the relevance of one fact to one question, and the cut.

Pure functions. Derivation and error rates: docs/pages/concepts/scores.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memori_core.embedding.base import EmbedderProfile, FloatArray
from memori_core.retrieval.candidates import IntArray
from memori_core.retrieval.cohort import Cohort
from memori_core.retrieval.lexical import K1, Float64Array, LexicalView, idf
from memori_core.retrieval.tokenization import Word

KAPPA = 0.30
"""The share of a question's information that words must cover before they count."""
KAPPA_WORDS_ONLY = 0.05
"""The same where words must do: without an embedder, or in a script it does not understand."""
FOREIGN_SHARE = 0.25
"""What a cosine counts there."""
CUT_AT_ONE = 0.105
CUT_PER_LOG = 0.05
"""The best of N irrelevant facts grows with ln N, and the cut with it."""
CUT_PER_LOG_CJK = 0.035
"""The same for questions in Chinese, where the embedder understands it: there the best of N
irrelevant facts grows by 0.026 (docs/pages/evaluation.md)."""
KEEP_SHARE = 0.75
"""Behind a best fact that passes, others stay down to this share of the cut."""


@dataclass(frozen=True, slots=True)
class WordMatch:
    """How well the words of a question are found in some facts."""

    coverage: Float64Array
    """Shape `(p,)`, in [0, 1]: the share of the question's information that the fact holds."""
    weight: Float64Array
    """Shape `(p,)`: the same with BM25's term frequency and length, about 1 for one occurrence
    of every word in a fact of average length."""
    score: Float64Array
    """Shape `(p,)`: BM25 of the entity's own statistics."""


def match_words(
    words: Sequence[Word], rows: IntArray, view: LexicalView, cohort: Cohort
) -> WordMatch:
    """Coverage and BM25 of some rows.

    `coverage = Σ idf(words found) / max(Σ idf(words), idf(an unseen word))`, with idf over the
    entity and the cohort; a word with several ways to be found counts its best way.
    """
    terms = list(dict.fromkeys(t for word in words for way in word.alternatives for t in way))
    counts = np.zeros((len(terms), len(rows)))
    common = np.zeros(len(terms))
    own = np.zeros(len(terms))
    for i, term in enumerate(terms):
        posting, held = view.rows_of(term)
        holding = view.holding(posting)
        own[i] = holding
        common[i] = holding + cohort.holding.get(term, 0)
        if len(posting):
            places = posting.searchsorted(rows)
            np.minimum(places, len(posting) - 1, out=places)
            counts[i] = np.where(posting[places] == rows, held[places], 0)
    total = view.total + cohort.total
    weights = idf(total, common)
    own_weights = idf(view.total, own)
    present = (counts > 0) * weights[:, None]
    saturated = counts / (counts + view.saturation(rows))
    weighted = saturated * (weights * (K1 + 1))[:, None]
    scores = saturated * own_weights[:, None]

    signals = np.stack([present, weighted, scores])
    asked, found = _by_word(words, terms, weights, signals)
    unseen = float(idf(total, 0.0))
    return WordMatch(
        coverage=found[0] / max(asked, unseen),
        weight=found[1] / asked if asked else found[1],
        score=found[2],
    )


def _by_word(
    words: Sequence[Word], terms: Sequence[str], weights: Float64Array, signals: Float64Array
) -> tuple[float, Float64Array]:
    """Sums over words, each by its best way to be found.

    Args:
        words: The words of the question.
        terms: All of their terms.
        weights: Shape `(t,)`: what each term weighs.
        signals: Shape `(s, t, p)`: what each term gives each row.

    Returns:
        The weight of the question, and what it finds, shape `(s, p)`.
    """
    if all(len(word.terms) == 1 for word in words):
        return float(weights.sum()), signals.sum(axis=1)
    numbers = {term: i for i, term in enumerate(terms)}
    asked = 0.0
    found = np.zeros((signals.shape[0], signals.shape[2]))
    for word in words:
        ways = [[numbers[term] for term in way] for way in word.alternatives]
        asked += max(float(weights[way].sum()) for way in ways)
        found += np.maximum.reduce([signals[:, way].sum(axis=1) for way in ways])
    return asked, found


def dense_strength(
    cosines: FloatArray,
    query: FloatArray,
    profile: EmbedderProfile,
    *,
    foreign: bool,
    cjk: bool = False,
) -> Float64Array:
    """How far cosines rise above the question's background.

    `d = max(0, (cos - query · m) · scale)`, where `m` is the mean vector of the cohort.

    Args:
        cosines: Shape `(p,)`.
        query: Shape `(dim,)`, unit length.
        profile: Of the embedder that made the vectors.
        foreign: Whether the question is in a script the embedder does not understand.
        cjk: Whether it is in a script without spaces, which has a background of its own.
    """
    mean = profile.background_cjk if foreign or cjk else profile.background
    if mean is None:
        mean = profile.background
    background = 0.0 if mean is None else float(np.dot(query, mean))
    strength = np.maximum(0.0, (cosines.astype(np.float64) - background) * profile.scale)
    return strength * FOREIGN_SHARE if foreign and not profile.multilingual else strength


def relevance(
    strength: Float64Array, coverage: Float64Array, *, kappa: float = KAPPA
) -> Float64Array:
    """Whether a fact is about the question: `d + max(0, coverage - κ)`, 0 to about 1.7.

    It depends on the other facts only through the idf of words.
    """
    return strength + np.maximum(0.0, coverage - kappa)


def relevance_cut(searched: int, *, strictness: float = 1.0, per_log: float = CUT_PER_LOG) -> float:
    """The relevance that the best fact must reach: `strictness · (0.105 + 0.05 · ln N)`.

    Args:
        searched: N, how many facts were searched.
        strictness: 0 switches the cut off; more than 1 recalls less.
        per_log: What stands for 0.05.
    """
    return strictness * (CUT_AT_ONE + per_log * math.log(max(searched, 1)))
