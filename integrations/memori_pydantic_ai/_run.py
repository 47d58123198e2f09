"""What belongs to one run of an agent and to no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext

from memori_core import Scope
from memori_pydantic_ai._texts import Said, said_in_run


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a recall brings into a run. Plain data, for engines that keep journals."""

    block: str = ""
    fact_ids: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Run:
    """The state of one run."""

    scope: Scope | None
    """Whose memory it is about; None for nobody's."""
    said: Said
    turn_id: str | None
    """Under which its turn is stored: a run that goes on has that of the run that began it."""
    goes_on: bool
    """Whether it resumes a turn and asks nothing new."""
    recalled: Recalled | None = None
    tidied: bool = False
    """Whether older blocks are out of the history."""
    reply: str = ""
    """The answer so far."""

    @classmethod
    def begin(cls, ctx: RunContext[Any], scope: Scope | None) -> Run:
        """The state of a run at its start."""
        said = said_in_run(ctx.prompt, ctx.messages)
        return cls(
            scope=scope,
            said=said,
            turn_id=said.run_id or ctx.run_id,
            goes_on=ctx.prompt is None and not said.query,
        )
