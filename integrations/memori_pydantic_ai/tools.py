"""Tools with which a model searches memory, remembers and forgets by itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any, Final, Literal

from pydantic_ai import RunContext
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import FunctionToolset

from memori_core import ScopedMemory
from memori_core.errors import ConfigError
from memori_core.hooks import Hooks, OnError
from memori_pydantic_ai._blocks import listed
from memori_pydantic_ai._guarding import Guard

ToolName = Literal["search_memory", "remember", "forget"]
TOOLS: Final[tuple[ToolName, ...]] = ("search_memory", "remember", "forget")

UNAVAILABLE: Final = "Memory is not available right now."
NOTHING: Final = "Nothing is remembered about that."


def memory_toolset(
    get_memory: Callable[[RunContext[AgentDepsT]], ScopedMemory | None],
    *,
    tools: Collection[ToolName] = TOOLS,
    limit: int = 5,
    strictness: float = 1.0,
    on_error: OnError = "log",
    id: str = "memori",
) -> FunctionToolset[AgentDepsT]:
    """Tools for the model: `search_memory`, `remember` and `forget`.

    Whose memory they work on comes from the run, never from the model.

    ```python
    import asyncio
    from dataclasses import dataclass

    from memori_core import InMemoryStore, Memori, ScopedMemory
    from memori_pydantic_ai import memory_toolset
    from pydantic_ai import Agent, RunContext
    from pydantic_ai.models.test import TestModel


    @dataclass
    class Deps:
        memory: ScopedMemory


    def memory_of(ctx: RunContext[Deps]) -> ScopedMemory:
        return ctx.deps.memory


    memori = Memori(InMemoryStore(), embedder=None)
    model = TestModel(call_tools=["remember"])
    agent = Agent(model, deps_type=Deps, toolsets=[memory_toolset(memory_of)])
    result = asyncio.run(agent.run("hello", deps=Deps(memori.scoped("alice"))))
    print(result.output)
    #> {"remember":"Remembered."}
    ```

    Args:
        get_memory: Finds the memory in the run's context, for example `ctx.deps.memory`; None
            stands for a run of nobody.
        tools: Which of the three.
        limit: At most so many facts per search, beside the pinned ones.
        strictness: Scales the cut below which nothing is found; 0 switches it off.
        on_error: When memory fails: `"log"` it and tell the model, or `"raise"`.
        id: The toolset's id, which durable engines need.
    """
    return toolset_of(
        get_memory,
        guard=Guard(on_error),
        tools=tools,
        limit=limit,
        strictness=strictness,
        id=id,
    )


def toolset_of(
    get_memory: Callable[[RunContext[AgentDepsT]], ScopedMemory | None],
    *,
    guard: Guard | Hooks,
    tools: Collection[ToolName],
    limit: int,
    strictness: float,
    id: str,
) -> FunctionToolset[AgentDepsT]:
    """`memory_toolset`, for those who know already what to do when memory fails."""

    async def search_memory(ctx: RunContext[Any], query: str) -> str:
        """Search what is remembered about the user from earlier conversations.

        Args:
            query: What to look for, in a few words or as a question.
        """
        memory = get_memory(ctx)
        if memory is None:
            return UNAVAILABLE
        search = partial(memory.recall, query, limit=limit, strictness=strictness)
        found = await guard.aattempt("search_memory", search, otherwise=None)
        if found is None:
            return UNAVAILABLE
        facts = {fact.id: fact for fact in [*found.pinned, *(hit.fact for hit in found)]}
        return listed(list(facts.values())) if facts else NOTHING

    async def remember(ctx: RunContext[Any], fact: str) -> str:
        """Remember one fact about the user for later conversations.

        Args:
            fact: A sentence that can stand alone, for example "User is allergic to peanuts."
        """
        memory = get_memory(ctx)
        if memory is None:
            return UNAVAILABLE
        doing = partial(_remember, memory, fact)
        return await guard.aattempt("remember", doing, otherwise=UNAVAILABLE)

    async def forget(ctx: RunContext[Any], fact_id: str) -> str:
        """Delete a fact about the user for good, when they ask for it.

        Args:
            fact_id: The id that search_memory showed behind the fact.
        """
        memory = get_memory(ctx)
        if memory is None:
            return UNAVAILABLE
        doing = partial(memory.forget, fact_id.strip())
        gone = await guard.aattempt("forget", doing, otherwise=None)
        if gone is None:
            return UNAVAILABLE
        return "Forgotten." if gone else "There is no such fact."

    functions: list[Callable[..., Awaitable[str]]] = [search_memory, remember, forget]
    wanted = [function for function in functions if function.__name__ in tools]
    return FunctionToolset[AgentDepsT](wanted, id=id)


def _remember(memory: ScopedMemory, fact: str) -> str:
    try:
        memory.remember(fact.strip())
    except ConfigError as e:
        return f"Not remembered: {e}"
    return "Remembered."
