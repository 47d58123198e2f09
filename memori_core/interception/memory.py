"""A `Memori` as the memory behind registered clients."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import Context as Variables
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol

from memori_core.conversation import Message, Session, Status, StoredMessage
from memori_core.interception.host import Context
from memori_core.models import Scope
from memori_core.results import Recall

SESSION_IDLE: Final = timedelta(minutes=30)
"""As in `memori_core.capturing`: after so long a new conversation starts."""


class Handle(Protocol):
    """What we use of a `ScopedMemory`."""

    def recall(self, query: str | None = None) -> Recall: ...
    def stats(self) -> Any: ...
    def messages(
        self, *, session_id: str | None = None, limit: int | None = None
    ) -> Sequence[StoredMessage]: ...
    def sessions(self) -> Sequence[Session]: ...
    def submit(
        self, messages: object, *, turn_id: str | None = None, status: Status = ...
    ) -> Any: ...


class Memory(Protocol):
    """What we use of a `Memori`; it is defined in a module above this one."""

    @property
    def scope(self) -> Scope | None: ...
    @property
    def retriever(self) -> Any: ...
    def scoped(
        self, entity_id: str, *, process_id: str | None = None, session_id: str | None = None
    ) -> Handle: ...
    def warm_up(self) -> None: ...


class MemoriHost:
    """Answers what interception asks of a memory, see `MemoryHost`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @property
    def scope(self) -> Scope | None:
        """Whose memory is meant in the current context."""
        return self._memory.scope

    def is_fallback(self, scope: Scope) -> bool:
        """Whether it is the scope that is meant where no context says another."""
        return Variables().run(lambda: self._memory.scope) is scope

    def revision(self, scope: Scope) -> int:
        """The number of changes to the entity's memory."""
        return self._memory.retriever.store.revision(scope)

    def recall(self, scope: Scope, query: str) -> Context:
        """The context block for a question."""
        found = self._handle(scope).recall(query)
        return Context(found.context, found.reason)

    def history(self, scope: Scope, limit: int) -> Sequence[Message]:
        """The last messages of the scope's session, or of the one that goes on by itself."""
        handle = self._handle(scope)
        session_id = scope.session_id or _going_on(handle.sessions(), scope.process_id)
        if session_id is None:
            return ()
        return [stored.message for stored in handle.messages(session_id=session_id, limit=limit)]

    def submit(
        self, scope: Scope, messages: Sequence[Message], *, turn_id: str, status: Status
    ) -> None:
        """Store one turn."""
        self._handle(scope).submit(messages, turn_id=turn_id, status=status)

    def warm_up(self) -> None:
        """Load the embedder."""
        self._memory.warm_up()

    def catch_up(self, scope: Scope) -> None:
        """Have the entity's index follow what was stored, if it is in memory."""
        self._memory.retriever.catch_up(scope)

    def _handle(self, scope: Scope) -> Handle:
        return self._memory.scoped(
            scope.entity_id, process_id=scope.process_id, session_id=scope.session_id
        )


def _going_on(sessions: Sequence[Session], process_id: str | None) -> str | None:
    for session in sessions:  # the one that was active last comes first
        if session.process_id == process_id:
            alive = datetime.now(UTC) - session.last_active_at < SESSION_IDLE
            return session.id if alive else None
    return None
