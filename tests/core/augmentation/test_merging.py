"""Which fact takes the place of which."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

import pytest

from memori_core.augmentation.merging import Claim, Ended, ended_by
from memori_core.conversation import Triple

JANUARY = datetime(2026, 1, 5, tzinfo=UTC)
MARCH = datetime(2026, 3, 10, tzinfo=UTC)


def claim(fact_id: str, *triple: str, at: datetime = JANUARY, ends: bool = False) -> Claim:
    return Claim(Triple(*triple), fact_id=fact_id, said_at=at, ends=ends)


NFC = unicodedata.normalize("NFC", "São Paulo")
SAME_NAME = [
    (NFC, unicodedata.normalize("NFD", NFC)),
    ("Ghent", "GHENT"),
    ("\uff27\uff48\uff45\uff4e\uff54", "Ghent"),
    ("New  York", "New York"),
    ("St. Ives.", "St. Ives"),
]


@pytest.mark.parametrize(("one", "other"), SAME_NAME)
def test_a_name_spelled_otherwise_supersedes_nothing(one: str, other: str):
    held = [claim("f1", "User", "lives_in", one)]
    assert ended_by([claim("f2", "user", "lives_in", other, at=MARCH)], held) == []


@pytest.mark.parametrize(("one", "other"), SAME_NAME)
def test_a_subject_spelled_otherwise_is_the_same(one: str, other: str):
    held = [claim("f1", one, "mayor", "x"), claim("f2", one, "name", "x")]
    (ended,) = ended_by([claim("f3", other, "name", "y", at=MARCH)], held)
    assert ended == Ended("f2", valid_until=MARCH, superseded_by="f3")


@pytest.mark.parametrize(("one", "other"), SAME_NAME)
def test_what_is_spelled_otherwise_can_be_ended_and_disliked(one: str, other: str):
    held = [claim("f1", "User", "lives_in", one), claim("f2", "User", "likes", one)]
    new = [
        claim("f3", "User", "lives_in", other, at=MARCH, ends=True),
        claim("f4", "User", "dislikes", other, at=MARCH),
    ]
    assert [(e.fact_id, e.superseded_by) for e in ended_by(new, held)] == [
        ("f1", "f3"),
        ("f2", "f4"),
    ]


def test_the_user_is_one_in_both_languages():
    held = [claim("f1", "用户", "lives_in", "成都"), claim("f2", "用戶", "age", "30")]
    new = [
        claim("f3", "User", "lives_in", "Porto", at=MARCH),
        claim("f4", "user", "age", "31", at=MARCH),
    ]
    assert [e.fact_id for e in ended_by(new, held)] == ["f1", "f2"]


def test_of_two_in_any_order_the_one_said_later_holds():
    (ended,) = ended_by(
        [claim("late", "User", "lives_in", "Porto")],
        [claim("f1", "User", "lives_in", "Ghent", at=MARCH)],
    )
    assert ended == Ended("late", valid_until=MARCH, superseded_by="f1")


def test_different_names_stay_different():
    """The folding does not go as far as NFKC: `C#` and `C`, `10²` and `102` are two."""
    held = [claim("f1", "User", "likes", "C")]
    assert ended_by([claim("f2", "User", "dislikes", "C#", at=MARCH)], held) == []
