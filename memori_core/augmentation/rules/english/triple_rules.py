"""How triples are read off sentences: a pattern, and what it states."""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass

ADVERBS = (
    r"(?:(?:also|really|just|only|still|always|actually|currently|now|recently|"
    r"finally|usually|mostly|mainly|both|absolutely|normally|often|quite|\w+ly) )*+"
)
CAPITAL = r"(?-i:(?=[A-Z\u00c0-\u00de\u3400-\u9fff]))"
"""A capital, or a Chinese character, comes next."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern at the start of a sentence's predicate, and what it states."""

    pattern: re.Pattern[str]
    predicate: str
    _: KW_ONLY
    object_type: str = ""
    end: re.Pattern[str] | None = None
    """Where the object ends before its sentence does."""
    bare: bool = True
    """Whether "a", "the" and "their" are cut off the object."""
    many: bool = False
    """Whether the object is a list of several."""
    negated: bool = False
    """Whether the pattern itself holds the negation."""


def rule(
    pattern: str,
    predicate: str,
    *,
    object_type: str = "",
    end: re.Pattern[str] | None = None,
    bare: bool = True,
    many: bool = False,
    negated: bool = False,
) -> Rule:
    """A rule of a pattern that adverbs may stand before."""
    return Rule(
        re.compile(ADVERBS + pattern, re.IGNORECASE),
        predicate,
        object_type=object_type,
        end=end,
        bare=bare,
        many=many,
        negated=negated,
    )
