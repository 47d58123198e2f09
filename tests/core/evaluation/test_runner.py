"""Ranking and the cut, measured through `Memori`."""

from __future__ import annotations

import json

import pytest

from memori_core import Memori
from memori_core.evaluation.datasets import (
    Collection,
    Dataset,
    Question,
    from_conversations,
    load_locomo,
    load_reading,
    load_relevance,
)
from memori_core.evaluation.gate import evaluate_gate
from memori_core.evaluation.runner import evaluate
from memori_core.models import NewFact
from memori_core.testing import FakeEmbedder

KEYS = [
    "dataset",
    "unit",
    "fusion",
    "conversation",
    "embedder",
    "questions",
    "hit@1",
    "recall@5",
    "recall@10",
    "recall@20",
    "gated_recall@10",
    "hit@10",
    "mrr@10",
    "ndcg@10",
    "per_category",
    "seconds",
    "versions",
]


class Forbidden(FakeEmbedder):
    def embed_query(self, text):
        raise AssertionError(text)

    def embed_documents(self, texts, *, progress=False):
        raise AssertionError(texts)


def figures(evaluation):
    return {k: v for k, v in evaluation.to_json().items() if k != "seconds"}


def test_the_keys_are_those_of_the_docs(locomo):
    result = evaluate(load_locomo(locomo), embedder=FakeEmbedder()).to_json()
    assert list(result) == KEYS
    assert json.loads(json.dumps(result)) == result
    assert result["per_category"]["multi-hop"]["questions"] == 2


@pytest.mark.parametrize("fusion", ["coverage", "memori", "mem0", "dense", "lexical"])
def test_two_runs_give_the_same_figures(locomo, fusion):
    dataset = load_locomo(locomo)
    one = evaluate(dataset, embedder=FakeEmbedder(), fusion=fusion)
    two = evaluate(dataset, embedder=FakeEmbedder(), fusion=fusion)
    assert figures(one) == figures(two)


def test_lexical_asks_no_embedder(reading):
    result = evaluate(load_reading(reading), embedder=Forbidden(), fusion="lexical")
    assert result.embedder == "none"
    assert result.scores["hit@1"] == 1


def test_figures_are_those_of_a_recall_by_hand(locomo):
    dataset = load_locomo(locomo).only(["talk-1"])
    (collection,) = dataset.collections
    hits = 0
    with Memori(":memory:", embedder=FakeEmbedder()) as memori:
        memory = memori.scoped("anyone")
        memory.remember_many(collection.facts)
        for question in collection.questions:
            hits += memory.recall(question.text, limit=10, strictness=0)[0].id in question.gold
    result = evaluate(dataset, embedder=FakeEmbedder())
    assert result.scores["hit@1"] == pytest.approx(hits / len(collection.questions))


def test_conversation_mode_brings_the_neighbour(locomo):
    dataset = load_locomo(locomo)
    result = evaluate(dataset, embedder=None, fusion="coverage", conversation=True)
    assert result.conversation
    assert figures(result) != figures(evaluate(dataset, embedder=None))


def test_a_repeated_fact_answers_for_both():
    facts = (NewFact("The kiln is red.", id="a"), NewFact("the kiln is red", id="b"))
    question = Question("Which kiln is red?", gold=frozenset({"b"}))
    collection = Collection("one", facts=facts, questions=(question,))
    dataset = Dataset("made up", unit="facts", collections=(collection,))
    assert evaluate(dataset, embedder=None).scores["recall@10"] == 1


def test_the_cut_is_told_from_the_order():
    facts = (NewFact("The kiln is red.", id="a"), NewFact("Bees dance.", id="b"))
    question = Question("Could somebody paint something, perhaps the kiln?", gold=frozenset("a"))
    collection = Collection("one", facts=facts, questions=(question,))
    dataset = Dataset("made up", unit="facts", collections=(collection,))
    scores = evaluate(
        dataset,
        embedder=FakeEmbedder(
            {facts[0].content: [1, 0, 0], facts[1].content: [0, 1, 0], question.text: [0, 0, 1]}
        ),
    ).scores
    assert scores["recall@10"] == 1
    assert scores["gated_recall@10"] == 0


def test_the_gate_counts_what_is_kept_and_what_is_rejected(short_facts):
    result = evaluate_gate(load_relevance(short_facts), dataset="short", embedder=None)
    assert [(rate.name, rate.right, rate.asked) for rate in result.rates] == [
        ("kept", 1, 1),
        ("unrelated rejected", 1, 1),
        ("chit_chat rejected", 2, 2),
        ("absent rejected", 1, 1),
    ]
    assert result.rate("relevant").answered == 1
    assert result.to_json()["rates"]["kept"] == {
        "percent": 100.0,
        "right": 1,
        "asked": 1,
        "answered": 1,
    }
    with pytest.raises(KeyError):
        result.rate("foreign")


def test_without_a_cut_everything_is_kept(locomo):
    stores = from_conversations(load_locomo(locomo).collections)
    embedder = FakeEmbedder()
    result = evaluate_gate(stores, dataset="locomo", embedder=embedder, strictness=0)
    assert {rate.group: rate.percent for rate in result.rates} == {
        "relevant": 100.0,
        "foreign": 0.0,
        "renamed": 0.0,
    }
