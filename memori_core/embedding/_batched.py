"""What the embedders have in common: prefixes, batches, long texts, checks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from memori_core.embedding._vectors import checked_rows, unit_rows
from memori_core.embedding.base import Embedder, FloatArray
from memori_core.errors import ConfigError


class BatchedEmbedder(Embedder):
    """An embedder made of one method, `_encode`, and optionally `_windows`.

    Args:
        name: See `Embedder.name`.
        query_prefix: Put before every question.
        passage_prefix: Put before every text to be stored.
        batch_size: Texts per call of `_encode`, at least 1.
        dim: Number of components, where it is known without asking the model.
    """

    def __init__(
        self,
        name: str,
        *,
        query_prefix: str = "",
        passage_prefix: str = "",
        batch_size: int = 32,
        dim: int | None = None,
    ) -> None:
        if not name:
            raise ConfigError("`name` of an embedder must not be empty.")
        if batch_size < 1:
            raise ConfigError(f"`batch_size` must be at least 1, not {batch_size}.")
        self.name = name
        self.query_prefix = query_prefix
        self.passage_prefix = passage_prefix
        self.batch_size = batch_size
        self._dim = dim

    @abstractmethod
    def _encode(self, texts: list[str], is_query: bool, /) -> npt.ArrayLike:
        """Vectors of 1 to `batch_size` texts, prefix included, shape `(n, dim)`.

        Called from many threads.
        """

    def _windows(self, text: str, _prefix: str, /) -> list[str]:
        """A text cut into what `_encode` reads whole, without the prefix. Never empty."""
        return [text]

    @property
    def dim(self) -> int:
        """Number of components of every vector. Asks the model once."""
        if self._dim is None:
            self._rows(["dimension"], is_query=False)
        assert self._dim is not None
        return self._dim

    def embed_query(self, text: str) -> FloatArray:
        """See `Embedder.embed_query`."""
        return self._embed([text], is_query=True)[0]

    def embed_documents(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        """See `Embedder.embed_documents`."""
        if isinstance(texts, str):
            raise TypeError("`embed_documents` takes a list of texts, not one text.")
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        return self._embed(texts, is_query=False, progress=progress)

    def _embed(self, texts: Sequence[str], *, is_query: bool, progress: bool = False) -> FloatArray:
        prefix = self.query_prefix if is_query else self.passage_prefix
        windows = [self._windows(_encodable(text), prefix) for text in texts]
        pieces = [prefix + window for own in windows for window in own]
        rows = self._in_batches(pieces, is_query=is_query, progress=progress)
        if len(pieces) == len(texts):
            return rows
        firsts = np.cumsum([0, *(len(own) for own in windows[:-1])])
        # The direction of a sum is that of the mean.
        return unit_rows(np.add.reduceat(rows, firsts, axis=0))

    def _in_batches(self, texts: list[str], *, is_query: bool, progress: bool) -> FloatArray:
        if len(texts) <= self.batch_size:
            return self._rows(texts, is_query=is_query)
        # Neighbours of like length waste no padding. The longest first: what does not fit into
        # memory shows at once.
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        batches = [order[i : i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        rows = np.empty((len(texts), self.dim), dtype=np.float32)
        for batch in _with_bar(batches, label=self.name) if progress else batches:
            rows[batch] = self._rows([texts[i] for i in batch], is_query=is_query)
        return rows

    def _rows(self, texts: list[str], *, is_query: bool) -> FloatArray:
        raw = self._encode(texts, is_query)
        rows = checked_rows(raw, count=len(texts), dim=self._dim, source=self.name)
        self._dim = rows.shape[1]
        return rows


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced: tokenizers and JSON refuse them."""
    if text.isascii():
        return text
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _with_bar(batches: list[list[int]], *, label: str) -> Iterable[list[int]]:
    """The batches behind a progress bar on stderr."""
    # The plain bar: `tqdm.auto` warns in notebooks without ipywidgets.
    from tqdm import tqdm

    return tqdm(batches, desc=label, unit="batch")
