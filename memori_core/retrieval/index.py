"""One entity's facts in memory, in the form that recall searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np

from memori_core.embedding.base import FloatArray
from memori_core.models import Fact, FactRecord
from memori_core.retrieval.dense import row_vector
from memori_core.retrieval.index_text import index_text
from memori_core.retrieval.lexical import BoolArray, LexicalIndex, LexicalView
from memori_core.retrieval.tokenization import TOKENIZER_VERSION, index_terms
from memori_core.writes import Changes

_SPARE_DEAD = 64  # deleted rows that are carried along before the index is built anew


class Beside(Protocol):
    """A policy's own index of the rows of an `EntityIndex`."""

    def nbytes(self) -> int:
        """A rough size in memory."""
        ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An entity's facts as they were at one revision. Never changes; readers need no lock.

    Rows are facts in the order they were stored; some rows may be dead (updated or deleted).
    """

    revision: int
    facts: Sequence[Fact]
    """May hold rows beyond `size`, which are not part of this snapshot."""
    matrix: FloatArray
    """Shape `(n, dim)`, unit rows; zeros where a fact has no vector of this embedder."""
    lexical: LexicalView
    places: Mapping[tuple[str | None, int], tuple[int, ...]]
    """Session and position to rows; may know rows beyond `size`."""
    pinned: tuple[int, ...]
    """Rows of pinned facts."""
    holds_messages: bool
    """Whether messages are indexed beside facts."""
    speakers: frozenset[str]
    """Everybody who said one of the facts."""
    ended: tuple[int, ...]
    """Rows of facts that were superseded or are known to end."""
    without_vector: int
    """Live facts that only words can find, because their vector is missing, damaged or of another
    model."""
    other_embedders: frozenset[str]
    """Names, with dimensions, of other models that made vectors of these facts."""
    beside: dict[object, Beside]
    """What a policy keeps in memory about the same rows, under a key of its own. Shared by the
    snapshots of one index, and dropped with it."""

    @property
    def size(self) -> int:
        """Number of rows, dead ones included."""
        return len(self.matrix)

    def neighbours(self, fact: Fact, step: int) -> list[int]:
        """The live rows `step` places further in the same session; none without a position."""
        if fact.position is None:
            return []
        rows = self.places.get((fact.session_id, fact.position + step), ())
        return [row for row in rows if self._is_live(row)]

    def mask(self, *, now: datetime, include_ended: bool) -> BoolArray | None:
        """The rows that may be recalled; None for all of them."""
        alive = self.lexical.alive
        gone = [] if include_ended else [r for r in self.ended if self.facts[r].ended_by(now)]
        if not gone:
            return alive
        mask = np.ones(self.size, np.bool_) if alive is None else alive.copy()
        mask[gone] = False
        return mask

    def _is_live(self, row: int) -> bool:
        alive = self.lexical.alive
        return row < self.size and (alive is None or bool(alive[row]))


class EntityIndex:
    """Builds snapshots of one entity. One writer at a time.

    Args:
        embedder: Name of the embedder whose vectors are used; None for none.
        dim: Their number of components.
    """

    def __init__(self, *, embedder: str | None, dim: int) -> None:
        self._embedder = embedder
        self._dim = dim
        self._clear()

    def _clear(self) -> None:
        self._facts: list[Fact] = []
        self._matrix = np.zeros((0, self._dim), np.float32)
        self._lexical = LexicalIndex()
        self._row_of: dict[str, int] = {}
        self._places: dict[tuple[str | None, int], tuple[int, ...]] = {}
        self._pinned: tuple[int, ...] = ()
        self._ended: tuple[int, ...] = ()
        self._speakers: frozenset[str] = frozenset()
        self._holds_messages = False
        self._without_vector: frozenset[int] = frozenset()
        self._other_embedders: frozenset[str] = frozenset()
        self._beside: dict[object, Beside] = {}
        self._dead = 0
        self._text_size = 0
        self._revision = 0

    @property
    def revision(self) -> int:
        """The revision this index has caught up with."""
        return self._revision

    @property
    def wants_rebuild(self) -> bool:
        """Whether so many rows are dead that all facts should be loaded again."""
        return self._dead > _SPARE_DEAD and self._dead * 4 > len(self._facts)

    def apply(self, changes: Changes) -> None:
        """Catch up with a store."""
        if changes.complete:
            self._clear()
        gone = [*changes.deleted, *(record.fact.id for record in changes.records)]
        self._remove([self._row_of.pop(id) for id in gone if id in self._row_of])
        self._append(changes.records)
        self._revision = changes.revision

    def _remove(self, rows: Sequence[int]) -> None:
        if not rows:
            return
        for row in rows:
            fact = self._facts[row]
            if fact.position is not None:
                place = (fact.session_id, fact.position)
                self._places[place] = tuple(r for r in self._places[place] if r != row)
        gone = set(rows)
        self._lexical.remove(rows)
        self._pinned = tuple(row for row in self._pinned if row not in gone)
        self._ended = tuple(row for row in self._ended if row not in gone)
        self._without_vector -= gone
        self._dead += len(rows)

    def _append(self, records: Sequence[FactRecord]) -> None:
        start = len(self._facts)
        end = start + len(records)
        if end > len(self._matrix):
            grown = np.zeros((max(end, 2 * start), self._dim), np.float32)
            grown[:start] = self._matrix[:start]
            self._matrix = grown
        pinned: list[int] = []
        ended: list[int] = []
        without: list[int] = []
        for row, record in enumerate(records, start):
            fact = record.fact
            raw = record.vector if record.embedder == self._embedder else None
            vector = row_vector(raw, self._dim)
            if vector is not None:
                self._matrix[row] = vector
            elif self._embedder is not None:
                without.append(row)
            self._row_of[fact.id] = row
            if fact.position is not None:
                place = (fact.session_id, fact.position)
                self._places[place] = (*self._places.get(place, ()), row)
            if fact.pinned:
                pinned.append(row)
            if fact.superseded_by is not None or fact.valid_until is not None:
                ended.append(row)
        if self._embedder is not None:
            self._other_embedders |= {
                f"`{r.embedder}` ({len(r.vector) // 4}-d)"
                for r in records
                if r.vector is not None and r.embedder not in (self._embedder, None)
            }
        self._lexical.add([_terms(record) for record in records])
        self._speakers |= {r.fact.speaker for r in records if r.fact.speaker is not None}
        self._holds_messages |= any(record.fact.kind == "message" for record in records)
        self._text_size += sum(len(record.fact.content) for record in records)
        self._facts.extend(record.fact for record in records)
        self._pinned += tuple(pinned)
        self._ended += tuple(ended)
        self._without_vector |= frozenset(without)

    def snapshot(self) -> Snapshot:
        """The index as it is now."""
        return Snapshot(
            revision=self._revision,
            facts=self._facts,
            matrix=self._matrix[: len(self._facts)],
            lexical=self._lexical.view(),
            places=self._places,
            pinned=self._pinned,
            holds_messages=self._holds_messages,
            speakers=self._speakers,
            ended=self._ended,
            without_vector=len(self._without_vector),
            other_embedders=self._other_embedders,
            beside=self._beside,
        )

    def nbytes(self) -> int:
        """A rough size in memory: arrays, postings, 600 bytes a fact and 4,000 for itself."""
        facts = self._text_size + 600 * len(self._facts) + 4_000
        beside = sum(index.nbytes() for index in list(self._beside.values()))
        return self._matrix.nbytes + self._lexical.nbytes() + facts + beside


def _terms(record: FactRecord) -> list[str]:
    if record.tokenizer == TOKENIZER_VERSION:
        return record.terms.split(" ") if record.terms else []
    return index_terms(index_text(record.fact))
