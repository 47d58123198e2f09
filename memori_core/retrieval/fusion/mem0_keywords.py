"""The keyword leg of `Mem0Fusion`: BM25 as Qdrant scores it under `mem0ai`."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence

import numpy as np

from memori_core.models import Fact
from memori_core.retrieval.index import Snapshot
from memori_core.retrieval.lemmas import Lemmatizer
from memori_core.retrieval.lexical import Float64Array, LexicalIndex, LexicalView, idf

# fastembed's `Qdrant/bm25` (reference/mem0.md, section 3): the average length is a constant.
K1 = 1.2
B = 0.75
AVERAGE_LENGTH = 256.0
KEPT_ENTITIES = 16
"""How many entities' keyword indexes stay in memory."""


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


class KeywordIndexes:
    """Keyword indexes of the entities searched last, each caught up with the snapshot asked for.

    Args:
        lemmatizer: What makes the terms. Every fact is given to it once.
    """

    def __init__(self, lemmatizer: Lemmatizer) -> None:
        self.lemmatizer = lemmatizer
        self._lock = threading.Lock()
        # By the identity of the row list, which all snapshots of one EntityIndex share. The list
        # is kept with it, so that its id cannot pass to another.
        self._kept: OrderedDict[int, _KeywordIndex] = OrderedDict()

    def view(self, snapshot: Snapshot) -> LexicalView:
        """The postings of a snapshot's facts, with the statistics of its live ones."""
        key = id(snapshot.facts)
        with self._lock:
            index = self._kept.setdefault(key, _KeywordIndex(snapshot.facts))
            self._kept.move_to_end(key)
            if len(self._kept) > KEPT_ENTITIES:
                self._kept.popitem(last=False)
        return index.view(snapshot, self.lemmatizer)


class _KeywordIndex:
    """Rows are those of the entity's index; dead ones stay, masked by the snapshot."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._facts = facts
        self._index = LexicalIndex()
        self._size = 0
        self._lock = threading.Lock()

    def view(self, snapshot: Snapshot, lemmatizer: Lemmatizer) -> LexicalView:
        with self._lock:
            if self._size < snapshot.size:
                new = self._facts[self._size : snapshot.size]
                self._index.add(lemmatizer.document_terms([fact.content for fact in new]))
                self._size = snapshot.size
            view = self._index.view()
        return LexicalView(
            postings=view.postings,
            lengths=view.lengths[: snapshot.size],
            alive=snapshot.lexical.alive,
            total=snapshot.lexical.total,
            total_length=0,  # the average length is a constant here
        )
