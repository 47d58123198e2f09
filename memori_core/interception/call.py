"""One intercepted call: what to send, and where its answer goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from memori_core.interception.wire.base import WireFormat
from memori_core.models import Scope


class Call:
    """A request that memory goes along with.

    Send `body` in place of the caller's (`changed` says whether it is another object), and hand
    the answer to `finish`, once, when it is there or when its stream has ended. A call that failed
    is simply not finished: nothing is captured.
    """

    __slots__ = ("_hand_over", "body", "changed", "goes_on", "query", "scope", "turn_id", "wire")

    def __init__(
        self,
        wire: WireFormat,
        body: Any,
        *,
        scope: Scope,
        query: str,
        changed: bool,
        hand_over: Callable[[Call, Iterable[Any]], None],
        turn_id: str | None = None,
        goes_on: bool = False,
    ) -> None:
        self.wire = wire
        self.body = body
        self.scope = scope
        self.query = query
        self.changed = changed
        self.turn_id = turn_id
        self.goes_on = goes_on
        self._hand_over: Callable[[Call, Iterable[Any]], None] | None = hand_over

    def finish(self, events: Iterable[Any]) -> None:
        """Hand over the answer; only the first time counts.

        Safe in any thread, in a `finally` and in `__del__`: it puts the events into a queue and
        returns. They are read (and a lazy iterable is run) by a thread of ours.

        Args:
            events: One whole payload in a list, or the events of the stream as far as it went.
        """
        hand_over, self._hand_over = self._hand_over, None
        if hand_over is not None:
            hand_over(self, events)
