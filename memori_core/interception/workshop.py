"""What all registrations of one memory share: threads, the memo, counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final

from memori_core.interception.call import Call
from memori_core.interception.captures import CaptureQueue
from memori_core.interception.counts import Counts
from memori_core.interception.deadlines import DeadlineRunner
from memori_core.interception.host import MemoryHost, OnError, Settings
from memori_core.interception.memo import Memo
from memori_core.interception.turns import Turns
from memori_core.models import Scope

RECALL_LIMIT_S: Final = 2.0
FIRST_LIMIT_S: Final = 15.0
"""While the embedder is being loaded."""


class Workshop:
    """The machinery behind `memori.llm`; one per memory. Safe in every thread."""

    def __init__(
        self,
        host: MemoryHost,
        *,
        recall_limit_s: float = RECALL_LIMIT_S,
        first_limit_s: float = FIRST_LIMIT_S,
    ) -> None:
        self.host = host
        self.counts = Counts()
        self.runner = DeadlineRunner()
        self.captures = CaptureQueue()
        self.turns = Turns(host, self.counts)
        self.memo = Memo()
        self._recall_limit_s = recall_limit_s
        self._first_limit_s = first_limit_s
        self._warm_since: float | None = None
        self._warm = threading.Event()
        self._raised: list[BaseException] = []

    def warm_up(self) -> None:
        """Begin to load, in the background, what the first recall needs."""
        if self._warm_since is None:
            self._warm_since = time.monotonic()
            threading.Thread(target=self._load, name="memori-warm-up", daemon=True).start()

    def _load(self) -> None:
        try:
            self.host.warm_up()
        except Exception as e:  # noqa: BLE001 (counted and logged; the recall will say it again)
            self.counts.failed("warm_up", e)
        finally:
            self._warm.set()

    @property
    def limit_s(self) -> float:
        """How long a recall may take now."""
        if self._warm.is_set() or self._warm_since is None:
            return self._recall_limit_s
        passed = time.monotonic() - self._warm_since
        return max(self._recall_limit_s, self._first_limit_s - passed)

    def capture(self, call: Call, events: Iterable[Any], settings: Settings) -> None:
        """Have an answer read and stored soon. Takes no lock."""
        self.do_soon(lambda: self.turns.take(call, events), call.scope, on_error=settings.on_error)

    def do_soon(self, store: Callable[[], object], scope: Scope, *, on_error: OnError) -> None:
        """Have something stored for an entity, in order, in a thread of ours. Takes no lock."""
        self.captures.put(lambda: self._store(store, scope, on_error), scope.entity_id)

    def _store(self, store: Callable[[], object], scope: Scope, on_error: OnError) -> None:
        try:
            store()
        except BaseException as e:  # noqa: BLE001 (sys.exit() somewhere must not end the thread)
            self.counts.failed("capture", e)
            if on_error == "raise":
                self._raised.append(e)
            return
        with suppress(Exception):  # the next recall will say what is wrong
            self.host.catch_up(scope)

    def drain(self, timeout_s: float | None = None) -> bool:
        """Wait until every answer so far is stored.

        Returns:
            Whether it is.

        Raises:
            Exception: A capture failed, and its client is registered with `on_error="raise"`.
        """
        done = self.captures.wait(timeout_s)
        if self._raised:
            raise self._raised.pop(0)
        return done

    def close(self, timeout_s: float | None = None) -> bool:
        """`drain`, and store the user's words of turns that have no answer."""
        self.captures.put(self._close_turns)
        return self.captures.wait(timeout_s)

    def _close_turns(self) -> None:
        try:
            self.turns.close()
        except Exception as e:  # noqa: BLE001 (the store may be closed already)
            self.counts.failed("capture", e)
