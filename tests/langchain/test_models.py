"""LangChain's own models at work inside memori-core: embeddings and extraction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI

from memori_core import EmbedderProfile, InMemoryStore, Memori
from memori_core.embedding import Embedder
from memori_core.errors import ConfigError, EmbeddingError
from memori_core.testing import (
    EmbedderConformance,
    FakeEmbedder,
    ProviderServer,
    Reply,
)
from memori_langchain import ChatModelExtractor, MemoriCallbackHandler, from_embeddings

# -------------------------------------------------------------------------------------- embeddings


class Words(Embeddings):
    """Texts that share words are similar; not of unit length."""

    model = "words-1"

    def __init__(self) -> None:
        self.inner = FakeEmbedder()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return (3 * self.inner.embed_documents(texts)).tolist()

    def embed_query(self, text: str) -> list[float]:
        return (3 * self.inner.embed_query(text)).tolist()


class TestEmbedder(EmbedderConformance):
    def make_embedder(self) -> Embedder:
        return from_embeddings(Words())


def test_recall_with_langchains_embeddings():
    embedder = from_embeddings(Words(), profile=EmbedderProfile())
    with Memori(InMemoryStore(), embedder=embedder) as memori:
        alice = memori.scoped("alice")
        alice.remember_many(["User plays the cello.", "User lives in Porto."])
        found = alice.recall("cello", strictness=0)
        assert found[0].content == "User plays the cello."
        assert found[0].dense_score > 0.3
        assert memori.stats()["embedder"] == "Words/words-1"


def test_names_and_dimensions():
    fake = from_embeddings(DeterministicFakeEmbedding(size=7))
    assert fake.name == "DeterministicFakeEmbedding"
    assert fake.dim == 7
    assert fake.embed_documents([]).shape == (0, 7)
    assert np.allclose(np.linalg.norm(fake.embed_documents(["a", "b"]), axis=1), 1)
    assert fake.profile() is None  # estimated from the cohort
    assert from_embeddings(Words(), name="mine").name == "mine"
    with pytest.raises(ConfigError, match="Embeddings"):
        from_embeddings(FakeEmbedder())


@pytest.mark.parametrize(
    "given", [[[float("nan"), 1.0]], [], [[1.0], [1.0]], [["word"]], RuntimeError("down")]
)
def test_unusable_vectors_are_an_embedding_error(given):
    class Bad(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            if isinstance(given, Exception):
                raise given
            return given

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    embedder = from_embeddings(Bad())
    with pytest.raises(EmbeddingError):
        embedder.embed_documents(["a"])


# -------------------------------------------------------------------------------------- extraction

FINDINGS = '{"facts": [{"content": "User is allergic to peanuts.", "message": 1, "pinned": true}]}'
SAID = "Peanuts? I am allergic."


def facts(memori: Memori) -> list[str]:
    memori.flush()
    return [fact.content for fact in memori.scoped("alice").list()]


@pytest.mark.parametrize("reply", [FINDINGS, f"Sure!\n```json\n{FINDINGS}\n```"])
def test_a_model_without_tools_answers_in_text(reply):
    extractor = ChatModelExtractor(FakeListChatModel(responses=[reply]))
    with Memori(InMemoryStore(), embedder=None, extractor=extractor) as memori:
        memori.scoped("alice").capture(SAID)
        assert facts(memori) == ["User is allergic to peanuts."]
        assert extractor.stats()["calls"] == 1


def test_what_the_user_did_not_say_is_left_out():
    model = FakeListChatModel(responses=['{"facts": ["User owns a yacht in Monaco."]}'])
    extractor = ChatModelExtractor(model)
    with Memori(InMemoryStore(), embedder=None, extractor=extractor) as memori:
        memori.scoped("alice").capture(SAID)
        assert facts(memori) == []
        assert extractor.stats()["facts_rejected"] == 1


def test_structured_output_over_the_wire_is_nobodys_turn():
    with ProviderServer(FINDINGS) as server, Memori(InMemoryStore(), embedder=None) as other:
        heard = MemoriCallbackHandler(other, entity_id="eve")
        model = ChatOpenAI(
            model="any",
            api_key="none",
            base_url=server.openai_url,
            max_retries=0,
            callbacks=[heard],
        )
        other.llm.register(model)
        extractor = ChatModelExtractor(model)
        with Memori(InMemoryStore(), embedder=None, extractor=extractor) as memori:
            with other.attribution("eve"):
                memori.scoped("alice").capture(SAID)
            assert facts(memori) == ["User is allergic to peanuts."]
            assert memori.scoped("alice").list()[0].pinned
        other.flush()
        assert other.entities() == []
        body = server.last.body
        assert "Findings" in str(body.get("response_format") or body.get("tools"))


def test_a_reply_that_does_not_fit_the_schema_is_read_tolerantly():
    loose = Reply('{"facts": ["User is allergic to peanuts."]}')
    with ProviderServer(loose) as server:
        model = ChatOpenAI(model="any", api_key="none", base_url=server.openai_url, max_retries=0)
        with Memori(InMemoryStore(), embedder=None, extractor=ChatModelExtractor(model)) as memori:
            memori.scoped("alice").capture(SAID)
            assert facts(memori) == ["User is allergic to peanuts."]


def test_callbacks_of_the_model_itself_can_tell_the_extraction_by_its_name():
    heard: list[str] = []

    class Listen(BaseCallbackHandler):
        def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
            heard.append(kwargs["name"])

    model = FakeListChatModel(responses=[FINDINGS], callbacks=[Listen()])
    with Memori(InMemoryStore(), embedder=None, extractor=ChatModelExtractor(model)) as memori:
        memori.scoped("alice").capture(SAID)
        assert facts(memori) == ["User is allergic to peanuts."]
    assert heard in (
        [],
        ["memori_extraction"],
    )  # the model's own callbacks are the program's affair


def test_only_chat_models_are_taken():
    with pytest.raises(ConfigError, match="chat model"):
        ChatModelExtractor(lambda messages: "")
