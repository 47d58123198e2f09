"""How a retriever turns questions into vectors, and how it reads their cosines."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

import numpy as np

from memori_core.embedding import CachingEmbedder, Embedder, EmbedderProfile, FloatArray
from memori_core.embedding.profiles import estimate_profile, profile_from_bytes, profile_to_bytes
from memori_core.errors import DimensionMismatchError, StoreError
from memori_core.retrieval.dense import unit_vector
from memori_core.retrieval.person import first_person
from memori_core.stores.base import Store

logger = logging.getLogger(__name__)


class QueryEncoder:
    """An embedder, or its absence, with its profile.

    Args:
        embedder: What makes the vectors; None for none.
        store: Where an estimated profile is kept.
    """

    def __init__(self, embedder: Embedder | None, *, store: Store) -> None:
        self.embedder = None if embedder is None else CachingEmbedder(embedder)
        self._store = store
        self._profile: EmbedderProfile | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str | None:
        """The embedder's name."""
        return None if self.embedder is None else self.embedder.name

    @property
    def dim(self) -> int:
        """Number of components of its vectors, 0 without one. May load the model."""
        return 0 if self.embedder is None else self.embedder.dim

    @property
    def profile(self) -> EmbedderProfile:
        """The embedder's profile: shipped, or kept in the store, or estimated once."""
        if self._profile is None:
            with self._lock:
                if self._profile is None:
                    self._profile = self._find_profile()
        return self._profile

    def _find_profile(self) -> EmbedderProfile:
        if self.embedder is None:
            return EmbedderProfile()
        shipped = self.embedder.profile()
        if shipped is not None:
            return shipped
        name = f"profile:{self.embedder.name}"
        kept = self._store.setting(name)
        if kept is not None:
            return profile_from_bytes(kept)
        profile = estimate_profile(self.embedder)
        try:
            self._store.set_setting(name, profile_to_bytes(profile))
        except StoreError as e:  # a read-only file, for example: it is estimated again next time
            logger.warning("the profile of %s could not be kept: %s", self.embedder.name, e)
        return profile

    def question(
        self, text: str, given: Sequence[float] | FloatArray | None = None
    ) -> FloatArray | None:
        """The vector of a question, shape `(dim,)`; None without an embedder.

        Args:
            text: The question.
            given: Its vector, if it is known already.

        Raises:
            DimensionMismatchError: `given` is not of the embedder's shape, or there is none.
        """
        if given is not None:
            if self.embedder is None:
                raise DimensionMismatchError(
                    "`vector` was given, but this memory has no embedder to compare it with. "
                    "Create Memori with the embedder that made it."
                )
            return unit_vector(given, dim=self.dim)
        if self.embedder is None:
            return None
        return unit_vector(self.embedder.embed_query(first_person(text)), dim=self.dim)

    def names(self, names: Sequence[str]) -> FloatArray:
        """The vectors of names in a question, shape `(n, dim)`."""
        if self.embedder is None or not names:
            return np.zeros((len(names), self.dim), np.float32)
        return self.embedder.embed_documents(names)

    def warm_up(self) -> None:
        """Load the embedder and its profile."""
        if self.embedder is not None:
            self.embedder.warm_up()
        _ = self.profile
