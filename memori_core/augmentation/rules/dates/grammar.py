"""What a grammar of dates is made of: patterns, and functions that read what they found."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TypeAlias

_GROUP_NAME = re.compile(r"\(\?P<\w+>")


@dataclass(frozen=True, slots=True)
class Moment:
    """What decides which date a phrase means."""

    said_at: datetime
    _: KW_ONLY
    tense: Callable[[], bool | None]
    """Finds out what `future` says; few phrases need it."""
    traditional: bool = False
    """Whether the phrase is in traditional Chinese characters."""

    @property
    def future(self) -> bool | None:
        """Whether the clause speaks of the future or the past; None where it does not say."""
        return self.tense()

    @property
    def today(self) -> date:
        """The day it was said, in the time zone of its speaker."""
        return self.said_at.date()

    def hours_from(self, hours: int) -> date:
        """The day so many hours later."""
        return (self.said_at + timedelta(hours=hours)).date()


@dataclass(frozen=True, slots=True)
class Found:
    """A date in a text."""

    text: str | None
    """What replaces the phrase; None for a date that is absolute already."""
    dates: tuple[str, ...]


def before(match: re.Match[str], chars: int = 20) -> str:
    """What stands before a match, up to so many characters."""
    return match.string[max(0, match.start() - chars) : match.start()]


def around(match: re.Match[str], chars: int = 60) -> str:
    """A match with what stands around it."""
    return match.string[max(0, match.start() - chars) : match.end() + chars]


Reader: TypeAlias = Callable[[re.Match[str], Moment], Found | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to speak of a date."""

    pattern: str
    read: Reader
    """What a match means; None where it is no date after all."""


def rules(*pairs: tuple[str, Reader]) -> tuple[Rule, ...]:
    """Rules of patterns and of what reads their matches."""
    return tuple(Rule(pattern, read) for pattern, read in pairs)


@dataclass(frozen=True)
class Grammar:
    """How one language speaks of dates. Patterns are compiled when they are first needed."""

    rules: tuple[Rule, ...]
    """Longer phrases first: the first rule that matches at a place is the only one tried."""
    _: KW_ONLY
    wrap: str
    """What stands around every rule, with `{}` for the rule."""
    hint: str
    """A pattern without which a text holds no date."""
    tense: Callable[[str], bool | None]
    """Whether a clause speaks of the future (True), the past (False), or does not say."""
    clause_end: str
    """What ends a clause."""
    fold: Callable[[str], str] = str
    """The text as the patterns are written, of the same length."""

    @cached_property
    def hinted(self) -> re.Pattern[str]:
        """Finds out cheaply that there is nothing to do."""
        return re.compile(self.hint, re.IGNORECASE)

    @cached_property
    def finder(self) -> re.Pattern[str]:
        """Finds the next phrase, and tells the rule by the number of its group."""
        parts = (f"({_GROUP_NAME.sub('(?:', rule.pattern)})" for rule in self.rules)
        return re.compile(self.wrap.format("|".join(parts)), re.IGNORECASE)

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """One for each rule."""
        wrap = self.wrap.format
        return tuple(re.compile(wrap(f"(?:{r.pattern})"), re.IGNORECASE) for r in self.rules)

    @cached_property
    def clause_ends(self) -> re.Pattern[str]:
        """Finds where clauses end."""
        return re.compile(self.clause_end, re.IGNORECASE)
