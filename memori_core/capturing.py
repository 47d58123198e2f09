"""Taking in what was said: stored at once, understood in the background."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from memori_core._ids import uuid7
from memori_core._intake import Instant, instant
from memori_core._threads import run_sync
from memori_core.augmentation.base import Extractor
from memori_core.augmentation.messages import read_messages
from memori_core.augmentation.redaction import redact
from memori_core.augmentation.worker import Worker
from memori_core.augmenting import Augmenter
from memori_core.conversation import Job, Message, Status, StoredMessage
from memori_core.core import MemoryCore
from memori_core.errors import ConfigError
from memori_core.models import Scope, check_text
from memori_core.writes import AppendTurn, WriteBatch

SESSION_IDLE = timedelta(minutes=30)
"""After so long without a word a new conversation starts, unless the caller names one."""

OnFull = Literal["raise", "defer"]
Redactor = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of a turn."""

    turn_id: str
    _: KW_ONLY
    session_id: str
    messages: tuple[StoredMessage, ...]


class Augmentation:
    """The write path of a memory: captures turns and works on them in the background.

    Args:
        core: Embeds and stores.
        extractor: What makes facts of messages; None keeps messages only.
        index_messages: Whether messages are recalled beside facts; None asks the extractor.
        redactor: What takes secrets out of a text before it is stored; None stores it as it is.
        on_error: Told of every failure of the extractor.
        clock: What time it is.
    """

    def __init__(
        self,
        core: MemoryCore,
        extractor: Extractor | None,
        *,
        index_messages: bool | None = None,
        redactor: Redactor | None = redact,
        on_error: Callable[[Job, Exception], None] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._core = core
        self._extractor = extractor
        self._redactor = redactor
        self._clock = clock
        self._worker: Worker | None = None
        if extractor is not None:
            indexed = extractor.indexes_messages if index_messages is None else index_messages
            augmenter = Augmenter(core, extractor, index_messages=indexed)
            self._worker = Worker(core.store, augmenter, on_error=on_error, clock=clock)

    def capture(
        self,
        scope: Scope,
        messages: object,
        *,
        at: Instant | None = None,
        turn_id: str | None = None,
        status: Status = "complete",
        on_full: OnFull = "raise",
        durable: bool = True,
    ) -> Captured:
        """Store one turn, to be augmented in the background. See `Memori.capture`."""
        if on_full not in ("raise", "defer"):
            raise ConfigError(f'`on_full` is "raise" or "defer", got {on_full!r}.')
        if status not in ("complete", "partial", "failed"):
            raise ConfigError(f'`status` is "complete", "partial" or "failed", got {status!r}.')
        if turn_id is not None:
            check_text("turn_id", turn_id)
        read = tuple(self._redacted(message) for message in read_messages(messages))
        if (said_at := instant(at, name="at")) is not None:
            read = tuple(replace(message, said_at=None) for message in read)
        said_at = said_at or _last_time(read) or self._clock()
        turn = AppendTurn(
            turn_id or uuid7(),
            session_id=scope.session_id or self._session(scope, said_at),
            process_id=scope.process_id,
            status=status,
            messages=read,
            said_at=said_at,
            job=self._worker is not None and bool(read),
        )
        stored = self._store(scope, turn, on_full=on_full, durable=durable)
        return Captured(turn.turn_id, session_id=turn.session_id, messages=stored)

    def _store(
        self, scope: Scope, turn: AppendTurn, *, on_full: OnFull, durable: bool
    ) -> tuple[StoredMessage, ...]:
        batch = WriteBatch((turn,))
        worker = self._worker if turn.job else None
        reserved = worker is not None and on_full == "raise"
        if worker is not None and reserved:
            worker.reserve()
        try:
            applied = self._core.store.apply(scope, batch, durable=durable)
        except BaseException:
            if worker is not None and reserved:
                worker.release()
            raise
        if worker is not None and applied.queued:
            worker.submit(scope.entity_id, turn.turn_id, reserved=reserved)
        elif worker is not None and reserved:
            worker.release()
        return applied.messages

    def _redacted(self, message: Message) -> Message:
        if self._redactor is None:
            return message
        return replace(message, content=self._redactor(message.content))

    def _session(self, scope: Scope, said_at: datetime) -> str:
        """The conversation that goes on at the time, or a new one after a while of silence."""
        session = self._core.store.session_at(scope, said_at, idle=SESSION_IDLE)
        return uuid7() if session is None else session.id

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until every captured turn is augmented or given up.

        Args:
            timeout_s: At most so long; None for as long as it takes.

        Returns:
            Whether all are augmented: False when the time is over, or when a turn was given up
            since the last flush. It is kept, and `augmentation.resume()` tries it again.
        """
        return self._worker is None or self._worker.flush(timeout_s)

    def wait(self, timeout_s: float | None = None) -> bool:
        """The same as `flush`, under the name that users of Memori know."""
        return self.flush(timeout_s)

    async def aflush(self, timeout_s: float | None = None) -> bool:
        """`flush` without blocking the event loop."""
        return await run_sync(self.flush, timeout_s)

    def resume(self) -> int:
        """Try again what was given up, and return how many turns that were."""
        return 0 if self._worker is None else self._worker.resume()

    def stats(self) -> Mapping[str, int]:
        """Counts: turns of this process, jobs in the store, and what the extractor counts."""
        counts: dict[str, int] = {} if self._worker is None else dict(self._worker.stats())
        counts |= {f"jobs_{status}": n for status, n in self._core.store.jobs().items()}
        if self._extractor is not None:
            counts |= {f"extractor_{name}": n for name, n in self._extractor.stats().items()}
        return counts

    def close(self, timeout_s: float | None = None) -> bool:
        """Finish what waits, within the time, and end the threads."""
        return self._worker is None or self._worker.close(timeout_s)


def _last_time(messages: tuple[Message, ...]) -> datetime | None:
    times = [message.said_at for message in messages if message.said_at is not None]
    return max(times) if times else None
