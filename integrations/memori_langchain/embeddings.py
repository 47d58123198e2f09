"""LangChain's embedding models at work inside memori-core."""

from __future__ import annotations

import sys
from typing import Any

from langchain_core.embeddings import Embeddings

from memori_core import Embedder, EmbedderProfile
from memori_core.errors import ConfigError
from memori_core.hooks import CallableEmbedder


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

    def embed_queries(texts: list[str]) -> list[list[float]]:
        return [embeddings.embed_query(text) for text in texts]

    return CallableEmbedder(
        embeddings.embed_documents,
        name=name or _name_of(embeddings),
        batch_size=sys.maxsize,  # the model makes batches of its own
        query_function=embed_queries,
        profile=profile,
    )


def _name_of(embeddings: Any) -> str:
    model = getattr(embeddings, "model", None) or getattr(embeddings, "model_name", None)
    kind = type(embeddings).__name__
    return f"{kind}/{model}" if isinstance(model, str) else kind
