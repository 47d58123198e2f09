"""Whether an English clause speaks of the past or the future."""

from __future__ import annotations

import re
from functools import cache, lru_cache

_FUTURE = (
    r"\b(?:will|shall|won't|gonna|going to|about to|plan(?:s|ning)?|hop(?:e|es|ing)|want(?:s|ing)?"
    r"|need(?:s)? to|ha(?:ve|s) to|got to|must|should|may|might|intend(?:s|ing)?|expect(?:s|ing)?"
    r"|due|upcoming|would like|looking forward|can't wait|schedul(?:e|ed|ing)|booked|remind"
    r"|(?:am|is|are|'m|'re|'s|’m|’re|’s) (?:\w+ly )?(?:not )?\w{2,}ing)\b|['’]ll\b|['’]d like\b"
)

_PAST = (
    r"\b(?:was|were|had|did|didn't|wasn't|weren't|went|came|took|saw|made|gave|told|said|bought"
    r"|began|broke|brought|built|caught|chose|drove|ate|fell|felt|found|flew|forgot|froze|grew"
    r"|heard"
    r"|held|hid|kept|knew|led|left|lent|lost|met|paid|quit|ran|rode|rang|rose|sang|sent|shook|shot"
    r"|slept|sold|spent|spoke|spoilt|stole|stood|stuck|swam|taught|thought|threw|understood|woke"
    r"|wore"
    r"|won|wrote|learnt|burnt|dreamt|bit|bled|blew|dealt|drew|dug|drank|fought|forgave|hung|hit"
    r"|hurt"
    r"|lit|sank|sat|sought|slid|spun|split|spread|swore|swept|tore|been|done|gone|just"
    r"|(?<!\bhas )(?<!\bhave )(?<!['’]ve )(?<!['’]s )got)\b"
)

_REGULAR_PAST = (
    r"(?<!\bam )(?<!\bis )(?<!\bare )(?<!\bbe )(?<!'m )(?<!'s )(?<!'re )"
    r"\b(?!(?:need|feed|speed|bed|red|wed|seed|hundred|indeed|breed|bleed|shed|sacred|naked|weed"
    r"|exceed"
    r"|proceed|succeed|greed|ted|ned|fred|ahmed|mohammed|med|supposed|excited|married"
    r"|interested)\b)"
    r"\w+ed\b"
)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(_FUTURE, re.IGNORECASE),
        re.compile(f"{_PAST}|{_REGULAR_PAST}", re.IGNORECASE),
    )


@lru_cache(maxsize=64)  # a clause may hold several dates, and hostile texts repeat theirs
def tense(clause: str) -> bool | None:
    """True for the future, False for the past, None where the verb leaves it open."""
    future, past = _patterns()
    if future.search(clause):
        return True
    return False if past.search(clause) else None
