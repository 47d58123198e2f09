"""BM25 over one entity's facts, with live statistics.

Postings grow at the end and are never changed elsewhere, so a reader that knows how many rows
there were when it started sees a consistent index without a lock. A deleted row stays in its
postings, masked, until the index is built anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memori_core.embedding.base import FloatArray
from memori_core.retrieval.candidates import IntArray
from memori_core.retrieval.tokenization import Word, content_terms

K1 = 0.9
B = 0.4
"""Short texts want a low `b` and `k1` (reference: retrieval lab, BM25 grid)."""

_FREE = np.iinfo(np.int32).max  # fills the unused end of a posting, so that its rows stay sorted

Float64Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


def idf(total: float, holding: Float64Array | float) -> Float64Array:
    """Weight of terms that `holding` of `total` texts hold, Lucene's form; never negative."""
    return np.log1p((total - holding + 0.5) / (np.asarray(holding, dtype=np.float64) + 0.5))


class _Posting:
    """The rows that hold one term, ascending, and how often."""

    __slots__ = ("arrays", "size")

    def __init__(self, rows: npt.NDArray[np.int32], counts: FloatArray) -> None:
        self.arrays = (rows, counts)
        self.size = len(rows)

    def add(self, row: int, count: int) -> None:
        rows, counts = self.arrays
        if self.size == len(rows):
            spare = max(4, self.size)
            rows = np.concatenate([rows, np.full(spare, _FREE, np.int32)])
            counts = np.concatenate([counts, np.zeros(spare, np.float32)])
        counts[self.size] = count
        rows[self.size] = row
        self.arrays = (rows, counts)
        self.size += 1


@dataclass(frozen=True, slots=True)
class LexicalView:
    """The postings as they were at one moment."""

    postings: Mapping[str, _Posting]
    lengths: FloatArray
    """Shape `(n,)`: terms per row."""
    alive: BoolArray | None
    """Shape `(n,)`; None when no row was deleted."""
    total: int
    """Number of live rows."""
    total_length: int
    """Sum of their lengths."""

    def rows_of(self, term: str) -> tuple[npt.NDArray[np.int32], FloatArray]:
        """The rows that hold a term, ascending, deleted ones included, and the counts in them."""
        posting = self.postings.get(term)
        if posting is None:
            return _NO_ROWS, _NO_COUNTS
        rows, counts = posting.arrays
        size = int(rows.searchsorted(len(self.lengths)))
        return rows[:size], counts[:size]

    def holding(self, rows: npt.NDArray[np.int32]) -> int:
        """How many of these rows are live."""
        return len(rows) if self.alive is None else int(np.count_nonzero(self.alive[rows]))

    @property
    def average_length(self) -> float:
        """Mean number of terms of the live rows, at least 1."""
        return max(self.total_length / self.total, 1.0) if self.total else 1.0

    def saturation(self, rows: IntArray | npt.NDArray[np.int32]) -> FloatArray:
        """The length part of BM25 for some rows: `k1 · (1 - b + b · length / average)`."""
        return (
            np.float32(K1 * (1 - B))
            + np.float32(K1 * B / self.average_length) * (self.lengths[rows])
        )

    def scores(self, words: Sequence[Word]) -> FloatArray:
        """BM25 of every row.

        A word with several ways to find it counts the best of them.

        Returns:
            Shape `(n,)`, float32, at least 0; equal to bm25s' `method="lucene"` with this
            module's `k1` and `b` for words with one way.
        """
        sums = np.zeros(len(self.lengths), np.float32)
        for word in words:
            if len(word.alternatives) == 1:
                self._add(word.alternatives[0], sums)
                continue
            best = np.zeros_like(sums)
            for way in word.alternatives:
                one = np.zeros_like(sums)
                self._add(way, one)
                np.maximum(best, one, out=best)
            sums += best
        return sums

    def _add(self, terms: Sequence[str], sums: FloatArray) -> None:
        for term in terms:
            rows, counts = self.rows_of(term)
            if len(rows):
                weight = np.float32(idf(self.total, self.holding(rows)))
                sums[rows] += weight * counts / (counts + self.saturation(rows))


_NO_ROWS = np.zeros(0, np.int32)
_NO_COUNTS = np.zeros(0, np.float32)


class LexicalIndex:
    """Postings of one entity. One writer at a time; readers use views."""

    def __init__(self) -> None:
        self._postings: dict[str, _Posting] = {}
        self._lengths = np.zeros(0, np.float32)
        self._alive: BoolArray | None = None
        self._size = 0
        self._live = 0
        self._total_length = 0
        self._occurrences = 0

    def add(self, texts: Sequence[Sequence[str]]) -> None:
        """Append rows, given their terms."""
        start = self._size
        end = start + len(texts)
        if end > len(self._lengths):
            grown = np.zeros(max(end, 2 * len(self._lengths)), np.float32)
            grown[:start] = self._lengths[:start]
            self._lengths = grown
        if start == 0 and len(texts) > 1:
            self._postings = _bulk_postings(texts)
        else:
            for row, terms in enumerate(texts, start):
                for term, count in Counter(terms).items():
                    posting = self._postings.get(term)
                    if posting is None:
                        self._postings[term] = _Posting(
                            np.array([row], np.int32), np.array([count], np.float32)
                        )
                    else:
                        posting.add(row, count)
        for row, terms in enumerate(texts, start):
            length = len(content_terms(list(terms)))
            self._lengths[row] = length
            self._total_length += length
            self._occurrences += len(terms)
        if self._alive is not None:
            self._alive = np.concatenate([self._alive, np.ones(len(texts), np.bool_)])
        self._size = end
        self._live += len(texts)

    def remove(self, rows: Sequence[int]) -> None:
        """Take live rows out of every score and statistic."""
        alive = np.ones(self._size, np.bool_) if self._alive is None else self._alive.copy()
        alive[list(rows)] = False
        self._alive = alive
        self._live -= len(rows)
        self._total_length -= int(self._lengths[list(rows)].sum())

    def view(self) -> LexicalView:
        """The index as it is now; later changes do not reach it."""
        return LexicalView(
            postings=self._postings,
            lengths=self._lengths[: self._size],
            alive=self._alive,
            total=self._live,
            total_length=self._total_length,
        )

    def nbytes(self) -> int:
        """A rough size in memory: 8 bytes an occurrence, 300 a term."""
        return self._lengths.nbytes + 8 * self._occurrences + 300 * len(self._postings)


def _bulk_postings(texts: Sequence[Sequence[str]]) -> dict[str, _Posting]:
    """The postings of many rows at once: sorted by term, then cut."""
    vocabulary: dict[str, int] = {}
    numbers: list[int] = []
    rows: list[int] = []
    counts: list[int] = []
    for row, terms in enumerate(texts):
        for term, count in Counter(terms).items():
            numbers.append(vocabulary.setdefault(term, len(vocabulary)))
            rows.append(row)
            counts.append(count)
    order = np.argsort(np.array(numbers, np.int32), kind="stable")
    row_array = np.array(rows, np.int32)[order]
    count_array = np.array(counts, np.float32)[order]
    ends = np.cumsum(np.bincount(np.array(numbers, np.intp), minlength=len(vocabulary)))
    postings: dict[str, _Posting] = {}
    start = 0
    for term, end in zip(vocabulary, ends.tolist(), strict=True):
        postings[term] = _Posting(row_array[start:end], count_array[start:end])
        start = end
    return postings
