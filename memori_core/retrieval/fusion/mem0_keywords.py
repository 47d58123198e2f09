"""The keyword leg of `Mem0Fusion`: BM25 as Qdrant scores it under `mem0ai`."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence

import numpy as np

from memori_core.retrieval.index import Snapshot
from memori_core.retrieval.lemmas import Lemmatizer
from memori_core.retrieval.lexical import Float64Array, LexicalIndex, LexicalView, idf

# fastembed's `Qdrant/bm25` (reference/mem0.md, section 3): the average length is a constant.
K1 = 1.2
B = 0.75
AVERAGE_LENGTH = 256.0


def term_weight(count: Float64Array | float, length: Float64Array | float) -> Float64Array:
    """Saturated frequency of a term in a text of `length` terms, from 0 to 2.2."""
    held = np.asarray(count, np.float64)
    return held * (K1 + 1) / (held + K1 * ((1 - B) + B * (length / AVERAGE_LENGTH)))


def keyword_scores(query: Sequence[str], view: LexicalView) -> Float64Array:
    """Raw keyword score of every row: `Σ w(query) · w(fact) · idf` over the common terms.

    The query is weighted like a fact, repeats included, as `mem0ai` does.

    Returns:
        Shape `(n,)`, float64, at least 0, unbounded; dead rows included.
    """
    scores = np.zeros(len(view.lengths))
    for term, count in Counter(query).items():
        rows, counts = view.rows_of(term)
        if len(rows):
            lengths = view.lengths[rows].astype(np.float64)
            weight = term_weight(count, len(query)) * idf(view.total, view.holding(rows))
            scores[rows] += weight * term_weight(counts.astype(np.float64), lengths)
    return scores


def keyword_view(snapshot: Snapshot, lemmatizer: Lemmatizer) -> LexicalView:
    """The postings of a snapshot's facts, with the statistics of its live ones.

    Every fact is given to the lemmatizer once: the index stays with the entity's.
    """
    index = snapshot.beside.setdefault(lemmatizer, _KeywordIndex(lemmatizer))
    assert isinstance(index, _KeywordIndex)
    return index.view(snapshot)


class _KeywordIndex:
    """Rows are those of the entity's index; dead ones stay, masked by the snapshot."""

    def __init__(self, lemmatizer: Lemmatizer) -> None:
        self._lemmatizer = lemmatizer
        self._index = LexicalIndex()
        self._size = 0
        self._lock = threading.Lock()

    def view(self, snapshot: Snapshot) -> LexicalView:
        with self._lock:
            if self._size < snapshot.size:
                new = snapshot.facts[self._size : snapshot.size]
                self._index.add(self._lemmatizer.document_terms([fact.content for fact in new]))
                self._size = snapshot.size
            view = self._index.view()
        return LexicalView(
            postings=view.postings,
            lengths=view.lengths[: snapshot.size],
            alive=snapshot.lexical.alive,
            total=snapshot.lexical.total,
            total_length=0,  # the average length is a constant here
        )

    def nbytes(self) -> int:
        return self._index.nbytes()
