"""LlamaIndex's embedding models as embedders of a memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding

from memori_core import Embedder, EmbedderProfile
from memori_core.errors import ConfigError, EmbeddingError
from memori_core.hooks import FloatArray


def from_embed_model(embed_model: BaseEmbedding, *, name: str | None = None) -> Embedder:
    """An embedder made of an embedding model of LlamaIndex.

    Questions and texts go their own ways in it (`get_query_embedding`, `get_text_embedding`), so
    the instructions of models that have some are kept.

    ```python
    from llama_index.core import MockEmbedding
    from memori_core import Memori
    from memori_llamaindex import from_embed_model

    memori = Memori(":memory:", embedder=from_embed_model(MockEmbedding(embed_dim=8)))
    print(memori.stats()["embedder"])
    #> llama-index/MockEmbedding/unknown
    ```

    Args:
        embed_model: The model.
        name: Stored beside every vector; None for class and model name. Give another one when the
            model changes what it computes.

    Raises:
        ConfigError: It is no embedding model.
    """
    if not isinstance(embed_model, BaseEmbedding):  # pyright: ignore[reportUnnecessaryIsInstance] (callers without a checker)
        raise ConfigError(f"`embed_model` must be a BaseEmbedding, got {embed_model!r}.")
    default = f"llama-index/{type(embed_model).__name__}/{embed_model.model_name}"
    return _FromEmbedModel(embed_model, default if name is None else name)


class _FromEmbedModel(Embedder):
    def __init__(self, model: BaseEmbedding, name: str) -> None:
        self.name = name
        self._model = model
        self._dim: int | None = None

    @property
    def dim(self) -> int:
        if self._dim is None:
            self.embed_query("dimension")
        assert self._dim is not None
        return self._dim

    def profile(self) -> EmbedderProfile | None:
        """None: it is estimated once."""
        return None

    def embed_query(self, text: str) -> FloatArray:
        try:
            vectors = [self._model.get_query_embedding(_sendable(text))]
        except Exception as e:  # the model's own client raises whatever it likes
            raise EmbeddingError(f"`{self.name}` failed on a question: {e!r}") from e
        return self._rows(vectors)[0]

    def embed_documents(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        if not texts:
            return np.empty((0, self.dim), np.float32)
        sent = [_sendable(text) for text in texts]
        try:
            vectors = self._model.get_text_embedding_batch(sent, show_progress=progress)
        except Exception as e:  # the model's own client raises whatever it likes
            raise EmbeddingError(f"`{self.name}` failed on {len(texts)} texts: {e!r}") from e
        if len(vectors) != len(texts):
            raise EmbeddingError(
                f"`{self.name}` gave {len(vectors)} vectors for {len(texts)} texts."
            )
        return self._rows(vectors)

    def _rows(self, vectors: Sequence[Sequence[float]]) -> FloatArray:
        """Unit rows, shape `(n, dim)`, float32."""
        try:
            rows = np.asarray(vectors, np.float64)
        except (TypeError, ValueError) as e:
            raise EmbeddingError(f"`{self.name}` gave no vectors of one length: {e}") from e
        if rows.ndim != 2 or not rows.shape[1] or not np.isfinite(rows).all():
            raise EmbeddingError(f"`{self.name}` gave no finite vectors: shape {rows.shape}.")
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        self._dim = rows.shape[1]
        # A vector of zeros, which some models give for blank text, stays one: it is like nothing.
        return (rows / np.where(norms == 0, 1, norms)).astype(np.float32)


def _sendable(text: str) -> str:
    """A text that every model's client can encode; blank ones are refused by many."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ") or " "
