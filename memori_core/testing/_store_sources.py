"""What a store promises of messages that can be recalled: they follow the facts made of them."""

from __future__ import annotations

from datetime import datetime, timedelta

from memori_core.stores.base import Store
from memori_core.testing.facts import ALICE, SAID_AT, create, fact_ids, fact_record, run
from memori_core.writes import Applied, CreateFact, DeleteFacts, UpdateFact

DAY = timedelta(days=1)


class SourceConformance:
    """The part of `StoreConformance` about facts and the messages that said them."""

    def test_a_message_goes_with_any_of_its_facts(self, store: Store) -> None:
        remember(store, "m", "User likes tea", "User likes milk")
        applied = run(store, ALICE, DeleteFacts(("User likes tea",)))
        assert applied.deleted == ("User likes tea",)
        assert fact_ids(store.facts(ALICE)) == ["User likes milk"]
        changes = store.changes(ALICE, since=applied.revision - 1)
        assert sorted(changes.deleted) == ["User likes tea", "m"]

    def test_every_message_that_said_a_fact_goes_with_it(self, store: Store) -> None:
        remember(store, "m1", "User likes tea")
        run(
            store,
            ALICE,
            CreateFact(fact_record("Tea, as I said!", id="m2", kind="message")),
            CreateFact(fact_record("User likes tea.", id="again", source_message_id="m2")),
        )
        assert store.sources(ALICE) == {"User likes tea": ("m1", "m2")}
        run(store, ALICE, DeleteFacts(("User likes tea",)))
        assert (store.facts(ALICE), store.sources(ALICE)) == ([], {})

    def test_a_message_of_no_fact_stays(self, store: Store) -> None:
        remember(store, "m")
        remember(store, "n", "User likes tea")
        create(store, ALICE, fact_record("User likes milk", id="x", source_message_id="User likes"))
        run(store, ALICE, DeleteFacts(("User likes tea", "x")))
        assert fact_ids(store.facts(ALICE)) == ["m"]

    def test_a_message_can_be_deleted_by_itself(self, store: Store) -> None:
        remember(store, "m", "User likes tea")
        run(store, ALICE, DeleteFacts(("m",)))
        assert fact_ids(store.facts(ALICE)) == ["User likes tea"]

    def test_a_message_ends_with_the_first_of_its_facts(self, store: Store) -> None:
        remember(store, "m", "User lives in Oslo", "User likes tea")
        assert message(store) == (None, None)
        revision = end(store, "User lives in Oslo", SAID_AT + DAY).revision
        assert message(store) == (SAID_AT + DAY, "next")
        changed = fact_ids(store.changes(ALICE, since=revision - 1).records)
        assert sorted(changed) == ["User lives in Oslo", "m"]
        end(store, "User likes tea", SAID_AT)
        assert message(store) == (SAID_AT, "next")

    def test_a_message_holds_again_with_its_fact(self, store: Store) -> None:
        remember(store, "m", "User lives in Oslo")
        end(store, "User lives in Oslo", SAID_AT)
        cleared = {"valid_until": None, "superseded_by": None}
        run(store, ALICE, UpdateFact("User lives in Oslo", changes=cleared))
        assert message(store) == (None, None)


def remember(store: Store, message_id: str, *facts: str) -> None:
    """Store a message and the facts it said; a fact's text is its id."""
    texts = [fact_record(t, id=t, source_message_id=message_id) for t in facts]
    told = fact_record(f"Message {message_id}", id=message_id, kind="message")
    run(store, ALICE, CreateFact(told), *map(CreateFact, texts))


def end(store: Store, fact_id: str, at: datetime) -> Applied:
    """Let a fact end."""
    changes = {"valid_until": at, "superseded_by": "next"}
    return run(store, ALICE, UpdateFact(fact_id, changes=changes))


def message(store: Store) -> tuple[datetime | None, str | None]:
    """How the message `m` ended."""
    (record,) = store.facts(ALICE, ids=["m"])
    return record.fact.valid_until, record.fact.superseded_by
