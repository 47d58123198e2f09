"""What is told and later changes, by the default extractor, end to end (B84, B86)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memori_core import InMemoryStore, Memori
from memori_core.testing import FakeEmbedder

JANUARY, MARCH = "2026-01-05", "2026-03-10"


@pytest.fixture(params=["memory", "sqlite"])
def memori(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memori]:
    store = InMemoryStore() if request.param == "memory" else tmp_path / "m.db"
    with Memori(store, embedder=FakeEmbedder()) as opened:
        yield opened


def told(memori: Memori, *said: tuple[str, str]):
    """A memory that was told these texts, each on its day."""
    alice = memori.scoped("alice")
    for text, day in said:
        alice.capture(text, at=day)
        assert memori.flush(20)
    return alice


def test_b84_oslo_and_the_dentist_are_dated_from_the_day_of_speech(memori: Memori):
    alice = told(
        memori,
        ("I went to Oslo last week; the dentist is tomorrow", "2023-05-24T10:00:00+02:00"),
    )
    facts = {fact.content: fact for fact in alice.list()}
    assert sorted(facts) == [
        "The dentist is on 25 May 2023.",
        "User went to Oslo in the week of 15 May 2023.",
    ]
    # 24 May 2023 was a Wednesday: the week before went from Monday 15 to Sunday 21 May.
    oslo = facts["User went to Oslo in the week of 15 May 2023."]
    assert oslo.metadata["dates"] == ["2023-05-15", "2023-05-21"]
    assert {fact.said_at for fact in facts.values()} == {datetime(2023, 5, 24, 8, tzinfo=UTC)}
    context = alice.recall("When did the user go to Oslo?", strictness=0, kinds=["fact"]).context
    assert "- User went to Oslo in the week of 15 May 2023. Stated at 2023-05-24" in context
    assert "last week" not in context
    assert "tomorrow" not in context


@pytest.mark.parametrize(
    ("loved", "asked", "change", "changed"),
    [
        (
            "I love fennel",
            "What does the user think of fennel?",
            "I can't stand fennel any more",
            "User can't stand fennel any more.",
        ),
        ("我喜欢茴香", "用户觉得茴香怎么样", "我受不了茴香", "用户受不了茴香。"),
    ],
)
@pytest.mark.parametrize("in_order", [True, False])
def test_b86_of_love_and_hate_the_later_holds(
    memori: Memori, loved: str, asked: str, change: str, changed: str, in_order: bool
):
    said = [(loved, JANUARY), (change, MARCH)]
    alice = told(memori, *(said if in_order else reversed(said)))
    held = [fact for fact in alice.list() if fact.valid_until is None]
    assert [fact.content for fact in held] == [changed]
    (old,) = [fact for fact in alice.list() if fact.valid_until is not None]
    assert old.superseded_by == held[0].id
    assert old.valid_until == datetime(2026, 3, 10, tzinfo=UTC)
    found = alice.recall(asked, strictness=0)
    assert [fact.content for fact in found] == [changed]
    assert loved not in found.context


def test_b86_january_is_answered_with_what_held_then(memori: Memori):
    alice = told(memori, ("I live in Porto.", JANUARY), ("I moved from Porto to Ghent.", MARCH))
    now = alice.recall("Where does the user live now?", strictness=0)
    assert [fact.content for fact in now] == ["User moved from Porto to Ghent."]
    then = alice.recall("Where did I live in January?", strictness=0)
    assert "Porto" in then[0].content
    assert then[0].fact.valid_until == datetime(2026, 3, 10, tzinfo=UTC)
    # Where both are shown, the old one is marked as such.
    lines = [line for line in then.context.splitlines() if "live" in line and "Porto" in line]
    assert lines
    assert all("true until 2026-03-10" in line for line in lines)


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ("I live in Porto.", "I live in Ghent.", "Where does the user live now?"),
        ("I live in Porto.", "I moved from Porto to Ghent.", "Where does the user live now?"),
        ("I love fennel", "I can't stand fennel any more", "Does the user love fennel?"),
        ("我住在杭州。", "我搬到苏州了。", "用户现在住在哪里"),
    ],
)
@pytest.mark.parametrize("kinds", [None, ["message"]])
def test_b86_the_message_of_a_superseded_fact_is_not_returned(
    memori: Memori, old: str, new: str, asked: str, kinds: list[str] | None
):
    alice = told(memori, (old, JANUARY), (new, MARCH))
    found = alice.recall(asked, strictness=0, limit=50, kinds=kinds)
    assert [fact for fact in found if fact.content == old] == []
    assert old not in found.context
    # It is kept: the transcript has it, and history finds it.
    assert old in [kept.message.content for kept in alice.messages()]
    history = alice.recall(asked, strictness=0, limit=50, kinds=kinds, include_history=True)
    assert any(fact.fact.valid_until is not None for fact in history)


def test_what_is_told_late_ends_when_the_next_thing_began(memori: Memori) -> None:
    alice = memori.scoped("alice")
    for day, city in (
        ("2026-01-05", "Porto"),
        ("2026-03-10", "Ghent"),
        ("2025-06-01", "Lisbon"),  # before both
        ("2026-02-01", "Braga"),  # between them
    ):
        alice.capture(f"I live in {city}.", at=day)
        assert memori.flush(20)
    held = {
        fact.content: f"{fact.valid_until:%Y-%m-%d}" if fact.valid_until else ""
        for fact in alice.list()
    }
    assert held == {
        "User lives in Lisbon.": "2026-01-05",
        "User lives in Porto.": "2026-02-01",
        "User lives in Braga.": "2026-03-10",
        "User lives in Ghent.": "",
    }
    assert [t.triple.object for t in alice.triples(predicate="lives_in")] == ["Ghent"]


def test_an_order_to_forget_is_not_recalled_itself(memori: Memori) -> None:
    alice = memori.scoped("alice")
    alice.capture("Please remember that the spare key is under the blue pot.")
    alice.capture("Please forget the spare key.")
    assert memori.flush(20)
    found = alice.recall("Where is the spare key?")
    assert [fact.content for fact in found] == []
    assert len(alice.messages()) == 2  # what was said stays said
