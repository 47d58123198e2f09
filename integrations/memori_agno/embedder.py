"""An embedder of Agno's as one of ours."""

from __future__ import annotations

from typing import Any

from agno.knowledge.embedder.base import Embedder as AgnoEmbedder

from memori_core import Embedder
from memori_core.errors import ConfigError
from memori_core.hooks import CallableEmbedder


def from_embedder(embedder: AgnoEmbedder, *, name: str | None = None) -> Embedder:
    """What an Agno embedder makes of texts, for `Memori(embedder=...)`.

    Texts are embedded one by one, in worker threads. Vectors are checked and scaled to unit length.

    ```python
    from agno.knowledge.embedder.base import Embedder
    from memori_agno import from_embedder
    from memori_core import Memori

    class Vowels(Embedder):
        def get_embedding(self, text):
            return [float(text.count(vowel)) + 1 for vowel in "aeiou"]

    memori = Memori(":memory:", embedder=from_embedder(Vowels()))
    print(memori.stats()["embedder"])
    #> agno.Vowels
    ```

    Args:
        embedder: The embedder.
        name: Stored beside every vector; None for its class and the id of its model. Give a new
            one when it computes something else.

    Raises:
        ConfigError: It is no embedder of Agno's.
    """
    if not isinstance(embedder, AgnoEmbedder):  # pyright: ignore[reportUnnecessaryIsInstance] (callers without a checker)
        raise ConfigError(f"`embedder` must be an embedder of Agno's, got {embedder!r}.")

    def embed(texts: list[str]) -> list[list[float]]:
        return [embedder.get_embedding(text) for text in texts]

    return CallableEmbedder(embed, name=name or f"agno.{_name(embedder)}")


def _name(embedder: Any) -> str:
    """Its class, model and size: vectors of different models are never compared."""
    kind = type(embedder).__name__
    model = getattr(embedder, "id", None)
    return f"{kind}({model}, {embedder.dimensions})" if model else kind
