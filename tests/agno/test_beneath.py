"""A client registered with `memori.llm` beneath Agno: one recall, one block, one captured turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.openai import OpenAIChat
from agno.team import Team
from agno.tools import tool
from openai import AsyncOpenAI, OpenAI

from memori_agno import (
    AgnoModelExtractor,
    MemoriMemory,
    MemoriMemoryManager,
    MemoriQueryHook,
)
from memori_core import Memori
from memori_core.hooks import TAG
from memori_core.testing import ProviderServer, Reply

MODES = ("run", "arun", "stream", "astream")


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer("Good to know.") as server:
        yield server


@pytest.fixture
def model(server: ProviderServer, memori: Memori) -> Iterator[OpenAIChat]:
    """A model whose clients are registered, and the user named for them, too."""
    options: dict[str, Any] = {"base_url": server.openai_url, "api_key": "none"}
    client, aclient = OpenAI(**options, max_retries=0), AsyncOpenAI(**options, max_retries=0)
    memori.llm.register(client, on_error="raise")
    memori.llm.register(aclient, on_error="raise")
    with memori.attribution("alice", session_id="s1"):
        yield OpenAIChat(id="any", client=client, async_client=aclient)
    client.close()


def delegation(task: str) -> dict[str, Any]:
    """A completion in which a leader sends its member on an errand."""
    arguments = json.dumps({"member_id": "scout", "task": task})
    function = {"name": "delegate_task_to_member", "arguments": arguments}
    call = {"id": "call_1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "any",
        "choices": [choice],
    }


def go(host: Any, message: str, *, mode: str) -> None:
    options: dict[str, Any] = {"user_id": "alice", "session_id": "s1"}

    async def arun() -> None:
        if mode == "arun":
            await host.arun(message, **options)
        else:
            async for _ in host.arun(message, stream=True, **options):
                pass
        await host.model.async_client.close()

    if mode == "run":
        host.run(message, **options)
    elif mode == "stream":
        for _ in host.run(message, stream=True, **options):
            pass
    else:
        asyncio.run(arun())


@pytest.fixture
def make(model: OpenAIChat, memori: Memori) -> Callable[..., Agent]:
    def make(**options: Any) -> Agent:
        kwargs = {"db": InMemoryDb(), **MemoriMemory(memori, on_error="raise").agent_kwargs()}
        return Agent(**{"id": "helper", "model": model, "telemetry": False, **kwargs, **options})

    return make


@pytest.mark.parametrize("knows", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_one_recall_one_block_one_turn(
    mode: str, knows: bool, memori: Memori, server: ProviderServer, make: Any, said: Any
):
    if knows:
        memori.scoped("alice").remember("User keeps bees.")
    go(make(), "Do I keep bees?", mode=mode)
    assert said() == [("user", "Do I keep bees?"), ("assistant", "Good to know.")]
    assert len(server.requests) == 1
    assert server.last.text.count(f"<{TAG}>") == int(knows)
    assert memori.stats()["calls"] == 1
    assert memori.stats()["left_to_others"] == 1


def test_a_tool_loop_is_one_turn(memori: Memori, server: ProviderServer, make: Any, said: Any):
    def lookup() -> str:
        """Look the city up."""
        return "It is in Portugal."

    server.script(Reply(calls=["lookup"]))
    go(make(tools=[lookup]), "Where is Porto?", mode="run")
    assert len(server.requests) == 2
    assert said() == [("user", "Where is Porto?"), ("assistant", "Good to know.")]
    assert memori.stats()["left_to_others"] == 2


@pytest.mark.parametrize("mode", ["run", "arun"])
def test_a_run_that_waited_for_a_person_is_one_turn(
    mode: str, memori: Memori, server: ProviderServer, make: Any, said: Any
):
    @tool(requires_confirmation=True)
    def pay() -> str:
        """Pay."""
        return "paid"

    agent = make(tools=[pay])
    server.script(Reply(calls=["pay"]))
    options: dict[str, Any] = {"user_id": "alice", "session_id": "s1"}
    paused = agent.run("Pay Bob.", **options)
    for requirement in paused.active_requirements:
        requirement.confirm()
    options |= {"run_id": paused.run_id, "requirements": paused.requirements}

    async def go_on() -> None:
        await agent.acontinue_run(**options)
        await agent.model.async_client.close()

    if mode == "run":
        agent.continue_run(**options)
    else:
        asyncio.run(go_on())
    assert len(server.requests) == 2
    assert memori.stats()["left_to_others"] == 2
    assert said() == [("user", "Pay Bob."), ("assistant", "Good to know.")]


def test_the_clients_own_calls_are_remembered_again_after_each_ending(
    memori: Memori, server: ProviderServer, make: Any, model: OpenAIChat, said: Any
):
    agent = make()
    go(agent, "One.", mode="run")
    server.script(Reply(status=500))
    go(agent, "Two.", mode="run")
    for _ in agent.run("Three.", stream=True, user_id="alice", session_id="s1"):
        break
    assert model.client is not None
    model.client.chat.completions.create(
        model="any", messages=[{"role": "user", "content": "I live in Porto."}]
    )
    assert [text for role, text in said() if role == "user"] == ["One.", "I live in Porto."]


@pytest.mark.parametrize("mode", ["run", "arun"])
def test_summaries_that_agno_makes_after_the_run_are_no_turns(
    mode: str, server: ProviderServer, make: Any, said: Any
):
    server.script("Fine.", json.dumps({"summary": "They met.", "topics": []}))
    agent = make(enable_session_summaries=True)
    go(agent, "I live in Porto.", mode=mode)
    assert len(server.requests) == 2
    assert said() == [("user", "I live in Porto."), ("assistant", "Fine.")]


@pytest.mark.parametrize("mode", ["run", "arun"])
def test_a_manager_with_the_query_hook_is_alone_too(
    mode: str, memori: Memori, server: ProviderServer, make: Any, said: Any
):
    memori.scoped("alice").remember("User keeps bees.")
    agent = make(
        learning=None,
        pre_hooks=[MemoriQueryHook(memori, on_error="raise")],
        post_hooks=None,
        memory_manager=MemoriMemoryManager(memori, on_error="raise"),
        update_memory_on_run=True,
    )
    go(agent, "Do I keep bees?", mode=mode)
    assert TAG not in server.last.text
    assert "- User keeps bees. Stated at" in server.last.body["messages"][0]["content"]
    assert said() == [("user", "Do I keep bees?")]


@pytest.mark.parametrize("mode", ["run", "arun"])
def test_a_team_and_its_member_on_one_client(
    mode: str, memori: Memori, server: ProviderServer, make: Any, model: OpenAIChat, said: Any
):
    scout = make(id="scout", name="scout", learning=None, pre_hooks=None, post_hooks=None)
    kwargs = MemoriMemory(memori, on_error="raise").team_kwargs()
    team = Team(
        id="team",
        name="team",
        members=[scout],
        model=model,
        db=InMemoryDb(),
        telemetry=False,
        **kwargs,
    )
    server.script(Reply(payload=delegation("I live in Rome.")), "Found.", "The team's answer.")
    go(team, "I live in Porto.", mode=mode)
    assert len(server.requests) == 3
    assert said() == [("user", "I live in Porto."), ("assistant", "The team's answer.")]


def test_an_extractor_on_the_same_client_is_not_captured(
    memori: Memori, server: ProviderServer, model: OpenAIChat
):
    server.script(json.dumps({"facts": ["User likes tea."]}))
    with Memori(":memory:", embedder=None, extractor=AgnoModelExtractor(model)) as other:
        other.llm.register(model.client, on_error="raise")
        with other.attribution("alice"):
            other.capture("I like tea.")
            other.flush()
        assert [fact.content for fact in other.scoped("alice").list()] == ["User likes tea."]
        assert len(other.scoped("alice").messages()) == 1
        other.llm.unregister(model.client)
    memori.flush()
    assert memori.stats()["messages"] == 0
