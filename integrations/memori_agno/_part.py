"""What the parts have in common: a memory, and whose it is in a run."""

from __future__ import annotations

from typing import Any, Self

from agno.run import RunContext

from memori_agno._identity import scope_of
from memori_core import Memori, Scope
from memori_core.hooks import Hooks, OnError


class Part:
    """Something an agent is given. It holds no state of a run, and its copies are itself."""

    def __init__(self, memori: Memori, *, process_id: str | None, on_error: OnError) -> None:
        self._hooks = Hooks(memori, on_error=on_error)
        self._process_id = process_id

    def _process_of(self, host: Any) -> str | None:
        """What an agent or a team is called in the memory."""
        id = self._process_id or getattr(host, "id", None)
        return id if isinstance(id, str) else None

    def _scope_of(self, context: RunContext, host: Any) -> Scope | None:
        """The scope of a run's user in its session; None, with one warning, where there is none."""
        return scope_of(
            self._hooks,
            context.user_id,
            process_id=self._process_of(host),
            session_id=context.session_id,
        )

    def __deepcopy__(self, memo: Any) -> Self:
        return self
