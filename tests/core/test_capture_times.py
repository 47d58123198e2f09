"""When a turn was said, and which conversation it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memori_core import InMemoryStore, Memori, ScopedMemory, SQLiteStore, Store
from memori_core.conversation import Message

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture(params=["memory", "sqlite"])
def alice(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScopedMemory]:
    store: Store = InMemoryStore() if request.param == "memory" else SQLiteStore(tmp_path / "m.db")
    with store, Memori(store, embedder=None, extractor=None) as memori:
        yield memori.scoped("alice")


def said_at(memory: ScopedMemory) -> list[datetime]:
    return [stored.said_at for stored in memory.messages()]


# B84


def test_b84_the_given_time_wins_over_that_of_the_messages(alice: ScopedMemory) -> None:
    own = Message("user", "I like tea.", said_at=NOON - timedelta(days=3))
    alice.capture([own], at="2023-05-24T10:00:00+02:00")
    assert said_at(alice) == [datetime(2023, 5, 24, 8, tzinfo=UTC)]


def test_b84_without_one_the_messages_have_their_own_times(alice: ScopedMemory) -> None:
    alice.capture(
        [
            Message("user", "I like tea.", said_at=NOON),
            Message("assistant", "Noted.", said_at=NOON + MINUTE),
            Message("user", "And coffee."),  # as late as the last one
        ]
    )
    assert said_at(alice) == [NOON, NOON + MINUTE, NOON + MINUTE]


def test_b84_without_either_it_is_now(alice: ScopedMemory) -> None:
    before = datetime.now(UTC)
    alice.capture("I like tea.")
    (time,) = said_at(alice)
    assert before - timedelta(seconds=1) < time <= datetime.now(UTC)


# Sessions


def test_a_turn_of_long_ago_does_not_join_the_conversation_of_now(alice: ScopedMemory) -> None:
    now = alice.capture("I like tea.").session_id
    old = alice.capture("I liked coffee.", at=NOON - timedelta(days=90)).session_id
    assert old != now
    assert alice.capture("And milk.").session_id == now


def test_a_turn_joins_the_conversation_of_its_time(alice: ScopedMemory) -> None:
    first = alice.capture("One.", at=NOON).session_id
    other = alice.capture("Two.", at=NOON + timedelta(hours=5)).session_id
    assert alice.capture("Three.", at=NOON + 29 * MINUTE).session_id == first
    assert alice.capture("Four.", at=NOON - 29 * MINUTE).session_id == first
    assert alice.capture("Five.", at=NOON + timedelta(hours=5)).session_id == other
    assert len(alice.sessions()) == 2


@pytest.mark.parametrize("distance", [timedelta(minutes=30), -timedelta(minutes=30)])
def test_half_an_hour_of_silence_starts_a_new_conversation(
    alice: ScopedMemory, distance: timedelta
) -> None:
    first = alice.capture("One.", at=NOON).session_id
    assert alice.capture("Two.", at=NOON + distance).session_id != first


def test_the_times_at_both_ends_of_the_calendar_are_taken(alice: ScopedMemory) -> None:
    alice.capture("Early.", at=datetime(1, 1, 1, tzinfo=UTC))
    alice.capture("Late.", at=datetime(9999, 12, 31, 23, 59, tzinfo=UTC))
    assert len(alice.sessions()) == 2


def test_the_conversation_of_another_process_is_not_joined(tmp_path: Path) -> None:
    with Memori(tmp_path / "m.db", embedder=None, extractor=None) as memori:
        sessions = {
            memori.scoped("alice", process_id=name).capture("Hello.", at=NOON).session_id
            for name in ("a", "b", None)
        }
        assert len(sessions) == 3
        again = memori.scoped("alice", process_id="a").capture("Hi.", at=NOON + MINUTE)
        assert again.session_id in sessions
