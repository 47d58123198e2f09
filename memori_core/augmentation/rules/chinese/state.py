"""What is kept while a Chinese text is read, and what it says of the next clause."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from memori_core.augmentation.rules.base import Draft
from memori_core.augmentation.rules.chinese import openings, relations
from memori_core.augmentation.rules.chinese.subjects import Subject, Told


@dataclass(slots=True)
class State:
    """What earlier clauses leave to later ones."""

    user: str
    read: int = 0
    """How many clauses were read."""
    about: Subject | None = None
    """The subject that a clause without one has."""
    other: Subject | None = None
    """The last third person, for "she"."""
    named: Subject | None = None
    """The last subject that the sentence named."""
    profile: bool = False
    """Whether a list about the writer is going on."""
    naming: Literal["pet", "kin"] | None = None
    """What the last clause introduced, so that a name may follow."""
    forced: bool = False
    """Whether the user asked for this to be remembered."""
    introduced: Subject | None = None
    """Whom the clause before introduced: 我有一个女儿."""
    doctor: bool = False
    """Whether the last clause told what a doctor found."""
    listing: bool = False
    """Whether the last clause was an item of a list: 男, 35岁, 程序员."""
    tasked: bool = False
    """Whether a text was asked for, so that orders may be about it."""
    foreign: bool = False
    """Whether the sentence speaks of somebody whom we do not know."""
    drafts: list[Draft] = field(default_factory=list[Draft])


def wishes(state: State) -> bool:
    """Whether the clause before was a standing order about answers."""
    return bool(state.drafts) and state.drafts[-1].content.startswith(f"{state.user}希望")


def is_contrast(plain: str, state: State) -> bool:
    """Whether a clause only says what the clause before it did not mean."""
    return re.match("(?:而)?不是", plain) is not None and "是" in state.drafts[-1].content


def repeats(told: Told, state: State) -> bool:
    """Whether a clause only says that something known is still so."""
    if re.match("还是|仍然?|依然|依旧", told.rest.plain) is None:
        return False
    known = {triple for draft in state.drafts for triple in draft.triples}
    triples = relations.read(told.subject, told.rest).triples
    return bool(triples) and known.issuperset(triples)


def introduced(told: Told, state: State) -> Subject | None:
    """The relative or animal that a clause about the writer introduces: 我有一个女儿."""
    if not told.subject.user and not told.subject.text.endswith("家"):
        return None
    who = openings.introduced(told.rest.plain)
    return Subject(f"{state.user}的{told.rest.text[slice(*who)]}", user=False) if who else None
