from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tqdm import tqdm

from memori_core import Memori, NewFact, Scope
from memori_core.moving import MovedFact, amove, from_mem0, from_memori, move
from memori_core.stores import InMemoryStore
from memori_core.testing import FakeEmbedder

MAY = datetime(2026, 5, 1, tzinfo=UTC)
JUNE = datetime(2026, 6, 1, tzinfo=UTC)


def tea(id: str, *, said_at: datetime = MAY, content: str = "User likes tea.") -> MovedFact:
    return MovedFact(NewFact(content, id=id, said_at=said_at), entity_id="alice")


@pytest.mark.parametrize("source", ["memori_db", "qdrant", "get_all"])
def test_twice_changes_nothing(source: str, request: pytest.FixtureRequest):
    memori = Memori(InMemoryStore(), embedder=FakeEmbedder())
    read = from_memori if source == "memori_db" else from_mem0
    path = request.getfixturevalue(source)
    first = move(read(path), into=memori)
    before = {user: memori.scoped(user).list() for user in memori.entities()}
    revisions = [memori.scoped(user).stats()["revision"] for user in before]
    again = move(read(path), into=memori)
    assert (again.facts, again.new) == (first.facts, 0)
    assert {user: memori.scoped(user).list() for user in memori.entities()} == before
    assert [memori.scoped(user).stats()["revision"] for user in before] == revisions


def test_facts_are_embedded_and_found():
    memori = Memori(InMemoryStore(), embedder=FakeEmbedder())
    move([tea("1")], into=memori)
    assert memori.scoped("alice").recall("What tea?")[0].fact.id == "1"
    assert memori.reindex() == 0  # every fact has a vector of today's embedder


def test_the_names_in_facts_come_along_where_the_policy_looks_at_them():
    memori = Memori(InMemoryStore(), embedder=FakeEmbedder(), fusion="mem0")
    for _ in range(2):
        move([tea("1", content="User lives in Porto with Inês.")], into=memori)
        mentions = memori.retriever.store.mentions(Scope("alice"))
        assert {m.mention.text for m in mentions} >= {"Porto", "Inês"}
    assert memori.scoped("alice").stats()["revision"] == 1


def test_facts_that_say_the_same_become_one(memori: Memori):
    twice = [tea("1", said_at=JUNE), tea("2", content="user likes  tea")]
    for new in (1, 0):
        moved = move(twice, into=memori)
        assert (moved.facts, moved.new) == (2, new)
        (fact,) = memori.scoped("alice").list()
        assert (fact.id, fact.times) == ("1", 2)
        assert (fact.said_at, fact.last_said_at) == (MAY, JUNE)
    assert memori.scoped("alice").stats()["revision"] == 1


def test_what_was_remembered_here_stays(memori: Memori):
    alice = memori.scoped("alice")
    own = alice.remember("User likes tea.", said_at=JUNE, metadata={"here": True})
    moved = move([tea("1"), tea("2", content="User likes cake.")], into=memori)
    assert (moved.facts, moved.new) == (2, 1)
    fact = alice.get(own.id)
    assert fact is not None
    assert (fact.said_at, fact.metadata) == (MAY, {"here": True})


def test_a_text_that_changed_there_is_updated_with_history(memori: Memori):
    move([tea("1")], into=memori)
    changed = MovedFact(
        NewFact("User likes coffee.", id="1", said_at=MAY), entity_id="alice", learnt_at=JUNE
    )
    assert move([changed], into=memori).new == 0
    (version,) = memori.scoped("alice").history("1")
    assert (version.content, version.replaced_at) == ("User likes tea.", JUNE)


def test_many_facts_of_many_users_and_processes(memori: Memori):
    facts = [
        MovedFact(
            NewFact(f"Fact {n}.", id=f"{n:04}", said_at=MAY),
            entity_id=f"user {n % 3}",
            process_id=f"agent {n % 2}" if n % 5 else None,
        )
        for n in range(1200)
    ]
    moved = move(iter(facts), into=memori)
    assert (moved.facts, moved.new, moved.users) == (1200, 1200, 3)
    stored = {f.id: f for user in memori.entities() for f in memori.scoped(user).list()}
    assert all(stored[str(m.fact.id)].process_id == m.process_id for m in facts)


def test_nothing_is_stored_when_the_source_breaks_half_way(memori: Memori):
    def breaking() -> Iterator[MovedFact]:
        yield tea("1")
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        move(breaking(), into=memori)
    assert memori.entities() == []


@pytest.mark.parametrize("progress", [True, False])
async def test_the_async_twin_and_its_bar(
    progress: bool,
    memori_db: Path,
    memori: Memori,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    def at_once(lines: Iterable[str], **options: Any) -> Iterable[str]:
        return tqdm(lines, **{**options, "delay": 0})  # a short import shows no bar

    monkeypatch.setattr("memori_core.moving._move.tqdm", at_once)
    moved = await amove(from_memori(memori_db), into=memori, progress=progress)
    assert moved.facts == 3
    assert ("import" in capsys.readouterr().err) is progress
