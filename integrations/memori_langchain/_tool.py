"""How a function of memory becomes a tool that a model can call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel

from memori_core import Scope
from memori_core.hooks import Hooks
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
        context: object = getattr(runtime, "context", None)
        return identity.scope_or_none(hooks, f"tool {name}", context=context)

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
    """Both flavours of a blocking function; that it fails or hangs is told to the model."""

    def run(given: str, scope: Scope) -> str:
        return hooks.attempt(stage, lambda: answer(given, scope), otherwise=UNAVAILABLE)

    async def arun(given: str, scope: Scope) -> str:
        return await hooks.aattempt(stage, lambda: answer(given, scope), otherwise=UNAVAILABLE)

    return run, arun
