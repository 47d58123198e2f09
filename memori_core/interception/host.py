"""What interception needs of a memory, and how a client is registered with one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal, Protocol

from memori_core.conversation import Message, Status
from memori_core.models import Scope
from memori_core.results import Reason

Place = Literal["system", "user"]
"""Where the context block stands: at the end of the system prompt, or before the user's text."""

History = Literal["auto", False] | int
"""How much of the conversation so far is sent along; see `Settings.history`."""

OnError = Literal["log", "raise"]


@dataclass(frozen=True, slots=True)
class Context:
    """What memory has to say to one question."""

    text: str
    """The context block; empty when there is nothing to say."""
    reason: Reason = "ok"
    """Why it is empty, or `ok`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How one client is registered."""

    _: KW_ONLY
    scope: Scope | None = None
    """Whose memory is meant where the context of the call names nobody."""
    history: History = "auto"
    """Earlier messages of the conversation that the caller did not send: at most this many, or
    none. `"auto"`: up to 20, where the scope names a session and the caller sent the new text
    only."""
    place: Place = "system"
    on_error: OnError = "log"
    """What to do with a failure of ours: log it and let the call go on, or raise (for tests)."""


class MemoryHost(Protocol):
    """The memory behind registered clients. All but `scope` may block, and run in threads of ours.

    An object per `Memori`; see `memori_core.interception.llm`.
    """

    @property
    def scope(self) -> Scope | None:
        """Whose memory is meant in the current context; None for nobody's."""
        ...

    def is_fallback(self, scope: Scope) -> bool:
        """Whether this scope is meant only where nobody is named."""
        ...

    def revision(self, scope: Scope) -> int:
        """The number of changes to the entity's memory."""
        ...

    def recall(self, scope: Scope, query: str) -> Context:
        """The context block for a question."""
        ...

    def history(self, scope: Scope, limit: int) -> Sequence[Message]:
        """The last messages of the conversation that goes on, oldest first."""
        ...

    def submit(
        self, scope: Scope, messages: Sequence[Message], *, turn_id: str, status: Status
    ) -> None:
        """Store one turn. A turn that is there already is not stored again."""
        ...

    def warm_up(self) -> None:
        """Load what the first recall would load."""
        ...

    def catch_up(self, scope: Scope) -> None:
        """Load what changed since the last recall, before the next one has to. Where nothing is
        loaded yet, nothing is."""
        ...
