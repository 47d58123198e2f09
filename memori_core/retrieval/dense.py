"""Similarity of vectors: exact, over every fact of the entity."""

from __future__ import annotations

import numpy as np

from memori_core.embedding.base import FloatArray
from memori_core.errors import DimensionMismatchError

UNIT_TOLERANCE = 1e-3
"""How far from length 1 a stored row may be before it is scaled again."""

# One query must stay in its thread: BLAS on two threads took 12 ms here instead of 0.3 (10,000
# rows, two busy cores). OpenBLAS starts threads from this many numbers on (its interface/gemv.c),
# so it is given less at a time: 0.20 ms instead of einsum's 0.33. Out of cache, einsum is as quick.
_BLAS_STARTS_THREADS = 9_216
_BLOCK = 16
_IN_CACHE_ROWS = 20_000


def cosine_scores(query: FloatArray, matrix: FloatArray) -> FloatArray:
    """Similarity of one query to each row.

    Args:
        query: Shape `(dim,)`, float32, unit length.
        matrix: Shape `(n, dim)`, float32, unit rows or rows of zeros. `n` may be 0.

    Returns:
        Shape `(n,)`, float32, in [-1, 1]. Higher is more similar; rows of zeros score 0.
    """
    rows, dim = matrix.shape
    if rows > _IN_CACHE_ROWS or _BLOCK * dim >= _BLAS_STARTS_THREADS:
        scores = np.einsum("ij,j->i", matrix, query)
    else:
        whole = rows - rows % _BLOCK
        scores = np.empty(rows, np.float32)
        blocks = matrix[:whole].reshape(-1, _BLOCK, dim)
        np.matmul(blocks, query, out=scores[:whole].reshape(-1, _BLOCK))
        np.einsum("ij,j->i", matrix[whole:], query, out=scores[whole:])
    return np.clip(scores, -1.0, 1.0, out=scores)


def row_cosines(query: FloatArray, matrix: FloatArray) -> FloatArray:
    """The same as `cosine_scores`, row by row: a score does not depend on the row's place."""
    return np.clip(np.einsum("ij,j->i", matrix, query), -1.0, 1.0)


def unit_vector(values: object, *, dim: int | None, name: str = "vector") -> FloatArray:
    """A query vector in the form that scores need: float32, unit length.

    A vector without direction (zeros, or not finite) becomes zeros: it is similar to nothing.

    Raises:
        DimensionMismatchError: It is not one row of `dim` numbers.
    """
    try:
        vector = np.asarray(values, dtype=np.float32)
    except (TypeError, ValueError) as e:
        raise DimensionMismatchError(f"`{name}` is not a row of numbers: {e}") from e
    if vector.ndim != 1 or (dim is not None and len(vector) != dim):
        expected = "(n,)" if dim is None else f"({dim},)"
        raise DimensionMismatchError(
            f"`{name}` has the shape {vector.shape}, but {expected} is needed. "
            "Use the embedder that filled the store."
        )
    wide = vector.astype(np.float64)
    length = float(np.linalg.norm(wide))
    if not np.isfinite(length) or length == 0:
        return np.zeros_like(vector)
    return (wide / length).astype(np.float32)


def row_vector(raw: bytes | None, dim: int) -> FloatArray | None:
    """A stored vector as a unit row, or None if it cannot be one.

    Args:
        raw: Little-endian float32 without a header.
        dim: How many components it must have.
    """
    if raw is None or len(raw) != 4 * dim:
        return None
    row = np.frombuffer(raw, dtype="<f4")
    with np.errstate(over="ignore", invalid="ignore"):
        length = float(np.sqrt(np.dot(row, row)))
    if not np.isfinite(length) or length == 0:
        return None
    return row if abs(length - 1) < UNIT_TOLERANCE else (row / length).astype(np.float32)
