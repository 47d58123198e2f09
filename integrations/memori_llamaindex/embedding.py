"""LlamaIndex's embedding models as embedders of a memory."""

from __future__ import annotations

from llama_index.core.base.embeddings.base import BaseEmbedding

from memori_core import Embedder
from memori_core.errors import ConfigError
from memori_core.hooks import CallableEmbedder


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

    def embed_texts(texts: list[str]) -> list[list[float]]:
        return embed_model.get_text_embedding_batch([_sendable(text) for text in texts])

    def embed_queries(texts: list[str]) -> list[list[float]]:
        return [embed_model.get_query_embedding(_sendable(text)) for text in texts]

    return CallableEmbedder(
        embed_texts,
        name=name or default,
        batch_size=embed_model.embed_batch_size,
        query_function=embed_queries,
        profile=None,  # it is estimated once
    )


def _sendable(text: str) -> str:
    """A text that every model's client takes: many refuse empty ones."""
    return text.replace("\0", " ") or " "
