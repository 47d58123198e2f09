"""Recall where Agno builds the prompt: a store for its `LearningMachine`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agno.run import RunContext

from memori_agno import _runs
from memori_agno._identity import scope_of
from memori_agno._part import Part
from memori_core import Memori, Recall, Scope
from memori_core.hooks import OnError


class MemoriLearningStore(Part):
    """What bears on the user's message, in the system prompt.

    It only reads. To have runs stored too, add `MemoriCaptureHook`, or take both at once with
    `MemoriMemory`. The agent needs a `db` (`InMemoryDb()` will do), or Agno leaves out its
    `LearningMachine`; and no `system_message`, which takes the place of the prompt Agno builds.

    ```python
    from agno.learn import LearningMachine
    from memori_agno import MemoriLearningStore
    from memori_core import InMemoryStore, Memori

    memori = Memori(InMemoryStore(), embedder=None)
    memori.scoped("alice").remember("User is allergic to peanuts.")
    machine = LearningMachine(custom_stores={"memori": MemoriLearningStore(memori)})
    block = machine.build_context(user_id="alice", message="A cake with peanuts?")
    print(block.splitlines()[2][:29])
    #> - User is allergic to peanuts
    ```

    Args:
        memori: The memory.
        limit: At most this many facts.
        strictness: Scales the cut below which nothing is recalled; 0 switches it off.
        process_only: Only what this agent (or team) stored, not other agents of the same user.
            Give the agent an `id` or a `name` then: without one, Agno makes a new id each time.
        process_id: What this agent is called in the memory; None for its id.
        on_error: `"log"` failures and go on without memory, or `"raise"` them.
    """

    learning_type = "memori"
    schema = None
    was_updated = False

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

    def recall(
        self,
        user_id: str | None = None,
        session_id: str | None = None,
        agent_id: str | None = None,
        team_id: str | None = None,
        message: str | None = None,
        run_context: RunContext | None = None,
        **_: Any,
    ) -> Recall | None:
        """What bears on the message; None without a user or a message. Called by Agno."""
        asked = self._asked(user_id, session_id, agent_id or team_id, message, run_context)
        if asked is None:
            return None
        query, scope, known = asked
        if query not in known:
            known[query] = self._hooks.recall(query, scope=scope, **self._options)
        return known[query]

    async def arecall(
        self,
        user_id: str | None = None,
        session_id: str | None = None,
        agent_id: str | None = None,
        team_id: str | None = None,
        message: str | None = None,
        run_context: RunContext | None = None,
        **_: Any,
    ) -> Recall | None:
        """`recall` without blocking the event loop."""
        asked = self._asked(user_id, session_id, agent_id or team_id, message, run_context)
        if asked is None:
            return None
        query, scope, known = asked
        if query not in known:
            known[query] = await self._hooks.arecall(query, scope=scope, **self._options)
        return known[query]

    def _asked(
        self,
        user_id: str | None,
        session_id: str | None,
        host_id: str | None,
        message: str | None,
        run_context: RunContext | None,
    ) -> tuple[str, Scope, dict[str, Recall]] | None:
        known: dict[str, Recall] = {}
        query = message or ""
        if run_context is not None:
            # Its user is the run's own: with memories in the context, too, Agno passes "default".
            user_id = run_context.user_id
            run = _runs.begin(run_context)
            query, known = run.query or query, run.recalled
        scope = scope_of(
            self._hooks,
            user_id,
            process_id=self._process_id or host_id,
            session_id=session_id,
        )
        return (query, scope, known) if scope is not None and query.strip() else None

    # Agno calls it by keyword: with another name for `data` the prompt would have no memory.
    def build_context(self, data: Any) -> str:
        """The block for the prompt, escaped and bounded; empty where nothing was recalled."""
        return data.context if isinstance(data, Recall) else ""

    def process(self, messages: list[Any], **_: Any) -> None:
        """Nothing: Agno calls it before there is an answer."""

    async def aprocess(self, messages: list[Any], **_: Any) -> None:
        """Nothing: Agno calls it before there is an answer."""

    def instructions(self) -> str:
        """Nothing: the block says what it is."""
        return ""

    def get_tools(
        self, run_context: RunContext | None = None, **_: Any
    ) -> list[Callable[..., Any]]:
        """None: `MemoriTools` has them."""
        if run_context is not None:  # all that a run that goes on after a pause calls of us
            _runs.begin(run_context)
        return []

    async def aget_tools(
        self, run_context: RunContext | None = None, **_: Any
    ) -> list[Callable[..., Any]]:
        """None: `MemoriTools` has them."""
        return self.get_tools(run_context)
