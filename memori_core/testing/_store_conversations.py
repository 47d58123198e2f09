"""What a store promises of conversations and of the knowledge graph."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from memori_core.conversation import Message, Triple
from memori_core.errors import ConfigError
from memori_core.models import Scope
from memori_core.stores.base import Store
from memori_core.testing.facts import ALICE, BOB, SAID_AT, create, fact_record, run
from memori_core.testing.turns import LIVES_IN_OSLO, append, claim, said, turn
from memori_core.writes import (
    AppendTurn,
    CreateAttribute,
    CreateFact,
    CreateTriple,
    DeleteFacts,
    EndTriples,
    UpdateConversation,
    UpdateFact,
)

HOUR = timedelta(hours=1)


class ConversationConformance:
    """The part of `StoreConformance` that is about what was said."""

    # Turns

    def test_a_turn_comes_back_as_it_was_stored(self, store: Store) -> None:
        asked = Message("user", "你好 🏠\n", name="Ann", said_at=SAID_AT + HOUR, id="m1")
        applied = run(store, ALICE, turn("t", asked, Message("assistant", "Hello")))
        first, second = applied.messages
        assert first.message == asked
        assert (first.id, first.said_at) == ("m1", SAID_AT + HOUR)
        assert (second.message.role, second.message.content) == ("assistant", "Hello")
        assert second.said_at == second.message.said_at == SAID_AT
        assert second.id == second.message.id
        assert [(m.session_id, m.turn_id, m.position) for m in applied.messages] == [
            ("s", "t", 0),
            ("s", "t", 1),
        ]
        assert store.messages(ALICE, session_id="s") == [first, second]
        assert store.turns(ALICE) == {"t": "complete"}
        assert applied.revision == store.revision(ALICE) == 1

    def test_a_turn_that_is_there_is_left_alone(self, store: Store) -> None:
        first = append(store, ALICE, "t")
        again = run(
            store, ALICE, turn("t", Message("user", "This is t"), Message("assistant", "More"))
        )
        assert again.messages == first.messages
        assert again.revision == first.revision
        assert said(store, ALICE) == ["This is t"]
        assert store.jobs()["waiting"] == 1

    def test_positions_go_on_through_a_session(self, store: Store) -> None:
        for turn_id in ("a", "b", "c"):
            run(store, ALICE, turn(turn_id, Message("user", turn_id), Message("assistant", "ok")))
        run(store, ALICE, turn("d", session_id="other"))
        assert [m.position for m in store.messages(ALICE, session_id="s")] == [0, 1, 2, 3, 4, 5]
        assert [m.position for m in store.messages(ALICE, session_id="other")] == [0]

    def test_a_broken_off_turn_is_completed_when_it_comes_again(self, store: Store) -> None:
        asked, half = Message("user", "A story?"), Message("assistant", "Once upon")
        run(store, ALICE, turn("t", asked, half, status="partial"))
        append(store, ALICE, "u")
        whole = Message("assistant", "Once upon a time.")
        applied = run(store, ALICE, turn("t", asked, whole, Message("user", "Thanks")))
        assert [(m.position, m.message.content) for m in applied.messages] == [
            (0, "A story?"),
            (1, "Once upon a time."),
            (3, "Thanks"),
        ]
        assert said(store, ALICE, "s") == ["A story?", "Once upon a time.", "This is u", "Thanks"]
        assert store.turns(ALICE) == {"t": "complete", "u": "complete"}
        assert store.jobs()["waiting"] == 2
        (job,) = claim(store, 1)
        assert job.messages == applied.messages

    def test_a_complete_turn_is_not_broken_off_afterwards(self, store: Store) -> None:
        append(store, ALICE, "t")
        run(store, ALICE, turn("t", status="failed"))
        assert store.turns(ALICE) == {"t": "complete"}

    def test_a_taken_message_id_is_refused(self, store: Store) -> None:
        run(store, ALICE, turn("t", Message("user", "One", id="m")))
        with pytest.raises(ConfigError, match="'m'"):
            run(store, ALICE, turn("u", Message("user", "Two", id="m")))
        assert (said(store, ALICE), store.turns(ALICE)) == (["One"], {"t": "complete"})
        assert store.jobs()["waiting"] == 1
        run(store, BOB, turn("t", Message("user", "Three", id="m")))
        assert said(store, BOB) == ["Three"]

    @pytest.mark.parametrize(
        "bad",
        [
            turn("", Message("user", "x")),
            turn("t", session_id=""),
            turn("t", status="odd"),  # pyright: ignore[reportArgumentType] (the point)
            turn("t", Message("robot", "x")),  # pyright: ignore[reportArgumentType] (the point)
            turn("t", Message("user", "\ud800")),
            turn("t", said_at=datetime(2026, 5, 1)),  # noqa: DTZ001 (the missing zone is the point)
        ],
        ids=["turn_id", "session_id", "status", "role", "content", "said_at"],
    )
    def test_a_turn_that_could_not_be_read_back_is_refused(
        self, store: Store, bad: AppendTurn
    ) -> None:
        with pytest.raises(ConfigError):
            run(store, ALICE, bad)
        assert (store.turns(ALICE), store.sessions(ALICE)) == ({}, [])

    def test_turns_of_two_entities_at_once_stay_apart(self, store: Store) -> None:
        def write(n: int) -> None:
            scope = (ALICE, BOB)[n % 2]
            run(store, scope, turn(f"t{n}", Message("user", scope.entity_id)))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(60)))
        for scope in (ALICE, BOB):
            messages = store.messages(scope, session_id="s")
            assert [m.position for m in messages] == list(range(30))
            assert {m.message.content for m in messages} == {scope.entity_id}

    # Sessions

    def test_a_session_knows_its_times_and_its_summary(self, store: Store) -> None:
        append(store, ALICE, "a")
        run(store, ALICE, turn("b", said_at=SAID_AT + HOUR))
        run(store, ALICE, turn("c", said_at=SAID_AT - HOUR))
        run(store, ALICE, turn("d", session_id="later", said_at=SAID_AT + 2 * HOUR))
        applied = run(store, ALICE, UpdateConversation("s", summary="Talk"))
        later, first = store.sessions(ALICE)
        assert (first.id, first.process_id, first.summary) == ("s", "agent", "Talk")
        assert (first.started_at, first.last_active_at) == (SAID_AT - HOUR, SAID_AT + HOUR)
        assert (later.id, later.summary) == ("later", None)
        for op in (UpdateConversation("s", summary="Talk"), UpdateConversation("no", summary="x")):
            assert run(store, ALICE, op).revision == applied.revision
        assert len(store.sessions(ALICE)) == 2

    def test_the_last_messages_can_be_read(self, store: Store) -> None:
        for n in range(5):
            append(store, ALICE, f"{n}", session_id=f"s{n % 2}")
        assert [m.turn_id for m in store.messages(ALICE, session_id="s0", limit=2)] == ["2", "4"]
        run(store, ALICE, turn("old", session_id="s9", said_at=SAID_AT - HOUR))
        assert store.messages(ALICE)[0].turn_id == "old"
        assert len(store.messages(ALICE, limit=3)) == 3
        assert store.messages(ALICE, limit=0) == []
        assert store.messages(ALICE, limit=9) == store.messages(ALICE)

    # The knowledge graph, and attributes

    def test_statements_are_counted_and_found_by_their_parts(self, store: Store) -> None:
        create(store, ALICE, fact_record("User lives in Oslo", id="f"))
        same = Triple("user", "LIVES_IN", "oslo ")
        tea = Triple("User", "likes", "tea")
        for triple in (LIVES_IN_OSLO, tea, same):
            run(store, ALICE, CreateTriple(triple, fact_id="f"))
        first, second = store.triples(ALICE)
        assert (first.triple, first.fact_id, first.times) == (LIVES_IN_OSLO, "f", 2)
        assert (second.triple, second.times) == (tea, 1)
        assert store.triples(ALICE, object="OSLO") == [first]
        assert store.triples(ALICE, subject="User", predicate="likes") == [second]
        assert store.triples(ALICE, subject="Ann") == []
        assert store.triples(BOB) == []

    def test_a_statement_follows_its_fact(self, store: Store) -> None:
        create(store, ALICE, fact_record("User lives in Oslo", id="home"))
        run(store, ALICE, CreateTriple(LIVES_IN_OSLO, fact_id="home"))
        ended = run(store, ALICE, EndTriples("home", valid_until=SAID_AT))
        assert run(store, ALICE, EndTriples("home", valid_until=SAID_AT)).revision == ended.revision
        assert store.triples(ALICE) == []
        (held,) = store.triples(ALICE, include_ended=True)
        assert held.valid_until == SAID_AT
        run(store, ALICE, CreateTriple(LIVES_IN_OSLO, fact_id="home"))
        assert [t.times for t in store.triples(ALICE)] == [2]
        run(store, ALICE, UpdateFact("home", changes={"content": "User left Oslo"}))
        assert store.triples(ALICE) == []
        run(store, ALICE, CreateTriple(LIVES_IN_OSLO, fact_id="home"))
        run(store, ALICE, DeleteFacts(("home",)))
        assert store.triples(ALICE, include_ended=True) == []
        revision = store.revision(ALICE)
        unknown = CreateTriple(LIVES_IN_OSLO, fact_id="home")
        assert run(store, ALICE, unknown).revision == revision

    def test_a_batch_may_name_a_repeated_fact_by_its_new_id(self, store: Store) -> None:
        create(store, ALICE, fact_record("User lives in Oslo", id="known"))
        create(store, ALICE, fact_record("User lives in Rome", id="old"))
        run(
            store,
            ALICE,
            CreateFact(fact_record("User lives in Oslo.", id="new")),
            CreateTriple(LIVES_IN_OSLO, fact_id="new"),
            UpdateFact("old", changes={"superseded_by": "new"}),
        )
        assert [t.fact_id for t in store.triples(ALICE)] == ["known"]
        (old,) = store.facts(ALICE, ids=["old"])
        assert old.fact.superseded_by == "known"

    def test_attributes_are_counted_by_process(self, store: Store) -> None:
        for content in ("Writes SQL", "Reads mail", "reads mail.", "Reads mail"):
            run(store, ALICE, CreateAttribute(content, process_id="agent"))
        run(store, ALICE, CreateAttribute("Sings", process_id="other"))
        assert store.attributes(ALICE, process_id="agent") == ["Reads mail", "Writes SQL"]
        assert store.attribute_times(ALICE) == {
            "agent": {"Writes SQL": 1, "Reads mail": 3},
            "other": {"Sings": 1},
        }
        assert store.attributes(ALICE, process_id="nobody") == []
        assert store.attributes(BOB, process_id="agent") == []

    # All of it

    def test_a_failing_batch_leaves_no_trace_of_a_conversation(self, store: Store) -> None:
        create(store, ALICE, fact_record("User lives in Oslo", id="home"))
        run(store, ALICE, turn("t", Message("user", "a"), status="partial"))
        run(store, ALICE, CreateTriple(LIVES_IN_OSLO, fact_id="home"))

        def everything() -> tuple[object, ...]:
            return (
                store.messages(ALICE),
                store.sessions(ALICE),
                store.turns(ALICE),
                store.triples(ALICE, include_ended=True),
                store.attribute_times(ALICE),
                store.sources(ALICE),
                store.jobs(),
                store.revision(ALICE),
            )

        before = everything()
        with pytest.raises(ConfigError, match="colour"):
            run(
                store,
                ALICE,
                turn("t", Message("user", "a longer one"), Message("assistant", "b")),
                turn("u", said_at=SAID_AT + HOUR),
                UpdateConversation("s", summary="Talk"),
                CreateFact(fact_record("User likes tea", id="tea", source_message_id="m")),
                CreateTriple(LIVES_IN_OSLO, fact_id="home"),
                EndTriples("home", valid_until=SAID_AT),
                CreateAttribute("Writes SQL", process_id="agent"),
                DeleteFacts(("home",)),
                UpdateFact("tea", changes={"colour": "green"}),
            )
        assert everything() == before

    def test_erasing_reaches_what_was_said(self, store: Store) -> None:
        for scope in (ALICE, BOB):
            create(store, scope, fact_record("User lives in Oslo", id="f", source_message_id="m"))
            append(store, scope, "t")
            run(store, scope, CreateTriple(LIVES_IN_OSLO, fact_id="f"))
            run(store, scope, CreateAttribute("Writes SQL", process_id="agent"))
        assert store.erase(ALICE) == 1
        assert (store.messages(ALICE), store.sessions(ALICE), store.turns(ALICE)) == ([], [], {})
        assert store.triples(ALICE, include_ended=True) == []
        assert (store.attribute_times(ALICE), store.sources(ALICE)) == ({}, {})
        assert [job.entity_id for job in claim(store)] == ["bob"]
        assert len(store.messages(BOB)) == len(store.triples(BOB)) == len(store.sources(BOB)) == 1
        assert append(store, ALICE, "t").messages[0].position == 0

    def test_somebody_without_facts_is_known_and_can_be_erased(self, store: Store) -> None:
        append(store, ALICE, "t")
        assert store.entities() == ["alice"]
        stats = store.stats()
        counts = [stats[name] for name in ("entities", "facts", "messages", "sessions", "jobs")]
        assert counts == [1, 0, 1, 1, 1]
        assert store.erase(ALICE) == 0
        assert (store.entities(), store.messages(ALICE)) == ([], [])
        assert store.erase(Scope("nobody")) == 0
