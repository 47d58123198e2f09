"""The client under the model is registered with the memory, too: everything happens once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

from memori_core import InMemoryStore, Memori
from memori_core.testing import ProviderServer
from memori_langchain import MemoriCallbackHandler, MemoriMiddleware

FACT = "User is allergic to peanuts."


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer("An apple.") as server:
        yield server


@pytest.fixture
def memori() -> Iterator[Memori]:
    with Memori(InMemoryStore(), embedder=None) as memori:
        memori.scoped("alice").remember(FACT)
        yield memori


def chat(server: ProviderServer) -> ChatOpenAI:
    return ChatOpenAI(model="any", api_key="none", base_url=server.openai_url, max_retries=0)


def blocks(server: ProviderServer) -> list[int]:
    return [request.text.count("<memori_context>") for request in server.requests]


def said(memori: Memori) -> list[tuple[str, str]]:
    memori.flush()
    stored = memori.scoped("alice").messages()
    return [(m.message.role, m.message.content) for m in stored]


ASK: Any = {"messages": "Any peanuts?"}
ONCE = [("user", "Any peanuts?"), ("assistant", "An apple.")]


def test_one_recall_one_block_one_turn(memori, server):
    model = chat(server)
    memori.llm.register(model)
    agent = create_agent(model, middleware=[MemoriMiddleware(memori, entity_id="alice")])
    with memori.attribution("alice"):
        agent.invoke(ASK)
    assert memori.stats()["calls"] == 1
    assert blocks(server) == [1]
    assert said(memori) == ONCE


async def test_one_recall_one_block_one_turn_async(memori, server):
    model = chat(server)
    memori.llm.register(model)
    agent = create_agent(model, middleware=[MemoriMiddleware(memori, entity_id="alice")])
    with memori.attribution("alice"):
        await agent.ainvoke(ASK)
    assert memori.stats()["calls"] == 1
    assert blocks(server) == [1]
    assert said(memori) == ONCE


def test_one_turn_with_streaming_and_a_handler_beside(memori, server):
    model = chat(server)
    memori.llm.register(model)
    handler = MemoriCallbackHandler(memori, entity_id="alice")
    agent = create_agent(model, middleware=[MemoriMiddleware(memori, entity_id="alice")])
    with memori.attribution("alice"):
        chunks = list(agent.stream(ASK, {"callbacks": [handler]}, stream_mode="messages"))
    assert "".join(chunk.text for chunk, _ in chunks) == "An apple."
    assert memori.stats()["calls"] == 1
    assert blocks(server) == [1]
    assert said(memori) == ONCE
    assert handler.pending == 0


def test_the_client_has_its_memory_where_the_middleware_stays_out(memori, server):
    model = chat(server)
    memori.llm.register(model)
    middleware = MemoriMiddleware(memori, recall=False, capture=False)
    with memori.attribution("alice"):
        create_agent(model, middleware=[middleware]).invoke(ASK)
    assert blocks(server) == [1]
    assert said(memori) == ONCE
