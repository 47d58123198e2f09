"""The pre-hook: it tells the other parts what the run was asked."""

from __future__ import annotations

from typing import Any

from agno.learn import LearningMachine
from agno.run import RunContext
from agno.run.agent import RunInput
from agno.run.team import TeamRunInput

from memori_agno import _runs
from memori_agno._part import Part
from memori_agno._register import is_member
from memori_agno._texts import input_text, question_of
from memori_agno.learning_store import MemoriLearningStore
from memori_core import Memori
from memori_core.hooks import OnError


class MemoriQueryHook(Part):
    """Tells what a run was asked to the parts that Agno does not tell, and has clients that are
    registered with `memori.llm` left alone during the run.

    `MemoriMemoryManager` needs it to recall by the question. It is synchronous, so it works in
    `run` and `arun` alike, and takes microseconds.

    ```python
    from agno.agent import Agent
    from memori_agno import MemoriMemoryManager, MemoriQueryHook
    from memori_core import Memori

    memori = Memori(":memory:", embedder=None)
    agent = Agent(
        memory_manager=MemoriMemoryManager(memori),
        pre_hooks=[MemoriQueryHook(memori)],
        update_memory_on_run=True,
    )
    ```

    Args:
        memori: The memory.
        capture_on_start: Store what the user said before there is an answer, so that it is kept
            also where the run fails, is cancelled, or its stream is abandoned. Needs the
            `MemoriCaptureHook` beside it, which completes the turn.
        process_id: What this agent is called in the memory; None for its id.
        on_error: `"log"` failures and go on without memory, or `"raise"` them.
    """

    def __init__(
        self,
        memori: Memori,
        *,
        capture_on_start: bool = False,
        process_id: str | None = None,
        on_error: OnError = "log",
    ) -> None:
        super().__init__(memori, process_id=process_id, on_error=on_error)
        self._capture_on_start = capture_on_start

    def __call__(
        self,
        run_input: RunInput | TeamRunInput,
        run_context: RunContext,
        agent: Any = None,
        team: Any = None,
    ) -> None:
        """Called by Agno, by the names of the parameters."""
        host = agent if agent is not None else team
        text = input_text(run_input)
        run = _runs.begin(run_context, query=question_of(text))
        run.process_id = self._process_of(host)
        self._check(host)
        scope = self._scope_of(run_context, host)
        if scope is None or not text or not self._capture_on_start:
            return
        if not is_member(run_context.run_id, host):
            said = [{"role": "user", "content": text}]
            self._hooks.submit(said, scope=scope, turn_id=run_context.run_id, status="partial")

    def _check(self, host: Any) -> None:
        """Warn where Agno would silently leave the recalled block out."""
        machine = getattr(host, "learning", None)
        if not isinstance(machine, LearningMachine) or not any(
            isinstance(store, MemoriLearningStore)
            for store in (machine.custom_stores or {}).values()
        ):
            return
        if host.db is None:
            self._hooks.warn_once(
                "no_db",
                "an agent has no `db`, so Agno leaves out its LearningMachine, and with it what "
                "memory recalls. Give it one: Agent(db=InMemoryDb(), ...)",
            )
        if host.system_message is not None:
            self._hooks.warn_once(
                "own_system_message",
                "an agent has a `system_message`, which takes the place of the prompt that "
                "memory is placed in. Use `instructions` or `description` for your text",
            )
