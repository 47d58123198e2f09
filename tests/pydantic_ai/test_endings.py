"""What is captured of a run, by the way it is driven and the way it ends: once, whatever it is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pydantic_ai
import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import PartDeltaEvent
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import UsageLimits

from memori_core import Memori
from memori_pydantic_ai import MemoriCapability

Drive = Callable[[Agent[Any, str], Any], Awaitable[None]]
FULL = "w0 w1 w2 w3 w4 w5"
SAID = ("user", "I live in Porto.")
PROMPT = SAID[1]


async def run(agent: Agent[Any, str], deps: Any) -> None:
    await agent.run(PROMPT, deps=deps)


async def run_with_tool(agent: Agent[Any, str], deps: Any) -> None:
    await agent.run(f"{PROMPT} usetool", deps=deps)


async def iterated(agent: Agent[Any, str], deps: Any) -> None:
    async with agent.iter(PROMPT, deps=deps) as steps:
        async for _ in steps:
            pass


async def iter_left(agent: Agent[Any, str], deps: Any) -> None:
    async with agent.iter(PROMPT, deps=deps) as steps:
        async for _ in steps:
            break


async def events(agent: Agent[Any, str], deps: Any) -> None:
    async with agent.run_stream_events(PROMPT, deps=deps) as found:
        async for _ in found:
            pass


async def events_left(agent: Agent[Any, str], deps: Any) -> None:
    async with agent.run_stream_events(PROMPT, deps=deps) as found:
        async for event in found:
            if isinstance(event, PartDeltaEvent):
                break


def stream(ending: str) -> Drive:
    async def drive(agent: Agent[Any, str], deps: Any) -> None:
        async with agent.run_stream(PROMPT, deps=deps) as stream:
            if ending == "never":
                return
            async for _ in stream.stream_text(delta=True, debounce_by=None):
                if ending == "raise":
                    raise KeyError("consumer")
                if ending == "cancel":
                    await stream.cancel()
                if ending != "full":
                    break
            if ending == "finish":
                await stream.get_output()

    return drive


async def slowly(ctx: Any, events: Any) -> None:
    async for _ in events:
        await asyncio.sleep(0.05)


async def cancelled(agent: Agent[Any, str], deps: Any) -> None:
    task = asyncio.create_task(agent.run(PROMPT, deps=deps, event_stream_handler=slowly))
    await asyncio.sleep(0.1)
    task.cancel()
    await task


async def timed_out(agent: Agent[Any, str], deps: Any) -> None:
    await agent.run(PROMPT, deps=deps, event_stream_handler=slowly, timeout=0.1)


async def token(agent: Agent[Any, str], deps: Any) -> None:
    token = pydantic_ai.CancellationToken()
    asyncio.get_running_loop().call_later(0.1, token.cancel)
    await agent.run(PROMPT, deps=deps, event_stream_handler=slowly, cancellation_token=token)


async def model_error(agent: Agent[Any, str], deps: Any) -> None:
    await agent.run(f"{PROMPT} boom", deps=deps)


async def mid_stream_error(agent: Agent[Any, str], deps: Any) -> None:
    async with agent.run_stream(f"{PROMPT} midboom", deps=deps) as stream:
        async for _ in stream.stream_text():
            pass


async def usage_limit(agent: Agent[Any, str], deps: Any) -> None:
    limits = UsageLimits(request_limit=1)
    await agent.run(f"{PROMPT} usetool", deps=deps, usage_limits=limits)


async def handler_stops(agent: Agent[Any, str], deps: Any) -> None:
    async def one(ctx: Any, events: Any) -> None:
        async for _ in events:
            break

    await agent.run(PROMPT, deps=deps, event_stream_handler=one)


# name: (drive, what the user said, the answer, what the caller sees)
COMPLETE: dict[str, tuple[Drive, str, str, str | None]] = {
    "run": (run, PROMPT, "ok", None),
    "run with a tool": (run_with_tool, f"{PROMPT} usetool", "ok", None),
    "iter": (iterated, PROMPT, "ok", None),
    "run_stream": (stream("full"), PROMPT, FULL, None),
    "run_stream, output after a break": (stream("finish"), PROMPT, FULL, None),
    "run_stream_events": (events, PROMPT, FULL, None),
    "run, the event handler stops early": (handler_stops, PROMPT, FULL, None),
}
# name: (drive, what the user said, whether there is a part of the answer, what the caller sees)
BROKEN: dict[str, tuple[Drive, str, bool, str | None]] = {
    "iter, break": (iter_left, PROMPT, False, None),
    "run_stream, break": (stream("break"), PROMPT, True, None),
    "run_stream, never iterated": (stream("never"), PROMPT, True, None),
    "run_stream, cancel()": (stream("cancel"), PROMPT, True, None),
    "run_stream, the consumer raises": (stream("raise"), PROMPT, False, "KeyError"),
    "run_stream_events, break": (events_left, PROMPT, False, None),
    "task cancelled": (cancelled, PROMPT, False, "CancelledError"),
    "timeout=": (timed_out, PROMPT, False, "RunTimedOut"),
    "model error": (model_error, f"{PROMPT} boom", False, "RuntimeError"),
    "model error in mid-stream": (mid_stream_error, f"{PROMPT} midboom", False, "RuntimeError"),
    "usage limit": (usage_limit, f"{PROMPT} usetool", False, "UsageLimitExceeded"),
}

if hasattr(pydantic_ai, "CancellationToken"):  # newer than the oldest release we work with
    BROKEN["CancellationToken"] = (token, PROMPT, False, "RunCancelled")


async def drive(case: Drive, agent: Agent[Any, str], deps: Any) -> str | None:
    try:
        await case(agent, deps)
    except BaseException as e:  # noqa: BLE001 (what the caller sees)
        return type(e).__name__
    finally:
        await asyncio.sleep(0.01)
    return None


def agent_for(recorder: Any, memori: Memori, **options: Any) -> Agent[Any, str]:
    capability = MemoriCapability(memori, on_error="raise", **options)
    agent = Agent(recorder.model, deps_type=object, capabilities=[capability])

    @agent.tool_plain
    def ping() -> str:
        return "pong"

    return agent


@pytest.mark.parametrize("case", COMPLETE)
async def test_b68_an_answered_turn_is_stored_whole_and_once(
    case: str, memori: Memori, recorder: Any, alice: Any, captured: Any
):
    way, said, answer, seen = COMPLETE[case]
    assert await drive(way, agent_for(recorder, memori), alice) == seen
    assert captured() == [("user", said), ("assistant", answer)]
    assert memori.stats()["captured"] == 1


@pytest.mark.parametrize("policy", ["skip", "user", "both"])
@pytest.mark.parametrize("case", BROKEN)
async def test_b68_a_broken_turn_is_stored_by_the_rule(
    case: str, policy: Any, memori: Memori, recorder: Any, alice: Any, captured: Any
):
    way, said, has_part, seen = BROKEN[case]
    agent = agent_for(recorder, memori, capture_partial=policy)
    assert await drive(way, agent, alice) == seen
    stored = captured()
    if policy == "skip":
        assert stored == []
        return
    assert stored[0] == ("user", said)
    if policy == "both" and has_part:
        ((role, part),) = stored[1:]
        assert role == "assistant"
        assert part
        assert FULL.startswith(part)
    else:
        assert stored[1:] == []
    assert memori.stats()["captured_partial"] == 1


@pytest.mark.usefixtures("own_loop")
def test_b68_run_sync_loses_nothing(memori: Memori, recorder: Any, alice: Any, captured: Any):
    agent = agent_for(recorder, memori)
    agent.run_sync(PROMPT, deps=alice)
    with agent.run_stream_sync("And I like tea.", deps=alice) as stream:
        assert "".join(stream.stream_text(delta=True)) == FULL
    assert captured() == [
        SAID,
        ("assistant", "ok"),
        ("user", "And I like tea."),
        ("assistant", FULL),
    ]


@pytest.mark.usefixtures("own_loop")
def test_b68_a_failing_run_sync_keeps_what_the_user_said(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    with pytest.raises(RuntimeError, match="boom"):
        agent_for(recorder, memori).run_sync(f"{PROMPT} boom", deps=alice)
    assert captured() == [("user", f"{PROMPT} boom")]


def run_sync(agent: Agent[Any, str], deps: Any, prompt: str = PROMPT, **options: Any) -> None:
    agent.run_sync(prompt, deps=deps, **options)


def stream_sync_left(agent: Agent[Any, str], deps: Any) -> None:
    with agent.run_stream_sync(PROMPT, deps=deps) as stream:
        for _ in stream.stream_text(delta=True, debounce_by=None):
            break


def stream_sync_raises(agent: Agent[Any, str], deps: Any) -> None:
    with agent.run_stream_sync(PROMPT, deps=deps) as stream:
        for _ in stream.stream_text(delta=True, debounce_by=None):
            raise KeyError("consumer")


SCRIPT = """
import sys
from memori_core import Memori
from memori_pydantic_ai import MemoriCapability
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

memori = Memori(sys.argv[1], embedder=None)
agent = Agent(TestModel(), capabilities=[MemoriCapability(memori, user_id="alice")])
print(agent.run_sync("I live in Porto.").output)
"""


def test_b68_a_script_that_ends_at_once_loses_nothing(tmp_path: Path):
    path = tmp_path / "memories.db"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    with Memori(path, embedder=None) as memori:
        assert [m.message.content for m in memori.scoped("alice").messages()] == [
            PROMPT,
            done.stdout.strip(),
        ]


SYNC: dict[str, tuple[Callable[[Agent[Any, str], Any], None], str, str | None]] = {
    "run_stream_sync, break": (stream_sync_left, PROMPT, None),
    "run_stream_sync, the consumer raises": (stream_sync_raises, PROMPT, "KeyError"),
    "run_sync, timeout=": (
        lambda agent, deps: run_sync(agent, deps, event_stream_handler=slowly, timeout=0.1),
        PROMPT,
        "RunTimedOut",
    ),
    "run_sync, usage limit": (
        lambda agent, deps: run_sync(
            agent, deps, f"{PROMPT} usetool", usage_limits=UsageLimits(request_limit=1)
        ),
        f"{PROMPT} usetool",
        "UsageLimitExceeded",
    ),
}


@pytest.mark.usefixtures("own_loop")
@pytest.mark.parametrize("case", SYNC)
def test_b68_a_broken_turn_of_sync_code_is_stored_by_the_rule(
    case: str, memori: Memori, recorder: Any, alice: Any, captured: Any
):
    way, said, seen = SYNC[case]
    try:
        way(agent_for(recorder, memori), alice)
        raised = None
    except Exception as e:  # noqa: BLE001 (what the caller sees)
        raised = type(e).__name__
    assert raised == seen
    assert captured() == [("user", said)]


TEST_MODEL_BROKEN = [case for case in BROKEN if case.startswith(("iter", "run_stream"))]


@pytest.mark.parametrize("case", [*COMPLETE, *TEST_MODEL_BROKEN])
async def test_b68_the_test_model_sees_the_same_rules(
    case: str, memori: Memori, alice: Any, captured: Any
):
    way, said, *_, seen = {**COMPLETE, **BROKEN}[case]
    model = TestModel(call_tools=["ping"] if "tool" in case else [], custom_output_text=FULL)
    agent: Agent[Any, str] = Agent(
        model, deps_type=object, capabilities=[MemoriCapability(memori, on_error="raise")]
    )

    @agent.tool_plain
    def ping() -> str:
        return "pong"

    assert await drive(way, agent, alice) == seen
    answer = [("assistant", FULL)] if case in COMPLETE else []
    assert captured() == [("user", said), *answer]
