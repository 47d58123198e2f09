"""The figures that issues 2 and 3 ask for, on the published data sets. Run by `make proof`.

The data belongs to others and is not in this repository: it is looked for in `../shared/data`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from memori_core.evaluation.capturing import evaluate_capture
from memori_core.evaluation.datasets import (
    CHINESE_SET,
    from_conversations,
    load_conversations,
    load_cranfield,
    load_locomo,
    load_reading,
    load_relevance,
)
from memori_core.evaluation.gate import evaluate_gate
from memori_core.evaluation.runner import evaluate

SHARED = Path(__file__).parents[4] / "shared"
DATA = SHARED / "data"
LOCOMO = DATA / "locomo" / "locomo10.json"
SHORT_FACTS = SHARED / "fixtures" / "short_facts_dev.json"
HELD_OUT_CHINESE = Path(__file__).parent / "relevance_zh_held_out.json"
MINILM = "all-MiniLM-L6-v2"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LOCOMO.exists(), reason=f"the data sets are not in {DATA}"),
    pytest.mark.timeout(1800),
]


@pytest.fixture(autouse=True)
def own_cache():
    """Real evaluations use the user's vectors: embedding every text takes minutes."""


@cache
def locomo(unit, fusion="coverage", embedder=MINILM, conversation=False):
    dataset = load_locomo(LOCOMO, unit=unit)
    return evaluate(dataset, embedder=embedder, fusion=fusion, conversation=conversation)


def at_least(result, **floors):
    """Ranking figures reach their floors; `ndcg` stands for ndcg@10 and so on."""
    found = {
        name: round(result.scores[f"{name}@{1 if name == 'hit' else 10}"], 4) for name in floors
    }
    assert all(found[name] >= floor for name, floor in floors.items()), (found, floors)


@pytest.mark.parametrize(
    ("unit", "conversation", "recall", "ndcg"),
    [
        ("turns", False, 0.685, 0.54),
        ("turns", True, 0.752, 0.595),
        ("observations", False, 0.768, 0.648),
        ("observations", True, 0.79, 0.66),
    ],
)
def test_locomo(unit, conversation, recall, ndcg):
    at_least(locomo(unit, conversation=conversation), recall=recall, ndcg=ndcg)


def test_locomo_takes_less_than_three_minutes():
    assert locomo("turns").seconds < 180


def test_the_policy_memori_scores_as_memori_does():
    scores = locomo("turns", "memori").scores
    assert scores["recall@10"] == pytest.approx(0.615, abs=0.006)
    assert scores["ndcg@10"] == pytest.approx(0.467, abs=0.006)


def test_hybrid_gains_over_each_signal():
    hybrid = locomo("turns").scores["recall@10"]
    assert hybrid > locomo("turns", "lexical").scores["recall@10"] + 0.03
    assert hybrid > locomo("turns", "dense").scores["recall@10"] + 0.15


def test_locomo_with_static_vectors():
    at_least(locomo("turns", embedder="static"), recall=0.64, ndcg=0.50)


def test_cranfield():
    result = evaluate(load_cranfield(DATA / "cranfield"), embedder=MINILM)
    at_least(result, recall=0.448, ndcg=0.428)


@pytest.mark.parametrize(
    ("file", "floor"),
    [
        ("cmrc2018/cmrc2018_dev.json", 0.957),
        ("jsquad/valid-v1.3.json", 0.90),
        ("xquad/xquad.zh.json", 0.925),
        ("xquad/xquad.th.json", 0.875),
        ("xquad/xquad.en.json", 0.925),
    ],
)
def test_reading_by_words(file, floor):
    at_least(evaluate(load_reading(DATA / file), embedder=None, fusion="lexical"), hit=floor)


@pytest.mark.parametrize(("embedder", "floor"), [(MINILM, 0.91), ("multilingual", 0.94)])
def test_chinese_reading_with_vectors(embedder, floor):
    dataset = load_reading(DATA / "xquad" / "xquad.zh.json")
    at_least(evaluate(dataset, embedder=embedder), hit=floor)


@pytest.mark.parametrize(
    ("unit", "floors"),
    [
        ("turns", {"relevant": 95, "foreign": 94}),
        ("observations", {"relevant": 99, "foreign": 85}),
    ],
)
def test_the_cut_on_locomo(unit, floors):
    stores = from_conversations(load_locomo(LOCOMO, unit=unit).collections)
    result = evaluate_gate(stores, dataset="locomo", unit=unit, embedder=MINILM)
    found = {group: result.rate(group).percent for group in floors}
    assert all(found[group] >= floor for group, floor in floors.items()), found


def test_the_cut_on_short_facts():
    result = evaluate_gate(load_relevance(SHORT_FACTS), dataset="short", embedder=MINILM)
    floors = {"relevant": 78, "unrelated": 98, "chit_chat": 98}
    found = {group: result.rate(group).percent for group in floors}
    assert all(found[group] >= floor for group, floor in floors.items()), found


@pytest.mark.parametrize(
    ("path", "embedder", "kept", "answered", "chit_chat"),
    [
        (CHINESE_SET, MINILM, 22, 22, 98),
        (CHINESE_SET, "multilingual", 70, 68, 98),
        (HELD_OUT_CHINESE, MINILM, 9, 9, 94),
        (HELD_OUT_CHINESE, "multilingual", 70, 68, 97),
    ],
)
def test_the_cut_on_chinese_short_facts(path, embedder, kept, answered, chit_chat):
    result = evaluate_gate(load_relevance(path), dataset="zh", embedder=embedder)
    # Below the aim of 78 (docs/pages/evaluation.md): what was measured, so that it cannot fall.
    floors = {"relevant": kept, "unrelated": 98, "chit_chat": chit_chat, "absent": 90}
    found = {group: result.rate(group).percent for group in floors}
    assert all(found[group] >= floor for group, floor in floors.items()), found
    relevant = result.rate("relevant")
    assert 100 * relevant.answered / relevant.asked >= answered


def test_the_cut_on_chinese_paragraphs():
    whole = load_reading(DATA / "xquad" / "xquad.zh.json").collections[0]
    stores = [
        replace(whole, id=str(start), facts=part, questions=asked, speakers=())
        for start in range(0, 240, 30)
        for part in [whole.facts[start : start + 30]]
        for asked in [tuple(q for q in whole.questions if q.gold & {f.id for f in part})[::3]]
    ]
    result = evaluate_gate(from_conversations(stores), dataset="zh", embedder="multilingual")
    found = {group: result.rate(group).percent for group in ("relevant", "foreign")}
    assert found["relevant"] >= 98, found
    assert found["foreign"] >= 80, found


# ------------------------------------------------------------------------------- issue 3: captured


@cache
def captured():
    return evaluate_capture(load_conversations(LOCOMO), embedder=MINILM).to_json()


@pytest.mark.parametrize(
    ("key", "floor"),
    [
        ("facts_recall@10", 0.50),
        ("statements_recall@10", 0.66),
        ("facts_and_messages_recall@10", 0.71),
        ("conversation_recall@10", 0.765),
        ("conversation_ndcg@10", 0.61),
        ("facts_per_100_turns", 45),
        ("supported_share", 0.995),
    ],
)
def test_captured_conversations(key, floor):
    assert captured()[key] >= floor


@pytest.mark.parametrize(
    ("key", "ceiling"),
    [("statements_tokens", 240), ("context_tokens", 380), ("facts_per_100_turns", 75)],
)
def test_captured_conversations_do_not_flood_the_prompt(key, ceiling):
    assert captured()[key] <= ceiling


def test_capturing_loses_no_turn_and_takes_less_than_three_minutes():
    assert captured()["failed"] == 0
    assert captured()["seconds"] < 180
