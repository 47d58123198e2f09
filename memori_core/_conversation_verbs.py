"""What a person can do with conversations: have them captured, and read them again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from memori_core._display.tables import Table
from memori_core._intake import Instant, check_limit, check_texts
from memori_core.capturing import Augmentation, Captured, OnFull
from memori_core.conversation import Session, Status, StoredMessage, StoredTriple
from memori_core.core import MemoryCore
from memori_core.errors import ConfigError
from memori_core.models import Scope


class ConversationVerbs(ABC):
    """The verbs about what was said, and what it amounts to."""

    _core: MemoryCore
    _augmentation: Augmentation

    @abstractmethod
    def _current_scope(self) -> Scope:
        """Whose memory is meant.

        Raises:
            ScopeError: Nobody's.
        """

    def capture(
        self,
        messages: object,
        *,
        at: Instant | None = None,
        turn_id: str | None = None,
        status: Status = "complete",
        on_full: OnFull = "raise",
    ) -> Captured:
        """Store a turn of a conversation; facts are made of it in the background.

        The messages are safe when this returns. Secrets in them (keys, passwords, card numbers)
        are redacted first.

        Args:
            messages: A text (what the user said), one message or several: mappings with `role` and
                `content`, or objects with such attributes. Images and files become placeholders;
                tool calls, thinking and our own context block are left out.
            at: When it was said, whatever times the messages have; None for their own times, or
                now.
            turn_id: An id of your own. A turn that is there already is not stored again.
            status: `partial` for an answer that was broken off, `failed` for one that never came.
            on_full: What to do when 512 turns of this process wait: `raise`, or `defer` the work
                to an idle worker.

        Raises:
            ConfigError: Something is no message; nothing was stored.
            QueueFullError: 512 turns wait; nothing was stored.
            ScopeError: Nobody is named to remember for.
        """
        return self._augmentation.capture(
            self._current_scope(),
            messages,
            at=at,
            turn_id=turn_id,
            status=status,
            on_full=on_full,
        )

    def submit(
        self,
        messages: object,
        *,
        at: Instant | None = None,
        turn_id: str | None = None,
        status: Status = "complete",
    ) -> Captured:
        """`capture` for hooks that must not wait: the disk catches up in the background.

        It survives the end of the process, also by `kill -9`; a power cut may lose the last
        second. It never raises for a full queue. It waits, 10 s at most, only where another process
        writes to the same file.
        """
        return self._augmentation.capture(
            self._current_scope(),
            messages,
            at=at,
            turn_id=turn_id,
            status=status,
            on_full="defer",
            durable=False,
        )

    def messages(
        self, *, session_id: str | None = None, limit: int | None = None
    ) -> Sequence[StoredMessage]:
        """What was said, oldest first.

        Args:
            session_id: Only in this conversation; None for all.
            limit: Only the last so many.

        Raises:
            ConfigError: An argument cannot be right.
        """
        check_limit(limit)
        check_texts(session_id=session_id)
        scope = self._current_scope()
        return Table(self._core.store.messages(scope, session_id=session_id, limit=limit))

    def sessions(self) -> Sequence[Session]:
        """The conversations, the one that was active last first."""
        return Table(self._core.store.sessions(self._current_scope()))

    def triples(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        include_ended: bool = False,
    ) -> Sequence[StoredTriple]:
        """The statements of the knowledge graph, oldest first; letter case does not count.

        Args:
            subject: Only about this subject.
            predicate: Only with this predicate, for example `lives_in`.
            object: Only with this object.
            include_ended: Also statements that no longer hold.

        Raises:
            ConfigError: An argument is no text.
        """
        check_texts(subject=subject, predicate=predicate, object=object)
        return Table(
            self._core.store.triples(
                self._current_scope(),
                subject=subject,
                predicate=predicate,
                object=object,
                include_ended=include_ended,
            )
        )

    def attributes(self, *, process_id: str | None = None) -> Sequence[str]:
        """What was noted about a process (an agent), the most frequent first.

        Raises:
            ConfigError: No process is named, neither here nor by the scope.
        """
        check_texts(process_id=process_id)
        scope = self._current_scope()
        name = process_id or scope.process_id
        if name is None:
            raise ConfigError("`attributes` needs a `process_id`, here or in the scope.")
        return self._core.store.attributes(scope, process_id=name)
