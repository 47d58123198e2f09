"""Agno's embedders and models at work in the core."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from agno.knowledge.embedder.base import Embedder as AgnoEmbedder
from agno.knowledge.embedder.openai import OpenAIEmbedder

from memori_agno import AgnoModelExtractor, from_embedder
from memori_agno.testing import FakeModel
from memori_core import Embedder, InMemoryStore, Memori
from memori_core.errors import ConfigError, EmbeddingError
from memori_core.testing import EmbedderConformance, ExtractorConformance, FakeEmbedder


class Hashed(AgnoEmbedder):
    """An Agno embedder without a network."""

    def __init__(self) -> None:
        super().__init__(dimensions=64)
        self.threads: set[int] = set()

    def get_embedding(self, text: str) -> list[float]:
        self.threads.add(threading.get_ident())
        return [3 * float(x) for x in FakeEmbedder().embed_query(text)]


class TestFromEmbedder(EmbedderConformance):
    def make_embedder(self) -> Embedder:
        return from_embedder(Hashed())


class TestAgnoModelExtractor(ExtractorConformance):
    def make_extractor(self) -> AgnoModelExtractor:
        return AgnoModelExtractor(FakeModel(answer=lambda _: '{"facts": []}'))


def test_an_embedder_of_agno_recalls():
    with Memori(InMemoryStore(), embedder=from_embedder(Hashed())) as memori:
        memori.scoped("alice").remember("User keeps bees.")
        found = memori.scoped("alice").recall("bees", strictness=0)
        assert found[0].dense_score > 0.3


def test_embedders_are_named_by_class_model_and_size():
    large = OpenAIEmbedder(id="text-embedding-3-large", api_key="none")
    assert from_embedder(large).name == "agno.OpenAIEmbedder(text-embedding-3-large, 3072)"
    assert from_embedder(Hashed(), name="mine").name == "mine"
    with pytest.raises(ConfigError, match="embedder of Agno's"):
        from_embedder("text-embedding-3-large")  # type: ignore[arg-type]


def test_an_embedder_that_gives_nothing_is_an_error():
    class Empty(AgnoEmbedder):
        def get_embedding(self, text: str) -> list[float]:
            return []

    with pytest.raises(EmbeddingError):
        from_embedder(Empty()).embed_query("tea")


def test_a_model_of_agno_extracts():
    model = FakeModel(answer=lambda _: '{"facts": ["User keeps bees.", "User owns a yacht."]}')
    extractor = AgnoModelExtractor(model)
    assert extractor.name == "agno:fake"
    with Memori(InMemoryStore(), embedder=None, extractor=extractor) as memori:
        memori.scoped("alice").capture("I keep bees.")
        memori.flush()
        assert [f.content for f in memori.scoped("alice").list()] == ["User keeps bees."]
    (request,) = model.requests
    assert {message.role for message in request} <= {"system", "user"}
    assert "I keep bees." in str(request[-1].content)


@pytest.mark.parametrize("wrong", [None, 3, "no such model"])
def test_what_is_no_model_is_refused(wrong: Any):
    with pytest.raises(ConfigError, match="model"):
        AgnoModelExtractor(wrong)
