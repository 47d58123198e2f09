"""Remembering the vectors of questions."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence

from memori_core.embedding.base import Embedder, EmbedderProfile, FloatArray
from memori_core.errors import ConfigError


class CachingEmbedder(Embedder):
    """An embedder that keeps the vectors of the latest questions.

    Vectors of documents pass through. Two threads that ask the same new question at the same time
    both compute it; neither waits for the other.

    Args:
        inner: The embedder that does the work; its name, dimension and profile are kept.
        max_bytes: Room for vectors and question texts. The least recently used go first.

    Example:
        ```python
        from memori_core.embedding import CachingEmbedder
        from memori_core.testing import FakeEmbedder

        fake = FakeEmbedder()
        embedder = CachingEmbedder(fake)
        for _ in range(3):
            embedder.embed_query("Where do I live?")
        print(fake.queries)
        #> ['Where do I live?']
        ```
    """

    def __init__(self, inner: Embedder, *, max_bytes: int = 8 * 2**20) -> None:
        if max_bytes < 0:
            raise ConfigError(f"`max_bytes` must not be negative; it is {max_bytes}.")
        self.name = inner.name
        self.multilingual = inner.multilingual
        self._inner = inner
        self._max_bytes = max_bytes
        self._used_bytes = 0
        self._vectors: OrderedDict[str, FloatArray] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._inner.dim

    def profile(self) -> EmbedderProfile | None:
        """The profile of the inner embedder."""
        return self._inner.profile()

    def embed_query(self, text: str) -> FloatArray:
        """The vector of a question, computed or remembered. The array is read-only."""
        with self._lock:
            found = self._vectors.get(text)
            if found is not None:
                self._vectors.move_to_end(text)
                return found
        vector = self._inner.embed_query(text).copy()
        vector.setflags(write=False)
        self._keep(text, vector)
        return vector

    def embed_documents(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        """The vectors of texts, always computed."""
        return self._inner.embed_documents(texts, progress=progress)

    def warm_up(self) -> None:
        """Load the inner embedder."""
        self._inner.warm_up()

    def _keep(self, text: str, vector: FloatArray) -> None:
        size = _entry_bytes(text, vector)
        if size > self._max_bytes:
            return
        with self._lock:
            if text in self._vectors:
                return
            self._vectors[text] = vector
            self._used_bytes += size
            while self._used_bytes > self._max_bytes:
                self._used_bytes -= _entry_bytes(*self._vectors.popitem(last=False))


def _entry_bytes(text: str, vector: FloatArray) -> int:
    return sys.getsizeof(text) + vector.nbytes
