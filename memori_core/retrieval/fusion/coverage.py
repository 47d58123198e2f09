"""The default policy: one absolute scale for meaning and words."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from memori_core.errors import ConfigError
from memori_core.retrieval import relevance
from memori_core.retrieval.fusion.base import Fusion, Pool, Search
from memori_core.retrieval.lexical import Float64Array

LEXICAL_WEIGHT = 0.70
"""Of coverage and BM25 together (docs/pages/concepts/scores.md)."""


class CoverageFusion(Fusion):
    """`rank = d + 0.35 · (coverage + bm25)`, nothing divided by the pool's best.

    Args:
        dense_weight: What the similarity of meaning counts.
        lexical_weight: What the words count, shared by coverage and BM25.

    Raises:
        ConfigError: A weight is negative or not finite, or both are 0.
    """

    name: ClassVar[str] = "coverage"

    def __init__(
        self, *, dense_weight: float = 1.0, lexical_weight: float = LEXICAL_WEIGHT
    ) -> None:
        weights = {"dense_weight": dense_weight, "lexical_weight": lexical_weight}
        for key, value in weights.items():
            if not np.isfinite(value) or value < 0:
                raise ConfigError(f"`{key}` must be a number from 0 upwards, got {value!r}.")
        if not any(weights.values()):
            raise ConfigError("`dense_weight` and `lexical_weight` are both 0: nothing would rank.")
        self.dense_weight = dense_weight
        self.lexical_weight = lexical_weight

    def parts(self, pool: Pool) -> dict[str, Float64Array]:
        share = self.lexical_weight / 2
        return {
            "dense": self.dense_weight * pool.strength,
            "coverage": share * pool.words.coverage,
            "bm25": share * pool.words.weight,
        }

    def relevance(self, pool: Pool, rank: Float64Array) -> Float64Array:
        words_only = pool.search.foreign or pool.search.vector is None
        kappa = relevance.KAPPA_WORDS_ONLY if words_only else relevance.KAPPA
        return relevance.relevance(pool.strength, pool.words.coverage, kappa=kappa)

    def cut(self, search: Search, strictness: float) -> float:
        understood = search.cjk and search.vector is not None and not search.foreign
        measured = search.profile.background_cjk is not None
        per_log = relevance.CUT_PER_LOG_CJK if understood and measured else relevance.CUT_PER_LOG
        return relevance.relevance_cut(search.searched, strictness=strictness, per_log=per_log)

    def keep(self, cut: float) -> float:
        return relevance.KEEP_SHARE * cut


class DenseFusion(Fusion):
    """Cosine similarity alone, for comparison."""

    name: ClassVar[str] = "dense"
    needs_vector: ClassVar[bool] = True

    def parts(self, pool: Pool) -> dict[str, Float64Array]:
        return {"dense": pool.cosines.astype(np.float64)}


class LexicalFusion(Fusion):
    """BM25 alone, for comparison and for memory without an embedder."""

    name: ClassVar[str] = "lexical"
    uses_vector: ClassVar[bool] = False

    def parts(self, pool: Pool) -> dict[str, Float64Array]:
        return {"bm25": pool.words.score}
