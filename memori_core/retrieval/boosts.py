"""Optional stages behind fusion that know conversations: together, conversation mode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Protocol

import numpy as np

from memori_core.models import Fact
from memori_core.retrieval.candidates import IntArray
from memori_core.retrieval.fusion.base import Pool, Search
from memori_core.retrieval.index import Snapshot
from memori_core.retrieval.index_text import MONTHS
from memori_core.retrieval.lexical import Float64Array
from memori_core.retrieval.name_words import NAMES_TOO
from memori_core.retrieval.tokenization import has_cjk

_WORD = re.compile(r"[^\W_]+")
_MONTHS = [name.casefold() for name in MONTHS]
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b", re.IGNORECASE)
_MONTHS_TOO = frozenset(("march", "may"))
"""Verbs that a month is called like: a month only beside what makes it a date."""
_DATE_BEFORE = re.compile(
    r"(?:\b(?:in|of|since|until|till|during|by|before|after|from|last|next|early|mid|late)|"
    r"\d(?:st|nd|rd|th)?)[\s,-]+$",
    re.IGNORECASE,
)
_DATE_AFTER = re.compile(r"[\s,]+\d")
_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?:;…\"“«(])\s*$")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_CHINESE_MONTH = re.compile(r"(?<!\d)(1[0-2]|[1-9])\s*月")


class Boost(Protocol):
    """One more part of the rank score. It never touches relevance, so it lets nothing in."""

    name: ClassVar[str]

    def widen(self, search: Search, rows: IntArray) -> IntArray:
        """The candidates with those that this stage also wants scored."""
        ...

    def part(self, pool: Pool, rank: Float64Array) -> Float64Array:
        """What the stage adds to each candidate, shape `(p,)`, given the scores of fusion."""
        ...


class _Addition:
    """A stage that needs no further candidates."""

    def widen(self, search: Search, rows: IntArray) -> IntArray:
        return rows


class Neighbours:
    """A share of the better score of the items just before and after, in the same session.

    The turn that answers a question often shares no word with it; the turn before does.

    Args:
        share: How much of the best direct neighbour's score is added.
        second_share: The same for the neighbours one step further.
    """

    name: ClassVar[str] = "neighbours"

    def __init__(self, *, share: float = 0.4, second_share: float = 0.2) -> None:
        self.share = share
        self.second_share = second_share

    def widen(self, search: Search, rows: IntArray) -> IntArray:
        snapshot = search.snapshot
        beside: set[int] = set()
        for row in map(int, rows):
            beside.update(_beside(snapshot, snapshot.facts[row], (-1, 1)))
        added = np.array(sorted(beside), np.intp)
        if search.mask is not None:
            added = added[search.mask[added]]
        return np.union1d(rows, added)

    def part(self, pool: Pool, rank: Float64Array) -> Float64Array:
        snapshot = pool.search.snapshot
        score_of = dict(zip(pool.rows.tolist(), np.maximum(rank, 0.0).tolist(), strict=True))
        return np.array(
            [
                self.share * _best(score_of, _beside(snapshot, fact, (-1, 1)))
                + self.second_share * _best(score_of, _beside(snapshot, fact, (-2, 2)))
                for fact in pool.facts
            ]
        )


def _beside(snapshot: Snapshot, fact: Fact, steps: Sequence[int]) -> list[int]:
    return [row for step in steps for row in snapshot.neighbours(fact, step)]


def _best(score_of: Mapping[int, float], rows: Sequence[int]) -> float:
    return max((score_of.get(row, 0.0) for row in rows), default=0.0)


class Session(_Addition):
    """A share of the best score in the same session: one good turn speaks for its conversation.

    Args:
        share: How much of that score is added.
    """

    name: ClassVar[str] = "session"

    def __init__(self, *, share: float = 0.3) -> None:
        self.share = share

    def part(self, pool: Pool, rank: Float64Array) -> Float64Array:
        best: dict[str | None, float] = {None: 0.0}
        for fact, score in zip(pool.facts, rank.tolist(), strict=True):
            if fact.session_id is not None:
                best[fact.session_id] = max(best.get(fact.session_id, 0.0), score)
        return self.share * np.array([best[fact.session_id] for fact in pool.facts])


class Speaker(_Addition):
    """A bonus for what was said by the one speaker that the question names.

    Args:
        bonus: What is added.
    """

    name: ClassVar[str] = "speaker"

    def __init__(self, *, bonus: float = 0.3) -> None:
        self.bonus = bonus

    def part(self, pool: Pool, rank: Float64Array) -> Float64Array:
        named = _named(pool.search.text, pool.search.snapshot.speakers)
        if len(named) != 1:
            return np.zeros(len(rank))
        return np.where([fact.speaker == named[0] for fact in pool.facts], self.bonus, 0.0)


def _named(text: str, speakers: Iterable[str]) -> list[str]:
    """The speakers whose names are in a text. A name inside a longer one is not there itself."""
    left = _plain(text)
    found: list[str] = []
    for speaker in sorted(speakers, key=lambda name: (-len(name), name)):
        pattern = _name_pattern(speaker)
        if pattern.search(left):
            found.append(speaker)
            left = pattern.sub(" ", left)
    return found


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\ufe0f", "")


@lru_cache(maxsize=1_000)
def _name_pattern(speaker: str) -> re.Pattern[str]:
    name = _plain(speaker).strip()
    words = _WORD.findall(name)
    if not words or (has_cjk(name) and len(name) > 1):  # 🦊, 小明: nothing need stand around them
        return re.compile(re.escape(name), re.IGNORECASE)
    spelt = r"[\W_]+".join(map(re.escape, words))
    if len(words) == 1 and name.casefold() in NAMES_TOO:
        # "Will" opens questions, unless it is "Will's"; and "will" is no name anywhere.
        spelt = rf"{name.title()}(?=['’]s\b)|(?<!^)(?<![.!?:;…] ){name.title()}"
        return re.compile(rf"(?<![^\W_])(?:{spelt})(?![^\W_])")
    return re.compile(rf"(?<![^\W_]){spelt}(?![^\W_])", re.IGNORECASE)


def _dates(month: re.Match[str]) -> bool:
    """Whether the name of a month is one, and not the verb "may" or "march"."""
    if month[0].casefold() not in _MONTHS_TOO:
        return True
    before, after = month.string[: month.start()], month.string[month.end() :]
    if _DATE_BEFORE.search(before) or _DATE_AFTER.match(after):
        return True
    return month[0].istitle() and not _SENTENCE_BEGINS.search(before)


class Dates(_Addition):
    """A bonus for what was said in the month or the year that the question names.

    Args:
        bonus: What is added.
    """

    name: ClassVar[str] = "dates"

    def __init__(self, *, bonus: float = 0.1) -> None:
        self.bonus = bonus

    def part(self, pool: Pool, rank: Float64Array) -> Float64Array:
        text = pool.search.text
        months = {_MONTHS.index(m[0].casefold()) + 1 for m in _MONTH.finditer(text) if _dates(m)}
        months |= {int(number) for number in _CHINESE_MONTH.findall(text)}
        years = {int(year) for year in _YEAR.findall(text)}
        if not months and not years:
            return np.zeros(len(rank))
        said = [
            (not months or fact.said_at.month in months)
            and (not years or fact.said_at.year in years)
            for fact in pool.facts
        ]
        return np.where(said, self.bonus, 0.0)


class Length(_Addition):
    """A small bonus for texts that say more: short turns mostly answer others.

    Args:
        weight: Of the logarithm of the number of terms.
    """

    name: ClassVar[str] = "length"

    def __init__(self, *, weight: float = 0.05) -> None:
        self.weight = weight

    def part(self, pool: Pool, rank: Float64Array) -> Float64Array:
        lengths = pool.search.snapshot.lexical.lengths[pool.rows]
        return self.weight * np.log1p(lengths.astype(np.float64))


class Witness(_Addition):
    """A little of the second score where a message and a fact made of it were both found.

    Args:
        share: How much of the best other score of the same message is added.
    """

    name: ClassVar[str] = "witness"

    def __init__(self, *, share: float = 0.03) -> None:
        self.share = share

    def part(self, pool: Pool, rank: Float64Array) -> Float64Array:
        sources = [fact.source_message_id or fact.id for fact in pool.facts]
        scores = rank.tolist()
        best: dict[str, list[tuple[float, int]]] = {}
        for place, source in enumerate(sources):
            best.setdefault(source, []).append((max(scores[place], 0.0), place))
        others = [
            max((score for score, at in best[source] if at != place), default=0.0)
            for place, source in enumerate(sources)
        ]
        return self.share * np.array(others)


def conversation() -> tuple[Boost, ...]:
    """The stages of conversation mode, for stores that hold turns with sessions and positions."""
    return (Neighbours(), Session(), Speaker(), Dates(), Length())
