"""Pydantic AI's own models at work in the memory: as embedder and as extractor."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic_ai import Embedder as PydanticAIEmbedder
from pydantic_ai.embeddings import EmbeddingModel, EmbeddingResult, TestEmbeddingModel
from pydantic_ai.embeddings.settings import EmbeddingSettings
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.openai import OpenAIProvider

from memori_core import Embedder, InMemoryStore, Memori, Scope
from memori_core.errors import ConfigError, EmbeddingError, ExtractionError
from memori_core.hooks import Extractor, Message
from memori_core.testing import (
    EmbedderConformance,
    ExtractorConformance,
    FakeEmbedder,
    ProviderServer,
)
from memori_pydantic_ai import AgentExtractor, from_embedder


class Words(EmbeddingModel):
    """An embedding model with the vectors of `FakeEmbedder`."""

    def __init__(self, delay_s: float = 0.0) -> None:
        super().__init__()
        self.fake = FakeEmbedder()
        self.calls: list[tuple[str, int]] = []
        self.delay_s = delay_s

    @property
    def model_name(self) -> str:
        return "words"

    @property
    def system(self) -> str:
        return "fake"

    async def embed(
        self,
        inputs: str | Sequence[str],
        *,
        input_type: Any,
        settings: EmbeddingSettings | None = None,
    ) -> EmbeddingResult:
        inputs, settings = self.prepare_embed(inputs, settings)
        assert all(text.strip() for text in inputs), "providers refuse blank texts"
        self.calls.append((input_type, len(inputs)))
        await asyncio.sleep(self.delay_s)
        return EmbeddingResult(
            embeddings=self.fake.embed_documents(list(inputs)).tolist(),
            inputs=inputs,
            input_type=input_type,
            model_name=self.model_name,
            provider_name=self.system,
        )


class TestEmbedder(EmbedderConformance):
    embedder = from_embedder(PydanticAIEmbedder(Words()))

    def make_embedder(self) -> Embedder:
        return self.embedder


def test_questions_and_texts_are_embedded_as_such_and_in_batches():
    model = Words()
    embedder = from_embedder(model, batch_size=2)
    assert embedder.name == "fake:words"
    assert embedder.dim == embedder.embed_query("tea").shape[0]
    embedder.embed_documents(["a", "b", "c"])
    assert model.calls == [("document", 1), ("query", 1), ("document", 2), ("document", 1)]


def test_a_recall_finds_by_vectors_of_pydantic_ai():
    with Memori(InMemoryStore(), embedder=from_embedder(Words()), fusion="dense") as memori:
        alice = memori.scoped("alice")
        alice.remember_many(["User likes oolong tea.", "User lives in Graz."])
        assert alice.recall("oolong tea", limit=1, strictness=0)[0].content == (
            "User likes oolong tea."
        )


async def test_a_sync_call_on_a_running_loop_works():
    embedder = from_embedder(Words())
    assert embedder.embed_query("tea").shape == (embedder.dim,)


def test_slow_embeddings_of_many_users_run_at_once():
    embedder = from_embedder(Words(delay_s=0.2))
    assert embedder.dim
    started = time.monotonic()
    threads = [threading.Thread(target=embedder.embed_query, args=["tea"]) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - started < 20 * 0.2 / 2


def test_the_loop_ends_with_the_embedder():
    def serving() -> set[threading.Thread]:
        return {t for t in threading.enumerate() if t.name == "memori-embedder"}

    before = serving()
    embedder = from_embedder(Words())
    assert embedder.dim
    (thread,) = serving() - before
    del embedder
    gc.collect()
    thread.join(5)
    assert not thread.is_alive()


SCRIPT = """
import sys
from memori_core import Memori
from memori_pydantic_ai import from_embedder
from pydantic_ai.embeddings import TestEmbeddingModel

memori = Memori(sys.argv[1], embedder=from_embedder(TestEmbeddingModel()))
memori.scoped("alice").capture("I live in Porto.")
"""


def test_a_script_that_ends_at_once_still_embeds_what_it_captured(tmp_path: Path):
    path = tmp_path / "memories.db"
    command = [sys.executable, "-W", "error", "-c", SCRIPT, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    with Memori(path, embedder=from_embedder(TestEmbeddingModel())) as memori:
        found = memori.scoped("alice").recall("Where in Porto?", strictness=0)
        assert found[0].content == "User lives in Porto."
        assert found.without_vector == 0


def test_a_failing_provider_is_an_embedding_error():
    class Gone(Words):
        async def embed(self, *args: Any, **kwargs: Any) -> EmbeddingResult:
            raise OSError("no route")

    with pytest.raises(EmbeddingError, match="no route"):
        from_embedder(Gone()).embed_query("tea")
    with pytest.raises(ConfigError, match="Embedder of Pydantic AI"):
        from_embedder(object())  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="batch_size"):
        from_embedder(TestEmbeddingModel(), batch_size=0)


def test_names_tell_the_provider_and_the_model():
    assert from_embedder("openai:text-embedding-3-small").name == "openai:text-embedding-3-small"
    assert from_embedder(TestEmbeddingModel(), name="mine").name == "mine"


def extracting(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Finds a peanut allergy where the user's line speaks of one, and invents a yacht."""
    shown = str(messages[-1].parts[-1].content)  # type: ignore[union-attr]
    facts = [{"content": "User has a yacht.", "message": 1}]
    for number, line in enumerate(shown.splitlines(), 1):
        if "peanuts" in line and '"role": "user"' in line:
            facts.append(
                {"content": "User is allergic to peanuts.", "pinned": True, "message": number}  # type: ignore[dict-item]
            )
    return ModelResponse([ToolCallPart(info.output_tools[0].name, {"facts": facts})])


class TestExtractor(ExtractorConformance):
    extractor = AgentExtractor(FunctionModel(extracting))

    def make_extractor(self) -> Extractor:
        return self.extractor


SAID_AT = datetime(2026, 3, 10, tzinfo=UTC)
PEANUTS = [Message("user", "I'm allergic to peanuts.")]


def test_facts_are_checked_against_what_was_said_and_costs_are_counted():
    extractor = AgentExtractor(FunctionModel(extracting))
    found = extractor.extract(PEANUTS, said_at=SAID_AT)
    assert [(f.content, f.pinned) for f in found.facts] == [("User is allergic to peanuts.", True)]
    counts = extractor.stats()
    assert (counts["requests"], counts["facts_rejected"]) == (1, 1)
    assert counts["input_tokens"] > 0


def test_the_model_is_told_the_conversation_and_the_task():
    seen: list[tuple[str, str | None]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append((str(messages[-1].parts[-1].content), info.instructions))  # type: ignore[union-attr]
        return extracting(messages, info)

    AgentExtractor(FunctionModel(answer)).extract(PEANUTS, said_at=SAID_AT)
    ((said, instructions),) = seen
    assert "I'm allergic to peanuts." in said
    assert "allergies" in (instructions or "")


def test_a_model_that_fails_leaves_the_turn_for_another_try():
    def broken(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise RuntimeError("quota")

    with pytest.raises(ExtractionError, match="quota"):
        AgentExtractor(FunctionModel(broken)).extract(PEANUTS, said_at=SAID_AT)


def test_captured_turns_become_facts_in_the_background():
    extractor = AgentExtractor(FunctionModel(extracting))
    with Memori(InMemoryStore(), embedder=None, extractor=extractor) as memori:
        alice = memori.scoped("alice")
        alice.capture("I'm allergic to peanuts.")
        assert memori.flush()
        assert [fact.content for fact in alice.list()] == ["User is allergic to peanuts."]


def test_a_registered_client_leaves_the_extractor_alone():
    reply = '{"facts": [{"content": "User is allergic to peanuts."}]}'
    with ProviderServer(reply) as server:
        provider = OpenAIProvider(base_url=server.openai_url, api_key="k")
        extractor = AgentExtractor(
            OpenAIChatModel(
                "any", provider=provider, profile={"default_structured_output_mode": "prompted"}
            )
        )
        with Memori(
            InMemoryStore(), embedder=None, extractor=extractor, scope=Scope("alice")
        ) as memori:
            memori.llm.register(provider.client)
            memori.capture("I'm allergic to peanuts.")
            assert memori.flush()
            assert len(memori.messages()) == 1
            assert [fact.content for fact in memori.list()] == ["User is allergic to peanuts."]
        extractor._loop.run(provider.client.close())  # on the loop that opened it
        assert len(server.requests) == 1
        assert "memori_context" not in server.last.text


def test_an_extractor_takes_a_name_of_a_model_without_calling_it():
    assert AgentExtractor("test").name == "memori-extractor"
    assert AgentExtractor(TestModel(), indexes_messages=True).indexes_messages


def test_vectors_of_unit_length_come_out_whatever_goes_in():
    rows = from_embedder(TestEmbeddingModel(dimensions=3)).embed_documents(["a", "b"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)


def test_a_blank_text_is_not_sent_and_is_like_nothing():
    model = Words()
    embedder = from_embedder(model)
    rows = embedder.embed_documents(["tea", " \n", ""])
    assert rows[0].any()
    assert not rows[1:].any()
    assert not embedder.embed_query(" ").any()
    assert not embedder.embed_documents([" "]).any()
    assert model.calls == [("document", 1), ("document", 1)]  # the first asks for the dimension
