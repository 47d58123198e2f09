"""From the answers of a model to turns of a conversation: one per text of the user."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from memori_core._ids import uuid7
from memori_core.conversation import Message
from memori_core.interception.call import Call
from memori_core.interception.counts import Counts
from memori_core.interception.host import MemoryHost
from memori_core.interception.wire.base import Answer
from memori_core.models import Scope

OPEN_S: Final = 600.0
"""So long after its last round of tools a turn without an answer is given up."""
MAX_OPEN: Final = 256
MAX_LINKS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Link:
    """The turn that an answer of the provider belongs to."""

    query: str
    turn_id: str


@dataclass(slots=True)
class _OpenTurn:
    turn_id: str
    since: float
    text: str
    """The answer so far, where it goes on in another request."""


class Turns:
    """Reads answers and stores turns. `take` runs in the capture thread only.

    A round that ends in tool calls is not the answer: its turn stays open, and the answer to the
    same text of the same scope closes it. What nobody closes is stored without an answer.
    """

    def __init__(
        self, host: MemoryHost, counts: Counts, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._host = host
        self._counts = counts
        self._clock = clock
        self._open: OrderedDict[tuple[Scope, str], _OpenTurn] = OrderedDict()
        self._links: OrderedDict[tuple[str, str], Link] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, call: Call, events: Iterable[Any]) -> None:
        """Read one answer and store its turn, unless the turn goes on.

        Raises:
            Exception: Whatever the store raises.
        """
        answer = self._read(call, events)
        key = (call.scope, call.query)
        known = self._open.pop(key, None)
        turn_id = known.turn_id if known else call.turn_id or uuid7()
        for provider_id in (answer.id, answer.conversation_id):
            if provider_id:
                self._keep_link(call.scope, provider_id, Link(call.query, turn_id))
        before = known.text if known and call.goes_on else ""
        text = before + ("" if answer.calls else answer.text or answer.refusal)
        if answer.calls or answer.unfinished:
            self._counts.add("steps")
            self._open[key] = _OpenTurn(turn_id, self._clock(), text)
        else:
            self._store(call.scope, call.query, text, turn_id=turn_id, complete=answer.complete)
        self._give_up(older_than=self._clock() - OPEN_S)

    def close(self) -> None:
        """Store the user's words of turns that never came to an answer."""
        self._give_up(older_than=float("inf"))

    def link(self, scope: Scope, answer_id: str) -> Link | None:
        """The turn of an earlier answer to the same entity."""
        with self._lock:
            return self._links.get((scope.entity_id, answer_id))

    def _read(self, call: Call, events: Iterable[Any]) -> Answer:
        answer = Answer()
        try:
            for event in events:
                call.wire.read(answer, event)
        except Exception as e:  # noqa: BLE001 (a provider's surprise must not lose the user's words)
            self._counts.failed("reading", e)
            answer.complete = False
        return answer

    def _store(self, scope: Scope, query: str, text: str, *, turn_id: str, complete: bool) -> None:
        said = [Message("user", query)]
        if text.strip():
            said.append(Message("assistant", text))
        status = "complete" if complete else "partial"
        self._host.submit(scope, said, turn_id=turn_id, status=status)
        self._counts.add("captured" if complete else "captured_partial")

    def _keep_link(self, scope: Scope, answer_id: str, link: Link) -> None:
        with self._lock:
            self._links[scope.entity_id, answer_id] = link
            while len(self._links) > MAX_LINKS:
                self._links.popitem(last=False)

    def _give_up(self, *, older_than: float) -> None:
        while self._open:
            (scope, query), turn = next(iter(self._open.items()))
            if turn.since > older_than and len(self._open) <= MAX_OPEN:
                break
            del self._open[scope, query]
            self._store(scope, query, turn.text, turn_id=turn.turn_id, complete=False)
