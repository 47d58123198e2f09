"""Storing the facts of a data set as a user would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memori_core.embedding import Embedder
from memori_core.memori import ScopedMemory
from memori_core.models import NewFact
from memori_core.retrieval.index_text import embedded_text


def remember_all(
    memory: ScopedMemory, facts: Sequence[NewFact], vectors: Embedder | None
) -> Mapping[str, str]:
    """Remember facts; returns the id under which each is now, by the id it came with.

    The two differ where a fact says the same as an earlier one, and was merged into it.
    """
    rows = None if vectors is None else vectors.embed_documents(list(map(embedded_text, facts)))
    kept = memory.remember_many(facts, vectors=rows)
    return {str(new.id): fact.id for new, fact in zip(facts, kept, strict=True)}
