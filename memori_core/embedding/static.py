"""Static word vectors: no network of neurons, no torch, a fraction of a millisecond per text."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from memori_core._extras import load_extra, require_extra
from memori_core.embedding import _weights
from memori_core.embedding._batched import BatchedEmbedder
from memori_core.embedding.base import EmbedderProfile, FloatArray
from memori_core.embedding.profiles import shipped_profile
from memori_core.errors import MissingExtraError

STATIC = "wordllama/l2-supercat-256"
# Of wordllama 0.4.0.post1, computed from the installed package.
_WEIGHTS_SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
_TOKENIZER_SHA256 = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
_EXTRA = {"feature": "StaticEmbedder", "package": "wordllama", "extra": "static"}


class StaticEmbedder(BatchedEmbedder):
    """The mean of wordllama's word vectors: English, 256 components, packaged, no torch.

    It finds texts that share words or near-synonyms, and misses most paraphrases: it keeps 41 % of
    those that all-MiniLM-L6-v2 keeps 80 % of (docs/pages/concepts/embedders.md). Every word of a
    long text counts alike. A text without a single token gets the zero vector.

    Raises:
        MissingExtraError: wordllama is not installed.

    Example:
        ```python
        from memori_core.embedding import StaticEmbedder

        print(StaticEmbedder().embed_documents(["User likes tea.", "User lives in Graz."]).shape)
        #> (2, 256)
        ```
    """

    def __init__(self) -> None:
        require_extra("wordllama", **_EXTRA)
        super().__init__(STATIC, batch_size=1024)
        self._model: tuple[Any, FloatArray] | None = None
        self._load_lock = threading.Lock()

    def profile(self) -> EmbedderProfile | None:
        """The shipped profile."""
        return shipped_profile(self.name)

    def _encode(self, texts: list[str], _is_query: bool, /) -> npt.ArrayLike:
        tokenizer, matrix = self._loaded()
        encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
        return np.stack([_mean(np.asarray(e.ids, dtype=np.int64), matrix) for e in encoded])

    def _loaded(self) -> tuple[Any, FloatArray]:
        """The tokenizer and the word vectors, shape `(vocabulary, 256)`."""
        if self._model is None:
            with self._load_lock:
                if self._model is None:
                    self._model = _load()
        return self._model


def _load() -> tuple[Any, FloatArray]:
    # The files are read without importing wordllama: its import sets up the root logger and loads
    # an HTTP client, and its loader (0.4) looks for the tokenizer in the wrong folder of its own
    # package and then asks the network. safetensors and tokenizers come with it.
    folder = _weights.package_folder("wordllama")
    safetensors = load_extra("safetensors.numpy", **_EXTRA)
    tokenizers = load_extra("tokenizers", **_EXTRA)
    if folder is None:
        raise MissingExtraError(**_EXTRA)
    weights = folder / "weights" / "l2_supercat_256.safetensors"
    tokenizer_file = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
    _weights.verify(weights, sha256=_WEIGHTS_SHA256, package="wordllama")
    _weights.verify(tokenizer_file, sha256=_TOKENIZER_SHA256, package="wordllama")
    tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer_file))
    tokenizer.no_truncation()
    # Padding is of no use to a mean, and costs memory for the longest text of a batch.
    tokenizer.no_padding()
    matrix = safetensors.load_file(weights)["embedding.weight"]
    return tokenizer, matrix.astype(np.float32)


def _mean(ids: npt.NDArray[np.int64], matrix: FloatArray) -> FloatArray:
    """What `WordLlama.embed` gives, with memory bounded by the vocabulary, not by the text.

    Returns:
        Shape `(dim,)`, not yet of unit length; zeros when there is no token.
    """
    known = np.minimum(ids, len(matrix) - 1)
    tokens, counts = np.unique(known, return_counts=True)
    return counts.astype(np.float32) @ matrix[tokens] / np.float32(max(1, len(ids)))
