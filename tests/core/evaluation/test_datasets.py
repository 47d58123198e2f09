"""From published formats to facts and questions."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from memori_core.errors import ConfigError
from memori_core.evaluation.datasets import (
    CHINESE_SET,
    from_conversations,
    load_conversations,
    load_cranfield,
    load_locomo,
    load_reading,
    load_relevance,
)


def test_a_turn_reads_date_speaker_text_and_caption(locomo):
    facts = {fact.id: fact for fact in load_locomo(locomo).collections[0].facts}
    assert facts["D1:1"].content == "12:30 am on 1 June, 2022 Ilka: I am Ilka and I sell pottery."
    assert facts["D2:2"].content == (
        "9:05 am on 3 June, 2022 Bela: Oh no! [shares a cracked clay bowl]"
    )


def test_a_turn_keeps_when_where_and_who(locomo):
    facts = load_locomo(locomo).collections[0].facts
    assert [fact.id for fact in facts] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:2"]
    assert [fact.position for fact in facts] == [0, 1, 2, 0, 1]
    assert (facts[1].session_id, facts[1].speaker) == ("session_1", "Bela")
    assert facts[1].said_at == datetime(2022, 6, 1, 0, 30, tzinfo=UTC)


def test_evidence_is_split_and_repaired_and_the_rest_left_out(locomo):
    questions = load_locomo(locomo).collections[0].questions
    assert [(q.category, sorted(q.gold)) for q in questions] == [
        ("single-hop", ["D1:1"]),
        ("multi-hop", ["D1:2", "D2:2"]),
        ("temporal", ["D2:1"]),
    ]


def test_observations_answer_what_their_turns_answer(locomo):
    collection = load_locomo(locomo, unit="observations").collections[0]
    assert [fact.content for fact in collection.facts] == [
        "12:30 am on 1 June, 2022 Ilka sells pottery.",
        "12:30 am on 1 June, 2022 Bela keeps bees.",
        "9:05 am on 3 June, 2022 Ilka's kiln broke.",
    ]
    assert [sorted(q.gold) for q in collection.questions] == [
        ["session_1/0"],
        ["session_1/1"],
        ["session_2/0"],
    ]


def test_a_data_set_can_be_narrowed(locomo):
    dataset = load_locomo(locomo)
    assert dataset.questions == 6
    assert [c.id for c in dataset.only(["talk-2"]).collections] == ["talk-2"]
    assert dataset.only([]) == dataset
    assert dataset.first_questions(1).questions == 2
    with pytest.raises(ConfigError, match="no 'talk-9'"):
        dataset.only(["talk-9"])


def test_reading_asks_for_the_paragraph(reading):
    (collection,) = load_reading(reading).collections
    assert [(q.text, set(q.gold)) for q in collection.questions] == [
        ("Who built the lighthouse?", {"p00000"}),
        ("How long is moss tea brewed?", {"p00001"}),
    ]


def test_cranfield_counts_questions_by_position_and_grades_above_0(cranfield):
    (collection,) = load_cranfield(cranfield).collections
    assert [(fact.id, fact.content) for fact in collection.facts] == [
        ("1", "kites in rain . a wet kite sinks ."),
        ("2", "paper boats . folded boats float ."),
    ]
    assert [(q.text, set(q.gold)) for q in collection.questions] == [
        ("why does a kite sink .", {"1"}),
        ("do boats float .", {"2"}),
    ]


def test_short_facts_are_asked_their_own_lines_and_all_chit_chat(short_facts):
    (store,) = load_relevance(short_facts)
    assert [(p.group, set(p.gold)) for p in store.probes] == [
        ("relevant", {"1"}),
        ("unrelated", set()),
        ("absent", set()),
        ("chit_chat", set()),
        ("chit_chat", set()),
    ]


def test_conversations_are_asked_the_questions_of_the_next(locomo):
    first, last = from_conversations(load_locomo(locomo).collections)
    by_group = {
        group: [p.text for p in first.probes if p.group == group]
        for group in ("relevant", "foreign", "renamed")
    }
    assert by_group["relevant"][0] == "What does Ilka sell?"
    assert by_group["foreign"][0] == "What does Oda sell?"
    assert by_group["renamed"][0] == "What does Ilka sell?"
    assert next(p.text for p in last.probes if p.group == "foreign") == "What does Ilka sell?"


def test_foreign_questions_need_another_conversation(locomo):
    with pytest.raises(ConfigError, match="at least two"):
        from_conversations(load_locomo(locomo).collections[:1])


def test_the_chinese_set_is_as_large_as_it_claims():
    stores = load_relevance(CHINESE_SET)
    groups = [probe.group for store in stores for probe in store.probes]
    assert sum(len(store.facts) for store in stores) >= 60
    assert groups.count("relevant") >= 60
    assert groups.count("unrelated") >= 30
    assert groups.count("absent") >= 20
    assert groups.count("chit_chat") >= 20 * len(stores)


@pytest.mark.parametrize("load", [load_locomo, load_reading, load_relevance, load_cranfield])
class TestBadInput:
    def test_a_missing_file_is_named(self, load, tmp_path):
        with pytest.raises(ConfigError, match=r"nowhere.*Expected"):
            load(tmp_path / "nowhere")

    def test_no_json_says_what_was_expected(self, load, tmp_path):
        path = tmp_path / "broken"
        path.write_text("{", encoding="utf-8")
        with pytest.raises(ConfigError, match="Expected"):
            load(path)

    @pytest.mark.parametrize(
        "content", [[], {}, 7, None, [{"data": 1}], {"data": [{}]}, {"stores": [], "chit_chat": []}]
    )
    def test_another_format_says_what_was_expected(self, load, content, tmp_path):
        path = tmp_path / "other"
        path.write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(ConfigError, match="Expected"):
            load(path)

    @pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000], ids=["bytes", "depth"])
    def test_what_cannot_be_read_says_what_was_expected(self, load, content, tmp_path):
        path = tmp_path / "bad"
        path.write_bytes(content)
        with pytest.raises(ConfigError, match="Expected"):
            load(path)


BAD_TEXTS = {"number": 7, "blank": " \n", "half a character": "\ud83d", "nothing": None}


@pytest.mark.parametrize("bad", BAD_TEXTS.values(), ids=BAD_TEXTS)
class TestBadTexts:
    def test_in_a_conversation(self, locomo, bad, tmp_path):
        good = locomo.read_text(encoding="utf-8")
        for text in ("What does Ilka sell?", "Ilka sells pottery."):
            locomo.write_text(good.replace(f'"{text}"', json.dumps(bad)), encoding="utf-8")
            with pytest.raises(ConfigError, match="another format"):
                load_locomo(locomo, unit="observations")

    def test_in_a_reading_set(self, reading, bad):
        good = reading.read_text(encoding="utf-8")
        for text in ("Who built the lighthouse?", "Moss tea is brewed for nine minutes."):
            reading.write_text(good.replace(f'"{text}"', json.dumps(bad)), encoding="utf-8")
            with pytest.raises(ConfigError, match="another format"):
                load_reading(reading)

    def test_in_short_facts(self, short_facts, bad):
        good = short_facts.read_text(encoding="utf-8")
        texts = ("User repairs clocks.", "Which clocks does the user repair?", "thanks!")
        for text in (*texts, "How deep is the sea?", "What is my shoe size?"):
            short_facts.write_text(good.replace(f'"{text}"', json.dumps(bad)), encoding="utf-8")
            with pytest.raises(ConfigError, match="another format"):
                load_relevance(short_facts)


@pytest.mark.parametrize("load", [load_locomo, load_conversations])
def test_conversations_without_a_question_are_refused(locomo, load):
    samples = json.loads(locomo.read_text(encoding="utf-8"))
    (locomo.parent / "none.json").write_text(
        json.dumps([sample | {"qa": []} for sample in samples]), encoding="utf-8"
    )
    with pytest.raises(ConfigError, match="holds no question"):
        load(locomo.parent / "none.json")


def test_a_file_may_begin_with_a_byte_order_mark(reading):
    reading.write_text(reading.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert load_reading(reading).questions == 2


def test_an_unknown_unit_is_refused(locomo):
    with pytest.raises(ConfigError, match="turns, observations"):
        load_locomo(locomo, unit="chapters")


def test_a_broken_judgement_is_refused(cranfield):
    (cranfield / "cranqrel").write_text("1 one 2\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="another format"):
        load_cranfield(cranfield)
