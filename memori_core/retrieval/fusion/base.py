"""What a fusion policy is given, and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from memori_core.embedding.base import EmbedderProfile, FloatArray
from memori_core.models import Fact
from memori_core.retrieval.candidates import IntArray, candidate_limit, top_rows
from memori_core.retrieval.cohort import cohort
from memori_core.retrieval.dense import cosine_scores, row_cosines
from memori_core.retrieval.index import Snapshot
from memori_core.retrieval.lexical import BoolArray, Float64Array
from memori_core.retrieval.mentions import Mentions
from memori_core.retrieval.person import first_person
from memori_core.retrieval.relevance import WordMatch, dense_strength, match_words
from memori_core.retrieval.tokenization import Word, beyond_latin, has_cjk, query_words


@dataclass(frozen=True)
class Search:
    """One question put to the facts of one entity."""

    text: str
    _: KW_ONLY
    snapshot: Snapshot
    vector: FloatArray | None = None
    """Shape `(dim,)`, unit length; None where there is no embedder."""
    profile: EmbedderProfile = EmbedderProfile()
    mask: BoolArray | None = None
    """Shape `(n,)`: the rows that may be recalled; None for all of them."""
    limit: int = 5
    embed: Callable[[Sequence[str]], FloatArray] | None = None
    """Vectors for further texts of the question, such as the names in it."""
    mentions: Mentions | None = None
    """The names in the entity's facts; filled for policies that set `uses_mentions`."""
    strictness: float = 1.0
    """For policies that refuse candidates before they are ranked; 0 refuses none."""

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words that count."""
        words = query_words(first_person(self.text))
        if self.foreign:
            return tuple(word for word in words if not word.function) or words
        return words

    @cached_property
    def foreign(self) -> bool:
        """Whether the embedder cannot be expected to understand the question's script."""
        return not self.profile.multilingual and beyond_latin(self.text)

    @cached_property
    def cjk(self) -> bool:
        """Whether the question is in a script without spaces."""
        return has_cjk(self.text)

    @cached_property
    def searched(self) -> int:
        """How many facts may be recalled."""
        return (
            self.snapshot.lexical.total if self.mask is None else int(np.count_nonzero(self.mask))
        )

    @cached_property
    def cosines(self) -> FloatArray:
        """Shape `(n,)`: similarity of every row; -inf for rows that may not be recalled."""
        if self.vector is None:
            scores = np.zeros(self.snapshot.size, np.float32)
        else:
            scores = cosine_scores(self.vector, self.snapshot.matrix)
        return self._masked(scores)

    @cached_property
    def bm25(self) -> FloatArray:
        """Shape `(n,)`: BM25 of every row; -inf for rows that may not be recalled."""
        return self._masked(self.snapshot.lexical.scores(self.words))

    def _masked(self, scores: FloatArray) -> FloatArray:
        if self.mask is None:
            return scores
        return np.where(self.mask, scores, np.float32(-np.inf))

    def dense_rows(self, count: int) -> IntArray:
        """The rows most similar to the question."""
        if self.vector is None:
            return np.zeros(0, np.intp)
        return top_rows(self.cosines, count)

    def lexical_rows(self, count: int) -> IntArray:
        """The rows with the highest BM25, only such as hold a word of the question."""
        hits = np.flatnonzero(self.bm25 > 0)
        return hits[top_rows(self.bm25[hits], count, ties=self.cosines[hits])]


@dataclass(frozen=True)
class Pool:
    """The candidates of a search, with what is known about each."""

    search: Search
    rows: IntArray
    """Shape `(p,)`: rows of the snapshot."""

    @cached_property
    def facts(self) -> list[Fact]:
        """The candidates themselves, in the order of `rows`."""
        facts = self.search.snapshot.facts
        return [facts[row] for row in self.rows.tolist()]

    def fact(self, place: int) -> Fact:
        """One candidate."""
        return self.search.snapshot.facts[int(self.rows[place])]

    def id_of(self, place: int) -> str:
        """The id of one candidate."""
        return self.fact(place).id

    @cached_property
    def cosines(self) -> FloatArray:
        """Shape `(p,)`: similarity to the question, 0 without vectors."""
        if self.search.vector is None:
            return np.zeros(len(self.rows), np.float32)
        # Once more for the few: the scan's sums depend, in the last bit, on a row's place.
        return row_cosines(self.search.vector, self.search.snapshot.matrix[self.rows])

    @cached_property
    def strength(self) -> Float64Array:
        """Shape `(p,)`: how far the similarity rises above the question's background, from 0."""
        search = self.search
        if search.vector is None:
            return np.zeros(len(self.rows))
        return dense_strength(
            self.cosines,
            search.vector,
            search.profile,
            foreign=search.foreign,
            cjk=search.cjk,
        )

    @cached_property
    def words(self) -> WordMatch:
        """How well the words of the question are found."""
        return match_words(
            self.search.words,
            self.rows,
            self.search.snapshot.lexical,
            cohort("zh" if self.search.cjk else "en"),
        )


class Fusion(ABC):
    """How several signals become one order.

    A policy gives each candidate parts that add up to its rank score, so any score can be
    explained. A third signal is one more part.
    """

    name: ClassVar[str]
    uses_vector: ClassVar[bool] = True
    """False: the question is not embedded."""
    needs_vector: ClassVar[bool] = False
    """True: without an embedder nothing is ever found."""
    uses_mentions: ClassVar[bool] = False
    """True: facts are stored with the named entities in them."""

    def candidates(self, search: Search) -> IntArray:
        """The rows to be scored: by default the best of each signal, united."""
        count = candidate_limit(search.limit, search.searched)
        return np.union1d(search.dense_rows(count), search.lexical_rows(count))

    @abstractmethod
    def parts(self, pool: Pool) -> dict[str, Float64Array]:
        """What each signal adds to the rank score of each candidate.

        Returns:
            Per signal an array of the shape `(p,)`. Higher is better.
        """

    def rank(self, pool: Pool, parts: Mapping[str, Float64Array]) -> Float64Array:
        """The rank scores, shape `(p,)`: the sum of the parts."""
        return np.sum(list(parts.values()), axis=0)

    def relevance(self, pool: Pool, rank: Float64Array) -> Float64Array:
        """What the cut is compared with, shape `(p,)`: by default the rank score."""
        return rank

    def cut(self, search: Search, strictness: float) -> float:
        """The relevance that the best candidate must reach for anything to be recalled."""
        return 0.0

    def keep(self, cut: float) -> float:
        """The relevance that each further candidate must reach."""
        return cut
