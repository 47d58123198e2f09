"""The same client registered with `memori.llm.register` beneath the framework: nothing twice."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from openai import AsyncOpenAI
from pydantic_ai import Agent, RunContext
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from memori_core import InMemoryStore, Memori, Scope
from memori_core.testing import ProviderServer
from memori_pydantic_ai import MemoriCapability

QUESTION = "Where in Porto do I live?"


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer("In Cedofeita.") as server:
        yield server


@pytest.fixture
async def client(server: ProviderServer) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=server.openai_url, api_key="k") as client:
        yield client


@pytest.fixture
def memori(client: AsyncOpenAI) -> Iterator[Memori]:
    """Registered, with a scope of its own that must not get in the way."""
    with Memori(InMemoryStore(), embedder=None, scope=Scope("owner")) as memori:
        memori.scoped("alice").remember("User lives in Porto, in Cedofeita.")
        memori.scoped("owner").remember("User lives in Porto, in Paranhos.")
        memori.llm.register(client)
        yield memori
        memori.llm.unregister(client)


def agent_for(client: AsyncOpenAI, memori: Memori, **options: Any) -> Agent[Any, str]:
    model = OpenAIChatModel("any", provider=OpenAIProvider(openai_client=client))
    capability = MemoriCapability(memori, on_error="raise", **options)
    return Agent(model, deps_type=object, capabilities=[capability])


@pytest.mark.parametrize("way", ["run", "run_stream", "run_stream_events"])
@pytest.mark.parametrize("inject", ["request", "history", "instructions"])
async def test_one_recall_one_block_one_turn(
    way: str, inject: Any, server: ProviderServer, client: AsyncOpenAI, memori: Memori, alice: Any
):
    agent = agent_for(client, memori, inject=inject)
    if way == "run":
        await agent.run(QUESTION, deps=alice)
    elif way == "run_stream":
        async with agent.run_stream(QUESTION, deps=alice) as stream:
            await stream.get_output()
    else:
        async with agent.run_stream_events(QUESTION, deps=alice) as events:
            async for _ in events:
                pass
    memori.flush()
    (request,) = server.requests
    assert request.text.count("<memori_context>") == 1
    assert "Cedofeita" in request.text
    assert "Paranhos" not in request.text
    assert memori.stats()["calls"] == 1
    stored = [(m.message.role, m.message.content) for m in memori.scoped("alice").messages()]
    assert stored == [("user", QUESTION), ("assistant", "In Cedofeita.")]
    assert memori.scoped("owner").messages() == []


async def test_the_prompt_stays_one_message_of_text_on_the_wire(
    server: ProviderServer, client: AsyncOpenAI, memori: Memori, alice: Any
):
    await agent_for(client, memori).run(QUESTION, deps=alice)
    (message,) = server.last.body["messages"]
    assert message["role"] == "user"
    assert message["content"].startswith(f"{QUESTION}\n\n<memori_context>")


async def test_a_sub_agent_on_the_registered_client_is_left_alone(
    server: ProviderServer, client: AsyncOpenAI, memori: Memori, alice: Any, recorder: Any
):
    inner = Agent(OpenAIChatModel("any", provider=OpenAIProvider(openai_client=client)))
    outer = Agent(
        recorder.model,
        deps_type=object,
        capabilities=[MemoriCapability(memori, on_error="raise")],
    )

    @outer.tool
    async def ping(ctx: RunContext[Any]) -> str:
        return (await inner.run("words of an agent")).output

    await outer.run(f"{QUESTION} usetool", deps=alice)
    memori.flush()
    assert "memori_context" not in server.last.text
    assert memori.scoped("owner").messages() == []
    assert len(memori.scoped("alice").messages()) == 2


async def test_after_the_run_the_client_does_its_own_work_again(
    server: ProviderServer, client: AsyncOpenAI, memori: Memori, alice: Any
):
    await agent_for(client, memori).run(QUESTION, deps=alice)
    await client.chat.completions.create(
        model="any", messages=[{"role": "user", "content": QUESTION}]
    )
    memori.flush()
    assert "Paranhos" in json.dumps(server.last.body)
    assert len(memori.scoped("owner").messages()) == 2
