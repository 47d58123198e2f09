"""Pydantic AI's embedding models at work inside memori-core."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal

import numpy as np
from pydantic_ai import Embedder as PydanticAIEmbedder
from pydantic_ai.embeddings import EmbeddingModel

from memori_core import Embedder, EmbedderProfile
from memori_core.errors import ConfigError
from memori_core.hooks import CallableEmbedder, FloatArray
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


class _Embedder(CallableEmbedder):
    """Long texts in pieces; zeros for a blank one, which providers refuse."""

    def __init__(
        self,
        embedder: PydanticAIEmbedder,
        *,
        name: str,
        batch_size: int,
        multilingual: bool,
        profile: EmbedderProfile | None,
    ) -> None:
        # Not methods: with a circle of references the loop would outlive this object.
        embed = partial(_embed, embedder, BackgroundLoop())
        super().__init__(
            partial(embed, "document"),
            name=name,
            batch_size=batch_size,
            query_function=partial(embed, "query"),
            profile=profile,
        )
        self.multilingual = multilingual

    def embed_query(self, text: str) -> FloatArray:
        return super().embed_query(text) if text.strip() else np.zeros(self.dim, np.float32)

    def embed_documents(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        said = [n for n, text in enumerate(texts) if text.strip()]
        rows = np.zeros((len(texts), self.dim), np.float32)
        rows[said] = super().embed_documents([texts[n] for n in said], progress=progress)
        return rows

    def _windows(self, text: str, _prefix: str, /) -> list[str]:
        cut = [text[at : at + WINDOW_CHARS] for at in range(0, len(text), WINDOW_CHARS)]
        return [piece for piece in cut if piece.strip()]


def _embed(
    embedder: PydanticAIEmbedder,
    loop: BackgroundLoop,
    kind: Literal["query", "document"],
    texts: list[str],
) -> list[Sequence[float]]:
    async def embed() -> list[Sequence[float]]:
        return list((await embedder.embed(texts, input_type=kind)).embeddings)

    return loop.run(embed())


def _name_of(embedder: PydanticAIEmbedder) -> str:
    model = embedder.model
    return model if isinstance(model, str) else f"{model.system}:{model.model_name}"
