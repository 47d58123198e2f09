"""Memory that fails, hangs or is switched off: the agent's turn goes on."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.models.test import TestModel

from memori_core import InMemoryStore, Memori, ScopedMemory
from memori_core.errors import EmbeddingError
from memori_pydantic_ai import MemoriCapability, memory_instructions, memory_toolset
from memori_pydantic_ai import _guarding as guarding

QUESTION = "Which tea do I like?"


def broken(texts: list[str]) -> list[list[float]]:
    raise RuntimeError("the model is gone")


class DeadStore(InMemoryStore):
    """A store that refuses everything."""

    dead = False

    def __getattribute__(self, name: str) -> Any:
        if name in ("apply", "facts_since", "revision", "load") and type(self).dead:
            raise OSError("the disk is gone")
        return super().__getattribute__(name)


def agent_for(recorder: Any, memori: Memori, **options: Any) -> Agent[Any, str]:
    return Agent(
        recorder.model, deps_type=object, capabilities=[MemoriCapability(memori, **options)]
    )


async def test_b57_a_broken_embedder_costs_the_memory_and_not_the_answer(
    recorder: Any, alice: Any, caplog: pytest.LogCaptureFixture
):
    with Memori(InMemoryStore(), embedder=broken) as memori:
        agent = agent_for(recorder, memori, capture=False)  # or close() waits for its embedding
        with caplog.at_level(logging.WARNING):
            for _ in range(3):
                assert (await agent.run(QUESTION, deps=alice)).output == "ok"
        warnings = [r for r in caplog.records if "memory failed (recall)" in r.getMessage()]
        assert len(warnings) == 1
        assert "the model is gone" in caplog.text
        assert memori.stats()["recall_failed"] == 3
        assert memori.doctor().nothing_injected == {"alice": "error"}
        with pytest.raises(EmbeddingError, match="the model is gone"):
            memori.scoped("alice").recall(QUESTION)


async def test_b57_a_tool_that_fails_in_every_run_is_told_of_once_and_counted(
    alice: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    with Memori(DeadStore(), embedder=None) as memori:
        capability = MemoriCapability(memori, tools=["remember"], recall=False, capture=False)
        model = TestModel(call_tools=["remember"])
        agent = Agent(model, deps_type=object, capabilities=[capability])
        monkeypatch.setattr(DeadStore, "dead", True)
        with caplog.at_level(logging.WARNING):
            for _ in range(3):
                assert "not available" in (await agent.run(QUESTION, deps=alice)).output
        warnings = [r for r in caplog.records if "memory failed (remember)" in r.getMessage()]
        assert len(warnings) == 1
        assert memori.stats()["remember_failed"] == 3
        monkeypatch.setattr(DeadStore, "dead", False)


async def test_b57_with_raise_the_failure_is_the_callers(recorder: Any, alice: Any):
    with Memori(InMemoryStore(), embedder=broken) as memori:
        agent = agent_for(recorder, memori, capture=False, on_error="raise")
        with pytest.raises(EmbeddingError, match="the model is gone"):
            await agent.run(QUESTION, deps=alice)


async def test_b57_a_dead_store_costs_the_memory_and_not_the_answer(
    recorder: Any, alice: Any, monkeypatch: pytest.MonkeyPatch
):
    with Memori(DeadStore(), embedder=None) as memori:
        memori.scoped("alice").remember("User likes oolong tea.")
        monkeypatch.setattr(DeadStore, "dead", True)
        assert (await agent_for(recorder, memori).run(QUESTION, deps=alice)).output == "ok"
        memori.llm.drain(5)
        assert memori.stats()["capture_failed"] == 1
        monkeypatch.setattr(DeadStore, "dead", False)


async def test_b57_a_hanging_recall_is_given_up(recorder: Any, alice: Any):
    release = threading.Event()

    def hang(texts: list[str]) -> list[list[float]]:
        release.wait(20)
        return [[1.0, 0.0] for _ in texts]

    with Memori(InMemoryStore(), embedder=hang) as memori:
        shop = memori.llm.workshop()
        shop._first_limit_s = shop._recall_limit_s = 0.2
        try:
            started = time.monotonic()
            result = await agent_for(recorder, memori).run(QUESTION, deps=alice)
            assert result.output == "ok"
            assert time.monotonic() - started < 5
            assert memori.stats()["timeouts"] == 1
        finally:
            release.set()


async def ticks_during(doing: Any) -> int:
    task, ticks = asyncio.ensure_future(doing), 0
    while not task.done():
        await asyncio.sleep(0.01)
        ticks += 1
    await task
    return ticks


async def test_b59_the_event_loop_runs_on_during_recall_and_tools(recorder: Any, alice: Any):
    def slow(texts: list[str]) -> list[list[float]]:
        time.sleep(0.3)
        return [[1.0, 0.0] for _ in texts]

    with Memori(InMemoryStore(), embedder=slow) as memori:
        memori.scoped("alice").remember("User likes oolong tea.")
        agent = agent_for(recorder, memori, capture=False)
        assert await ticks_during(agent.run(QUESTION, deps=alice)) > 10

        def memory_of(ctx: RunContext[ScopedMemory]) -> ScopedMemory:
            return ctx.deps

        by_hand = Agent(
            recorder.model,
            deps_type=ScopedMemory,
            instructions=memory_instructions(memory_of),
        )
        handle = memori.scoped("alice")
        assert await ticks_during(by_hand.run("And which tea now?", deps=handle)) > 10


async def test_b57_tools_and_instructions_of_a_broken_memory_say_so(
    recorder: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    def memory_of(ctx: RunContext[ScopedMemory]) -> ScopedMemory:
        return ctx.deps

    async def call(toolset: Any, memory: ScopedMemory, name: str, **given: str) -> str:
        from pydantic_ai.usage import RunUsage

        ctx = RunContext(deps=memory, model=TestModel(), usage=RunUsage())
        tools = await toolset.get_tools(ctx)
        return await toolset.call_tool(name, given, ctx, tools[name])

    with Memori(InMemoryStore(), embedder=broken) as memori:
        handle = memori.scoped("alice")
        agent = Agent(
            recorder.model, deps_type=ScopedMemory, instructions=memory_instructions(memory_of)
        )
        assert (await agent.run(QUESTION, deps=handle)).output == "ok"
        assert recorder.infos[0].instructions is None
        toolset = memory_toolset(memory_of)
        sorry = "Memory is not available right now."
        assert await call(toolset, handle, "search_memory", query="tea") == sorry
        assert await call(toolset, handle, "remember", fact="User likes tea.") == sorry
        assert "the model is gone" in caplog.text
        strict = memory_toolset(memory_of, on_error="raise")
        with pytest.raises(EmbeddingError):
            await call(strict, handle, "search_memory", query="tea")

    release = threading.Event()

    def hang(texts: list[str]) -> list[list[float]]:
        release.wait(20)
        return [[1.0, 0.0] for _ in texts]

    monkeypatch.setattr(guarding, "LIMIT_S", 0.1)
    with Memori(InMemoryStore(), embedder=hang) as memori:
        try:
            answer = await call(toolset, memori.scoped("alice"), "remember", fact="User likes tea.")
        finally:
            release.set()
        assert answer == sorry


async def test_b57_a_memory_that_hangs_leaves_the_threads_of_the_loop_alone(
    recorder: Any, monkeypatch: pytest.MonkeyPatch
):
    """They look up the address of the model's server, too."""
    monkeypatch.setattr(guarding, "LIMIT_S", 0.02)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
    release = threading.Event()

    def hang(texts: list[str]) -> list[list[float]]:
        release.wait(20)
        return [[1.0, 0.0] for _ in texts]

    with Memori(InMemoryStore(), embedder=hang) as memori:
        instructions = memory_instructions(lambda ctx: memori.scoped("alice"))
        agent = Agent(recorder.model, instructions=instructions)
        try:
            for _ in range(4):
                assert (await agent.run(QUESTION)).output == "ok"
            assert await asyncio.wait_for(asyncio.to_thread(lambda: "free"), 5) == "free"
        finally:
            release.set()


@pytest.mark.parametrize("recall", [True, False])
@pytest.mark.parametrize("capture", [True, False])
async def test_b71_switches_mean_what_they_say(
    recall: bool, capture: bool, memori: Memori, recorder: Any, alice: Any, captured: Any
):
    memori.scoped("alice").remember("User likes oolong tea.")
    await agent_for(recorder, memori, recall=recall, capture=capture).run(QUESTION, deps=alice)
    assert ("oolong" in recorder.texts()[0]) is recall
    assert captured() == ([("user", QUESTION), ("assistant", "ok")] if capture else [])
    assert memori.stats().get("calls", 0) == int(recall)


@pytest.mark.parametrize(
    "options", [{"recall": False}, {"inject": "off"}, {"recall": False, "inject": "instructions"}]
)
async def test_b71_switched_off_the_request_is_that_of_an_agent_without_us(
    options: Any, memori: Memori, recorder: Any, alice: Any
):
    memori.scoped("alice").remember("User likes oolong tea.")
    await agent_for(recorder, memori, capture=False, **options).run(QUESTION, deps=alice)
    await Agent(recorder.model, deps_type=object).run(QUESTION, deps=alice)
    (with_us,), (without,) = recorder.requests
    assert [part.content for part in with_us.parts] == [part.content for part in without.parts]
    assert with_us.instructions == without.instructions is None
    assert recorder.infos[0].function_tools == recorder.infos[1].function_tools == []


async def test_b71_a_capability_that_is_all_off_leaves_a_registered_client_to_its_work(
    memori: Memori, recorder: Any, alice: Any
):
    from memori_core.hooks import is_handled

    states: list[bool] = []

    def agent_with(**options: Any) -> Agent[Any, str]:
        agent = agent_for(recorder, memori, **options)

        @agent.tool_plain
        def ping() -> str:
            states.append(is_handled())
            return "pong"

        return agent

    await agent_with(recall=False, capture=False).run(f"{QUESTION} usetool", deps=alice)
    await agent_with().run(f"{QUESTION} usetool")  # nobody's
    await agent_with().run(f"{QUESTION} usetool", deps=alice)
    assert states == [False, False, True]
    assert not is_handled()


async def test_b71_the_tools_are_those_asked_for(memori: Memori, recorder: Any, alice: Any):
    async def offered(**options: Any) -> list[str]:
        await agent_for(recorder, memori, **options).run(QUESTION, deps=alice)
        return [tool.name for tool in recorder.infos[-1].function_tools]

    assert await offered() == []
    assert await offered(tools=True) == ["search_memory", "remember", "forget"]
    assert await offered(tools=["forget", "search_memory"]) == ["search_memory", "forget"]
    assert await offered(tools={"remember"}, recall=False, capture=False) == ["remember"]


async def test_whose_run_it_is_is_asked_once_per_run(memori: Memori, recorder: Any):
    asked: list[object] = []

    def who(ctx: Any) -> str:
        asked.append(ctx)
        return "alice"

    await agent_for(recorder, memori, user_id=who, tools=True).run(f"{QUESTION} now")
    assert len(asked) == 1
