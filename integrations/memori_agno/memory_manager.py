"""Memory for agents that are written for Agno's `MemoryManager`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from agno.db.base import BaseDb
from agno.db.schemas import UserMemory
from agno.memory import MemoryManager
from agno.models.base import Model
from agno.models.message import Message

from memori_agno import _runs
from memori_agno._identity import is_nobody, scope_of
from memori_agno._texts import user_text
from memori_agno._user_memories import UserMemories, user_memory
from memori_core import Fact, Memori, Recall, Scope
from memori_core.errors import MemoriError, ScopeError
from memori_core.hooks import Hooks, OnError, escape, fact_line, handled, run_sync

if TYPE_CHECKING:
    from agno.metrics import RunMetrics

_TASK_LIMIT: Final = 50
"""A memory task is shown so many memories, those that bear on it first."""


class MemoriMemoryManager(MemoryManager):
    """Agno's memories, kept by memori-core: for `Agent(memory_manager=...)`.

    With `MemoriQueryHook` beside it, the prompt holds what bears on the question; without it, the
    latest. What the user says is stored; the answers are not, which Agno does not give to a
    manager (`MemoriCaptureHook` has them). There is no user called "default": a run without a user
    id reads and stores nothing.

    ```python
    from agno.db.schemas import UserMemory
    from memori_agno import MemoriMemoryManager
    from memori_core import Memori

    manager = MemoriMemoryManager(Memori(":memory:", embedder=None))
    manager.add_user_memory(UserMemory("User likes tea."), user_id="alice")
    print([memory.memory for memory in manager.get_user_memories(user_id="alice")])
    #> ['User likes tea.']
    ```

    Args:
        memori: The memory.
        limit: At most this many memories in a prompt, where the question is known.
        recent_limit: At most this many otherwise, the latest; None for all.
        process_only: Only what the same agent stored, where the question is known.
        model: What works on the tasks of `enable_agentic_memory`; None for the agent's model.
        delete_memories: Whether such a task may delete a memory.
        clear_memories: Whether such a task may remove everything about its user.
        on_error: `"log"` failures and go on without memory, or `"raise"` them.
        options: As `MemoryManager` takes them.
    """

    def __init__(
        self,
        memori: Memori,
        *,
        limit: int = 5,
        recent_limit: int | None = 20,
        process_only: bool = False,
        model: Model | str | None = None,
        delete_memories: bool = False,
        clear_memories: bool = False,
        on_error: OnError = "log",
        **options: Any,
    ) -> None:
        super().__init__(
            model=model,
            delete_memories=delete_memories,
            clear_memories=clear_memories,
            **options,
        )
        self.memori = memori
        self._hooks = Hooks(memori, on_error=on_error)
        self._recall_options = self._hooks.options(limit=limit, process_only=process_only)
        self._recent_limit = recent_limit

    # Read: called by Agno for the prompt, and by applications.

    def get_user_memories(self, user_id: str | None = None) -> list[UserMemory]:
        """What bears on the question of the run; outside of one, the latest memories."""
        asked = self._asked(user_id)
        if isinstance(asked, Scope):
            return self._latest(asked.entity_id)
        if asked is None:
            return []
        query, scope = asked
        return _for_prompt(self._hooks.recall(query, scope=scope, **self._recall_options))

    async def aget_user_memories(self, user_id: str | None = None) -> list[UserMemory]:
        """`get_user_memories` without blocking the event loop."""
        asked = self._asked(user_id)
        if isinstance(asked, Scope):
            return await run_sync(self._latest, asked.entity_id)
        if asked is None:
            return []
        query, scope = asked
        return _for_prompt(await self._hooks.arecall(query, scope=scope, **self._recall_options))

    def get_user_memory(self, memory_id: str, user_id: str | None = None) -> UserMemory | None:
        """One memory of a user."""
        return None if is_nobody(user_id) else self._of(user_id).get(memory_id)

    def read_from_db(self, user_id: str | None = None) -> dict[str, list[UserMemory]]:
        """The memories of a user, by user. Of nobody where none is named, not of everybody."""
        return {} if is_nobody(user_id) else {cast(str, user_id): self._of(user_id).all()}

    async def aread_from_db(self, user_id: str | None = None) -> dict[str, list[UserMemory]]:
        """`read_from_db` without blocking the event loop."""
        return await run_sync(self.read_from_db, user_id)

    def search_user_memories(
        self,
        query: str | None = None,
        limit: int | None = None,
        retrieval_method: Literal["last_n", "first_n", "agentic"] | None = None,
        user_id: str | None = None,
    ) -> list[UserMemory]:
        """Memories of a user: those that bear on a query, or the last or first ones."""
        if is_nobody(user_id):
            return []
        of_user = self._of(user_id)
        if query:
            found = self.memori.scoped(of_user.user_id).recall(query, limit=limit or 5)
            return [user_memory(fact.fact, of_user.user_id) for fact in found]
        memories = of_user.all()
        if limit is None:
            return memories
        return memories[:limit] if retrieval_method == "first_n" else memories[-limit:]

    # Write: called by applications, and by the tools of a memory task.

    def add_user_memory(self, memory: UserMemory, user_id: str | None = None) -> str | None:
        """Store a memory for a user and return its id. `memory` itself is not changed.

        Raises:
            ScopeError: No user is named.
        """
        return self._of(user_id).upsert_user_memory(memory).memory_id

    def replace_user_memory(
        self, memory_id: str, memory: UserMemory, user_id: str | None = None
    ) -> str | None:
        """Put a memory in the place of another one of the user's.

        Raises:
            ConfigError: Another one says the same already.
            ScopeError: No user is named.
        """
        new = replace(memory, memory_id=memory_id)
        return self._of(user_id).upsert_user_memory(new).memory_id

    def delete_user_memory(self, memory_id: str, user_id: str | None = None) -> None:
        """Remove a memory of a user for good.

        Raises:
            ScopeError: No user is named.
        """
        self._of(user_id).delete_user_memory(memory_id)

    def clear_user_memories(self, user_id: str | None = None) -> None:
        """Remove everything about a user for good, what was said included.

        Raises:
            ScopeError: No user is named; nothing was removed.
        """
        self._of(user_id).clear_memories()

    async def aclear_user_memories(self, user_id: str | None = None) -> None:
        """`clear_user_memories` without blocking the event loop."""
        await run_sync(self.clear_user_memories, user_id)

    def clear(self) -> None:
        """Refused: it would remove the memories of every user (agno#9983).

        Raises:
            ScopeError: Always.
        """
        raise ScopeError("`clear` names no user. Call clear_user_memories(user_id=...).")

    # Capture and tasks: called by Agno.

    def create_user_memories(
        self,
        message: str | None = None,
        messages: list[Message] | None = None,
        agent_id: str | None = None,
        team_id: str | None = None,
        user_id: str | None = None,
        run_metrics: RunMetrics | None = None,
    ) -> str:
        """Have what the user said stored; facts are made of it in the background."""
        text = message or user_text(messages)
        scope = scope_of(self._hooks, user_id, process_id=agent_id or team_id)
        if scope is None or not text:
            return ""
        run = _runs.find(scope.entity_id, text)
        if run is not None:
            text, scope = run.query or text, run.scope(scope)
        self._hooks.submit(
            [{"role": "user", "content": text}],
            scope=scope,
            turn_id=run.id if run else None,
            status="partial",  # a capture hook may bring the answer
        )
        return "Stored."

    async def acreate_user_memories(
        self,
        message: str | None = None,
        messages: list[Message] | None = None,
        agent_id: str | None = None,
        team_id: str | None = None,
        user_id: str | None = None,
        run_metrics: RunMetrics | None = None,
    ) -> str:
        """The same: it waits for nothing."""
        return self.create_user_memories(message, messages, agent_id, team_id, user_id, run_metrics)

    def update_memory_task(self, task: str, user_id: str | None = None) -> str:
        """Do what a model asks for in words (`enable_agentic_memory`): a model does it, with tools
        that reach this user's memories only. Without a model, the words are stored as a memory."""
        if is_nobody(user_id):
            scope_of(self._hooks, user_id)
            return "Nothing was stored: it is not known who the user is."
        of_user = self._of(user_id)
        if self.model is None:
            of_user.upsert_user_memory(UserMemory(task))
            return "Stored."
        shown = self._hooks.recall(
            task, scope=Scope(of_user.user_id), limit=_TASK_LIMIT, strictness=0
        )
        existing = {found.id: found.content for found in shown if found.fact.kind != "message"}
        for fact in reversed(of_user.facts()):
            if len(existing) < _TASK_LIMIT:
                existing.setdefault(fact.id, fact.content)
        with handled():
            return self.run_memory_task(
                task=task,
                existing_memories=[
                    {"memory_id": i, "memory": text} for i, text in existing.items()
                ],
                user_id=of_user.user_id,
                db=cast(BaseDb, of_user),  # its tools call three verbs of it
                delete_memories=self.delete_memories,
                update_memories=self.update_memories,
                add_memories=self.add_memories,
                clear_memories=self.clear_memories,
            )

    async def aupdate_memory_task(self, task: str, user_id: str | None = None) -> str:
        """`update_memory_task` without blocking the event loop."""
        return await run_sync(self.update_memory_task, task, user_id)

    def optimize_memories(self, user_id: str | None = None, *_: Any, **__: Any) -> list[UserMemory]:
        """Nothing: repeats are merged as they are stored. Gives the memories as they are."""
        return self.search_user_memories(user_id=user_id)

    async def aoptimize_memories(
        self, user_id: str | None = None, *_: Any, **__: Any
    ) -> list[UserMemory]:
        """Nothing, too."""
        return await run_sync(self.search_user_memories, user_id=user_id)

    def _of(self, user_id: str | None) -> UserMemories:
        return UserMemories(self.memori, user_id)

    def _asked(self, user_id: str | None) -> tuple[str, Scope] | Scope | None:
        """The question of this user's run and the scope; the scope alone where there is none."""
        run = _runs.current()
        scope = scope_of(self._hooks, user_id)
        if scope is None or run is None or run.user_id != scope.entity_id or not run.query:
            return scope
        return run.query, run.scope(scope)

    def _latest(self, user_id: str) -> list[UserMemory]:
        try:
            facts = self._of(user_id).facts()
        except MemoriError as e:  # inside a run, it would end the run
            self._hooks.failed("recall", e)
            return []
        if self._recent_limit is not None:
            facts = facts[-self._recent_limit :] if self._recent_limit > 0 else []
        return [user_memory(fact, user_id, text=escape(fact.content)) for fact in facts]


def _for_prompt(found: Recall) -> list[UserMemory]:
    """Pinned facts first. Agno puts the text into the prompt as it is, so it is escaped here."""
    if found.scope is None:
        return []
    pinned = {fact.id for fact in found.pinned}
    facts: list[Fact] = [*found.pinned, *(f.fact for f in found if f.id not in pinned)]
    lines = [(fact, fact_line(fact).removeprefix("- ")) for fact in facts]
    return [user_memory(fact, found.scope.entity_id, text=line) for fact, line in lines]
