"""What a store promises of reading: revisions, changes, pages and strangers."""

from __future__ import annotations

import pytest

from memori_core.errors import ConfigError
from memori_core.models import Mention, Scope
from memori_core.stores.base import Store
from memori_core.testing.facts import (
    ALICE,
    BOB,
    contents,
    create,
    fact_ids,
    fact_record,
    run,
)
from memori_core.writes import CreateFact, DeleteFacts, UpdateFact, WriteBatch


class ReadingConformance:
    """The part of `StoreConformance` that reads."""

    # Revisions and changes

    def test_a_batch_raises_the_revision_by_one(self, store: Store) -> None:
        assert store.revision(ALICE) == 0
        run(store, ALICE, *(CreateFact(fact_record(f"Fact {n}")) for n in range(3)))
        assert store.revision(ALICE) == 1
        assert {r.fact.revision for r in store.facts(ALICE)} == {1}
        assert store.revision(BOB) == 0
        assert store.apply(ALICE, WriteBatch(())).revision == 1

    def test_a_failing_batch_leaves_nothing(self, store: Store) -> None:
        create(store, ALICE, fact_record("User likes tea", id="tea"), Mention("Tea", type="drink"))
        before = (store.facts(ALICE), store.mentions(ALICE), store.changes(ALICE))
        new = fact_record("User likes milk", id="milk")
        with pytest.raises(ConfigError):
            run(
                store,
                ALICE,
                CreateFact(new, mentions=(Mention("Milk", type="drink"),)),
                CreateFact(fact_record("user likes tea")),
                UpdateFact("tea", changes={"content": "User hates tea"}, mentions=()),
                DeleteFacts(("tea",)),
                UpdateFact("milk", changes={"colour": "white"}),
            )
        assert (store.facts(ALICE), store.mentions(ALICE), store.changes(ALICE)) == before
        assert store.history(ALICE, "tea") == []
        assert create(store, ALICE, new).revision == 2

    def test_changes_from_the_start_are_complete_and_in_the_order_of_storing(
        self, store: Store
    ) -> None:
        for fact_id in ("c", "a", "b"):
            create(store, ALICE, fact_record(f"Fact {fact_id}", id=fact_id))
        run(store, ALICE, DeleteFacts(("a",)))
        changes = store.changes(ALICE)
        assert changes.complete
        assert [r.fact.id for r in changes.records] == ["c", "b"]
        assert (changes.revision, changes.deleted) == (4, ())

    def test_changes_since_a_revision_bring_only_the_difference(self, store: Store) -> None:
        for fact_id in ("a", "b", "c"):
            create(store, ALICE, fact_record(f"Fact {fact_id}", id=fact_id))
        run(store, ALICE, UpdateFact("a", changes={"pinned": True}), DeleteFacts(("b",)))
        changes = store.changes(ALICE, since=3)
        assert not changes.complete
        assert [r.fact.id for r in changes.records] == ["a"]
        assert (changes.revision, changes.deleted) == (4, ("b",))
        nothing = store.changes(ALICE, since=4)
        assert (nothing.complete, nothing.records, nothing.deleted) == (False, (), ())

    def test_after_an_erasure_a_cache_is_told_to_drop_what_it_held(self, store: Store) -> None:
        create(store, ALICE, fact_record("User likes tea"))
        create(store, ALICE, fact_record("User likes milk"))
        store.erase(ALICE)
        assert store.revision(ALICE) == 3
        create(store, ALICE, fact_record("User likes water"))
        for since in (1, 2):
            changes = store.changes(ALICE, since=since)
            assert changes.complete
            assert [r.fact.content for r in changes.records] == ["User likes water"]
        assert not store.changes(ALICE, since=3).complete

    def test_a_cache_from_another_life_is_told_to_drop_what_it_held(self, store: Store) -> None:
        create(store, ALICE, fact_record("User likes tea"))
        assert store.changes(ALICE, since=99).complete

    # Reading

    def test_facts_can_be_read_in_pages_and_by_id(self, store: Store) -> None:
        ids = [f"{n:02}" for n in range(7)]
        run(store, ALICE, *(CreateFact(fact_record(f"Fact {i}", id=i)) for i in reversed(ids)))
        assert fact_ids(store.facts(ALICE)) == ids
        assert fact_ids(store.facts(ALICE, limit=3)) == ids[:3]
        assert fact_ids(store.facts(ALICE, after="02", limit=3)) == ids[3:6]
        assert fact_ids(store.facts(ALICE, ids=["05", "nobody", "01"])) == ["05", "01"]
        assert store.facts(ALICE, ids=[]) == []
        assert store.facts(ALICE, limit=0) == []

    def test_mentions_meet_under_one_name(self, store: Store) -> None:
        create(store, ALICE, fact_record("One", id="1"), Mention("New  York", type="city"))
        create(
            store, ALICE, fact_record("Two", id="2"), Mention("new york", type="x", vector=b"1234")
        )
        (linked,) = store.mentions(ALICE)
        assert linked.mention == Mention("New  York", type="city", vector=b"1234")
        assert linked.fact_ids == ("1", "2")

    def test_mentions_are_replaced_only_when_an_update_brings_some(self, store: Store) -> None:
        create(store, ALICE, fact_record("One", id="1"), Mention("Rome", type="city"))
        run(store, ALICE, UpdateFact("1", changes={"pinned": True}))
        assert [m.mention.text for m in store.mentions(ALICE)] == ["Rome"]
        run(store, ALICE, UpdateFact("1", changes={}, mentions=(Mention("Oslo", type="city"),)))
        assert [m.mention.text for m in store.mentions(ALICE)] == ["Oslo"]
        assert store.revision(ALICE) == 3

    def test_a_stranger_has_nothing(self, store: Store) -> None:
        create(store, BOB, fact_record("User likes tea", id="one"))
        assert store.facts(ALICE) == []
        assert store.facts(ALICE, ids=["one"]) == []
        assert store.changes(ALICE).records == ()
        assert store.mentions(ALICE) == []
        assert run(store, ALICE, DeleteFacts(("one",))).deleted == ()
        assert run(store, ALICE, UpdateFact("one", changes={"pinned": True})).facts == (None,)
        assert contents(store, BOB) == ["User likes tea"]

    def test_only_the_entity_decides_what_is_seen(self, store: Store) -> None:
        create(store, Scope("alice", process_id="p", session_id="s"), fact_record("User likes tea"))
        assert contents(store, Scope("alice", process_id="q")) == ["User likes tea"]

    def test_settings_and_stats(self, store: Store) -> None:
        assert store.setting("profile") is None
        store.set_setting("profile", b"\x00\xff")
        store.set_setting("profile", b"\x01")
        assert store.setting("profile") == b"\x01"
        create(store, BOB, fact_record("User likes tea"))
        create(store, ALICE, fact_record("User likes tea"))
        assert store.entities() == ["alice", "bob"]
        stats = store.stats()
        assert (stats["entities"], stats["facts"]) == (2, 2)
        assert isinstance(stats["bytes"], int)
