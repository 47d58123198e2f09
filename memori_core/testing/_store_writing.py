"""What a store promises of writing: creating, updating, deleting and erasing."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memori_core._ids import uuid7
from memori_core.errors import ConfigError
from memori_core.models import Fact, FactRecord, Mention, Scope, unique_key
from memori_core.stores.base import Store
from memori_core.testing.facts import (
    ALICE,
    BOB,
    SAID_AT,
    contents,
    create,
    fact_record,
    run,
)
from memori_core.writes import Applied, CreateFact, DeleteFacts, UpdateFact, UpsertFact


class WritingConformance:
    """The part of `StoreConformance` that writes."""

    # Creating

    def test_a_fact_comes_back_as_it_was_stored(self, store: Store) -> None:
        record = fact_record(
            "User lives in 北京 🏠",
            kind="identity",
            vector=b"\x00\x00\x80?" * 4,
            embedder="fake/4",
            valid_until=SAID_AT + timedelta(days=3),
            superseded_by="another",
            pinned=True,
            speaker="Ann",
            position=7,
            process_id="agent",
            session_id="s1",
            source_message_id="m1",
            metadata={"tags": ["a", "b"], "n": 1.5, "deep": {"x": None}, "名": "值"},
        )
        applied = create(store, ALICE, record)
        (stored,) = store.facts(ALICE)
        assert applied.facts == (stored.fact,)
        assert stored.fact.revision == applied.revision == 1
        assert _without_revision(stored) == _without_revision(record)

    def test_any_text_survives(self, store: Store) -> None:
        text = st.text(
            st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1
        )

        # Nested, because hypothesis refuses `@given` on a method that is inherited.
        @given(text)
        @settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        def survives(content: str) -> None:
            scope = Scope(f"reader {uuid7()}")
            create(store, scope, fact_record(content))
            assert contents(store, scope) == [content]

        survives()

    def test_times_are_kept_to_the_microsecond_and_given_in_utc(self, store: Store) -> None:
        tokyo = timezone(timedelta(hours=9))
        born = datetime(1931, 2, 3, 4, 5, 6, 7, tzinfo=tokyo)
        create(store, ALICE, fact_record("User was born", said_at=born))
        (stored,) = store.facts(ALICE)
        assert stored.fact.said_at == born
        assert stored.fact.said_at.utcoffset() == timedelta(0)

    def test_a_repeat_is_counted_and_keeps_the_first_id(self, store: Store) -> None:
        first = fact_record("User likes tea", metadata={"n": 1})
        early, late = SAID_AT - timedelta(days=9), SAID_AT + timedelta(days=9)
        create(store, ALICE, first)
        create(store, ALICE, fact_record("user LIKES tea.", said_at=early, pinned=True))
        applied = create(store, ALICE, fact_record("User likes tea!", said_at=late))
        (stored,) = store.facts(ALICE)
        assert applied.facts == (stored.fact,)
        assert stored.fact.id == first.fact.id
        assert stored.fact.content == "User likes tea"
        assert stored.fact.times == 3
        assert (stored.fact.said_at, stored.fact.last_said_at) == (early, late)
        assert stored.fact.pinned
        assert stored.fact.metadata == {"n": 1}
        assert stored.fact.revision == applied.revision == 3

    def test_a_taken_id_is_refused(self, store: Store) -> None:
        create(store, ALICE, fact_record("User likes tea", id="one"))
        with pytest.raises(ConfigError, match="one"):
            create(store, ALICE, fact_record("User likes coffee", id="one"))
        assert contents(store, ALICE) == ["User likes tea"]

    def test_the_id_of_a_deleted_fact_can_be_used_again(self, store: Store) -> None:
        create(store, ALICE, fact_record("User likes tea", id="one"))
        run(store, ALICE, DeleteFacts(("one",)))
        create(store, ALICE, fact_record("User likes coffee", id="one"))
        changes = store.changes(ALICE, since=1)
        assert [r.fact.content for r in changes.records] == ["User likes coffee"]
        assert changes.deleted == ()

    def test_a_deleted_fact_can_be_said_again(self, store: Store) -> None:
        create(store, ALICE, fact_record("User likes tea", id="one"))
        run(store, ALICE, DeleteFacts(("one",)))
        create(store, ALICE, fact_record("User likes tea", id="two"))
        (stored,) = store.facts(ALICE)
        assert (stored.fact.id, stored.fact.times) == ("two", 1)

    @pytest.mark.parametrize(
        "bad",
        [
            {"said_at": datetime(2026, 5, 1)},  # noqa: DTZ001 (the missing zone is the point)
            {"kind": "rumour"},
            {"metadata": {"x": object()}},
            {"id": ""},
            {"speaker": "\ud800"},
            {"valid_until": "tomorrow"},
        ],
        ids=lambda bad: next(iter(bad)),
    )
    def test_what_could_not_be_read_back_is_refused(
        self, store: Store, bad: dict[str, object]
    ) -> None:
        with pytest.raises(ConfigError):
            create(store, ALICE, fact_record("User likes tea", **bad))
        assert store.revision(ALICE) == 0

    # Updating

    def test_an_update_changes_only_what_it_names_and_keeps_what_was_said(
        self, store: Store
    ) -> None:
        create(store, ALICE, fact_record("User lives in Oslo", id="home", speaker="Ann"))
        said = fact_record("User lives in Rome")
        applied = run(
            store,
            ALICE,
            UpdateFact(
                "home", changes={"content": said.fact.content, "uniq": said.uniq, "terms": "rome"}
            ),
        )
        (stored,) = store.facts(ALICE)
        assert applied.facts == (stored.fact,)
        assert (stored.fact.content, stored.terms) == ("User lives in Rome", "rome")
        assert (stored.fact.speaker, stored.fact.said_at) == ("Ann", SAID_AT)
        (before,) = store.history(ALICE, "home")
        assert before.content == "User lives in Oslo"
        assert before.replaced_at.utcoffset() == timedelta(0)

    def test_an_update_of_other_fields_leaves_no_history(self, store: Store) -> None:
        create(store, ALICE, fact_record("User lives in Oslo", id="home"))
        run(store, ALICE, UpdateFact("home", changes={"superseded_by": "new", "pinned": True}))
        (stored,) = store.facts(ALICE)
        assert (stored.fact.superseded_by, stored.fact.pinned) == ("new", True)
        assert store.history(ALICE, "home") == []

    def test_an_update_of_nobody_changes_nothing(self, store: Store) -> None:
        applied = run(store, ALICE, UpdateFact("nobody", changes={"pinned": True}))
        assert applied == Applied(revision=0, facts=(None,))

    def test_an_update_can_be_held_to_a_revision(self, store: Store) -> None:
        create(store, ALICE, fact_record("User likes tea", id="a"))
        revision = store.revision(ALICE)
        late = UpdateFact("a", changes={"pinned": True}, if_revision=revision)
        run(store, ALICE, UpdateFact("a", changes={"position": 3}))
        assert run(store, ALICE, late).facts == (None,)
        (stored,) = store.facts(ALICE)
        assert (stored.fact.position, stored.fact.pinned) == (3, False)
        now = UpdateFact("a", changes={"pinned": True}, if_revision=stored.fact.revision)
        (fact,) = run(store, ALICE, now).facts
        assert fact is not None
        assert fact.pinned

    def test_a_fact_does_not_take_its_own_place(self, store: Store) -> None:
        create(store, ALICE, fact_record("User likes tea", id="a"))
        revision = store.revision(ALICE)
        again = fact_record("User likes tea", id="b")
        ended = {"valid_until": SAID_AT, "superseded_by": "b"}
        run(store, ALICE, CreateFact(again), UpdateFact("a", changes=ended))
        (stored,) = store.facts(ALICE)
        assert (stored.fact.superseded_by, stored.fact.valid_until) == (None, None)
        assert store.revision(ALICE) == revision + 1

    def test_an_update_of_an_unknown_field_names_it(self, store: Store) -> None:
        create(store, ALICE, fact_record("User lives in Oslo", id="home"))
        for name in ("colour", "id", "learnt_at", "revision", "fact"):
            with pytest.raises(ConfigError, match=name):
                run(store, ALICE, UpdateFact("home", changes={name: 1}))

    def test_an_update_cannot_make_two_facts_say_the_same(self, store: Store) -> None:
        create(store, ALICE, fact_record("User likes tea", id="tea"))
        create(store, ALICE, fact_record("User likes coffee", id="coffee"))
        same = {"content": "User likes tea", "uniq": unique_key("User likes tea")}
        with pytest.raises(ConfigError, match="'tea'"):
            run(store, ALICE, UpdateFact("coffee", changes=same))
        assert contents(store, ALICE) == ["User likes coffee", "User likes tea"]

    def test_an_upsert_replaces_the_fact_of_its_id(self, store: Store) -> None:
        create(store, ALICE, fact_record("User lives in Oslo", id="home", pinned=True))
        moved = SAID_AT + timedelta(days=1)
        run(store, ALICE, UpsertFact(fact_record("User lives in Rome", id="home", said_at=moved)))
        (stored,) = store.facts(ALICE)
        assert stored.fact.content == "User lives in Rome"
        assert (stored.fact.pinned, stored.fact.said_at) == (False, moved)
        assert stored.fact.learnt_at == SAID_AT
        (before,) = store.history(ALICE, "home")
        assert (before.content, before.replaced_at) == ("User lives in Oslo", moved)

    def test_an_upsert_of_a_new_id_is_a_create(self, store: Store) -> None:
        run(store, ALICE, UpsertFact(fact_record("User likes tea", id="one")))
        run(store, ALICE, UpsertFact(fact_record("User likes tea.", id="two")))
        (stored,) = store.facts(ALICE)
        assert (stored.fact.id, stored.fact.times) == ("one", 2)

    def test_an_upsert_of_the_same_changes_nothing(self, store: Store) -> None:
        op = UpsertFact(
            fact_record("User likes tea", id="one", metadata={"a": [1]}),
            mentions=(Mention("Tea", type="drink"),),
        )
        assert run(store, ALICE, op).revision == 1
        assert run(store, ALICE, op).revision == 1

    # Deleting

    def test_deleting_reports_what_was_there(self, store: Store) -> None:
        create(store, ALICE, fact_record("User likes tea", id="one"))
        create(store, ALICE, fact_record("User likes coffee", id="two"))
        applied = run(store, ALICE, DeleteFacts(("two", "nobody", "two")))
        assert applied.deleted == ("two",)
        assert contents(store, ALICE) == ["User likes tea"]
        assert run(store, ALICE, DeleteFacts(("nobody",))) == Applied(revision=3, facts=())

    def test_history_and_mentions_go_with_a_deleted_fact(self, store: Store) -> None:
        rome, oslo = Mention("Rome", type="city"), Mention("Oslo", type="city")
        create(store, ALICE, fact_record("User saw Rome", id="one"), rome, oslo)
        create(store, ALICE, fact_record("User loves Rome", id="two"), rome)
        run(store, ALICE, UpdateFact("one", changes={"content": "User saw Rome and Oslo"}))
        run(store, ALICE, DeleteFacts(("one",)))
        assert store.history(ALICE, "one") == []
        (left,) = store.mentions(ALICE)
        assert (left.mention, left.fact_ids) == (rome, ("two",))

    def test_erase_reaches_everything_of_one_entity_only(self, store: Store) -> None:
        for scope in (ALICE, BOB):
            create(store, scope, fact_record("User saw Rome", id="1"), Mention("Rome", type="city"))
            create(store, scope, fact_record("User likes tea", id="2"))
        run(store, ALICE, UpdateFact("1", changes={"content": "User saw Rome twice"}))
        assert store.erase(ALICE) == 2
        assert store.facts(ALICE) == []
        assert store.mentions(ALICE) == []
        assert store.history(ALICE, "1") == []
        assert store.entities() == ["bob"]
        assert len(store.facts(BOB)) == 2
        assert len(store.mentions(BOB)) == 1

    def test_erasing_somebody_unknown_erases_nothing(self, store: Store) -> None:
        create(store, BOB, fact_record("User likes tea"))
        assert store.erase(Scope("nobody")) == 0
        assert store.revision(Scope("nobody")) == 0
        assert contents(store, BOB) == ["User likes tea"]


def _without_revision(record: FactRecord) -> dict[str, object]:
    fact = {f.name: getattr(record.fact, f.name) for f in fields(Fact) if f.name != "revision"}
    return fact | {f.name: getattr(record, f.name) for f in fields(FactRecord) if f.name != "fact"}
