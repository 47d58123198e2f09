"""The table of endings: what is recalled and stored when a run ends in each way it can."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any

import pytest
from agno.agent import Agent
from agno.exceptions import InputCheckError, OutputCheckError
from agno.models.message import Message
from agno.run import RunContext
from agno.run.agent import RunStatus
from agno.run.cancel import set_cancellation_manager
from agno.tools import tool

from memori_agno import MemoriCaptureHook, MemoriMemory
from memori_core import Memori
from memori_core.hooks import is_handled

Make = Callable[..., Agent]
WORDS = "one two three four five"


@pytest.fixture(autouse=True)
def nothing_is_marked_afterwards():
    """However a run ended: the caller's own calls are the caller's again."""
    yield
    gc.collect()
    assert not is_handled()


def kwargs(memori: Memori, **options: Any) -> dict[str, Any]:
    return MemoriMemory(memori, on_error="raise", **options).agent_kwargs()


@pytest.mark.parametrize("on_start", [False, True])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("is_async", [False, True])
def test_after_an_error_of_the_model_only_the_users_words_may_be_kept(
    is_async: bool, stream: bool, on_start: bool, memori: Memori, make_agent: Make, said: Any
):
    agent = make_agent(RuntimeError("boom"), **kwargs(memori, capture_on_start=on_start))

    async def arun() -> None:
        if stream:
            async for _ in agent.arun("I live in Porto.", stream=True, user_id="alice"):
                pass
        else:
            result = await agent.arun("I live in Porto.", user_id="alice")
            assert result.status is RunStatus.error
        assert not is_handled()

    if is_async:
        asyncio.run(arun())
    elif stream:
        list(agent.run("I live in Porto.", stream=True, user_id="alice"))
    else:
        assert agent.run("I live in Porto.", user_id="alice").status is RunStatus.error
    assert not is_handled()
    assert said() == ([("user", "I live in Porto.")] if on_start else [])


@pytest.mark.parametrize("on_start", [False, True])
@pytest.mark.parametrize("is_async", [False, True])
def test_an_abandoned_stream_stores_no_answer(
    is_async: bool, on_start: bool, memori: Memori, make_agent: Make, said: Any
):
    agent = make_agent(WORDS, **kwargs(memori, capture_on_start=on_start))

    async def abandon() -> None:
        stream = agent.arun("I live in Porto.", stream=True, user_id="alice")
        async for _ in stream:
            break
        await stream.aclose()
        assert not is_handled()

    if is_async:
        asyncio.run(abandon())
    else:
        for _ in agent.run("I live in Porto.", stream=True, user_id="alice"):
            break
    assert not is_handled()
    assert said() == ([("user", "I live in Porto.")] if on_start else [])


@pytest.mark.parametrize("on_start", [False, True])
def test_a_cancelled_task_stores_no_answer(
    on_start: bool, memori: Memori, make_agent: Make, said: Any
):
    agent = make_agent(WORDS, delay_s=5, **kwargs(memori, capture_on_start=on_start))

    async def cancel() -> None:
        task = asyncio.create_task(agent.arun("I live in Porto.", user_id="alice"))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancel())
    assert said() == ([("user", "I live in Porto.")] if on_start else [])


@pytest.mark.parametrize("is_async", [False, True])
def test_cancel_run_stores_no_answer_though_agno_says_completed(
    is_async: bool, memori: Memori, make_agent: Make, said: Any
):
    agent = make_agent(WORDS, delay_s=0.01, **kwargs(memori))
    kinds: list[str] = []

    def see(event: Any) -> None:
        kinds.append(type(event).__name__)
        if kinds[-1] == "RunContentEvent":
            Agent.cancel_run(event.run_id)

    async def arun() -> None:
        async for event in agent.arun("Hi.", stream=True, stream_events=True, user_id="alice"):
            see(event)

    if is_async:
        asyncio.run(arun())
    else:
        for event in agent.run("Hi.", stream=True, stream_events=True, user_id="alice"):
            see(event)
    assert "RunCancelledEvent" in kinds
    assert said() == []


@pytest.mark.parametrize("is_async", [False, True])
def test_a_retried_run_recalls_once_and_is_stored_once(
    is_async: bool, memori: Memori, make_agent: Make, said: Any, prompt: Any
):
    memori.scoped("alice").remember("User lives in Porto.")
    tries = iter([RuntimeError("flaky"), RuntimeError("flaky"), "Recovered."])
    agent = make_agent(
        lambda _: next(tries),
        retries=2,
        delay_between_retries=0,
        **kwargs(memori, capture_on_start=True),
    )
    if is_async:
        asyncio.run(agent.arun("Where is Porto?", user_id="alice"))
    else:
        agent.run("Where is Porto?", user_id="alice")
    assert said() == [("user", "Where is Porto?"), ("assistant", "Recovered.")]
    assert memori.stats()["calls"] == 1
    assert prompt(agent, 0) == prompt(agent, 2) != ""


def test_two_capture_hooks_store_a_run_once(memori: Memori, make_agent: Make, said: Any):
    hook = MemoriCaptureHook(memori, on_error="raise")
    memory = MemoriMemory(memori, on_error="raise")
    agent = make_agent(**memory.agent_kwargs(post_hooks=[hook, hook]))
    agent.run("I live in Porto.", user_id="alice")
    agent.run("I live in Porto.", user_id="alice")
    assert said() == [("user", "I live in Porto."), ("assistant", "fine")] * 2


def test_what_is_kept_at_the_start_is_completed_by_the_answer(
    memori: Memori, make_agent: Make, said: Any
):
    agent = make_agent("Nice.", **kwargs(memori, capture_on_start=True))
    agent.run("I live in Porto.", user_id="alice")
    assert said() == [("user", "I live in Porto."), ("assistant", "Nice.")]
    assert [(fact.content, fact.times) for fact in memori.scoped("alice").list()] == [
        ("User lives in Porto.", 1)
    ]


def test_what_a_guard_refuses_is_not_stored(memori: Memori, make_agent: Make, said: Any):
    def no_input(run_context: RunContext) -> None:
        raise InputCheckError("refused")

    def no_output(run_context: RunContext) -> None:
        raise OutputCheckError("refused")

    memory = MemoriMemory(memori, on_error="raise", capture_on_start=True)
    before = make_agent(**memory.agent_kwargs(pre_hooks=[no_input]))
    assert before.run("I live in Porto.", user_id="alice").status is RunStatus.error
    assert said() == []
    after = make_agent(**kwargs(memori) | memory.agent_kwargs(post_hooks=[no_output]))
    assert after.run("I live in Rome.", user_id="alice").status is RunStatus.error
    assert said() == [("user", "I live in Rome.")]  # kept on start; the answer was refused


@pytest.mark.parametrize("is_async", [False, True])
def test_a_run_that_waits_for_a_person_is_stored_once_when_it_goes_on(
    is_async: bool, memori: Memori, make_agent: Make, said: Any
):
    @tool(requires_confirmation=True)
    def pay(amount: int) -> str:
        """Pay."""
        return "paid"

    def answer(messages: list[Message]) -> Any:
        return "Done." if messages[-1].role == "tool" else [("pay", {"amount": 3})]

    agent = make_agent(answer, tools=[pay], **kwargs(memori))

    def confirm(paused: Any) -> None:
        assert paused.is_paused
        assert said() == []
        for requirement in paused.active_requirements:
            requirement.confirm()

    async def arun() -> Any:
        paused = await agent.arun("Pay 3.", user_id="alice", session_id="s1")
        confirm(paused)
        return await agent.acontinue_run(
            run_id=paused.run_id,
            requirements=paused.requirements,
            user_id="alice",
            session_id="s1",
        )

    if is_async:
        done = asyncio.run(arun())
    else:
        paused = agent.run("Pay 3.", user_id="alice", session_id="s1")
        confirm(paused)
        done = agent.continue_run(
            run_id=paused.run_id,
            requirements=paused.requirements,
            user_id="alice",
            session_id="s1",
        )
    assert done.content == "Done."
    assert said() == [("user", "Pay 3."), ("assistant", "Done.")]


@pytest.mark.parametrize("instructions", [None, "Be kind."])
@pytest.mark.parametrize("history", [False, True])
def test_a_run_that_goes_on_after_its_end_stores_only_what_is_new(
    history: bool, instructions: str | None, memori: Memori, make_agent: Make, said: Any
):
    answers = iter(["Zeroth.", "First.", "Second.", "Third."])
    agent = make_agent(
        lambda _: next(answers),
        add_history_to_context=history,
        instructions=instructions,
        **kwargs(memori),
    )
    agent.run("Hello there.", user_id="alice", session_id="s1")
    first = agent.run("I live in Porto.", user_id="alice", session_id="s1")
    agent.continue_run(
        run_id=first.run_id, user_id="alice", session_id="s1", input="And I work at Acme."
    )
    again = agent.continue_run(
        run_id=first.run_id, user_id="alice", session_id="s1", regenerate=True
    )
    assert again.content == "Third."
    assert said()[2:] == [
        ("user", "I live in Porto."),
        ("assistant", "First."),
        ("user", "And I work at Acme."),
        ("assistant", "Second."),
    ]


def test_the_end_of_a_run_is_seen_also_where_agno_keeps_its_runs_elsewhere(
    memori: Memori, make_agent: Make, said: Any
):
    from agno.run import cancel
    from agno.run.cancellation_management.base import BaseRunCancellationManager

    before = cancel.get_cancellation_manager()

    class Elsewhere:
        def __getattr__(self, name: str) -> Any:
            assert name != "get_active_runs", "asked over the network, in a hook"
            return getattr(before, name)

    BaseRunCancellationManager.register(Elsewhere)
    seen: list[bool] = []
    agent = make_agent(lambda _: (seen.append(is_handled()), "Fine.")[1], **kwargs(memori))
    set_cancellation_manager(Elsewhere())  # type: ignore[arg-type]
    try:
        agent.run("Hi there, how are things?", user_id="alice")
        gc.collect()
        assert not is_handled()
    finally:
        cancel._cancellation_manager = before
        cancel._cancellation_manager_explicitly_set = False
    assert seen == [True]
    assert len(said()) == 2


@pytest.mark.parametrize("mode", ["first sync", "first async"])
def test_the_hooks_work_whichever_way_the_agent_was_run_first(
    mode: str, memori: Memori, make_agent: Make, said: Any
):
    agent = make_agent(**kwargs(memori))
    if mode == "first async":
        asyncio.run(agent.arun("One.", user_id="alice"))
    agent.run("Two.", user_id="alice")
    asyncio.run(agent.arun("Three.", user_id="alice"))
    assert len([1 for role, _ in said() if role == "user"]) == (3 if mode == "first async" else 2)
