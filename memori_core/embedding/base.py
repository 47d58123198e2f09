"""What turns text into vectors, and how its cosines are to be read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from memori_core._threads import run_sync

FloatArray: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbedderProfile:
    """How the cosines of one embedder are to be read.

    A cosine counts from the query's background upwards: `d = max(0, (cos - q·m) * scale)`, where
    `m` is the mean vector of a cohort of everyday sentences (docs/pages/concepts/scores.md).
    The default profile takes cosines as they are.
    """

    background: FloatArray | None = None
    """Mean vector of the English cohort, shape `(dim,)`; None stands for zeros."""
    _: KW_ONLY
    background_cjk: FloatArray | None = None
    """Mean vector of the Chinese cohort, for queries in a script without spaces."""
    scale: float = 1.0
    """What makes a spread of cosines comparable to that of all-MiniLM-L6-v2."""
    multilingual: bool = False
    """Whether the embedder understands more than English."""


class Embedder(ABC):
    """Turns text into unit vectors. Safe to call from many threads.

    ```python
    import numpy as np

    from memori_core import Embedder, Memori


    class Vowels(Embedder):
        name = "vowels"
        dim = 5

        def embed_query(self, text):
            return self.embed_documents([text])[0]

        def embed_documents(self, texts, *, progress=False):
            counts = [[text.count(v) + 1 for v in "aeiou"] for text in texts]
            rows = np.array(counts, np.float32).reshape(-1, 5)
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)


    alice = Memori(":memory:", embedder=Vowels()).scoped("alice")
    alice.remember("banana")
    alice.remember("kiwi")
    print(alice.recall("papaya", strictness=0)[0].content)
    #> banana
    ```
    """

    name: str
    """Stored beside every vector; vectors of different names are never compared."""
    multilingual: bool = False
    """Whether it understands more than English. Goes into an estimated profile."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of components of every vector. May load the model."""

    @abstractmethod
    def embed_query(self, text: str) -> FloatArray:
        """The vector of a question.

        Returns:
            Shape `(dim,)`, float32, unit length.

        Raises:
            EmbeddingError: The model could not be loaded or gave no usable vector.
        """

    @abstractmethod
    def embed_documents(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        """The vectors of texts to be stored. Long texts count from their first to their last word.

        Args:
            texts: Any number, also 0.
            progress: Show a progress bar on long work.

        Returns:
            Shape `(n, dim)`, float32, unit rows.
        """

    def profile(self) -> EmbedderProfile | None:
        """The profile shipped with this embedder, or None where it has to be estimated."""
        return EmbedderProfile()

    def warm_up(self) -> None:
        """Load what is loaded on first use, so that the first recall is as quick as the next."""
        self.embed_query("warm up")

    async def aembed_query(self, text: str) -> FloatArray:
        """`embed_query` without blocking the event loop."""
        return await run_sync(self.embed_query, text)

    async def aembed_documents(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        """`embed_documents` without blocking the event loop."""
        return await run_sync(self.embed_documents, texts, progress=progress)
