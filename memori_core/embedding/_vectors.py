"""What every vector passes before it leaves an embedder."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from memori_core.embedding.base import FloatArray
from memori_core.errors import EmbeddingError


def checked_rows(raw: npt.ArrayLike, *, count: int, dim: int | None, source: str) -> FloatArray:
    """The vectors of a model as unit rows, or the reason why they are none.

    Args:
        raw: What the model gave, anything of shape `(count, dim)`.
        count: Number of texts it was given, at least 1.
        dim: Number of components it gave before; None when this is its first answer.
        source: Name of the embedder, for the message.

    Returns:
        Shape `(count, dim)`, float32. Rows have unit length; a zero row stays zero, because a text
        of which the model knows no word is similar to nothing.

    Raises:
        EmbeddingError: Wrong shape, not numbers, or not finite.
    """
    try:
        rows = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError) as e:
        raise EmbeddingError(
            f"`{source}` gave vectors that are no array of numbers, all of one length: {e}"
        ) from e
    if rows.ndim != 2 or rows.shape[0] != count or rows.shape[1] == 0:
        raise EmbeddingError(
            f"`{source}` gave an array of shape {rows.shape} for {count} texts; "
            f"({count}, number of components) was expected."
        )
    if dim is not None and rows.shape[1] != dim:
        raise EmbeddingError(f"`{source}` gave {rows.shape[1]}-d vectors; it made {dim}-d ones.")
    if not np.isfinite(rows).all():
        raise EmbeddingError(f"`{source}` gave a vector with NaN or infinite components.")
    return unit_rows(rows)


def unit_rows(rows: npt.NDArray[np.floating]) -> FloatArray:
    """Rows scaled to unit length.

    Args:
        rows: Shape `(n, dim)`, finite.

    Returns:
        Shape `(n, dim)`, float32. Zero rows stay zero.
    """
    wide = rows.astype(np.float64)
    # By the largest component first, so that squaring neither overflows nor vanishes.
    peak = np.abs(wide).max(axis=1, keepdims=True, initial=0.0)
    scaled = wide / np.where(peak > 0.0, peak, 1.0)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return (scaled / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
