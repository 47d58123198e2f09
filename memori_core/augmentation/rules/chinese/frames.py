"""Chinese clauses that say nothing about their writer: questions, requests, conditions, talk."""

from __future__ import annotations

import re
from functools import cache

from memori_core.augmentation.rules.chinese import frame_patterns as patterns
from memori_core.augmentation.rules.chinese.clauses import Clause


@cache
def _any_of(alternatives: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))


def _has(alternatives: tuple[str, ...], plain: str) -> bool:
    return _any_of(alternatives).search(plain) is not None


def opens_material(plain: str) -> bool:
    """Whether a clause sets a task whose material follows."""
    return _has(patterns.MATERIAL, plain)


def is_play(plain: str) -> bool:
    """Whether a clause hands out parts to play."""
    return _has(patterns.PLAY, plain)


def asks_for_text(plain: str) -> bool:
    """Whether a clause asks for a letter, a note, a post."""
    return _has(patterns.TEXT, plain)


def is_request(plain: str) -> bool:
    """Whether a clause asks the reader to do something."""
    return _has(patterns.REQUEST, plain)


def is_question(plain: str) -> bool:
    """Whether a clause asks, with or without a question mark."""
    return _has(patterns.QUESTION, plain) and not _has(patterns.NO_QUESTION, plain)


def before_question(clause: Clause) -> Clause | None:
    """The fact about health that a question starts from: 我怀孕了可以吃螃蟹吗."""
    match = _any_of(patterns.HEALTH_BEFORE_QUESTION).match(clause.plain)
    return clause.cut(0, match.end()) if match else None


def is_condition(plain: str) -> bool:
    """Whether a clause supposes something."""
    return _has(patterns.CONDITION, plain)


def is_wish(plain: str) -> bool:
    """Whether a clause wishes something."""
    return _has(patterns.WISH, plain)


def is_talk(plain: str) -> bool:
    """Whether a clause is about the conversation, a fault, or a passing state."""
    return _has(patterns.TALK, plain) or _has(patterns.NOISE, plain)


def points(plain: str) -> bool:
    """Whether a clause addresses the reader or points at what only the reader sees."""
    return _has(patterns.POINTING, _any_of(patterns.NOT_POINTING).sub("", plain))


def is_doctors_word(plain: str) -> bool:
    """Whether a clause tells what a doctor found."""
    return _has(patterns.DOCTOR, plain)


def is_others_word(plain: str) -> bool:
    """Whether a clause tells what a relative of the writer says or thinks."""
    return _has(patterns.OTHERS, plain)


def is_reported(plain: str) -> bool:
    """Whether a clause without the writer as its subject tells what others say or think."""
    return _has(patterns.REPORTED, plain)
