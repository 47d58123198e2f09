"""What recall is compared with in the same run: one signal alone, and the memory's speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memori_core.embedding import FloatArray
from memori_core.evaluation.pools import Pool
from memori_core.evaluation.timing import Times, timed

_WARM_UP = 5


def dense_times(pool: Pool, *, limit: int) -> Times:
    """Cosines of all rows with numpy, and the best few."""

    def search(vector: FloatArray) -> object:
        scores = pool.vectors @ vector
        best = np.argpartition(-scores, min(limit, len(scores) - 1))[:limit]
        return best[np.argsort(-scores[best])]

    timed(search, pool.query_vectors[:_WARM_UP])
    return timed(search, pool.query_vectors)


def bm25s_times(pool: Pool, *, limit: int) -> Times:
    """The library bm25s with stems and stop words."""
    # Imported late: it brings numba, 70 MB that would count as memory of the recall before it.
    import bm25s  # pyright: ignore[reportMissingTypeStubs] (untyped library)
    import Stemmer

    stemmer: Any = Stemmer.Stemmer("english")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] (untyped library)
    index: Any = bm25s.BM25(method="lucene")
    index.index(_tokens(pool.texts, stemmer), show_progress=False)
    count = min(limit, len(pool.texts))

    def search(query: str) -> object:
        return index.retrieve(_tokens([query], stemmer), k=count, show_progress=False)

    timed(search, pool.queries[:_WARM_UP])
    return timed(search, pool.queries)


def bandwidth_probe_ms(matrix: FloatArray) -> float:
    """Milliseconds to read a matrix once: the best of some sums, in row order."""
    flat = matrix.reshape(-1)
    return min(timed(lambda _: flat.sum(), range(20)).wall_ms)


def _tokens(texts: Sequence[str], stemmer: Any) -> Any:
    import bm25s  # pyright: ignore[reportMissingTypeStubs] (untyped library)

    tokenize: Any = bm25s.tokenize  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] (untyped library)
    return tokenize(list(texts), stopwords="en", stemmer=stemmer, show_progress=False)
