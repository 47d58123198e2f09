"""Snapshots, their cache, and what readers see while writers write."""

from __future__ import annotations

import gc
import threading
from datetime import UTC, datetime
from pathlib import Path

from memori_core import Fact, InMemoryStore, Memori, Scope
from memori_core.retrieval.cache import IndexCache
from memori_core.retrieval.index import EntityIndex
from memori_core.retrieval.lexical import LexicalIndex
from memori_core.retrieval.tokenization import query_words
from memori_core.testing import FakeEmbedder
from memori_core.testing.facts import fact_record
from memori_core.writes import CreateFact, DeleteFacts, WriteBatch

NOW = datetime(2026, 5, 1, tzinfo=UTC)
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
    texts = [fact.content for fact in before.facts[: before.size]]
    words, one = query_words("fact number 0"), query_words("x7")
    scores = before.lexical.scores(words).tolist()
    store.apply(
        ALICE,
        WriteBatch((DeleteFacts((gone,)), *(CreateFact(fact_record(f"x{i}")) for i in range(20)))),
    )
    index.apply(store.changes(ALICE, since=before.revision))
    after = index.snapshot()
    # What it held, it holds still: the deleted fact too, with the scores of before.
    assert (before.size, before.lexical.total, before.lexical.alive) == (5, 5, None)
    assert [fact.content for fact in before.facts[: before.size]] == texts
    assert before.lexical.scores(words).tolist() == scores
    assert scores[0] == max(scores) > 0
    assert before.lexical.scores(one).tolist() == [0] * 5
    assert before.mask(now=NOW, include_ended=True) is None
    # What came after is in the next one.
    assert (after.size, after.lexical.total) == (25, 24)
    mask = after.mask(now=NOW, include_ended=True)
    assert mask is not None
    live = [fact.id for fact, kept in zip(after.facts, mask, strict=True) if kept]
    assert gone not in live
    assert len(live) == 24
    assert after.lexical.scores(one)[12] > 0


def secrets_in_memory(word: str) -> list[str]:
    """Texts with a word that some fact or index still holds."""
    # By type(): isinstance() asks objects for their class, and some of torch's warn when asked.
    objects = gc.get_objects()
    facts = [o.content for o in objects if type(o) is Fact and word in o.content]
    terms = [t for o in objects if type(o) is LexicalIndex for t in o.view().postings]
    return facts + [term for term in terms if word in term]


def test_an_erased_entity_leaves_nothing_in_memory_whatever_the_policy(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    first, second = (Memori(path, embedder=FakeEmbedder(), fusion="mem0") for _ in range(2))
    with first as memori, second as other:
        for reader in (memori, other):
            reader.scoped("bob").remember("Bob keeps bees")
            reader.scoped("alice").remember("My pin is in the xyzzytortoise of Xyzzyville")
            assert reader.scoped("alice").recall("xyzzytortoise pin")
            assert reader.scoped("bob").recall("bees")
        assert secrets_in_memory("xyzzytortois")
        assert memori.scoped("alice").erase() == 1
        # The second learns of it by the next question about her.
        assert other.scoped("alice").recall("pin").reason == "no_facts"
        assert memori.scoped("bob").recall("bees")
        assert secrets_in_memory("xyzzytortois") == []


def test_a_forgotten_fact_leaves_the_names_in_memory() -> None:
    memori = Memori(InMemoryStore(), embedder=FakeEmbedder(), fusion="mem0", scope=ALICE)
    memori.remember("Bela keeps bees")
    gone = memori.remember("Poppy lives in Xyzzyville")
    memori.recall("Poppy")
    memori.forget(gone.id)
    memori.recall("Poppy")
    entry = memori.retriever.cache._entries[ALICE.entity_key]
    assert entry.mentions is not None
    assert not any("Poppy" in text for text in entry.mentions[1].texts)


def test_the_indexes_of_a_policy_count_for_the_cache() -> None:
    memori = Memori(InMemoryStore(), embedder=FakeEmbedder(), fusion="mem0", scope=ALICE)
    memori.remember_many(f"Person{i} keeps bees in Town{i}" for i in range(100))
    cache = memori.retriever.cache
    cache.snapshot(ALICE)
    before = cache.nbytes()
    memori.recall("Where does Person7 keep bees?")
    # 100 persons and 100 towns are terms of the keyword index at 300 bytes and names at 500.
    assert cache.nbytes() > before + 200 * 300 + 200 * 500
    cache.forget(ALICE)
    assert cache.nbytes() == 0


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
