"""B57: memory is down and the agent lives; B59: no hook blocks the event loop."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agno.agent import Agent
from agno.models.message import Message

from memori_agno import (
    AgnoModelExtractor,
    MemoriKnowledgeRetriever,
    MemoriLearningStore,
    MemoriMemory,
    MemoriMemoryManager,
    MemoriQueryHook,
    MemoriTools,
)
from memori_agno.testing import FakeModel
from memori_core import InMemoryStore, Memori
from memori_core.errors import ExtractionError
from memori_core.hooks import TAG
from memori_core.testing import FakeEmbedder

Make = Callable[..., Agent]


def broken(texts: list[str]) -> list[list[float]]:
    raise RuntimeError("the model is gone")


def warnings(caplog: pytest.LogCaptureFixture, start: str) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.getMessage().startswith(start)]


def ask(agent: Agent, mode: str) -> Any:
    if mode == "run":
        return agent.run("Where do I live?", user_id="alice").content
    return asyncio.run(agent.arun("Where do I live?", user_id="alice")).content


@pytest.mark.parametrize("mode", ["run", "arun"])
def test_b57_a_broken_embedder_is_said_once_and_the_answer_comes(
    mode: str, make_agent: Make, caplog: pytest.LogCaptureFixture
):
    with Memori(InMemoryStore(), embedder=broken, extractor=None) as memori:
        agent = make_agent(**MemoriMemory(memori).agent_kwargs())
        for _ in range(3):
            assert ask(agent, mode) == "fine"
        assert len(warnings(caplog, "memory failed (recall)")) == 1
        assert memori.stats()["recall_failed"] == 3
        memori.flush()
        assert len(memori.scoped("alice").messages()) == 6  # what was said is safe


@pytest.mark.parametrize("mode", ["run", "arun"])
def test_b57_a_closed_store_is_said_once_and_the_answer_comes(
    mode: str, tmp_path: Path, make_agent: Make, caplog: pytest.LogCaptureFixture
):
    memori = Memori(tmp_path / "m.db", embedder=None)
    agent = make_agent(**MemoriMemory(memori).agent_kwargs())
    memori.close()
    for _ in range(2):
        assert ask(agent, mode) == "fine"
    memori.llm.workshop().drain(5)
    assert len(warnings(caplog, "memory failed (recall)")) == 1
    assert len(warnings(caplog, "memory failed (capture)")) == 1


@pytest.mark.parametrize("mode", ["run", "arun"])
@pytest.mark.parametrize("hooked", [True, False])
def test_b57_a_manager_whose_store_is_closed_ends_no_run(
    hooked: bool, mode: str, make_agent: Make, caplog: pytest.LogCaptureFixture
):
    memori = Memori(InMemoryStore(), embedder=None)
    agent = make_agent(
        memory_manager=MemoriMemoryManager(memori),
        pre_hooks=[MemoriQueryHook(memori)] if hooked else None,
        update_memory_on_run=True,
    )
    memori.close()
    for _ in range(2):
        assert ask(agent, mode) == "fine"
    memori.llm.workshop().drain(5)
    assert len(warnings(caplog, "memory failed (recall)")) == 1


def test_b57_an_extractor_that_fails_is_asked_again_and_loses_nothing(make_agent: Make):
    answers = iter([RuntimeError("no model"), '{"facts": ["User lives in Porto."]}'])
    extractor = AgnoModelExtractor(FakeModel(answer=lambda _: next(answers)))
    failures: list[Exception] = []
    with Memori(
        InMemoryStore(),
        embedder=None,
        extractor=extractor,
        on_error=lambda _, error: failures.append(error),
    ) as memori:
        agent = make_agent(**MemoriMemory(memori).agent_kwargs())
        assert agent.run("I live in Porto.", user_id="alice").content == "fine"
        memori.flush()
        assert [type(failure) for failure in failures] == [ExtractionError]
        assert len(memori.scoped("alice").messages()) == 2
        assert [f.content for f in memori.scoped("alice").list()] == ["User lives in Porto."]


@pytest.mark.parametrize("mode", ["run", "arun"])
def test_b57_a_recall_that_hangs_is_given_up(mode: str, make_agent: Make, prompt: Any):
    release = threading.Event()

    def hang(texts: list[str]) -> list[list[float]]:
        release.wait(60)
        return [[1.0, 0.0] for _ in texts]

    with Memori(InMemoryStore(), embedder=hang) as memori:
        shop = memori.llm.workshop()
        shop._first_limit_s = shop._recall_limit_s = 0.3
        agent = make_agent(**MemoriMemory(memori, capture=False).agent_kwargs())
        started = time.monotonic()
        try:
            assert ask(agent, mode) == "fine"
            assert time.monotonic() - started < 10
        finally:
            release.set()
        assert TAG not in prompt(agent)
        assert memori.stats()["timeouts"] == 1


def test_b57_with_raise_a_failure_is_not_hidden_by_us():
    with Memori(InMemoryStore(), embedder=broken) as memori:
        store = MemoriLearningStore(memori, on_error="raise")
        with pytest.raises(Exception, match="the model is gone"):
            store.recall(user_id="alice", message="Where do I live?")


def test_b57_a_model_is_told_that_memory_is_down(make_agent: Make):
    calls = [
        ("search_memory", {"query": "tea"}),
        ("remember", {"fact": "User likes tea."}),
        ("forget", {"memory_id": "1"}),
    ]

    def answer(messages: list[Message]) -> Any:
        return "Fine." if messages[-1].role == "tool" else calls

    memori = Memori(InMemoryStore(), embedder=broken)
    agent = make_agent(answer, tools=[MemoriTools(memori)])
    memori.close()
    for result in (
        agent.run("Hi.", user_id="alice"),
        asyncio.run(agent.arun("Hi.", user_id="alice")),
    ):
        assert result.content == "Fine."
        told = [str(message.content) for message in result.messages or () if message.role == "tool"]
        assert told == ["Memory is not available right now. Go on without it."] * 3


def test_b59_no_async_hook_blocks_the_event_loop(make_agent: Make):
    """Each embedding goes on when the loop has ticked once more, which a blocked loop does not."""
    looping, ticked = threading.Event(), threading.Event()
    in_time: list[bool] = []

    class Watching(FakeEmbedder):
        def _embed(self, texts: Any) -> Any:
            if looping.is_set():
                ticked.clear()
                in_time.append(ticked.wait(5))
            return super()._embed(texts)

    def answer(messages: list[Message]) -> Any:
        calls = [
            ("search_memory", {"query": "Do I keep bees?"}),
            ("remember", {"fact": "User keeps goats."}),
            ("search_knowledge_base", {"query": "Do I keep bees?"}),
        ]
        return "Fine." if messages[-1].role == "tool" else calls

    async def tick() -> None:
        while True:
            ticked.set()
            await asyncio.sleep(0.005)

    async def run(memori: Memori) -> Any:
        agent = make_agent(
            answer,
            tools=[MemoriTools(memori, on_error="raise")],
            knowledge_retriever=MemoriKnowledgeRetriever(memori, on_error="raise"),
            **MemoriMemory(memori, on_error="raise", capture_on_start=True).agent_kwargs(),
        )
        ticker = asyncio.create_task(tick())
        looping.set()
        result = await agent.arun("Do I keep bees?", user_id="alice")
        await MemoriMemoryManager(memori, on_error="raise").aget_user_memories("alice")
        await asyncio.to_thread(memori.flush)
        looping.clear()
        ticker.cancel()
        return result

    with Memori(InMemoryStore(), embedder=Watching()) as memori:
        shop = memori.llm.workshop()
        shop._first_limit_s = shop._recall_limit_s = 30  # or giving up would free the loop
        memori.scoped("alice").remember("User keeps bees.")
        result = asyncio.run(run(memori))
    told = [str(message.content) for message in result.messages or () if message.role == "tool"]
    assert len(told) == 3
    assert "User keeps bees" in told[0]
    assert "User keeps bees" in told[2]
    assert len(in_time) >= 2  # a question (asked again, it is not embedded again), and the goats
    assert all(in_time)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (MemoriLearningStore, "recall"),
        (MemoriLearningStore, "process"),
        (MemoriLearningStore, "get_tools"),
        (MemoriMemoryManager, "get_user_memories"),
        (MemoriMemoryManager, "create_user_memories"),
        (MemoriMemoryManager, "clear_user_memories"),
        (MemoriMemoryManager, "update_memory_task"),
        (MemoriMemoryManager, "read_from_db"),
        (MemoriMemoryManager, "optimize_memories"),
        (MemoriKnowledgeRetriever, "retrieve"),
        (MemoriTools, "search_memory"),
        (MemoriTools, "remember"),
        (MemoriTools, "forget"),
    ],
)
def test_each_verb_has_an_async_twin_with_its_parameters(kind: Any, name: str):
    import inspect

    verb, twin = getattr(kind, name), getattr(kind, f"a{name}")
    assert inspect.iscoroutinefunction(twin)
    assert list(inspect.signature(verb).parameters) == list(inspect.signature(twin).parameters)


def test_pitfall_3_an_agent_without_a_db_is_told_why_nothing_is_recalled(
    memori: Memori, make_agent: Make, caplog: pytest.LogCaptureFixture, prompt: Any, said: Any
):
    memori.scoped("alice").remember("User keeps bees.")
    agent = make_agent(db=None, **MemoriMemory(memori).agent_kwargs())
    agent.run("Do I keep bees?", user_id="alice")
    agent.run("Do I keep bees?", user_id="alice")
    assert prompt(agent) == ""
    assert len(warnings(caplog, "an agent has no `db`")) == 1
    assert len(said()) == 4  # capture needs none


def test_a_system_message_of_ones_own_is_told_to_leave_no_room(
    memori: Memori, make_agent: Make, caplog: pytest.LogCaptureFixture, prompt: Any
):
    memori.scoped("alice").remember("User keeps bees.")
    agent = make_agent(system_message="Be kind.", **MemoriMemory(memori).agent_kwargs())
    agent.run("Do I keep bees?", user_id="alice")
    assert prompt(agent) == "Be kind."
    assert len(warnings(caplog, "an agent has a `system_message`")) == 1
