"""Memory as what Agno calls knowledge: a search tool, or references beside the message."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from typing import Any

from agno.run import RunContext

from memori_agno._part import Part
from memori_core import Memori, Recall
from memori_core.hooks import OnError, escape


class MemoriKnowledgeRetriever(Part):
    """What bears on a query, for `Agent(knowledge_retriever=...)`.

    The model gets the tool `search_knowledge_base`. With `add_knowledge_to_context=True`, Agno
    puts what was found into the user's message instead, and keeps it in the session: prefer
    `MemoriMemory`.

    ```python
    from agno.agent import Agent
    from memori_agno import MemoriKnowledgeRetriever
    from memori_core import Memori

    agent = Agent(knowledge_retriever=MemoriKnowledgeRetriever(Memori(":memory:", embedder=None)))
    ```

    Args:
        memori: The memory.
        limit: At most this many documents, where Agno does not say how many.
        strictness: Scales the cut below which nothing is found; 0 switches it off.
        process_only: Only what this agent stored.
        process_id: What this agent is called in the memory; None for its id.
        on_error: `"log"` failures and find nothing, or `"raise"` them.
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
    ) -> None:
        super().__init__(memori, process_id=process_id, on_error=on_error)
        self._options = self._hooks.options(
            limit=limit, strictness=strictness, process_only=process_only
        )

    def __call__(
        self,
        query: str,
        num_documents: int | None = None,
        run_context: RunContext | None = None,
        agent: Any = None,
        team: Any = None,
        **_: Any,
    ) -> list[dict[str, Any]] | Awaitable[list[dict[str, Any]]]:
        """Called by Agno: in `run` it gives the documents, in `arun` something to wait for."""
        # Agno calls the same object from a function and from a coroutine function. A running
        # event loop does not tell which: run() in a notebook has one, too.
        caller = inspect.currentframe()
        caller = caller and caller.f_back
        if caller is not None and caller.f_code.co_flags & inspect.CO_COROUTINE:
            return self.aretrieve(query, num_documents, run_context, agent or team)
        return self.retrieve(query, num_documents, run_context, agent or team)

    def retrieve(
        self,
        query: str,
        num_documents: int | None = None,
        run_context: RunContext | None = None,
        agent: Any = None,
    ) -> list[dict[str, Any]]:
        """The documents for a query: `content`, `id` and `stated_at`."""
        asked = self._asked(num_documents, run_context, agent)
        return [] if asked is None else _documents(self._hooks.recall(query, **asked))

    async def aretrieve(
        self,
        query: str,
        num_documents: int | None = None,
        run_context: RunContext | None = None,
        agent: Any = None,
    ) -> list[dict[str, Any]]:
        """`retrieve` without blocking the event loop."""
        asked = self._asked(num_documents, run_context, agent)
        return [] if asked is None else _documents(await self._hooks.arecall(query, **asked))

    def _asked(
        self, num_documents: int | None, run_context: RunContext | None, agent: Any
    ) -> dict[str, Any] | None:
        if run_context is None:
            return None
        scope = self._scope_of(run_context, agent)
        if scope is None:
            return None
        limit = num_documents or self._options["limit"]
        return {**self._options, "scope": scope, "limit": limit}


def _documents(found: Recall) -> list[dict[str, Any]]:
    return [
        {"content": escape(fact.content), "id": fact.id, "stated_at": f"{fact.said_at:%Y-%m-%d}"}
        for fact in found
    ]
