"""Vectors of texts kept on disk, so that an evaluation embeds every text once.

One file per embedder below `~/.cache/memori-core/vectors`, or below `MEMORI_CACHE_DIR`: an .npz
archive with a SHA-256 and a float32 row per text. The archive's checksums tell whether it is
whole; one that is not is made anew.
"""

from __future__ import annotations

import hashlib
import logging
import re
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias

import numpy as np
from tqdm import tqdm

from memori_core.config import env
from memori_core.embedding import Embedder, EmbedderProfile, FloatArray

logger = logging.getLogger(__name__)

SAVE_EVERY = 2_000
"""New texts after which the file is written, so that an interrupted run is not for nothing."""

_Role: TypeAlias = Literal["query", "document"]
# What a file that is not whole, or not ours, makes `numpy.load` and its members raise.
_DAMAGE = (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile)


def cache_folder() -> Path:
    """Where vectors are kept: `$MEMORI_CACHE_DIR/vectors`, or below `~/.cache/memori-core`."""
    return Path(env("MEMORI_CACHE_DIR", "~/.cache/memori-core")).expanduser() / "vectors"


class StoredVectors(Embedder):
    """An embedder that keeps every vector it made on disk.

    The model is not loaded while all texts are known. Used as a context manager, it saves at the
    end; two processes that save at the same time do not mix, and the later one wins.

    Args:
        inner: The embedder that does the work.
        folder: Where the file goes; None for `cache_folder()`.
    """

    def __init__(self, inner: Embedder, folder: Path | None = None) -> None:
        self.name = inner.name
        self.multilingual = inner.multilingual
        self._inner = inner
        self._path = (folder or cache_folder()) / f"{_file_name(inner.name)}.npz"
        self._rows: dict[bytes, FloatArray] = _load(self._path)
        self._unsaved = 0

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        known = next(iter(self._rows.values()), None)
        return self._inner.dim if known is None else len(known)

    def profile(self) -> EmbedderProfile | None:
        """The profile of the inner embedder."""
        return self._inner.profile()

    def embed_query(self, text: str) -> FloatArray:
        """The vector of a question, stored or made now."""
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        """The vectors of questions, shape `(n, dim)`, stored or made now."""

        def embed(several: Sequence[str]) -> FloatArray:
            return np.stack([self._inner.embed_query(text) for text in several])

        return self._embed(texts, "query", embed, progress=progress)

    def embed_documents(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        """The vectors of texts, shape `(n, dim)`, stored or made now."""
        return self._embed(texts, "document", self._inner.embed_documents, progress=progress)

    def save(self) -> None:
        """Write what is new. The file is replaced whole, or not at all."""
        if not self._unsaved:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        keys = np.frombuffer(b"".join(self._rows), np.uint8).reshape(len(self._rows), -1)
        with tempfile.NamedTemporaryFile(
            dir=self._path.parent, suffix=".part", delete=False
        ) as file:
            part = Path(file.name)
            try:
                np.savez(file, keys=keys, rows=np.stack(list(self._rows.values())))
            except BaseException:
                part.unlink(missing_ok=True)
                raise
        part.replace(self._path)
        self._unsaved = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.save()

    def _embed(
        self,
        texts: Sequence[str],
        role: _Role,
        embed: Callable[[Sequence[str]], FloatArray],
        *,
        progress: bool,
    ) -> FloatArray:
        keys = [_key(text, role) for text in texts]
        missing = {k: t for k, t in zip(keys, texts, strict=True) if k not in self._rows}
        # Neighbours of like length waste no padding.
        todo = sorted(missing.items(), key=lambda item: len(item[1]))
        step = 256
        with tqdm(total=len(todo), desc=f"embed {role}s", disable=not (progress and todo)) as bar:
            for start in range(0, len(todo), step):
                some = todo[start : start + step]
                rows = embed([text for _, text in some]).astype(np.float32)
                self._rows.update(zip((key for key, _ in some), rows, strict=True))
                self._unsaved += len(some)
                if self._unsaved >= SAVE_EVERY:
                    self.save()
                bar.update(len(some))
        if not texts:
            return np.empty((0, self.dim), np.float32)
        return np.stack([self._rows[key] for key in keys])


def name_of(embedder: Embedder | None) -> str:
    """What an evaluation says it used: the name of the embedder, or `none`."""
    return "none" if embedder is None else embedder.name


def _key(text: str, role: _Role) -> bytes:
    # An embedder may put different prefixes before questions and before texts to be stored.
    return hashlib.sha256(f"{role}\0{text}".encode()).digest()


def _file_name(embedder: str) -> str:
    readable = re.sub(r"[^\w.-]+", "-", embedder)
    return f"{readable}-{hashlib.sha256(embedder.encode()).hexdigest()[:8]}"


def _load(path: Path) -> dict[bytes, FloatArray]:
    if not path.exists():
        return {}
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            keys, rows = archive["keys"], archive["rows"]
    except _DAMAGE as e:
        logger.warning("%s is damaged and made anew: %s", path, e)
        return {}
    if keys.ndim != 2 or rows.ndim != 2 or len(keys) != len(rows) or rows.dtype != np.float32:
        logger.warning("%s is of another format and made anew", path)
        return {}
    return dict(zip((key.tobytes() for key in keys), rows, strict=True))
