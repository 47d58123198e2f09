"""How Chinese clauses open: what can go, and what speaks of the writer without 我."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from memori_core.augmentation.rules.chinese import opening_patterns as patterns
from memori_core.augmentation.rules.chinese.clauses import Clause
from memori_core.augmentation.rules.chinese_script import simplify


@cache
def _any_of(alternatives: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))


def _has(alternatives: tuple[str, ...], plain: str) -> bool:
    return _any_of(alternatives).search(plain) is not None


def bare(clause: Clause) -> Clause:
    """A clause without what only leads into it (其实, 但是, 对了)."""
    for _ in range(4):
        match = _any_of(patterns.LEAD).match(clause.plain)
        if match is None:
            break
        clause = clause.cut(match.end())
    return clause


def continues(plain: str) -> bool:
    """Whether a clause without a subject can go on about the subject before it."""
    return _has(patterns.CONTINUE, plain) and not _has(patterns.NO_CONTINUE, plain)


def opens(plain: str) -> bool:
    """Whether a clause without a subject is about its writer, wherever it stands."""
    return _has(patterns.OPEN, plain) and not _has(patterns.NO_OPEN, plain)


def is_stub(plain: str) -> bool:
    """Whether what follows 我 says too little to be kept."""
    return _has(patterns.STUB, plain)


def introduced(plain: str) -> tuple[int, int] | None:
    """Where the relative or animal stands whom a clause introduces."""
    match = _any_of(patterns.RELATIVE).search(plain) or _any_of(patterns.PET).search(plain)
    return match.span("who") if match else None


def own_attribute(plain: str) -> int:
    """Where what is the writer's ends, if a clause opens with it: 部门是财务部. 0 if not."""
    match = _any_of(patterns.ATTRIBUTE).match(plain)
    return match.end() if match else 0


def meant_for(plain: str) -> tuple[int, int] | None:
    """Where the relative stands for whom something is done: 想给我妈挑个礼物."""
    match = _any_of(patterns.MEANT_FOR).search(plain)
    return match.span("who") if match else None


def is_introduction(plain: str) -> bool:
    """Whether a clause goes on about somebody who was just introduced: 今年五岁."""
    return _has(patterns.INTRODUCTION, plain)


def is_tag(plain: str) -> bool:
    """Whether a clause is an item of a list about a person: 男, 35岁, 程序员, 单身."""
    return _has(patterns.TAG, plain)


def introduces(content: str) -> Literal["pet", "kin"] | None:
    """Whom a clause introduced, so that a name may follow."""
    content = simplify(content)
    if _has(patterns.PET, content):
        return "pet"
    return "kin" if _has(patterns.RELATIVE, content) else None
