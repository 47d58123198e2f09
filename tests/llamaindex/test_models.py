"""LlamaIndex's models under a memory: its embedder, and its extractor."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from llama_index.core import MockEmbedding
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM

from memori_core import InMemoryStore, Memori
from memori_core.errors import ConfigError, EmbeddingError, ExtractionError
from memori_core.hooks import LLMExtractor, Message
from memori_core.testing import EmbedderConformance
from memori_core.testing.extractors import ExtractorConformance
from memori_llamaindex import LlamaIndexExtractor, from_embed_model

DAY = datetime(2026, 5, 1, tzinfo=UTC)
SAID = [Message("user", "I like green tea.")]


class WordsEmbedding(BaseEmbedding):
    """A hashed bag of words. It keeps what it was asked."""

    model_name: str = "words"
    asked: list[tuple[str, str]] = []  # noqa: RUF012 (pydantic copies it)

    def _vector(self, text: str) -> list[float]:
        row = np.zeros(64)
        for word in text.casefold().split():
            seed = hashlib.blake2b(word.encode(), digest_size=8).digest()
            bits = np.random.Philox(key=int.from_bytes(seed, "little")).random_raw(64)
            row += np.where(bits & 1, 3.0, -3.0)  # of any length
        return row.tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        self.asked.append(("query", query))
        return self._vector(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        self.asked.append(("text", text))
        return self._vector(text)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class TestFromEmbedModel(EmbedderConformance):
    def make_embedder(self):
        return from_embed_model(WordsEmbedding())


def test_questions_and_texts_go_their_own_ways():
    model = WordsEmbedding()
    embedder = from_embed_model(model)
    embedder.embed_documents(["a", "b"])
    embedder.embed_query("c")
    assert model.asked == [("text", "a"), ("text", "b"), ("query", "c")]
    assert embedder.name == "llama-index/WordsEmbedding/words"
    assert from_embed_model(model, name="mine").name == "mine"


def test_a_memory_recalls_with_it():
    with Memori(InMemoryStore(), embedder=from_embed_model(WordsEmbedding())) as memori:
        alice = memori.scoped("alice")
        alice.remember("likes green tea")
        alice.remember("lives in Porto")
        assert alice.recall("green tea", strictness=0)[0].content == "likes green tea"
        assert alice.recall("green tea")[0].dense_score > 0.5


def test_bad_models_are_told_apart():
    with pytest.raises(ConfigError, match="embed_model"):
        from_embed_model(MockLLM())  # type: ignore[arg-type]

    class Broken(MockEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            raise RuntimeError("no key")

        def _get_text_embedding(self, text: str) -> list[float]:
            return [float("nan")] * 3

    broken = from_embed_model(Broken(embed_dim=3))
    with pytest.raises(EmbeddingError, match="no key"):
        broken.embed_query("x")
    with pytest.raises(EmbeddingError, match="finite"):
        broken.embed_documents(["x"])

    class Uneven(MockEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return [1.0] * len(text)

    with pytest.raises(EmbeddingError, match="one length"):
        from_embed_model(Uneven(embed_dim=3)).embed_documents(["x", "yy"])


# ----------------------------------------------------------------------------------- extractor


def structured(*answers: Any) -> tuple[MockFunctionCallingLLM, list[Any]]:
    """A model that calls the tool it is given with these arguments, or answers in words."""
    left, seen = list(answers), []

    def reply(messages: Any, **kwargs: Any) -> ChatMessage:
        seen.append((list(messages), kwargs.get("tools")))
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return ChatMessage(answer, role="assistant")
        block = ToolCallBlock(
            tool_call_id="1", tool_name=kwargs["tools"][0].metadata.name, tool_kwargs=answer
        )
        return ChatMessage(role="assistant", blocks=[block])

    return MockFunctionCallingLLM(response_generator=reply), seen


TEA = {"facts": [{"content": "User likes green tea.", "kind": "preference", "message": 1}]}


@pytest.mark.parametrize("flavour", ["sync", "async"])
async def test_the_structure_is_asked_for_where_the_model_has_it(flavour):
    llm, seen = structured(TEA)
    extractor = LlamaIndexExtractor(llm)
    assert isinstance(extractor, LLMExtractor)
    if flavour == "sync":
        found = extractor.extract(SAID, said_at=DAY)
    else:
        found = await extractor.aextract(SAID, said_at=DAY)
    assert [(f.content, f.kind) for f in found.facts] == [("User likes green tea.", "preference")]
    assert len(seen) == 1
    assert "I like green tea." in str(seen[0][0][-1].content)  # its braces did no harm
    assert seen[0][1] is not None


def test_a_model_that_gives_no_structure_is_asked_in_words():
    llm, seen = structured("I would rather talk.", '{"facts": ["User likes green tea."]}')
    found = LlamaIndexExtractor(llm).extract(SAID, said_at=DAY)
    assert [f.content for f in found.facts] == ["User likes green tea."]
    assert [tools is None for _, tools in seen] == [False, True]


def test_structured_false_asks_in_words_only():
    llm, seen = structured('{"facts": ["User likes green tea."]}')
    found = LlamaIndexExtractor(llm, structured=False).extract(SAID, said_at=DAY)
    assert len(found.facts) == len(seen) == 1


def test_what_was_never_said_is_left_out():
    llm, _ = structured({"facts": [{"content": "User has a yacht.", "message": 1}]})
    extractor = LlamaIndexExtractor(llm)
    assert extractor.extract(SAID, said_at=DAY).facts == ()
    assert extractor.stats()["facts_rejected"] == 1


def test_a_model_that_fails_is_an_extraction_error():
    llm, _ = structured(RuntimeError("down"))
    with pytest.raises(ExtractionError, match="down"):
        LlamaIndexExtractor(llm).extract(SAID, said_at=DAY)
    with pytest.raises(ConfigError, match="llm"):
        LlamaIndexExtractor("gpt")  # type: ignore[arg-type]


class TestLlamaIndexExtractor(ExtractorConformance):
    def make_extractor(self):
        def reply(messages: Any, **kwargs: Any) -> ChatMessage:
            return ChatMessage('{"facts": ["User lives in Graz."]}', role="assistant")

        return LlamaIndexExtractor(MockFunctionCallingLLM(response_generator=reply))


def test_a_memory_extracts_with_it():
    llm, _ = structured(TEA)
    with Memori(InMemoryStore(), embedder=None, extractor=LlamaIndexExtractor(llm)) as memori:
        memori.scoped("alice").capture("I like green tea.")
        memori.flush()
        assert [f.content for f in memori.scoped("alice").list()] == ["User likes green tea."]
