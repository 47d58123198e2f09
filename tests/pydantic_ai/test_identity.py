"""Whose memory a run is about, and that it is nobody else's."""

from __future__ import annotations

import asyncio
import copy
import logging
import threading
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from memori_core import InMemoryStore, Memori, Scope
from memori_core.errors import ConfigError, ScopeError
from memori_pydantic_ai import MemoriCapability

SAID = "I live in Porto."


def agent_for(recorder: Any, memori: Memori, **options: Any) -> Agent[Any, str]:
    options.setdefault("on_error", "raise")
    capability = MemoriCapability(memori, **options)
    return Agent(recorder.model, deps_type=object, name="guide", capabilities=[capability])


def entities(memori: Memori) -> list[str]:
    memori.flush()
    return list(memori.entities())


@dataclass
class Anonymous:
    user_id: None = None


@pytest.mark.parametrize(
    ("options", "run", "who"),
    [
        ({"user_id": "one"}, {"deps": {"user_id": "two"}}, "one"),
        ({"user_id": lambda ctx: ctx.deps["name"]}, {"deps": {"name": "ann"}}, "ann"),
        ({}, {"deps": {"user_id": "two"}, "metadata": {"user_id": "three"}}, "two"),
        ({}, {"deps": {}, "metadata": {"user_id": "three"}}, "three"),
        ({}, {"deps": None}, "fallback"),
        ({}, {"deps": {"user_id": 42}}, "42"),
        ({}, {"deps": {"user_id": UUID(int=1)}}, str(UUID(int=1))),
        ({"user_id": lambda ctx: None}, {"deps": {"user_id": "two"}}, None),
        ({}, {"deps": Anonymous(), "metadata": {"user_id": "three"}}, None),
        ({}, {"deps": {"user_id": " "}}, None),
    ],
)
async def test_b60_the_first_place_that_speaks_of_a_user_decides(
    options: Any, run: Any, who: str | None, recorder: Any
):
    with Memori(InMemoryStore(), embedder=None, scope=Scope("fallback")) as memori:
        await agent_for(recorder, memori, **options).run(SAID, **run)
        assert entities(memori) == ([who] if who else [])


async def test_b60_an_attribution_counts_where_the_run_names_nobody(memori: Memori, recorder: Any):
    agent = agent_for(recorder, memori)
    with memori.attribution("carol", process_id="shop", session_id="s1"):
        await agent.run(SAID)
    memori.flush()
    (session,) = memori.scoped("carol").sessions()
    assert (session.id, session.process_id) == ("s1", "shop")


async def test_agent_and_conversation_are_stored(memori: Memori, recorder: Any, alice: Any):
    first = await agent_for(recorder, memori).run(SAID, deps=alice, conversation_id="c1")
    await agent_for(recorder, memori).run(
        "And I like tea.", deps=alice, message_history=first.all_messages()
    )
    named = agent_for(recorder, memori, agent_id="bot", session_id=lambda ctx: "c2")
    await named.run("And coffee.", deps=alice)
    memori.flush()
    handle = memori.scoped("alice")
    assert {s.id: s.process_id for s in handle.sessions()} == {"c1": "guide", "c2": "bot"}
    assert len(handle.messages(session_id="c1")) == 4


async def test_b60_a_run_of_nobody_recalls_and_stores_nothing_and_warns_once(
    memori: Memori, recorder: Any, caplog: pytest.LogCaptureFixture
):
    agent = agent_for(recorder, memori, tools=True)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert (await agent.run(SAID)).output == "ok"
    assert entities(memori) == []
    warnings = [r.getMessage() for r in caplog.records if "Nobody is named" in r.getMessage()]
    assert len(warnings) == 1
    assert memori.stats()["no_scope"] == 3
    assert memori.stats().get("calls", 0) == 0
    assert recorder.infos[0].function_tools == [], "no tools without a user"


async def test_a_run_of_nobody_can_be_an_error_before_it_begins(memori: Memori, recorder: Any):
    agent = agent_for(recorder, memori, on_missing_identity="raise")
    with pytest.raises(ScopeError, match="Nobody is named"):
        await agent.run(SAID)
    assert recorder.requests == []


async def test_what_is_no_id_can_be_an_error_before_the_run_too(memori: Memori, recorder: Any):
    def broken(ctx: Any) -> str:
        raise KeyError("no session")

    for user_id in (lambda ctx: ["alice"], broken, lambda ctx: True):
        agent = agent_for(recorder, memori, user_id=user_id, on_missing_identity="raise")
        with pytest.raises(ScopeError, match="Nobody can be named"):
            await agent.run(SAID)
    assert recorder.requests == []


async def test_an_id_that_is_none_is_logged_and_the_run_goes_on(
    memori: Memori, recorder: Any, caplog: pytest.LogCaptureFixture
):
    def broken(ctx: Any) -> str:
        raise KeyError("no session")

    for user_id in (lambda ctx: ["alice"], broken, lambda ctx: True):
        agent = agent_for(recorder, memori, user_id=user_id, on_error="log")
        assert (await agent.run(SAID)).output == "ok"
    assert memori.stats()["identity_failed"] == 3
    with pytest.raises(ScopeError, match="must be an id"):
        await agent_for(recorder, memori, user_id=lambda ctx: 1.5).run(SAID)
    with pytest.raises(ScopeError, match="is empty"):
        MemoriCapability(memori, user_id=" ")
    assert entities(memori) == []


def echo(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Answers with all that it was shown."""
    shown = [
        str(part.content)
        for message in messages
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
    return ModelResponse([TextPart("\n".join([*shown, info.instructions or ""]))])


@pytest.mark.parametrize("inject", ["request", "history", "instructions"])
async def test_b60_a_hundred_users_on_one_agent_never_mix(inject: Any, memori: Memori):
    users = [f"user{n:03d}" for n in range(100)]
    for user in users:
        memori.scoped(user).remember(f"The code of {user} is K{user}K.")
    capability = MemoriCapability(memori, inject=inject, on_error="raise", tools=True)
    agent = Agent(FunctionModel(echo), deps_type=dict, capabilities=[capability])

    async def one(user: str) -> str:
        await asyncio.sleep(hash(user) % 7 / 1_000)
        result = await agent.run(f"What is the code of {user}?", deps={"user_id": user})
        return result.output

    answers = await asyncio.gather(*(one(user) for user in users))
    for user, answer in zip(users, answers, strict=True):
        assert f"K{user}K" in answer
        assert sum(f"K{other}K" in answer for other in users) == 1
    memori.flush()
    for user in users:
        asked, answered = memori.scoped(user).messages()
        assert asked.message.content == f"What is the code of {user}?"
        assert sum(f"The code of {other}" in answered.message.content for other in users) <= 1


def test_b60_threads_with_loops_of_their_own_never_mix(memori: Memori):
    users = [f"user{n:02d}" for n in range(20)]
    for user in users:
        memori.scoped(user).remember(f"The code of {user} is K{user}K.")
    capability = MemoriCapability(memori, on_error="raise")
    agent = Agent(FunctionModel(echo), deps_type=dict, capabilities=[capability])
    answers: dict[str, str] = {}

    def one(user: str) -> None:
        answers[user] = asyncio.run(
            agent.run(f"What is the code of {user}?", deps={"user_id": user})
        ).output

    threads = [threading.Thread(target=one, args=[user]) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for user in users:
        assert [other for other in users if f"K{other}K" in answers[user]] == [user]
    memori.flush()
    assert all(len(memori.scoped(user).messages()) == 2 for user in users)


def test_arguments_that_cannot_be_right_are_refused(memori: Memori):
    for options, message in (
        ({"inject": "system"}, "inject"),
        ({"capture_partial": "all"}, "capture_partial"),
        ({"on_missing_identity": "log"}, "on_missing_identity"),
        ({"on_error": "ignore"}, "on_error"),
        ({"limit": 0}, "limit"),
        ({"strictness": -1}, "strictness"),
        ({"tools": ["search"]}, "search_memory, remember, forget, got"),
    ):
        with pytest.raises(ConfigError, match=message):
            MemoriCapability(memori, **options)
    with pytest.raises(ConfigError, match="must be a Memori"):
        MemoriCapability(memori.scoped("alice"))  # type: ignore[arg-type]


async def test_a_deep_copy_of_the_capability_and_of_deps_has_the_same_memory(
    memori: Memori, recorder: Any
):
    capability = copy.deepcopy(MemoriCapability(memori, user_id="alice"))
    agent = Agent(recorder.model, capabilities=[capability])
    assert (await agent.run(SAID, deps=copy.deepcopy(memori.scoped("alice")))).output == "ok"
    assert entities(memori) == ["alice"]
