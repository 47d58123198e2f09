"""What a Chinese clause amounts to: its kind, its triples, and whether it is pinned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memori_core.augmentation.rules.chinese import relation_patterns as patterns
from memori_core.augmentation.rules.chinese import words
from memori_core.augmentation.rules.chinese.clauses import Clause
from memori_core.augmentation.rules.chinese.subjects import Subject
from memori_core.conversation import Triple
from memori_core.models import Kind


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a clause amounts to."""

    kind: Kind
    pinned: bool
    triples: tuple[Triple, ...]
    ends: tuple[Triple, ...]


@cache
def _compiled() -> tuple[
    tuple[tuple[str, re.Pattern[str]], ...], tuple[tuple[str, re.Pattern[str]], ...]
]:
    return (
        tuple((predicate, re.compile(pattern)) for predicate, pattern in patterns.RELATIONS),
        tuple((predicate, re.compile(pattern)) for predicate, pattern in patterns.ENDED),
    )


@cache
def _searcher(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _has(pattern: str, plain: str) -> bool:
    return _searcher(pattern).search(plain) is not None


def read(subject: Subject, rest: Clause, *, name: str | None = None) -> Meaning:
    """The kind, pin and triples of what is said about a subject.

    Args:
        subject: Whom it is said about.
        rest: What is said, without the subject.
        name: The writer's name, if the clause gives it.
    """
    if subject.attribute is not None:  # "my birthday" is told about the user
        rest = Clause(subject.attribute.text + rest.text, subject.attribute.plain + rest.plain)
        subject = Subject(subject.of, user=True)
    plain = rest.plain
    ends = tuple(_ends(subject, rest))
    triples = tuple(_triples(subject, rest))
    if name is not None:
        triples = (Triple(subject.text, "name", name),)
    return Meaning(
        _kind(plain, name=name),
        name is not None or is_health(subject, plain),
        triples,
        ends,
    )


def is_health(subject: Subject, plain: str) -> bool:
    """Whether a clause says what must never be missed: allergies, conditions, diets."""
    if _has(
        rf"{patterns.NEGATED}(?:有|患)?[^,，]{{0,8}}(?:{patterns.ALLERGY})", plain
    ) and not _has("不能|不吃|不喝|不可以", plain):
        return False
    if subject.user:
        return _has(patterns.HEALTH, plain) or _has(patterns.OWN_HEALTH, plain)
    if not subject.close:
        return _has(patterns.ALLERGY, plain)
    return _has(patterns.HEALTH, _searcher(patterns.CHOSEN).sub("", plain))


def _kind(plain: str, *, name: str | None) -> Kind:
    if name is not None or _has(patterns.IDENTITY, plain):
        return "identity"
    if _has(patterns.PLAN, plain):
        return "plan"
    return "preference" if _has(patterns.PREFERENCE, plain) else "fact"


def _triples(subject: Subject, rest: Clause) -> Iterator[Triple]:
    relations, _ = _compiled()
    negated = _has(patterns.NEGATED, rest.plain)
    if _has(patterns.PAST, rest.plain):
        return
    seen: set[str] = set()
    for predicate, pattern in relations:
        if predicate in seen or (negated and predicate not in patterns.NEVER_NEGATED):
            continue
        match = pattern.match(rest.plain)
        if match is None:
            continue
        if predicate == "likes" and "dislikes" in seen:
            continue
        seen.add(predicate)
        name = f"favourite_{match['x']}" if predicate == "favourite" else predicate
        for start, end in _parts(match, predicate):
            if found := _trimmed(rest.text[start:end], timed=predicate in patterns.TIMED):
                yield Triple(_owner(subject.text, predicate), name, found)
        if predicate in ("dislikes", "favourite", "prefers"):
            seen.add("likes")


def _owner(who: str, predicate: str) -> str:
    """Whose a pet is: those of the home are its writer's."""
    return re.sub("的家$|家里$", "", who) if predicate == "has_pet" else who


def _parts(match: re.Match[str], predicate: str) -> Iterator[tuple[int, int]]:
    start, end = match.span("o" if match["o"] else "o2")
    if predicate in patterns.LISTS:
        for cut in _searcher(r"[、/和跟与,]|以及|还有").finditer(match.string, start, end):
            yield start, cut.start()
            start = cut.end()
    yield start, end


def _trimmed(text: str, *, timed: bool) -> str:
    """An object without the particles around it; without its time where it is something to do."""
    text = text.strip()
    if timed:
        text = _searcher(f"^(?:(?:{words.TIMES})(?!的)|要|在(?={words.TIMES}))+").sub("", text)
    text = _searcher("^(?:一点儿?|一些|流利的?)+").sub("", text)
    return text.rstrip("了呢啊呀哦吧。.!！~ ")


def _ends(subject: Subject, rest: Clause) -> Iterator[Triple]:
    _, ended = _compiled()
    for predicate, pattern in ended:
        if match := pattern.match(rest.plain):
            yield Triple(subject.text, predicate, rest.text[match.start("o") : match.end("o")])


def pet(user: str, name: str) -> Triple:
    """The user has a pet of this name."""
    return Triple(user, "has_pet", name, object_type="animal")
