"""The post-hook: it hands a finished run over to be stored."""

from __future__ import annotations

from typing import Any

from agno.run import RunContext, RunStatus
from agno.run.agent import RunOutput
from agno.run.team import TeamRunOutput

from memori_agno._part import Part
from memori_agno._register import is_member
from memori_agno._texts import answer_text, input_text, user_text
from memori_core import Memori
from memori_core.hooks import OnError

_UNFINISHED = (RunStatus.error, RunStatus.cancelled, RunStatus.paused, RunStatus.regenerated)


class MemoriCaptureHook(Part):
    """Has what the user said and what was answered stored, once a run.

    It only puts the turn into a queue, so it takes microseconds, and it is synchronous, so it
    works in `run`, `arun` and streams alike. The run's id is the turn's: a run is stored once.
    Give it to the team or to the agent that talks to the user; in a member of a team it does
    nothing.

    ```python
    from agno.agent import Agent
    from memori_agno import MemoriCaptureHook
    from memori_core import Memori

    memori = Memori(":memory:", embedder=None)
    agent = Agent(post_hooks=[MemoriCaptureHook(memori)])
    ```

    Args:
        memori: The memory.
        process_id: What this agent is called in the memory; None for its id.
        on_error: `"log"` failures, or `"raise"` them.
    """

    def __init__(
        self, memori: Memori, *, process_id: str | None = None, on_error: OnError = "log"
    ) -> None:
        super().__init__(memori, process_id=process_id, on_error=on_error)

    def __call__(
        self,
        run_output: RunOutput | TeamRunOutput,
        run_context: RunContext,
        agent: Any = None,
        team: Any = None,
    ) -> None:
        """Called by Agno, by the names of the parameters."""
        host = agent if agent is not None else team
        if run_output.status in _UNFINISHED:
            return
        run_id = run_output.run_id or run_context.run_id
        if is_member(run_id, host, run_output.parent_run_id):
            return
        said = _said(run_output)
        scope = self._scope_of(run_context, host)
        if scope is None or not said:
            return
        answer = {"role": "assistant", "content": answer_text(run_output)}
        self._hooks.submit([{"role": "user", "content": said}, answer], scope=scope, turn_id=run_id)


def _said(output: RunOutput | TeamRunOutput) -> str:
    """What the user said in this run, and not in the one that it goes on from."""
    if output.forked_from_run_id is None:
        return input_text(output.input)
    own = [message for message in output.messages or () if not message.from_history]
    new = own[output.forked_from_message_index or 0 :]
    return user_text([message for message in new if message.role == "user"])
