"""Two users never mix, nobody is nobody, and agents of one user share by choice."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.db.schemas import UserMemory
from agno.models.message import Message

from memori_agno import (
    MemoriKnowledgeRetriever,
    MemoriMemory,
    MemoriMemoryManager,
    MemoriQueryHook,
    MemoriTools,
)
from memori_core import Memori
from memori_core.hooks import TAG

Make = Callable[..., Agent]


def kwargs(memori: Memori, **options: Any) -> dict[str, Any]:
    return MemoriMemory(memori, on_error="raise", **options).agent_kwargs()


def city_of(number: int) -> str:
    return f"City{number}"


def test_agno4560_one_session_id_of_two_users_shares_no_memory(
    memori: Memori, make_agent: Make, said: Any, prompt: Any
):
    agent = make_agent(**kwargs(memori))
    agent.run("I live in Porto.", user_id="alice", session_id="shared")
    agent.run("I live in Rome.", user_id="bob", session_id="shared")
    memori.flush()
    agent.run("Do I live in Porto or in Rome?", user_id="alice", session_id="shared")
    assert "Porto" in prompt(agent)
    assert "Rome" not in prompt(agent)
    agent.run("Do I live in Porto or in Rome?", user_id="bob", session_id="shared")
    assert "Rome" in prompt(agent)
    assert "Porto" not in prompt(agent)
    assert said("alice")[0] == ("user", "I live in Porto.")
    assert said("bob")[0] == ("user", "I live in Rome.")


def test_agents_of_one_user_share_what_they_know_or_do_not(
    memori: Memori, make_agent: Make, prompt: Any
):
    def ask(**options: Any) -> str:
        cook = make_agent(id="cook", **kwargs(memori, **options))
        cook.run("Where in Porto do I live?", user_id="alice")
        return prompt(cook)

    make_agent(id="guide", **kwargs(memori)).run("I live in Porto.", user_id="alice")
    memori.flush()
    assert "Porto" in ask()
    assert "Porto" not in ask(process_only=True)
    assert "Porto" in ask(process_only=True, process_id="guide")


def test_100_users_at_once_on_one_agent_never_mix(memori: Memori, make_agent: Make, said: Any):
    """B60: each request holds only its user's facts; each turn is stored under its user."""
    agent = make_agent(
        lambda messages: f"Noted: {messages[-1].content}",
        delay_s=0.01,
        tools=[MemoriTools(memori)],
        **kwargs(memori),
    )
    for number in range(100):
        memori.scoped(f"user-{number}").remember(f"User lives in {city_of(number)}.")

    async def everyone() -> None:
        await asyncio.gather(
            *(
                agent.arun(
                    f"Do I live in {city_of(number)}?",
                    user_id=f"user-{number}",
                    session_id="shared" if number % 2 else f"s{number}",
                )
                for number in range(100)
            )
        )

    asyncio.run(everyone())
    assert len(agent.model.requests) == 100  # type: ignore[union-attr]
    for request in agent.model.requests:  # type: ignore[union-attr]
        city = str(request[-1].content).split()[-1].rstrip("?")
        assert (
            [line for line in str(request[0].content).splitlines() if line.startswith("- User")]
            == [line for line in str(request[0].content).splitlines() if f"in {city}." in line]
            != []
        )
    for number in range(100):
        question = f"Do I live in {city_of(number)}?"
        assert said(f"user-{number}") == [("user", question), ("assistant", f"Noted: {question}")]


def test_b60_20_threads_on_one_agent_never_mix(memori: Memori, make_agent: Make, said: Any):
    agent = make_agent(lambda messages: str(messages[-1].content), **kwargs(memori))

    def run(number: int) -> None:
        agent.run(f"I live in {city_of(number)}.", user_id=f"user-{number}", session_id="shared")

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(run, range(60)))
    for number in range(60):
        text = f"I live in {city_of(number)}."
        assert said(f"user-{number}") == [("user", text), ("assistant", text)]


def test_100_users_at_once_on_one_manager_never_mix(memori: Memori, make_agent: Make, said: Any):
    agent = make_agent(
        delay_s=0.01,
        memory_manager=MemoriMemoryManager(memori, on_error="raise"),
        pre_hooks=[MemoriQueryHook(memori, on_error="raise")],
        update_memory_on_run=True,
    )
    for number in range(100):
        memori.scoped(f"user-{number}").remember(f"User lives in {city_of(number)}.")

    async def everyone() -> None:
        await asyncio.gather(
            *(
                agent.arun(f"Do I live in {city_of(number)}?", user_id=f"user-{number}")
                for number in range(100)
            )
        )

    asyncio.run(everyone())
    for request in agent.model.requests:  # type: ignore[union-attr]
        city = str(request[-1].content).split()[-1].rstrip("?")
        lines = [text for text in str(request[0].content).splitlines() if text.startswith("- User")]
        assert [f"- User lives in {city}" == text.split(".")[0] for text in lines] == [True]
    for number in range(100):
        assert said(f"user-{number}") == [("user", f"Do I live in {city_of(number)}?")]


@pytest.mark.parametrize("user_id", [None, "", " ", "default"])
@pytest.mark.parametrize("is_async", [False, True])
def test_without_a_user_id_nothing_is_recalled_or_stored_and_one_warning_says_so(
    is_async: bool,
    user_id: str | None,
    memori: Memori,
    make_agent: Make,
    caplog: pytest.LogCaptureFixture,
):
    memori.scoped("default").remember("User lives in Porto.")
    calls = [("search_memory", {"query": "Porto"}), ("remember", {"fact": "User lives in Rome."})]

    def answer(messages: list[Message]) -> Any:
        return "Fine." if messages[-1].role == "tool" else calls

    agent = make_agent(
        answer,
        tools=[MemoriTools(memori)],
        knowledge_retriever=MemoriKnowledgeRetriever(memori),
        memory_manager=MemoriMemoryManager(memori),
        update_memory_on_run=True,
        add_knowledge_to_context=True,
        **kwargs(memori, capture_on_start=True),
    )
    with caplog.at_level(logging.WARNING, logger="memori_core"):
        for _ in range(3):
            if is_async:
                asyncio.run(agent.arun("Where in Porto do I live?", user_id=user_id))
            else:
                agent.run("Where in Porto do I live?", user_id=user_id)
    memori.flush()
    assert memori.stats()["messages"] == 0
    assert memori.stats()["facts"] == 1
    for request in agent.model.requests:  # type: ignore[union-attr]
        assert TAG not in str(request)
        assert "User lives in Porto" not in str([m.content for m in request])
    assert len([r for r in caplog.records if "without a user id" in r.getMessage()]) == 1
    assert memori.stats()["no_scope"] >= 3


@pytest.mark.parametrize("user_id", [0, 7, UUID(int=5)])
def test_numbers_and_uuids_are_users_too(memori: Memori, make_agent: Make, user_id: Any):
    manager = MemoriMemoryManager(memori, on_error="raise")
    agent = make_agent(
        memory_manager=manager,
        update_memory_on_run=True,
        add_memories_to_context=True,
        **kwargs(memori),
    )
    for session_id in (3, "  "):
        agent.run("I live in Porto.", user_id=user_id, session_id=session_id)
    memori.flush()
    assert memori.entities() == [str(user_id)]
    assert len(memori.scoped(str(user_id)).messages()) == 4, "two turns, each once"
    assert "Porto" in str([m.memory for m in manager.get_user_memories(user_id)])
    assert "identity_failed" not in memori.stats()


def test_the_users_id_of_the_run_wins_over_the_agents_and_stays_with_the_run(
    memori: Memori, make_agent: Make, said: Any
):
    agent = make_agent(user_id="owner", **kwargs(memori))
    agent.run("One.", user_id="alice")
    agent.run("Two.")
    assert [text for _, text in said("alice")] == ["One.", "fine"]
    assert [text for _, text in said("owner")] == ["Two.", "fine"]


def test_agno9983_clearing_one_users_memories_leaves_the_others(memori: Memori, make_agent: Make):
    def answer(messages: list[Message]) -> Any:
        last = messages[-1]
        if last.role == "tool":
            return "Done."
        if "clear_memory" in str(messages[0].content):  # the manager's own model call
            return [("clear_memory", {})]
        return [("update_user_memory", {"task": "Clear all my memories."})]

    manager = MemoriMemoryManager(memori, clear_memories=True, on_error="raise")
    agent = make_agent(answer, memory_manager=manager, enable_agentic_memory=True)
    for user in ("alice", "bob"):
        manager.add_user_memory(UserMemory(f"{user} likes tea."), user_id=user)
    agent.run("Forget me.", user_id="alice")
    assert manager.get_user_memories("alice") == []
    assert [memory.memory for memory in manager.get_user_memories("bob")] == ["bob likes tea."]
    manager.add_user_memory(UserMemory("alice likes tea."), user_id="alice")
    asyncio.run(agent.arun("Forget me.", user_id="bob"))
    assert manager.get_user_memories("bob") == []
    assert len(manager.get_user_memories("alice")) == 1


def test_nothing_agno_serialises_holds_the_memory_or_other_users(memori: Memori, make_agent: Make):
    memori.scoped("bob").remember("Bob keeps bees in Graz.")
    db = InMemoryDb()
    agent = make_agent(
        db=db,
        memory_manager=MemoriMemoryManager(memori, id="memories"),
        tools=[MemoriTools(memori)],
        **kwargs(memori),
    )
    agent.run("Who keeps bees in Graz?", user_id="alice", session_id="s1")
    session = agent.get_session(session_id="s1", user_id="alice")
    assert session is not None
    for text in (json.dumps(session.to_dict(), default=repr), json.dumps(agent.to_dict())):
        assert "Bob" not in text
        assert "memori_core" not in text
        assert "object at 0x" not in text


def test_a_deep_copied_agent_has_the_same_memory(memori: Memori, make_agent: Make, said: Any):
    agent = make_agent(tools=[MemoriTools(memori)], **kwargs(memori))
    copy = agent.deep_copy()
    copy.run("I live in Porto.", user_id="alice")
    agent.run("I work at Acme.", user_id="alice")
    assert [text for role, text in said() if role == "user"] == [
        "I live in Porto.",
        "I work at Acme.",
    ]
