"""Snapshots, their cache, and what readers see while writers write."""

from __future__ import annotations

import threading

from memori_core import InMemoryStore, Memori, Scope
from memori_core.retrieval.cache import IndexCache
from memori_core.retrieval.index import EntityIndex
from memori_core.testing import FakeEmbedder
from memori_core.testing.facts import fact_record
from memori_core.writes import CreateFact, DeleteFacts, WriteBatch

ALICE, BOB = Scope("alice"), Scope("bob")


def filled(scope: Scope, count: int) -> InMemoryStore:
    store = InMemoryStore()
    Memori(store, embedder=FakeEmbedder(), scope=scope).remember_many(
        f"fact number {i}" for i in range(count)
    )
    return store


def test_an_unchanged_entity_keeps_its_snapshot() -> None:
    store = filled(ALICE, 3)
    cache = IndexCache(store, embedder="fake", dim=64)
    first = cache.snapshot(ALICE)
    assert cache.snapshot(ALICE) is first
    store.apply(ALICE, WriteBatch((CreateFact(fact_record("one more")),)))
    second = cache.snapshot(ALICE)
    assert (first.size, second.size) == (3, 4)
    cache.forget(ALICE)
    assert cache.snapshot(ALICE).size == 4


def test_ids_that_are_only_asked_about_take_no_room() -> None:
    cache = IndexCache(filled(ALICE, 1), embedder="fake", dim=64)
    for i in range(100):
        assert cache.snapshot(Scope(f"stranger {i}")).size == 0
    assert cache.nbytes() == 0


def test_the_entity_used_longest_ago_goes_first() -> None:
    store = filled(ALICE, 50)
    memori = Memori(store, embedder=FakeEmbedder())
    for name in ("bob", "carol"):
        memori.scoped(name).remember_many(f"fact {i}" for i in range(50))
    cache = IndexCache(store, embedder="fake", dim=64)
    alice = cache.snapshot(ALICE)
    one = cache.nbytes()
    small = IndexCache(store, embedder="fake", dim=64, max_bytes=int(2.5 * one))
    kept = [small.snapshot(Scope(name)) for name in ("alice", "bob", "alice", "carol")]
    assert small.snapshot(ALICE) is kept[0]
    assert small.snapshot(BOB) is not kept[1]
    assert small.nbytes() <= 2.5 * one
    assert alice.size == 50


def test_many_deletions_make_the_index_anew() -> None:
    store = filled(ALICE, 400)
    cache = IndexCache(store, embedder="fake", dim=64)
    assert cache.snapshot(ALICE).size == 400
    ids = tuple(record.fact.id for record in store.facts(ALICE))
    store.apply(ALICE, WriteBatch((DeleteFacts(ids[:50]),)))
    assert cache.snapshot(ALICE).size == 400  # dead rows are carried along ...
    store.apply(ALICE, WriteBatch((DeleteFacts(ids[50:300]),)))
    snapshot = cache.snapshot(ALICE)
    assert snapshot.size == 100  # ... until there are too many
    assert snapshot.lexical.alive is None


def test_a_snapshot_stays_as_it_was_while_the_index_moves_on() -> None:
    store = filled(ALICE, 5)
    index = EntityIndex(embedder="fake", dim=64)
    index.apply(store.changes(ALICE))
    before = index.snapshot()
    gone = before.facts[0].id
    store.apply(
        ALICE,
        WriteBatch((DeleteFacts((gone,)), *(CreateFact(fact_record(f"x{i}")) for i in range(20)))),
    )
    index.apply(store.changes(ALICE, since=before.revision))
    after = index.snapshot()
    assert before.size == 5
    assert before.lexical.total == 5
    assert before.row(gone) is None or before.row(gone) == 0
    assert after.lexical.total == 24
    assert after.row(gone) is None


def test_readers_and_writers_at_once() -> None:
    store = InMemoryStore()
    memori = Memori(store, embedder=FakeEmbedder(), scope=ALICE)
    memori.remember("heron zero")
    stop = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not stop.is_set():
            found = memori.recall("heron", limit=500, strictness=0)
            wrong.extend(f for f in found if not f.content.startswith("heron"))
            if found.searched != len(found) and found.searched <= 500:
                wrong.append((found.searched, len(found)))

    # The fallback scope is not attributed to a context, so threads see it.
    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for i in range(150):
        fact = memori.remember(f"heron {i}")
        if i % 3 == 0:
            memori.forget(fact.id)
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert memori.recall("heron", limit=500, strictness=0).searched == 101
