"""Replies of models, well-formed and otherwise."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memori_core.augmentation.parsing import parse_extraction, read_reply
from memori_core.conversation import ExtractedFact, Extraction, Message, Triple
from memori_core.testing.extractors import assert_storable

SAID = [
    Message("system", "You are helpful."),
    Message("user", "I like tea.", name="Ann"),
    Message("assistant", "Noted."),
    Message("user", "And I moved from Porto to Ghent."),
]


def contents(reply: str) -> list[str]:
    return [fact.content for fact in parse_extraction(reply, SAID).facts]


def test_a_reply_as_asked_for():
    reply = {
        "facts": [
            {
                "content": "User moved from Porto to Ghent on 2026-03-09.",
                "kind": "identity",
                "pinned": True,
                "dates": ["2026-03-09"],
                "triples": [["User", "lives in", "Ghent"]],
                "ends": [["User", "lives_in", "Porto"]],
                "message": 4,
            },
            {"content": "Ann likes tea.", "kind": "preference", "message": 2},
        ],
        "forget": ["my address"],
        "attributes": ["Keeps notes"],
        "summary": "Ann likes tea and moved to Ghent.",
    }
    assert parse_extraction(json.dumps(reply), SAID) == Extraction(
        facts=(
            ExtractedFact(
                "User moved from Porto to Ghent on 2026-03-09.",
                kind="identity",
                pinned=True,
                dates=("2026-03-09",),
                triples=(Triple("User", "lives_in", "Ghent"),),
                ends=(Triple("User", "lives_in", "Porto"),),
                message=3,
            ),
            ExtractedFact("Ann likes tea.", kind="preference", speaker="Ann", message=1),
        ),
        forget=("my address",),
        attributes=("Keeps notes",),
        summary="Ann likes tea and moved to Ghent.",
    )


@pytest.mark.parametrize(
    "reply",
    [
        'Here are the facts:\n```json\n{"facts":["Likes tea"]}\n```\nHope this helps',
        'Here are the facts:\n{"facts":["Likes tea"]}\nHope this helps',
        '```json\n{"facts":["Likes tea"]}\n```\nI found one fact.',
        '["Likes tea"]',
        '{"facts": "Likes tea"}',
        '{"facts": {"content": "Likes tea"}}',
        '{"content": "Likes tea"}',
        '{"memory": [{"id": "0", "text": "Likes tea"}]}',
        '{"result": {"facts": ["Likes tea"]}}',
        '{"entity": {"facts": [{"content": "Likes tea"}]}, "conversation": {"summary": "Tea."}}',
        '<think>[1] maybe {"facts": ["Has a yacht"]}?</think>{"facts": ["Likes tea"]}',
        '[Note] {as asked} {"facts": ["Likes tea"]}',
        '\ufeff{"facts": ["Likes tea", null, 7, NaN, {"content": 3}, [], "", "!?", "likes tea."]}',
        '{"facts": ["Likes\ntea"]}',
        '{"facts": [{"content": "Likes tea"}, {"content": "Has a ya',
        '{"facts": [{"content": "Likes tea"}, {"content": "Has a", "triples": [["a","b","c"],',
        '{"facts": ["Likes tea", "Has a ya',
        '["Likes tea", "Has a ya',
        '```json\n{"facts": [{"content": "Likes tea"}], "summary": "He li',
    ],
)
def test_b27_json_is_found_however_it_is_wrapped(reply: str):
    assert contents(reply) == ["Likes tea"]


@pytest.mark.parametrize(
    "reply",
    ["", "I cannot help with that", '{"facts": null}', "[1, 2]", "null", "{{{", '{"a": 1}', "]"],
)
def test_b27_no_facts_is_told_from_an_empty_list(reply: str):
    assert read_reply(reply, SAID) is None
    assert parse_extraction(reply, SAID) == Extraction()


@pytest.mark.parametrize("reply", ['{"facts": []}', "[]", "{}", '{"facts": [], "summary": null}'])
def test_nothing_to_remember_is_an_answer(reply: str):
    assert read_reply(reply, SAID) == Extraction()


@pytest.mark.parametrize("number", [None, 0, 1, 3, 5, -1, "x", True, 2.0, [2], 10**30, "9" * 5000])
def test_a_number_of_no_user_message_means_the_last_one(number: object):
    (fact,) = parse_extraction(
        json.dumps({"facts": [{"content": "Likes tea", "message": number}]}), SAID
    ).facts
    assert fact.message == 3


def test_fields_of_wrong_types_are_left_out():
    fields = {
        "content": "Likes tea",
        "kind": ["plan"],
        "pinned": "yes",
        "dates": [20260309, "2026-02-30", "soon", "2026-03", {"a": 1}, "2026-03-09T10:00:00Z"],
        "triples": [
            ["User", "likes"],
            "likes",
            {"subject": {"name": "User", "type": "person"}},
            {"subject": {"name": "User"}, "predicate": "Likes", "object": "tea"},
            [1, 2, 3],
        ],
    }
    (fact,) = parse_extraction(json.dumps({"facts": [fields]}), SAID).facts
    assert fact.kind == "fact"
    assert fact.pinned is False
    assert fact.dates == ("2026-03", "2026-03-09")
    assert fact.triples == (Triple("User", "likes", "tea"),)


def test_a_kind_that_is_not_for_models_is_a_plain_fact():
    (fact,) = parse_extraction('[{"content": "Likes tea", "kind": "message"}]', SAID).facts
    assert fact.kind == "fact"


def test_characters_that_no_store_takes_are_replaced():
    reply = r'{"facts": ["Likes \ud83c\udf75 and \ud83c and \u0000 tea\u2028now"]}'
    assert contents(reply) == ["Likes 🍵 and \ufffd and tea now"]


def test_a_text_too_long_for_a_fact_is_none():
    assert contents(json.dumps(["Likes tea", "x" * 1_001])) == ["Likes tea"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                (
                    "facts memory content text triples dates message kind forget attributes "
                    "summary pinned ends subject object"
                ).split()
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)


@settings(deadline=None)  # the examples are long on purpose
@given(st.text())
@example('{"facts": ["\ud83e"]}')
@example("[" * 5_000)
@example('{"facts": [' * 2_000)
@example('{"facts": [' + "9" * 5_000)
def test_any_text_gives_an_extraction_that_can_be_stored(reply: str):
    assert_storable(parse_extraction(reply, SAID), SAID)


@given(_JSON, st.integers(0, 400), st.sampled_from(["", "Sure: ", "```json\n", "[x] {y} "]))
def test_any_json_cut_anywhere_gives_an_extraction_that_can_be_stored(
    value: object, cut: int, before: str
):
    reply = json.dumps(value)
    assert_storable(parse_extraction(before + reply[: len(reply) - cut], SAID), SAID)
    assert_storable(parse_extraction(reply, []), [Message("user", "")])


@given(st.lists(st.text("abc ", min_size=1, max_size=9).filter(str.strip), unique=True), st.data())
def test_what_is_broken_off_gives_its_whole_items(facts: list[str], data: st.DataObject):
    reply = json.dumps({"facts": [{"content": fact} for fact in facts]})
    cut = data.draw(st.integers(0, len(reply)))
    found = contents(reply[:cut])
    whole = contents(reply)
    assert found == whole[: len(found)]
    # Each item ends with the only "}" it has.
    assert reply[:cut].count("}") >= len(found)


@pytest.mark.parametrize(
    "piece", ['"\\"', "{", "[", '{"a":', '"', "\\", "[]", "{}", "<think>", '{"facts":["a b"', "]["]
)
def test_a_reply_of_a_million_characters_takes_seconds_at_most(piece: str):
    reply = (piece * 1_000_000)[:1_000_000]
    start = time.perf_counter()
    parse_extraction(reply, SAID)
    parse_extraction("{" + reply, SAID)
    assert time.perf_counter() - start < 20
