"""What a run costs beyond the framework, the recall and the capture: a script, not a test.

Run: python tests/pydantic_ai/overhead.py
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

import pydantic_ai
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from memori_core import InMemoryStore, Memori, Scope
from memori_core.hooks import Hooks
from memori_pydantic_ai import MemoriCapability

ROUNDS = 600
QUESTION = "Which tea number 7 do I like?"


@dataclass
class Deps:
    user_id: str


@dataclass
class Empty(AbstractCapability[Any]):
    """A capability with the hooks of ours that does nothing."""

    async def for_run(self, ctx: Any) -> Empty:
        return copy(self)

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        return request_context

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
        return response

    async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
        return await handler()


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse([TextPart("Oolong.")])


async def medians(ways: dict[str, Callable[[], Awaitable[Any]]]) -> dict[str, tuple[float, float]]:
    """Milliseconds of each way, by the clock and of this thread's CPU.

    They are taken in turn, so that a busy machine counts on all sides.
    """
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            wall, cpu = time.perf_counter(), time.thread_time()
            await way()
            times[name].append((time.perf_counter() - wall, time.thread_time() - cpu))
    return {
        name: (
            statistics.median(wall for wall, _ in took[ROUNDS // 10 :]) * 1_000,
            statistics.median(cpu for _, cpu in took[ROUNDS // 10 :]) * 1_000,
        )
        for name, took in times.items()
    }


async def measure() -> dict[str, tuple[float, float]]:
    """The p50 of a run without memory, of the core's part, and of a run with memory."""
    with Memori(InMemoryStore(), embedder=None, extractor=None) as memori:
        for user in ("alice", "bob"):  # two, since a recall waits for what its user said before
            memori.scoped(user).remember_many([f"User likes tea number {n}." for n in range(200)])
        model = FunctionModel(answer)
        plain = Agent(model, deps_type=Deps)
        empty = Agent(model, deps_type=Deps, capabilities=[Empty()])
        remembering = Agent(model, deps_type=Deps, capabilities=[MemoriCapability(memori)])
        hooks, bob, deps = Hooks(memori), Scope("bob", session_id="c1"), Deps("alice")

        async def core() -> None:
            await hooks.arecall(QUESTION, scope=bob)
            said = {"role": "user", "content": QUESTION}
            hooks.submit([said, {"role": "assistant", "content": "Oolong."}], scope=bob)

        gc.disable()
        found = await medians(
            {
                "run": lambda: plain.run(QUESTION, deps=deps),
                "with an empty capability": lambda: empty.run(QUESTION, deps=deps),
                "recall and submit of the core": core,
                "with memory": lambda: remembering.run(QUESTION, deps=deps, conversation_id="c1"),
            }
        )
        gc.enable()
    return found


if __name__ == "__main__":
    found = asyncio.run(measure())
    run, core = found["run"], found["recall and submit of the core"]
    rest = tuple(
        with_all - a - b for with_all, a, b in zip(found["with memory"], run, core, strict=True)
    )
    print(f"pydantic-ai-slim {pydantic_ai.__version__}, p50 of {ROUNDS} runs, taken in turn")
    for name, (wall, cpu) in {**found, "beyond the core": rest}.items():
        print(f"{name:30} {wall:6.3f} ms ({wall / run[0]:4.2f} runs), CPU {cpu:6.3f} ms")
