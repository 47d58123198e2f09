"""Both halves of memory for an agent or a team, in one word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from agno.learn import LearningMachine

from memori_agno.capture_hook import MemoriCaptureHook
from memori_agno.learning_store import MemoriLearningStore
from memori_agno.query_hook import MemoriQueryHook
from memori_core import Memori
from memori_core.hooks import OnError


class MemoriMemory:
    """What bears on the user's message goes into the prompt, and every finished run is stored.

    ```python
    from agno.agent import Agent
    from agno.db.in_memory import InMemoryDb
    from memori_agno import MemoriMemory
    from memori_core import Memori

    memory = MemoriMemory(Memori(":memory:", embedder=None))
    agent = Agent(db=InMemoryDb(), **memory.agent_kwargs())
    # agent.run("I moved to Berlin.", user_id="alice", session_id="s1")
    ```

    Args:
        memori: The memory.
        recall: Whether what bears on the message goes into the prompt.
        capture: Whether finished runs are stored.
        capture_on_start: Store what the user said before there is an answer, too, so that it is
            kept where the run fails, is cancelled, or its stream is abandoned.
        limit: At most this many facts in the prompt.
        strictness: Scales the cut below which nothing is recalled; 0 switches it off.
        process_only: Recall only what this agent (or team) stored; by default, the agents of one
            user share what they know.
        process_id: What this agent is called in the memory; None for its id.
        on_error: `"log"` failures and go on without memory, or `"raise"` them, for tests.
    """

    def __init__(
        self,
        memori: Memori,
        *,
        recall: bool = True,
        capture: bool = True,
        capture_on_start: bool = False,
        limit: int = 5,
        strictness: float = 1.0,
        process_only: bool = False,
        process_id: str | None = None,
        on_error: OnError = "log",
    ) -> None:
        self.memori = memori
        """The memory."""
        self._store = MemoriLearningStore(
            memori,
            limit=limit,
            strictness=strictness,
            process_only=process_only,
            process_id=process_id,
            on_error=on_error,
        )
        self._before = MemoriQueryHook(
            memori,
            capture_on_start=capture and capture_on_start,
            process_id=process_id,
            on_error=on_error,
        )
        self._after = MemoriCaptureHook(memori, process_id=process_id, on_error=on_error)
        self._recall = recall
        self._capture = capture

    def agent_kwargs(
        self,
        *,
        learning: LearningMachine | bool | None = None,
        pre_hooks: Sequence[Callable[..., Any]] = (),
        post_hooks: Sequence[Callable[..., Any]] = (),
    ) -> dict[str, Any]:
        """The arguments for `Agent(...)`: `learning`, `pre_hooks` and `post_hooks`.

        With recall and capture off, they are what was given here.

        Args:
            learning: A `LearningMachine` of your own, to which the memory is added in a copy.
            pre_hooks: Your own, which come first: what they refuse is never stored.
            post_hooks: Your own, which come first.
        """
        before, after = list(pre_hooks), list(post_hooks)
        if self._recall or self._capture:
            before.append(self._before)
        if self._capture:
            after.append(self._after)
        if self._recall:
            learning = self._with_store(learning)
        given = {"learning": learning, "pre_hooks": before, "post_hooks": after}
        return {name: value for name, value in given.items() if value}

    def team_kwargs(
        self,
        *,
        learning: LearningMachine | bool | None = None,
        pre_hooks: Sequence[Callable[..., Any]] = (),
        post_hooks: Sequence[Callable[..., Any]] = (),
    ) -> dict[str, Any]:
        """The same for `Team(...)`. Its members need none: their input is the leader's words."""
        return self.agent_kwargs(learning=learning, pre_hooks=pre_hooks, post_hooks=post_hooks)

    def _with_store(self, learning: LearningMachine | bool | None) -> LearningMachine:
        if learning is True:  # what Agno makes of it
            learning = LearningMachine(user_profile=True, user_memory=True)
        machine = learning or LearningMachine()
        return replace(
            machine, custom_stores={**(machine.custom_stores or {}), "memori": self._store}
        )
