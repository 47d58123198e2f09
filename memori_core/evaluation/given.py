"""An embedder whose vectors come from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from memori_core.embedding import Embedder, EmbedderProfile
from memori_core.embedding.profiles import shipped_profile
from memori_core.errors import EmbeddingError


class GivenVectors(Embedder):
    """Stands for the model that made the vectors which are given with every fact and question.

    Args:
        name: Of the model; decides the profile.
        dim: Number of components.
    """

    def __init__(self, name: str, *, dim: int) -> None:
        self.name = name
        self._dim = dim

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._dim

    def profile(self) -> EmbedderProfile:
        """The profile shipped for the model, where its dimension is right; else the identity."""
        shipped = shipped_profile(self.name)
        fits = shipped is not None and (
            shipped.background is None or len(shipped.background) == self._dim
        )
        return shipped if shipped is not None and fits else EmbedderProfile()

    def embed_query(self, text: str) -> NoReturn:
        """Raises `EmbeddingError`: there is no model."""
        raise EmbeddingError(f"no vector was given for {text!r:.60}, and no model is loaded.")

    def embed_documents(self, texts: Sequence[str], *, progress: bool = False) -> NoReturn:
        """Raises `EmbeddingError`: there is no model."""
        raise EmbeddingError(f"no vectors were given for {len(texts)} texts.")
