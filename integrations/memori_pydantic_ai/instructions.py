"""What is remembered, as dynamic instructions of an agent."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from pydantic_ai import RunContext
from pydantic_ai.tools import AgentDepsT

from memori_core import Scope, ScopedMemory
from memori_core.hooks import OnError
from memori_pydantic_ai._blocks import block_of
from memori_pydantic_ai._guarding import Guard
from memori_pydantic_ai._texts import said_in

MAX_RUNS: Final = 1_000
"""Of how many runs at once the block is kept. One that falls out is recalled again."""


def memory_instructions(
    get_memory: Callable[[RunContext[AgentDepsT]], ScopedMemory | None],
    *,
    limit: int = 5,
    strictness: float = 1.0,
    on_error: OnError = "log",
) -> Callable[[RunContext[AgentDepsT]], Awaitable[str | None]]:
    """Instructions that hold what bears on the prompt, recalled once per run.

    ```python
    import asyncio
    from dataclasses import dataclass

    from memori_core import InMemoryStore, Memori, ScopedMemory
    from memori_pydantic_ai import memory_instructions
    from pydantic_ai import Agent, RunContext
    from pydantic_ai.models.test import TestModel


    @dataclass
    class Deps:
        memory: ScopedMemory


    def memory_of(ctx: RunContext[Deps]) -> ScopedMemory:
        return ctx.deps.memory


    memori = Memori(InMemoryStore(), embedder=None)
    alice = memori.scoped("alice")
    alice.remember("User drinks oolong tea.", said_at="2026-05-01")
    agent = Agent(TestModel(), deps_type=Deps, instructions=memory_instructions(memory_of))
    result = asyncio.run(agent.run("Which tea do I drink?", deps=Deps(alice)))
    print(result.all_messages()[0].instructions.splitlines()[2])
    #> - User drinks oolong tea. Stated at 2026-05-01
    ```

    Args:
        get_memory: Finds the memory in the run's context, for example `ctx.deps.memory`; None
            stands for a run of nobody.
        limit: At most so many facts beside the pinned ones.
        strictness: Scales the cut below which nothing is recalled; 0 switches it off.
        on_error: When memory fails: `"log"` it and go on without, or `"raise"`.
    """
    guard = Guard(on_error)
    blocks: OrderedDict[tuple[str | None, Scope], str] = OrderedDict()
    lock = threading.Lock()

    async def recalled(ctx: RunContext[AgentDepsT]) -> str | None:
        memory, query = get_memory(ctx), said_in(ctx.prompt).query
        if memory is None or not query:
            return None
        run = (ctx.run_id, memory.scope)  # ids of runs can be chosen, and chosen twice
        with lock:
            block = blocks.get(run)
        if block is None:
            search = partial(memory.recall, query, limit=limit, strictness=strictness)
            found = await guard.aattempt("memory_instructions", search, otherwise=None)
            block = "" if found is None else block_of(found)
            with lock:
                blocks[run] = block
                while len(blocks) > MAX_RUNS:
                    blocks.popitem(last=False)
        return block or None

    return recalled
