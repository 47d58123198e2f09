"""When one fact takes the place of another. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime

from memori_core.conversation import StoredTriple, Triple

SINGLE_VALUED = frozenset(
    """
name age birthday lives_in works_at works_as occupation from born_in grew_up_in married_to diet
email native_language
""".split()
)
"""Relations that hold with one object at a time. So do `favourite_…` and `default_…`."""

OPPOSITES: Mapping[str, str] = {"likes": "dislikes", "dislikes": "likes"}
"""Relations of which only the later holds for the same object."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement with the fact that makes it."""

    triple: Triple
    _: KW_ONLY
    fact_id: str
    said_at: datetime
    ends: bool = False
    """Whether it says that the statement no longer holds."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A fact that another one ended."""

    fact_id: str
    _: KW_ONLY
    valid_until: datetime
    superseded_by: str


def is_single_valued(predicate: str) -> bool:
    """Whether a new object takes the place of the old one."""
    return predicate in SINGLE_VALUED or predicate.startswith(("favourite_", "default_"))


def ended_by(new: Sequence[Claim], held: Iterable[Claim]) -> list[Ended]:
    """Which facts no longer hold, in whatever order they arrive.

    Of two statements that exclude each other the one said later holds; said at the same time, the
    one that came later does. A fact that supports nothing else is not spared: it is ended, not
    deleted, and still answers questions about its time.

    Args:
        new: Statements that come in now.
        held: Statements that hold so far.
    """
    ended: dict[str, Ended] = {}
    current = list(held)
    for claim in new:
        for other in current:
            if claim.fact_id == other.fact_id or not _exclude(claim, other):
                continue
            if other.said_at > claim.said_at:
                loser, winner = claim, other
            else:
                loser, winner = other, claim
            if not loser.ends:
                ended[loser.fact_id] = Ended(
                    loser.fact_id, valid_until=winner.said_at, superseded_by=winner.fact_id
                )
        current.append(claim)
    return list(ended.values())


_USER = frozenset({"user", "用户", "用戶"})


def _same_subject(one: str, other: str) -> bool:
    a, b = one.casefold(), other.casefold()
    return a == b or {a, b} <= _USER


def _exclude(one: Claim, other: Claim) -> bool:
    a, b = one.triple, other.triple
    if not _same_subject(a.subject, b.subject):
        return False
    same_object = a.object.casefold() == b.object.casefold()
    if one.ends or other.ends:
        return a.predicate == b.predicate and same_object and one.ends != other.ends
    if OPPOSITES.get(a.predicate) == b.predicate:
        return same_object
    return a.predicate == b.predicate and is_single_valued(a.predicate) and not same_object


def held_claims(stored: Iterable[StoredTriple], said_at: Mapping[str, datetime]) -> list[Claim]:
    """What a store holds, as claims; statements of facts that are gone are left out."""
    return [
        Claim(kept.triple, fact_id=kept.fact_id, said_at=said_at[kept.fact_id])
        for kept in stored
        if kept.fact_id in said_at
    ]
