"""Measures of one ranking."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memori_core.evaluation.metrics import (
    hit_at,
    mean,
    mrr_at,
    ndcg_at,
    percentile,
    recall_at,
    score,
)

IDS = [f"f{number}" for number in range(30)]
rankings = st.lists(st.sampled_from(IDS), unique=True, max_size=20)
golds = st.frozensets(st.sampled_from(IDS), min_size=1, max_size=12)
depths = st.integers(1, 20)


def test_measures_worked_out_by_hand():
    ranking, gold = ["a", "b", "c", "d"], {"b", "d", "x"}
    assert recall_at(2, ranking, gold) == pytest.approx(1 / 3)
    assert recall_at(4, ranking, gold) == pytest.approx(2 / 3)
    assert hit_at(1, ranking, gold) == 0
    assert hit_at(2, ranking, gold) == 1
    assert mrr_at(10, ranking, gold) == 1 / 2
    # Places 2 and 4 gain 1/log2(3) + 1/log2(5); three gold ids could gain 1 + 1/log2(3) + 1/2.
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    assert ndcg_at(10, ranking, gold) == pytest.approx(gained / (1.5 + 1 / math.log2(3)))


def test_nothing_found_scores_nothing():
    assert set(score([], {"a"}).values()) == {0.0}


@given(rankings, golds, depths)
def test_measures_lie_between_0_and_1(ranking, gold, k):
    for measure in (recall_at, hit_at, mrr_at, ndcg_at):
        assert 0 <= measure(k, ranking, gold) <= 1 + 1e-12


@given(golds, depths)
def test_a_perfect_ranking_is_perfect(gold, k):
    ranking = [*sorted(gold), *(i for i in IDS if i not in gold)]
    assert ndcg_at(k, ranking, gold) == pytest.approx(1)
    assert mrr_at(k, ranking, gold) == hit_at(k, ranking, gold) == 1
    assert recall_at(k, ranking, gold) == pytest.approx(min(k, len(gold)) / len(gold))


@given(rankings, golds, depths)
def test_looking_deeper_never_finds_less(ranking, gold, k):
    for measure in (recall_at, hit_at, mrr_at):
        assert measure(k + 1, ranking, gold) >= measure(k, ranking, gold)


@given(rankings, golds, depths, st.data())
def test_a_gold_id_that_moves_up_never_costs(ranking, gold, k, data):
    places = [i for i in range(1, len(ranking)) if ranking[i] in gold]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    better = list(ranking)
    better[place - 1], better[place] = better[place], better[place - 1]
    for measure in (recall_at, hit_at, mrr_at, ndcg_at):
        assert measure(k, better, gold) >= measure(k, ranking, gold) - 1e-12


@given(rankings, golds, depths)
def test_what_stands_below_k_does_not_count(ranking, gold, k):
    for measure in (recall_at, hit_at, mrr_at, ndcg_at):
        assert measure(k, ranking, gold) == measure(k, ranking[:k], gold)


def test_the_mean_counts_every_question_alike():
    assert mean([{"hit@1": 1.0}, {"hit@1": 0.0}, {"hit@1": 0.0}]) == {"hit@1": pytest.approx(1 / 3)}
    assert mean([]) == {}


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(0, 100))
def test_a_percentile_lies_among_the_values(values, percent):
    assert min(values) <= percentile(values, percent) <= max(values)


def test_percentiles_are_interpolated():
    assert percentile([4, 1, 3, 2], 50) == 2.5
    assert percentile([10, 20], 95) == pytest.approx(19.5)
