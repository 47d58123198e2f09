"""What `MemoriMiddleware` keeps in the state of an agent while a run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

from langchain.agents import AgentState
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import BaseMessage
from langgraph.channels import UntrackedValue  # pyright: ignore[reportMissingTypeStubs] (no py.typed there)


class SideBySide(UntrackedValue[dict[str, str]]):
    """What several middlewares note, each under its name, also in one step; never checkpointed."""

    def update(self, values: Sequence[dict[str, str]]) -> bool:
        """Add to what is there."""
        before = self.get() if self.is_available() else {}
        for noted in values:
            self.value = before = {**before, **noted}
        return bool(values)


class MemoriState(AgentState[Any]):
    """The agent's state with what is known of this run only: it is never kept or given out."""

    memori_asked: NotRequired[Annotated[list[BaseMessage], UntrackedValue, PrivateStateAttr]]
    """What the user said, which a summary may push out of the messages before the run is over."""
    memori_recalled: NotRequired[Annotated[dict[str, str], SideBySide, PrivateStateAttr]]
    """By the name of the middleware: the context block, empty if nothing was recalled."""
