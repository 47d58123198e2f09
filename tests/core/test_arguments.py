"""Bad input is refused alike by every store, and nothing is made or changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memori_core import InMemoryStore, Memori, NewFact, ScopedMemory, SQLiteStore, Store
from memori_core.errors import ConfigError

BROKEN = "\ud83e"


@pytest.fixture(params=["memory", "sqlite"])
def alice(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScopedMemory]:
    store: Store = InMemoryStore() if request.param == "memory" else SQLiteStore(tmp_path / "m.db")
    with store, Memori(store, embedder=None) as memori:
        yield memori.scoped("alice")


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.get(BROKEN),
        lambda m: m.forget(BROKEN),
        lambda m: m.history(BROKEN),
        lambda m: m.update(BROKEN, text="User likes tea."),
        lambda m: m.pin(BROKEN),
        lambda m: m.list(after=BROKEN),
        lambda m: m.triples(subject=BROKEN),
        lambda m: m.triples(object=BROKEN),
        lambda m: m.messages(session_id=BROKEN),
        lambda m: m.attributes(process_id=BROKEN),
    ],
)
def test_a_text_that_no_store_can_hold_is_named(
    alice: ScopedMemory, ask: Callable[[ScopedMemory], Any]
) -> None:
    with pytest.raises(ConfigError, match="lone surrogate"):
        ask(alice)


@pytest.mark.parametrize("limit", [-1, 1.5, True, "3"])
@pytest.mark.parametrize("verb", ["messages", "list"])
def test_a_limit_that_is_none_is_named(alice: ScopedMemory, verb: str, limit: object) -> None:
    with pytest.raises(ConfigError, match="`limit`"):
        getattr(alice, verb)(limit=limit)


def test_a_limit_of_zero_gives_nothing(alice: ScopedMemory) -> None:
    alice.capture("I like tea.")
    assert list(alice.messages(limit=0)) == []
    assert list(alice.list(limit=0)) == []


@pytest.mark.parametrize(
    "options",
    [
        {"fusion": "bogus"},
        {"fusion": "mem0", "embedder": None},
        {"extractor": "bogus"},
        {"boosts": "bogus"},
        {"embedder": 7},
    ],
)
def test_a_memory_that_cannot_be_made_makes_no_file(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError):
        Memori(tmp_path / "m.db", **options)
    assert list(tmp_path.iterdir()) == []


def test_indexed_messages_count_as_facts_nowhere(alice: ScopedMemory) -> None:
    alice.capture("I like tea. The weather was odd this morning.")
    memori_stats = alice._core.store.stats
    assert alice._augmentation.flush(20)
    listed = len(alice.list())
    assert listed == alice.stats()["facts"] == memori_stats()["facts"]
    assert alice.erase() == listed


def test_without_indexed_messages_statements_are_kept_as_facts() -> None:
    with Memori(InMemoryStore(), embedder=None, index_messages=False) as memori:
        alice = memori.scoped("alice")
        alice.capture("The meeting room on the third floor smells of paint.")
        assert memori.flush(20)
        assert [fact.kind for fact in alice.list()] == ["statement"]


@pytest.mark.parametrize("position", [2**63, -1, 1.5, True])
def test_a_position_that_no_store_can_hold_is_named(alice: ScopedMemory, position: Any) -> None:
    with pytest.raises(ConfigError, match="`position`"):
        alice.remember("User likes tea.", position=position)
    assert alice.list() == []


def test_the_times_of_a_new_fact_may_be_texts(alice: ScopedMemory) -> None:
    new = NewFact("User likes tea.", said_at="2026-01-01")  # type: ignore[arg-type]
    (fact,) = alice.remember_many([new])
    assert f"{fact.said_at:%Y-%m-%d}" == "2026-01-01"
    with pytest.raises(ConfigError, match="item 0: `valid_until`"):
        alice.remember_many([NewFact("User likes tea.", valid_until="soon")])  # type: ignore[arg-type]
