from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
RunJSON = Callable[..., Any]


def test_recall_shows_a_table_with_a_column_per_part(alice: Run):
    header, row = alice("recall", "Where do I live?", "--user", "alice").stdout.splitlines()
    assert header.split() == (
        ["rank", "relevance", "cosine", "bm25", "+dense", "+coverage", "+bm25", "text"]
    )
    cells = row.split(maxsplit=8)
    assert cells[0] == "1"
    assert cells[-1] == "I live in Porto."
    rank, *parts = (float(cells[i]) for i in (1, 5, 6, 7))
    assert rank == pytest.approx(sum(parts), abs=0.002)  # each is rounded to three places


def test_recall_as_json(alice: Run, run_json: RunJSON):
    found = run_json("recall", "Where do I live?", "--user", "alice")
    assert found["reason"] == "ok"
    (fact,) = found["facts"]
    assert fact["content"] == "I live in Porto."
    assert fact["rank_score"] == pytest.approx(sum(fact["parts"].values()))
    assert fact["fact"]["metadata"] == {"year": 2026}
    assert [pinned["content"] for pinned in found["pinned"]] == ["I am allergic to peanuts."]
    assert found["context"].startswith("<memori_context>")


def test_chinese_is_found_and_shown(alice: Run):
    assert "我对花生过敏。" in alice("recall", "我对什么过敏？", "--user", "王芳").stdout


@pytest.mark.parametrize("query", ["How tall is Everest?", "thanks!", "谢谢", "", "?!"])
def test_nothing_found_says_why_and_exits_with_1(alice: Run, query: str):
    shown = alice("recall", query, "--user", "alice", code=1).stdout
    assert "searched" in shown


def test_nothing_found_is_json_too(alice: Run, run_json: RunJSON):
    found = run_json("recall", "How tall is Everest?", "--user", "alice", code=1)
    assert (found["facts"], found["reason"]) == ([], "below_cut")


def test_the_memory_of_another_is_not_recalled(alice: Run, run_json: RunJSON):
    assert run_json("recall", "Porto", "--user", "王芳", code=1)["facts"] == []


def test_limit_strictness_and_where(alice: Run, run_json: RunJSON):
    alice("remember", "I lived in Braga.", "--user", "alice", "--meta", "year=2020")
    asked = ("recall", "live lived", "--user", "alice")
    assert len(run_json(*asked)["facts"]) == 2
    assert len(run_json(*asked, "-k", "1")["facts"]) == 1
    (fact,) = run_json(*asked, "--where", "year=2020")["facts"]
    assert fact["content"] == "I lived in Braga."
    assert len(run_json(*asked, "--where", "year=2020", "--where", "year=2026")["facts"]) == 2
    assert run_json(*asked, "--where", "year=1999", code=1)["reason"] == "no_facts"
    assert run_json(*asked, "--strictness", "0")["cut"] == 0


@pytest.mark.parametrize("fusion", ["coverage", "memori", "mem0", "dense", "lexical"])
def test_every_policy_can_be_asked_for(alice: Run, run_json: RunJSON, fusion: str):
    alice("remember", "I play the cello.", "--user", "bob", "--embedder", "static")
    found = run_json(
        *("recall", "Who plays the cello?", "--user", "bob"),
        *("--embedder", "static", "--fusion", fusion),
    )
    assert found["policy"] == fusion
    assert found["facts"][0]["content"] == "I play the cello."


def test_conversation_mode_adds_its_parts(alice: Run):
    shown = alice("recall", "Porto", "--user", "alice", "--conversation").stdout
    assert "+neighbours" in shown


def test_facts_of_another_embedder_are_told_of(alice: Run):
    shown = alice("recall", "Porto", "--user", "alice", "--embedder", "static")
    assert "memori reindex" in shown.stdout
    assert shown.stderr == ""


def test_why_explains_and_shows_the_block(alice: Run):
    shown = alice("why", "Where do I live?", "--user", "alice").stdout
    assert "coverage" in shown
    assert "Pinned: I am allergic to peanuts." in shown
    assert "<memori_context>" in shown


def test_why_answers_where_nothing_is_found(alice: Run):
    shown = alice("why", "How tall is Everest?", "--user", "alice").stdout
    assert "close enough" in shown
    assert "allergic to peanuts. Stated at" in shown
    assert "no context block" in alice("why", "thanks!", "--user", "alice").stdout
