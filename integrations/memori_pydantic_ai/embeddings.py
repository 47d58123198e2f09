"""Pydantic AI's embedding models at work inside memori-core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from pydantic_ai import Embedder as PydanticAIEmbedder
from pydantic_ai.embeddings import EmbeddingModel

from memori_core import Embedder, EmbedderProfile
from memori_core.errors import ConfigError, EmbeddingError
from memori_core.hooks import FloatArray
from memori_pydantic_ai._background_loop import BackgroundLoop

WINDOW_CHARS: Final = 6_000
"""Longer texts are embedded in pieces whose vectors are averaged: 8,192 tokens of any script."""


def from_embedder(
    embedder: PydanticAIEmbedder | EmbeddingModel | str,
    *,
    name: str | None = None,
    batch_size: int = 64,
    multilingual: bool = True,
    profile: EmbedderProfile | None = None,
) -> Embedder:
    """An embedder for `Memori(embedder=...)` made of one of Pydantic AI's.

    Give memory an embedder of its own: it is used on an event loop of its own, in a thread that
    many recalls share. Questions and texts are embedded as such, where the model knows both.

    ```python
    from memori_core import InMemoryStore, Memori
    from memori_pydantic_ai import from_embedder
    from pydantic_ai.embeddings import TestEmbeddingModel

    embedder = from_embedder(TestEmbeddingModel(dimensions=4))
    print(embedder.name, embedder.embed_query("tea").tolist())
    #> test:test [0.5, 0.5, 0.5, 0.5]
    ```

    Args:
        embedder: An `Embedder`, a model, or a name such as `"openai:text-embedding-3-small"`.
        name: Stored beside every vector; None for the provider's and the model's names. Give
            another one when its settings change what it computes.
        batch_size: Texts per request.
        multilingual: Whether the model reads more than English. Most hosted models do.
        profile: How its cosines are to be read; None has it estimated once, from about 300
            sentences that are embedded, and kept in the store.

    Raises:
        ConfigError: It is no embedder of Pydantic AI's, or `batch_size` is below 1.
    """
    if isinstance(embedder, EmbeddingModel | str):
        embedder = PydanticAIEmbedder(embedder)
    if not isinstance(embedder, PydanticAIEmbedder):  # pyright: ignore[reportUnnecessaryIsInstance] (callers without a checker)
        raise ConfigError(f"`embedder` must be an Embedder of Pydantic AI's, got {embedder!r}.")
    if batch_size < 1:
        raise ConfigError(f"`batch_size` must be at least 1, got {batch_size}.")
    return _Embedder(
        embedder,
        name=name or _name_of(embedder),
        batch_size=batch_size,
        multilingual=multilingual,
        profile=profile,
    )


class _Embedder(Embedder):
    def __init__(
        self,
        embedder: PydanticAIEmbedder,
        *,
        name: str,
        batch_size: int,
        multilingual: bool,
        profile: EmbedderProfile | None,
    ) -> None:
        self.name = name
        self.multilingual = multilingual
        self._embedder = embedder
        self._batch_size = batch_size
        self._profile = profile
        self._loop = BackgroundLoop()
        self._dim: int | None = None

    @property
    def dim(self) -> int:
        if self._dim is None:
            self._dim = int(self._vectors(["dimension"], "document").shape[1])
        return self._dim

    def embed_query(self, text: str) -> FloatArray:
        return self._rows([text], "query")[0]

    def embed_documents(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        return self._rows(texts, "document")

    def profile(self) -> EmbedderProfile | None:
        return self._profile

    def _rows(self, texts: Sequence[str], kind: Literal["query", "document"]) -> FloatArray:
        """One unit row per text; zeros for a blank one, which providers refuse."""
        pieces = [(n, piece) for n, text in enumerate(texts) for piece in _pieces(text)]
        sums = np.zeros((len(texts), self.dim), np.float32)
        if pieces:
            vectors = self._vectors([piece for _, piece in pieces], kind)
            np.add.at(sums, [n for n, _ in pieces], vectors)
        return _unit(sums)

    def _vectors(self, texts: list[str], kind: Literal["query", "document"]) -> FloatArray:
        try:
            vectors = self._loop.run(self._embedded(texts, kind))
        except Exception as e:  # whatever the provider's client raises
            raise EmbeddingError(f"`{self.name}` failed on {len(texts)} texts: {e!r}") from e
        rows = np.asarray(vectors, np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise EmbeddingError(
                f"`{self.name}` gave no usable vectors for {len(texts)} texts: shape {rows.shape}."
            )
        return _unit(rows)

    async def _embedded(
        self, texts: list[str], kind: Literal["query", "document"]
    ) -> list[Sequence[float]]:
        vectors: list[Sequence[float]] = []
        for start in range(0, len(texts), self._batch_size):
            batch = texts[start : start + self._batch_size]
            vectors += (await self._embedder.embed(batch, input_type=kind)).embeddings
        return vectors


def _pieces(text: str) -> list[str]:
    clean = text.encode("utf-8", "replace").decode()
    cut = [clean[at : at + WINDOW_CHARS] for at in range(0, len(clean), WINDOW_CHARS)]
    return [piece for piece in cut if piece.strip()]


def _unit(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths == 0, 1.0, lengths)).astype(np.float32)


def _name_of(embedder: PydanticAIEmbedder) -> str:
    model = embedder.model
    return model if isinstance(model, str) else f"{model.system}:{model.model_name}"
