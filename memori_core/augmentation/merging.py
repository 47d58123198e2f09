"""When one fact takes the place of another. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime

from memori_core.conversation import StoredTriple, Triple
from memori_core.models import unique_key

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
    valid_until: datetime | None = None
    """When it stopped holding, if it did."""


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
        held: Statements that hold so far, and those that held once: what is told late ended when
            the next thing began, and may have ended what was before.
    """
    ended: dict[str, Ended] = {}
    current = [_Folded.of(claim) for claim in held]
    for folded in map(_Folded.of, new):
        claim = folded.claim
        for rival in current:
            other = rival.claim
            if claim.fact_id == other.fact_id or not _exclude(folded, rival):
                continue
            if other.said_at > claim.said_at:
                loser, winner = claim, other
            else:
                loser, winner = other, claim
            known = ended.get(loser.fact_id)
            until = loser.valid_until if known is None else known.valid_until
            if not loser.ends and (until is None or winner.said_at < until):
                ended[loser.fact_id] = Ended(
                    loser.fact_id, valid_until=winner.said_at, superseded_by=winner.fact_id
                )
        current.append(folded)
    return list(ended.values())


_USER = unique_key("User")
_USERS = frozenset(unique_key(name) for name in ("User", "用户", "用戶"))


@dataclass(frozen=True, slots=True)
class _Folded:
    """A claim with the keys under which its names are compared."""

    claim: Claim
    subject: bytes
    object: bytes

    @classmethod
    def of(cls, claim: Claim) -> _Folded:
        subject = unique_key(claim.triple.subject)
        return cls(
            claim,
            subject=_USER if subject in _USERS else subject,
            object=unique_key(claim.triple.object),
        )


def _exclude(one: _Folded, other: _Folded) -> bool:
    if one.subject != other.subject:
        return False
    a, b = one.claim.triple.predicate, other.claim.triple.predicate
    same_object = one.object == other.object
    if one.claim.ends or other.claim.ends:
        return a == b and same_object and one.claim.ends != other.claim.ends
    if OPPOSITES.get(a) == b:
        return same_object
    return a == b and is_single_valued(a) and not same_object


def held_claims(stored: Iterable[StoredTriple], said_at: Mapping[str, datetime]) -> list[Claim]:
    """What a store holds, as claims; statements of facts that are gone are left out."""
    return [
        Claim(
            kept.triple,
            fact_id=kept.fact_id,
            said_at=said_at[kept.fact_id],
            valid_until=kept.valid_until,
        )
        for kept in stored
        if kept.fact_id in said_at
    ]
