"""The named entities of one entity's facts, in the form that recall searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memori_core.embedding.base import FloatArray
from memori_core.models import LinkedMention
from memori_core.retrieval.dense import row_vector


@dataclass(frozen=True, slots=True)
class Mentions:
    """Names with their vectors and the facts that speak of them. Never changes."""

    texts: tuple[str, ...]
    matrix: FloatArray
    """Shape `(m, dim)`, unit rows; zeros where a name has no usable vector."""
    fact_ids: tuple[tuple[str, ...], ...]
    """Per name, the ids of the facts linked to it."""
    row_of: Mapping[str, int]
    """`Mention.norm` to row."""

    def nbytes(self) -> int:
        """A rough size in memory: the vectors, and 500 bytes a name, 100 a link."""
        return self.matrix.nbytes + sum(500 + 100 * len(ids) for ids in self.fact_ids)


def load_mentions(linked: Sequence[LinkedMention], dim: int) -> Mentions:
    """What a store keeps, ready to be searched.

    Args:
        linked: As `Store.mentions` gives them.
        dim: Number of components of the embedder in use, 0 without one. Vectors of another
            length are passed over: their names are still found by their spelling.
    """
    matrix = np.zeros((len(linked), dim), np.float32)
    row_of: dict[str, int] = {}
    for row, link in enumerate(linked):
        row_of.setdefault(link.mention.norm, row)
        vector = row_vector(link.mention.vector, dim) if dim else None
        if vector is not None:
            matrix[row] = vector
    return Mentions(
        texts=tuple(link.mention.text for link in linked),
        matrix=matrix,
        fact_ids=tuple(link.fact_ids for link in linked),
        row_of=row_of,
    )
