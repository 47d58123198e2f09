"""How a function of memory becomes a tool that a model can call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel

from memori_core import Scope
from memori_core.hooks import Hooks, run_sync
from memori_langchain._identity import Identity

UNAVAILABLE = "Memory is not available right now."

_OUTSIDE: Any = None

Answer = Callable[[str, Scope], str]
AsyncAnswer = Callable[[str, Scope], Awaitable[str]]


def make_tool(
    hooks: Hooks,
    identity: Identity,
    answer: Answer,
    aanswer: AsyncAnswer,
    *,
    name: str,
    arguments: type[BaseModel],
    description: str,
) -> BaseTool:
    """A tool with one argument. Whose memory it is about is never among what the model gives.

    Args:
        hooks: The memory.
        identity: Where to look for the entity.
        answer: Takes the argument and the scope, gives what the model is told.
        aanswer: The same, async.
        name: What the tool is called.
        arguments: Its schema: a model with one text field.
        description: What the model reads about it.
    """
    (argument,) = arguments.model_fields

    def scope_of(runtime: Any) -> Scope | None:
        scope = identity.scope(context=getattr(runtime, "context", None))
        if scope is None:
            hooks.warn_once("no_scope", "tool %s: %s", name, identity.missing())
        return scope

    # LangChain fills in a parameter of this very type, in agents only.
    def run(runtime: ToolRuntime[Any, Any] = _OUTSIDE, **given: str) -> str:
        scope = scope_of(runtime)
        return UNAVAILABLE if scope is None else answer(given[argument], scope)

    async def arun(runtime: ToolRuntime[Any, Any] = _OUTSIDE, **given: str) -> str:
        scope = scope_of(runtime)
        return UNAVAILABLE if scope is None else await aanswer(given[argument], scope)

    return StructuredTool.from_function(
        func=run, coroutine=arun, name=name, description=description, args_schema=arguments
    )


def guarded(hooks: Hooks, stage: str, answer: Answer) -> tuple[Answer, AsyncAnswer]:
    """Both flavours of a blocking function; its failure is told to the model and logged."""

    def run(given: str, scope: Scope) -> str:
        try:
            return answer(given, scope)
        except Exception as e:  # noqa: BLE001 (our failure is never the agent's)
            hooks.failed(stage, e)
            return UNAVAILABLE

    async def arun(given: str, scope: Scope) -> str:
        return await run_sync(run, given, scope)

    return run, arun
