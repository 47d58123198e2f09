from __future__ import annotations

import math

import numpy as np
import pytest

from memori_core.errors import DimensionMismatchError
from memori_core.retrieval.dense import cosine_scores, row_vector, unit_vector


@pytest.mark.parametrize("rows", [0, 1, 15, 16, 17, 1_000, 20_001])
@pytest.mark.parametrize("dim", [1, 8, 384])
def test_scores_are_dot_products_whatever_the_shape(rows: int, dim: int) -> None:
    rng = np.random.default_rng(rows + dim)
    matrix = rng.standard_normal((rows, dim)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    query = matrix[0] if rows else np.ones(dim, np.float32) / np.float32(math.sqrt(dim))
    scores = cosine_scores(query, matrix)
    assert scores.dtype == np.float32
    assert scores.shape == (rows,)
    np.testing.assert_allclose(scores, matrix.astype(np.float64) @ query, atol=2e-6)
    assert np.abs(scores).max(initial=0) <= 1.0


def test_a_view_of_a_larger_buffer_is_scored_as_it_is() -> None:
    buffer = np.zeros((64, 8), np.float32)
    buffer[:33, 0] = 1.0
    query = np.eye(8, dtype=np.float32)[0]
    assert cosine_scores(query, buffer[:33]).tolist() == [1.0] * 33


def test_unit_vector() -> None:
    assert unit_vector([3, 4], dim=2).tolist() == pytest.approx([0.6, 0.8])
    for hopeless in ([0, 0], [math.nan, 1], [math.inf, 1], [None, 1]):
        assert unit_vector(hopeless, dim=2).tolist() == [0.0, 0.0]
    assert np.isfinite(unit_vector([3e38, 3e38], dim=2)).all()
    for wrong in ([1.0], [[1.0, 2.0]], "ab", 7):
        with pytest.raises(DimensionMismatchError, match="vector"):
            unit_vector(wrong, dim=2)


def test_row_vector() -> None:
    good = np.array([0.6, 0.8], "<f4")
    assert row_vector(good.tobytes(), 2) is not None
    longer = row_vector((good * 5).astype("<f4").tobytes(), 2)
    assert longer is not None
    assert longer.tolist() == pytest.approx([0.6, 0.8])
    for raw in (None, b"", b"1234567", b"\0" * 8, np.array([np.nan, 1], "<f4").tobytes()):
        assert row_vector(raw, 2) is None
