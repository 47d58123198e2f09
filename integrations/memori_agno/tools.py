"""Tools with which a model itself searches, stores and removes memories."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from agno.run import RunContext
from agno.tools import Toolkit

from memori_agno._part import Part
from memori_core import Memori, Recall, ScopedMemory
from memori_core.errors import ConfigError
from memori_core.hooks import OnError

_NOBODY: Final = "There is no memory in this conversation: it is not known who the user is."
_FAILED: Final = "Memory is not available right now. Go on without it."
_INSTRUCTIONS: Final = (
    "You have a long-term memory of the user. Search it before you ask the user for something they "
    "may have told you, store lasting facts about them, and remove what they want forgotten."
)


class MemoriTools(Part, Toolkit):
    """`search_memory`, `remember` and `forget`, for the user of the run.

    No tool takes a user id: a model cannot reach another user's memory.

    ```python
    from agno.agent import Agent
    from memori_agno import MemoriTools
    from memori_core import Memori

    tools = MemoriTools(Memori(":memory:", embedder=None))
    print(list(tools.functions))
    #> ['search_memory', 'remember', 'forget']
    agent = Agent(tools=[tools])
    ```

    Args:
        memori: The memory.
        limit: A search finds at most this many memories.
        strictness: Scales the cut below which nothing is found; 0 switches it off.
        process_only: Search only what this agent stored.
        process_id: What this agent is called in the memory; None for its id.
        on_error: `"log"` failures and tell the model that there is no memory, or `"raise"` them.
        add_instructions: Whether the prompt says what the tools are for.
        include_tools: Only these tools; None for all.
        exclude_tools: Not these tools.
        requires_confirmation_tools: Tools whose calls a person confirms first.
    """

    def __init__(
        self,
        memori: Memori,
        *,
        limit: int = 5,
        strictness: float = 1.0,
        process_only: bool = False,
        process_id: str | None = None,
        on_error: OnError = "log",
        add_instructions: bool = True,
        include_tools: list[str] | None = None,
        exclude_tools: list[str] | None = None,
        requires_confirmation_tools: list[str] | None = None,
    ) -> None:
        Part.__init__(self, memori, process_id=process_id, on_error=on_error)
        self._strict = on_error == "raise"
        self._recall_options = self._hooks.options(
            limit=limit, strictness=strictness, process_only=process_only
        )
        # Not Agno's cache of results: its keys know no user.
        Toolkit.__init__(
            self,
            name="memori",
            instructions=_INSTRUCTIONS,
            add_instructions=add_instructions,
            include_tools=include_tools,
            exclude_tools=exclude_tools,
            requires_confirmation_tools=requires_confirmation_tools,
            tools=[self.search_memory, self.remember, self.forget],
            async_tools=[
                (self.asearch_memory, "search_memory"),
                (self.aremember, "remember"),
                (self.aforget, "forget"),
            ],
        )

    def search_memory(
        self, run_context: RunContext, query: str, agent: Any = None, team: Any = None
    ) -> str:
        """Search what is known about the user.

        Args:
            query: What you want to know, as a question or in key words.
        """
        scope = self._scope_of(run_context, agent or team)
        if scope is None:
            return _NOBODY
        return _shown(self._hooks.recall(query, scope=scope, **self._recall_options))

    async def asearch_memory(
        self, run_context: RunContext, query: str, agent: Any = None, team: Any = None
    ) -> str:
        """Search what is known about the user.

        Args:
            query: What you want to know, as a question or in key words.
        """
        scope = self._scope_of(run_context, agent or team)
        if scope is None:
            return _NOBODY
        return _shown(await self._hooks.arecall(query, scope=scope, **self._recall_options))

    def remember(
        self, run_context: RunContext, fact: str, agent: Any = None, team: Any = None
    ) -> str:
        """Store a lasting fact about the user.

        Args:
            fact: One sentence that can stand alone, for example "User is allergic to peanuts."
        """
        user = self._user(run_context, agent or team)
        if user is None:
            return _NOBODY
        return self._hooks.attempt(
            "remember", _remember(user, fact, self._strict), otherwise=_FAILED
        )

    async def aremember(
        self, run_context: RunContext, fact: str, agent: Any = None, team: Any = None
    ) -> str:
        """Store a lasting fact about the user.

        Args:
            fact: One sentence that can stand alone, for example "User is allergic to peanuts."
        """
        user = self._user(run_context, agent or team)
        if user is None:
            return _NOBODY
        doing = _remember(user, fact, self._strict)
        return await self._hooks.aattempt("remember", doing, otherwise=_FAILED)

    def forget(
        self, run_context: RunContext, memory_id: str, agent: Any = None, team: Any = None
    ) -> str:
        """Remove a memory of the user for good.

        Args:
            memory_id: The id of the memory, as `search_memory` shows it.
        """
        user = self._user(run_context, agent or team)
        if user is None:
            return _NOBODY
        return self._hooks.attempt("forget", _forget(user, memory_id), otherwise=_FAILED)

    async def aforget(
        self, run_context: RunContext, memory_id: str, agent: Any = None, team: Any = None
    ) -> str:
        """Remove a memory of the user for good.

        Args:
            memory_id: The id of the memory, as `search_memory` shows it.
        """
        user = self._user(run_context, agent or team)
        if user is None:
            return _NOBODY
        return await self._hooks.aattempt("forget", _forget(user, memory_id), otherwise=_FAILED)

    def _user(self, run_context: RunContext, host: Any) -> ScopedMemory | None:
        scope = self._scope_of(run_context, host)
        return None if scope is None else self._hooks.scoped(scope)


def _shown(found: Recall) -> str:
    """JSON, so that no text can pass for something else."""
    if found.reason in ("error", "timeout"):
        return _FAILED
    if not found:
        return "Nothing is known about this."
    memories = [
        {"id": fact.id, "memory": fact.content, "stated_at": f"{fact.said_at:%Y-%m-%d}"}
        for fact in found
    ]
    return json.dumps(memories, ensure_ascii=False)


def _remember(user: ScopedMemory, fact: str, strict: bool) -> Callable[[], str]:
    def remember() -> str:
        try:
            return f"Stored as {user.remember(fact).id}."
        except ConfigError as e:  # the model's mistake: it can put it right
            if strict:
                raise
            return f"Not stored: {e}"

    return remember


def _forget(user: ScopedMemory, memory_id: str) -> Callable[[], str]:
    def forget() -> str:
        there = user.forget(memory_id.strip())
        return "Removed." if there else "There is no memory with this id."

    return forget
