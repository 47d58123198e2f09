"""What Agno's own register of runs knows: which go on, and which are errands of a team."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import Any, Final

from agno.run.cancel import get_active_runs, get_cancellation_manager, get_member_run_ids
from agno.run.cancellation_management.in_memory_cancellation_manager import (
    InMemoryRunCancellationManager,
)

_TRIES: Final = 10


def is_over(run_id: str) -> bool:
    """Whether a run has ended, in whatever way. Agno calls no hook where one breaks off, but it
    takes each from the register that it keeps for cancelling.

    A register that is not of this process (Redis) is not asked: that would block.
    """
    return _is_local() and run_id not in _active()


def is_member(run_id: str, host: Any, parent_run_id: str | None = None) -> bool:
    """Whether a run is one of a member of a team: its input is the leader's words, not the user's.

    In hooks of a member nothing says so: `run_output.parent_run_id` is set after them, and
    `agent.team_id` stays set when the agent is used alone later. The register knows which members
    to cancel with their team. Where it cannot be asked, what ever was a member counts as one.
    """
    if parent_run_id is not None:
        return True
    if getattr(host, "team_id", None) is None and getattr(host, "parent_team_id", None) is None:
        return False
    return not _is_local() or any(run_id in get_member_run_ids(team_run) for team_run in _active())


def _is_local() -> bool:
    return isinstance(get_cancellation_manager(), InMemoryRunCancellationManager)


def _active() -> Collection[str]:
    for _ in range(_TRIES):
        with suppress(RuntimeError):  # agno 3.1: async runs change it under another lock
            return get_active_runs()
    return ()
