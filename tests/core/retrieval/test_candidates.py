from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memori_core.retrieval.candidates import best_first, candidate_limit, top_rows

scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]), max_size=30)


def test_candidate_limit_of_the_specification() -> None:
    # max(limit, min(total, max(10 * limit, 50))), seeds/000
    cases = {(5, 800): 50, (20, 800): 200, (5, 8): 8, (5, 3): 5, (0, 10): 10, (200, 10): 200}
    assert {args: candidate_limit(*args) for args in cases} == cases


@given(scores, st.integers(0, 40))
def test_top_rows_are_the_highest(values: list[float], count: int) -> None:
    rows = top_rows(np.array(values, np.float32), max(count, 1))
    chosen = sorted((values[i] for i in rows), reverse=True)
    assert chosen[: max(count, 1)] == sorted(values, reverse=True)[: max(count, 1)]
    assert len(set(rows.tolist())) == len(rows)


@given(scores, st.integers(1, 10), st.randoms())
def test_the_order_of_storage_never_decides(values: list[float], count: int, rng: object) -> None:
    order = list(range(len(values)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    array = np.array(values, np.float32)
    ties = np.array([value * 7 % 3 for value in range(len(values))], np.float32)
    first = set(top_rows(array, count, ties=ties).tolist())
    second = {order[i] for i in top_rows(array[order], count, ties=ties[order]).tolist()}
    assert first == second


def test_rows_that_may_not_be_recalled_are_left_out() -> None:
    masked = np.array([1.0, -np.inf, 0.5], np.float32)
    assert sorted(top_rows(masked, 5).tolist()) == [0, 2]
    assert sorted(top_rows(masked, 3).tolist()) == [0, 2]
    assert top_rows(np.full(3, -np.inf, np.float32), 2).tolist() == []


def test_ties_break_by_the_second_score_then_by_id() -> None:
    rank = np.array([1.0, 1.0, 1.0, 2.0])
    second = np.array([0.5, 0.9, 0.5, 0.0])
    assert best_first(rank, second, ["b", "c", "a", "z"].__getitem__, 3) == [3, 1, 2]
    assert best_first(rank, second, ["b", "c", "a", "z"].__getitem__, 0) == []
