"""`memori eval capture`, on two invented conversations."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from memori_core.cli import main
from memori_core.conversation import ExtractedFact
from memori_core.errors import ConfigError
from memori_core.evaluation.capturing import evaluate_capture
from memori_core.evaluation.datasets import Dataset, load_conversations
from memori_core.evaluation.extracting import Found, facts_per_100, share_supported
from memori_core.evaluation.word_pieces import count_word_pieces
from memori_core.models import NewFact

DAY = datetime(2026, 3, 10, tzinfo=UTC)
KEYS = {
    "facts_recall@10",
    "statements_recall@10",
    "statements_tokens",
    "facts_and_messages_recall@10",
    "conversation_recall@10",
    "conversation_ndcg@10",
    "context_tokens",
    "facts_per_100_turns",
    "supported_share",
}


def found(text: str, *facts: ExtractedFact) -> Found:
    return Found(NewFact(text, speaker="Mel", said_at=DAY), facts)


# -------------------------------------------------------------------------------------- the data


def test_messages_are_what_was_said_a_minute_apart(locomo):
    first, _ = load_conversations(locomo).collections
    opening, answer = first.facts[:2]
    assert (opening.content, opening.speaker) == ("I am Ilka and I sell pottery.", "Ilka")
    assert (opening.session_id, opening.said_at) == (
        "session_1",
        datetime(2022, 6, 1, 0, 30, tzinfo=UTC),
    )
    assert answer.said_at == datetime(2022, 6, 1, 0, 31, tzinfo=UTC)
    assert first.facts[-1].content == "Oh no! [shares a cracked clay bowl]"
    assert first.questions[1].gold == {"D1:2", "D2:2"}


# ------------------------------------------------------------------------------------ the figures


def test_each_conversation_is_captured_apart_and_asked_its_own_questions(locomo):
    result = evaluate_capture(load_conversations(locomo), embedder=None)
    assert (result.conversations, result.messages, result.questions) == (2, 10, 6)
    assert result.failed == 0
    # Five messages fit into ten places; by words alone two of three questions find all they want.
    assert result.ways["conversation"]["recall@10"] >= 2 / 3
    assert result.ways["facts"]["recall@10"] <= result.ways["statements"]["recall@10"]
    assert result.ways["facts"]["tokens"] < result.ways["facts_and_messages"]["tokens"]
    assert result.per_category["multi-hop"]["questions"] == 2
    assert result.supported_share == 1


def test_a_second_run_gives_the_same(locomo):
    def figures() -> dict[str, object]:
        run = evaluate_capture(load_conversations(locomo), embedder="static")
        return {**run.to_json(), "seconds": 0}

    assert figures() == figures()


def test_nothing_to_ask_is_an_error():
    with pytest.raises(ConfigError, match="no questions"):
        evaluate_capture(Dataset("empty", unit="messages"), embedder=None)


def test_facts_per_100_messages():
    some = [found("a", ExtractedFact("x"), ExtractedFact("y")), found("b"), found("c"), found("d")]
    assert facts_per_100(some) == 50
    assert facts_per_100([]) == 0


@pytest.mark.parametrize(
    ("said", "fact", "dates", "supported"),
    [
        ("I love hiking.", "Mel loves hiking.", (), True),
        ("I'd love a dog.", "Mel would love a dog.", (), True),
        ("I went to Ghent last week.", "Mel went to Ghent in the week of 2 March 2026.", (), False),
        (
            "I went to Ghent last week.",
            "Mel went to Ghent in the week of 2 March 2026.",
            ("2026-03-02", "2026-03-08"),
            True,
        ),
        ("I got it days ago.", "Mel got it a few days before 10 March 2026.", (), True),
        ("I love hiking in the old woods.", "Mel loves hiking in the cold woods.", (), False),
    ],
)
def test_a_fact_is_supported_when_every_word_was_said(said, fact, dates, supported):
    share = share_supported([found(said, ExtractedFact(fact, dates=dates))])
    assert share == (1.0 if supported else 0.0)


def test_word_pieces_are_those_of_minilm():
    # the, cat, sat, . and 202, ##3, -, 05, -, 08
    assert count_word_pieces(["The cat sat.", "", "2023-05-08"]) == [4, 0, 6]


# ---------------------------------------------------------------------------------- command line


def test_the_command_prints_a_table_or_json(locomo, tmp_path):
    def run(*options: str) -> str:
        arguments = ["eval", "capture", str(locomo), "--embedder", "none", *options]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    table = run()
    assert "locomo, captured: 10 messages, 6 questions, embedder none" in table
    assert "facts_and_messages" in table
    assert "facts per 100 turns" in table
    shown = json.loads(run("--json", "-", "--only", "talk-2", "--limit-questions", "1"))
    assert shown["questions"] == 1
    assert shown.keys() >= KEYS
    assert shown["versions"]["memori-core"]
