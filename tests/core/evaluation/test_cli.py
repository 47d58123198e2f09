"""`memori eval` and `memori bench`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from memori_core.cli import main


def run(*arguments, stdin=None):
    return CliRunner().invoke(main, [str(a) for a in arguments], input=stdin)


LEXICAL = ("--fusion", "lexical")


def test_a_table_for_people(locomo):
    result = run("eval", "locomo", locomo, *LEXICAL, "--unit", "observations")
    assert result.exit_code == 0, result.output
    assert "locomo, observations: 6 questions, embedder none" in result.stdout
    assert "ndcg@10" in result.stdout
    assert "multi-hop (2)" in result.stdout


def test_json_on_standard_output_is_nothing_but_json(locomo):
    result = run("eval", "locomo", locomo, *LEXICAL, "--json", "-")
    assert json.loads(result.stdout)["fusion"] == "lexical"


def test_json_in_a_file_comes_beside_the_table(locomo, tmp_path):
    out = tmp_path / "out.json"
    result = run("eval", "locomo", locomo, *LEXICAL, "--json", out)
    assert "ndcg@10" in result.stdout
    assert json.loads(out.read_text(encoding="utf-8"))["questions"] == 6


def test_one_conversation_and_few_questions(locomo):
    options = ("--only", "talk-2", "--limit-questions", 2, "--conversation", "--json", "-")
    found = json.loads(run("eval", "locomo", locomo, *LEXICAL, *options).stdout)
    assert (found["questions"], found["conversation"]) == (2, True)


def test_compare_says_what_each_signal_gives_alone(locomo):
    arguments = ("eval", "locomo", locomo, "--embedder", "static", "--compare")
    result = run(*arguments)
    assert "gain over dense" in result.stdout
    assert "gain over lexical" in result.stdout
    found = json.loads(run(*arguments, "--json", "-").stdout)
    assert found["fusion"] == "coverage"
    assert set(found["compare"]) == {"dense", "lexical"}
    assert found["compare"]["lexical"]["embedder"] == "none"


def test_none_is_no_embedder(reading):
    found = json.loads(run("eval", "reading", reading, "--embedder", "none", "--json", "-").stdout)
    assert (found["fusion"], found["embedder"]) == ("coverage", "none")


def test_reading_and_cranfield(reading, cranfield):
    assert json.loads(run("eval", "reading", reading, *LEXICAL, "--json", "-").stdout)["hit@1"] == 1
    result = run("eval", "cranfield", cranfield, *LEXICAL)
    assert "cranfield, documents: 2 questions" in result.stdout


def test_relevance_of_short_facts_of_conversations_and_of_the_shipped_set(short_facts, locomo):
    static = ("--embedder", "static")
    assert "unrelated rejected" in run("eval", "relevance", short_facts, *static).stdout
    assert (
        "foreign rejected"
        in run("eval", "relevance", locomo, "--unit", "observations", *static).stdout
    )
    found = json.loads(run("eval", "relevance", *static, "--json", "-").stdout)
    assert (found["dataset"], found["embedder"]) == ("relevance_zh", "wordllama/l2-supercat-256")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["locomo", "/nowhere.json"], "/nowhere.json cannot be read"),
        (["reading", "/nowhere.json"], "SQuAD's format"),
        (["cranfield", "/nowhere"], "cran.all.1400"),
        (["relevance", "/nowhere.json"], "chit_chat"),
        (["locomo", "LOCOMO", "--only", "talk-7"], "no 'talk-7'"),
        (["locomo", "LOCOMO", "--fusion", "magic"], "magic"),
        (["locomo", "LOCOMO", "--unit", "chapters"], "chapters"),
        (["locomo", "LOCOMO", "--limit-questions", "0"], "0"),
    ],
)
def test_wrong_input_ends_with_one_clear_line(arguments, message, locomo):
    result = run("eval", *(locomo if a == "LOCOMO" else a for a in arguments))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_a_conversation_without_questions_ends_with_one_clear_line(locomo, tmp_path):
    samples = json.loads(locomo.read_text(encoding="utf-8"))
    samples[0]["qa"] = []
    locomo.write_text(json.dumps(samples), encoding="utf-8")
    for command in ("locomo", "capture"):
        result = run("eval", command, locomo, "--only", "talk-1", "--embedder", "none")
        assert (result.exit_code, result.stderr) == (2, "Error: locomo has no questions to ask.\n")


@pytest.mark.parametrize("sizes", ["0", "ten", "", "100,-1"])
def test_sizes_are_numbers_from_1_upwards(sizes):
    result = run("bench", "recall", "--sizes", sizes)
    assert result.exit_code == 2
    assert "1000,10000" in result.stderr


def test_bench_recall_reports_rows():
    result = run("bench", "recall", "--sizes", "40", "--json", "-")
    found = json.loads(result.stdout)
    assert [row["n"] for row in found["rows"]] == [40]
    assert found["versions"]["memori-core"]


def test_bench_peer_speaks_json_lines():
    result = run("bench", "peer", stdin='{"op": "close"}\n')
    greeting, closed = map(json.loads, result.stdout.splitlines())
    assert greeting["peer"] == "memori-core"
    assert closed["ok"] is True
