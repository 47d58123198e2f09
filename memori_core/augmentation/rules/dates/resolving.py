"""Relative dates become absolute ones, as they were meant on the day they were said."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Literal

from memori_core.augmentation.rules.dates.chinese import CHINESE
from memori_core.augmentation.rules.dates.english import ENGLISH
from memori_core.augmentation.rules.dates.grammar import Found, Grammar, Moment

CLAUSE_CHARS = 80
"""How far from a date the verb is looked for that tells past from future."""

_GRAMMARS = {"en": ENGLISH, "zh": CHINESE}


def resolve_dates(
    text: str,
    said_at: datetime,
    language: Literal["en", "zh"],
    *,
    future: bool | None = None,
) -> tuple[str, tuple[str, ...]]:
    """A text without relative dates, and the dates it speaks of.

    Weeks run from Monday to Sunday. What may be meant for every week ("on Mondays", 周五不开会) or
    every year ("my birthday is on 5 May") stays as it was written, and so do absolute dates.

    ```python
    from datetime import UTC, datetime

    from memori_core.augmentation.rules.dates import resolve_dates

    said_at = datetime(2026, 3, 10, tzinfo=UTC)
    print(resolve_dates("User went to Oslo last week", said_at, "en"))
    #> ('User went to Oslo in the week of 2 March 2026', ('2026-03-02', '2026-03-08'))
    print(resolve_dates("用户后天要考试", said_at, "zh"))
    #> ('用户2026年3月12日要考试', ('2026-03-12',))
    ```

    Args:
        text: A sentence or a few.
        said_at: When it was said. "Today" is its day in its own time zone.
        language: Whose grammar applies; dates in digits are found by both.
        future: Whether "on Saturday" is the next or the last one; None decides by the verb.

    Returns:
        The text, and ISO days, months or years in the order of the text. A week or a weekend gives
        its first and its last day.
    """
    grammar = _GRAMMARS[language]
    folded = grammar.fold(text)
    if not grammar.hinted.search(folded):
        return text, ()
    pieces: list[str] = []
    dates: list[str] = []
    done = 0
    for match in grammar.finder.finditer(folded):
        found = _read(match, grammar, text, said_at=said_at, future=future)
        if found is None:
            continue
        dates += (day for day in found.dates if day not in dates)
        if found.text is not None:
            pieces += (text[done : match.start()], found.text)
            done = match.end()
    return "".join((*pieces, text[done:])), tuple(dates)


def _read(
    match: re.Match[str], grammar: Grammar, text: str, *, said_at: datetime, future: bool | None
) -> Found | None:
    """What one phrase means; None where it means no date, or one outside the calendar."""
    assert match.lastindex is not None
    number = match.lastindex - 1
    phrase = grammar.patterns[number].match(match.string, match.start())
    if phrase is None:
        return None
    moment = Moment(
        said_at,
        tense=lambda: _tense(match, grammar) if future is None else future,
        traditional=text[match.start() : match.end()] != match.group(),
    )
    try:
        return grammar.rules[number].read(phrase, moment)
    except (ValueError, OverflowError):  # no such day, or not in the years 1 to 9999
        return None


def _tense(match: re.Match[str], grammar: Grammar) -> bool | None:
    """Whether the clause around a phrase speaks of the future."""
    before = match.string[max(0, match.start() - CLAUSE_CHARS) : match.start()]
    after = match.string[match.end() : match.end() + CLAUSE_CHARS]
    before = grammar.clause_ends.split(before)[-1]
    after = grammar.clause_ends.split(after, maxsplit=1)[0]
    return grammar.tense(f"{before} {after}")
