"""What every data set for ranking becomes: collections of facts, with questions."""

from __future__ import annotations

from collections.abc import Collection as AnyCollection
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Self

from memori_core.errors import ConfigError
from memori_core.models import NewFact


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the ids of the facts that answer it."""

    text: str
    _: KW_ONLY
    gold: frozenset[str]
    """Never empty."""
    category: str = "all"


@dataclass(frozen=True, slots=True)
class Collection:
    """The memories of one entity, and the questions put to them."""

    id: str
    _: KW_ONLY
    facts: tuple[NewFact, ...]
    """Each with an id of its own."""
    questions: tuple[Question, ...]
    speakers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set for ranking."""

    name: str
    _: KW_ONLY
    unit: str
    """What one fact is: a turn, an observation, a paragraph, a document."""
    collections: tuple[Collection, ...] = field(default=())

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return sum(len(collection.questions) for collection in self.collections)

    def only(self, ids: AnyCollection[str]) -> Self:
        """The same with some collections only; no ids mean all.

        Raises:
            ConfigError: There is no collection of such an id.
        """
        known = [collection.id for collection in self.collections]
        if unknown := sorted(set(ids) - set(known)):
            raise ConfigError(f"there is no {unknown[0]!r} in {self.name}: {', '.join(known)}")
        chosen = tuple(c for c in self.collections if not ids or c.id in ids)
        return replace(self, collections=chosen)

    def first_questions(self, limit: int | None) -> Self:
        """The same with at most `limit` questions of each collection, for a quick trial."""
        if limit is None:
            return self
        collections = tuple(replace(c, questions=c.questions[:limit]) for c in self.collections)
        return replace(self, collections=collections)
