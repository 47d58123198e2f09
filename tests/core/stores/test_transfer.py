from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from memori_core.conversation import Message, Triple
from memori_core.errors import ConfigError
from memori_core.models import Mention, Scope
from memori_core.stores import InMemoryStore, SQLiteStore
from memori_core.stores.transfer import export_jsonl, holds_fact, import_jsonl
from memori_core.testing.facts import SAID_AT, contents, create, fact_record, run
from memori_core.testing.turns import LIVES_IN_OSLO, append, turn
from memori_core.writes import (
    CreateAttribute,
    CreateFact,
    CreateTriple,
    EndTriples,
    UpdateConversation,
    UpdateFact,
)

ALICE, BOB = Scope("alice"), Scope("bob")


@pytest.fixture
def full():
    """Two entities with everything that a store can hold."""
    with InMemoryStore() as store:
        create(
            store,
            ALICE,
            fact_record(
                "User lives in Oslo",
                id="home",
                vector=b"\x00\x00\x80?",
                embedder="fake",
                metadata={"n": [1, "二"]},
                pinned=True,
                times=3,
                last_said_at=SAID_AT + timedelta(days=1),
                valid_until=SAID_AT + timedelta(days=2),
            ),
            Mention("Oslo", type="city", vector=b"1234"),
        )
        for city in ("Rome", "Oslo", "Paris"):
            run(store, ALICE, UpdateFact("home", changes={"content": f"User lives in {city}"}))
        create(store, ALICE, fact_record("User likes tea", id="tea"))
        create(store, BOB, fact_record("User likes tea", id="tea"))
        yield store


@pytest.fixture
def talk():
    """An entity with conversations, a knowledge graph and attributes."""
    with InMemoryStore() as store:
        create(store, ALICE, fact_record("User lives in Oslo", id="home", source_message_id="m1"))
        create(store, ALICE, fact_record("user lives in Oslo", source_message_id="m2"))
        create(store, ALICE, fact_record("User lives in Rome", id="rome"))
        asked = Message("user", "A story?", name="Ann", id="m1")
        run(store, ALICE, turn("t", asked, Message("assistant", "Once"), status="partial"))
        append(store, ALICE, "u")
        later = SAID_AT + timedelta(hours=3)
        run(store, ALICE, turn("t", asked, Message("assistant", "No."), said_at=later))
        run(store, ALICE, turn("v", session_id="other", status="failed"))
        run(store, ALICE, UpdateConversation("s", summary="Talk 二"))
        for fact_id in ("rome", "home", "home"):
            run(store, ALICE, CreateTriple(LIVES_IN_OSLO, fact_id=fact_id))
        run(store, ALICE, CreateTriple(Triple("User", "likes", "tea"), fact_id="home"))
        run(store, ALICE, EndTriples("rome", valid_until=later))
        for content in ("Writes SQL", "Reads mail", "Reads mail"):
            run(store, ALICE, CreateAttribute(content, process_id="agent"))
        append(store, BOB, "t")
        yield store


def everything(store, scope):
    """All that a store tells about an entity, apart from revisions and jobs."""
    records = store.facts(scope)
    triples = store.triples(scope, include_ended=True)
    return (
        [replace(r, fact=replace(r.fact, revision=0)) for r in records],
        {r.fact.id: store.history(scope, r.fact.id) for r in records},
        store.mentions(scope),
        store.sources(scope),
        store.messages(scope),
        store.sessions(scope),
        store.turns(scope),
        sorted(triples, key=lambda t: (t.fact_id, t.triple.predicate)),
        store.attribute_times(scope),
    )


def test_what_was_exported_comes_back_whole(full, tmp_path):
    lines = list(export_jsonl(full))
    with SQLiteStore(tmp_path / "copy.db") as copy:
        assert import_jsonl(copy, lines) == 3
        assert copy.entities() == ["alice", "bob"]
        for copied, expected in zip(everything(copy, ALICE), everything(full, ALICE), strict=True):
            assert copied == expected
        assert everything(copy, BOB) == everything(full, BOB)
        assert list(export_jsonl(copy)) == lines


def test_importing_twice_changes_nothing(full):
    lines = list(export_jsonl(full))
    with InMemoryStore() as copy:
        import_jsonl(copy, lines)
        before, revision = everything(copy, ALICE), copy.revision(ALICE)
        assert import_jsonl(copy, lines) == 3
        assert everything(copy, ALICE) == before
        assert copy.revision(ALICE) == revision


def test_conversations_come_back_whole_without_jobs(talk, tmp_path):
    lines = list(export_jsonl(talk))
    assert sum(map(holds_fact, lines)) == 2
    with SQLiteStore(tmp_path / "copy.db") as copy:
        for _ in range(2):
            assert import_jsonl(copy, lines) == 2
            for copied, expected in zip(
                everything(copy, ALICE), everything(talk, ALICE), strict=True
            ):
                assert copied == expected
            assert copy.entities() == ["alice", "bob"]
            assert everything(copy, BOB) == everything(talk, BOB)
            assert sum(copy.jobs().values()) == 0
        revision = copy.revision(ALICE)
        import_jsonl(copy, lines)
        assert copy.revision(ALICE) == revision
        assert list(export_jsonl(copy)) == lines


def test_statements_of_a_merged_fact_are_those_of_the_one_that_was_there(talk):
    with InMemoryStore() as copy:
        create(copy, ALICE, fact_record("User lives in Oslo!", id="mine"))
        for _ in range(2):
            import_jsonl(copy, export_jsonl(talk, ALICE))
            found = copy.triples(ALICE, object="oslo")
            assert [(t.fact_id, t.times) for t in found] == [("mine", 2)]


def test_an_export_of_version_1_is_still_read(full):
    header, *lines = export_jsonl(full)
    facts = [json.loads(line) for line in lines]
    for fact in facts:
        del fact["type"], fact["sources"]
    old = [header.replace('"version": 2', '"version": 1'), *map(json.dumps, facts)]
    with InMemoryStore() as copy:
        assert import_jsonl(copy, old) == 3
        assert everything(copy, ALICE) == everything(full, ALICE)


def test_an_export_of_one_entity_has_nothing_of_another(full):
    assert [json.loads(line).get("entity_id") for line in export_jsonl(full, BOB)] == [None, "bob"]


def test_facts_can_be_given_to_another_entity(full):
    with InMemoryStore() as copy:
        import_jsonl(copy, export_jsonl(full, ALICE), scope=BOB)
        assert copy.entities() == ["bob"]
        assert contents(copy, BOB) == ["User lives in Paris", "User likes tea"]


def test_vectors_can_be_left_out(full):
    with InMemoryStore() as copy:
        import_jsonl(copy, export_jsonl(full, vectors=False))
        record = copy.facts(ALICE)[0]
        assert (record.vector, record.embedder) == (None, None)


def test_a_fact_that_is_there_under_another_id_is_merged_not_doubled(full):
    lines = list(export_jsonl(full, BOB))
    late = SAID_AT + timedelta(days=5)
    with InMemoryStore() as store:
        create(store, BOB, fact_record("user likes TEA", id="mine", said_at=late))
        for _ in range(2):
            assert import_jsonl(store, lines) == 1
        (stored,) = store.facts(BOB)
        assert (stored.fact.id, stored.fact.times) == ("mine", 1)
        assert (stored.fact.said_at, stored.fact.last_said_at) == (SAID_AT, late)


def test_many_facts_are_imported_in_batches():
    with InMemoryStore() as store, InMemoryStore() as copy:
        run(store, ALICE, *(CreateFact(fact_record(f"Fact {n}")) for n in range(1201)))
        assert import_jsonl(copy, export_jsonl(store)) == 1201
        assert everything(copy, ALICE) == everything(store, ALICE)
        assert copy.revision(ALICE) == 3


BAD_LINES = {
    "not json": ("{", "Expecting property name"),
    "no object": ("[1]", "not a JSON object"),
    "unknown type": ('{"entity_id": "alice", "type": "dream"}', "'dream'"),
    "no turn": ('{"entity_id": "alice", "type": "turn", "id": "t"}', "'messages' is missing"),
    "no entity": ('{"content": "x"}', "entity_id"),
    "no content": (
        '{"entity_id": "alice", "uniq": "AA==", "terms": "", "tokenizer": 0}',
        "content",
    ),
}


@pytest.mark.parametrize(("line", "why"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_named_and_the_lines_before_it_stay(full, line, why):
    lines = [*export_jsonl(full, BOB), line]
    with InMemoryStore() as copy:
        with pytest.raises(ConfigError, match=rf"line 3 .*{why}"):
            import_jsonl(copy, lines)
        assert contents(copy, BOB) == ["User likes tea"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("said_at", "yesterday"),
        ("said_at", "2026-05-01"),
        ("vector", "~~"),
        ("kind", "rumour"),
        ("content", 7),
        ("uniq", None),
        ("history", [{"content": "x"}]),
        ("mentions", [{"text": 1}]),
        ("entity_id", ""),
    ],
)
def test_a_bad_value_is_found_before_it_is_stored(full, field, value):
    header, line = export_jsonl(full, BOB)
    with InMemoryStore() as copy:
        with pytest.raises(ConfigError, match="line 2"):
            import_jsonl(copy, [header, json.dumps(json.loads(line) | {field: value})])
        assert copy.entities() == []


@pytest.mark.parametrize("header", ["", "hello", "[]", '{"format": "csv"}'])
def test_lines_without_the_header_are_refused(header):
    with InMemoryStore() as copy, pytest.raises(ConfigError, match="line 1 is not the header"):
        import_jsonl(copy, [header])


def test_an_export_of_a_newer_version_is_refused():
    newer = '{"format": "memori-core facts", "version": 99}'
    with InMemoryStore() as copy, pytest.raises(ConfigError, match="99"):
        import_jsonl(copy, [newer])
