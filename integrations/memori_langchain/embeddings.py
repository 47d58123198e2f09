"""LangChain's embedding models at work inside memori-core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from memori_core import Embedder, EmbedderProfile
from memori_core.errors import ConfigError, EmbeddingError
from memori_core.hooks import FloatArray


def from_embeddings(
    embeddings: Embeddings,
    *,
    name: str | None = None,
    profile: EmbedderProfile | None = None,
) -> Embedder:
    """An embedder for `Memori(embedder=...)` made of a LangChain embedding model.

    ```python
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from memori_core import InMemoryStore, Memori
    from memori_langchain import from_embeddings

    embedder = from_embeddings(DeterministicFakeEmbedding(size=8), name="fake")
    print(embedder.name, embedder.embed_query("tea").shape)
    #> fake (8,)
    ```

    Args:
        embeddings: The model. It is called from worker threads.
        name: Stored beside every vector; None takes the class and the model's own name. Give
            another one when the model changes.
        profile: How its cosines are to be read; None has it estimated once, from about 300
            sentences that are embedded, and kept in the store.

    Raises:
        ConfigError: `embeddings` is no LangChain embedding model.
    """
    if not isinstance(embeddings, Embeddings):  # pyright: ignore[reportUnnecessaryIsInstance] (callers without a checker)
        raise ConfigError(f"`embeddings` must be a langchain_core Embeddings, got {embeddings!r}.")
    return _Embedder(embeddings, name=name or _name_of(embeddings), profile=profile)


class _Embedder(Embedder):
    def __init__(
        self, embeddings: Embeddings, *, name: str, profile: EmbedderProfile | None
    ) -> None:
        self.name = name
        self._embeddings = embeddings
        self._profile = profile
        self._dim: int | None = None

    @property
    def dim(self) -> int:
        if self._dim is None:
            self._dim = len(self.embed_query("dimension"))
        return self._dim

    def embed_query(self, text: str) -> FloatArray:
        try:
            vectors = [self._embeddings.embed_query(text)]
        except Exception as e:  # whatever the model's own client raises
            raise EmbeddingError(f"`{self.name}` failed on a question: {e!r}") from e
        return self._unit_rows(vectors, count=1)[0]

    def embed_documents(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        try:
            vectors = self._embeddings.embed_documents(list(texts))
        except Exception as e:  # whatever the model's own client raises
            raise EmbeddingError(f"`{self.name}` failed on {len(texts)} texts: {e!r}") from e
        return self._unit_rows(vectors, count=len(texts))

    def profile(self) -> EmbedderProfile | None:
        return self._profile

    def _unit_rows(self, vectors: list[list[float]], *, count: int) -> FloatArray:
        rows = np.asarray(vectors, np.float64)
        if rows.ndim != 2 or len(rows) != count or not np.isfinite(rows).all():
            raise EmbeddingError(
                f"`{self.name}` gave no usable vectors for {count} texts: shape {rows.shape}."
            )
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths == 0, 1.0, lengths)).astype(np.float32)


def _name_of(embeddings: Any) -> str:
    model = getattr(embeddings, "model", None) or getattr(embeddings, "model_name", None)
    kind = type(embeddings).__name__
    return f"{kind}/{model}" if isinstance(model, str) else kind
