"""The work before one request: find the question, recall, and place what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from memori_core.conversation import Message
from memori_core.interception import earlier
from memori_core.interception.call import Call
from memori_core.interception.host import Settings
from memori_core.interception.memo import Recalled
from memori_core.interception.turns import Link
from memori_core.interception.wire.base import WireFormat
from memori_core.interception.workshop import Workshop
from memori_core.models import Scope
from memori_core.rendering import TAG

SETTLE_S: Final = 1.0
"""A request waits so long for the answers before it to be stored."""


class Attempt:
    """The work before one request, done in a thread of ours."""

    def __init__(self, workshop: Workshop, settings: Settings, scope: Scope) -> None:
        self._shop = workshop
        self._settings = settings
        self.scope = scope
        self.plain: Call | None = None
        """The call without memory, as soon as its question is known: what is left when the recall
        fails or is overdue. Its answer is captured all the same."""
        self.recalls = True
        """False to find the question only, which takes no time."""

    def prepare(
        self, wire: WireFormat, body: Any, *, again: bool = False, unchanged: Any = None
    ) -> Call | None:
        """Find the question, recall, and place what was found.

        Args:
            wire: The format of the request.
            body: The request.
            again: Whether this is known to be a retry.
            unchanged: What `call.body` is when nothing is placed; None for `body`.
        """
        if not wire.accepts(body) or holds_block(body):
            self.leave_alone()
            return None
        asked = self._question(wire, body)
        if asked is None:
            self._shop.counts.add("no_question")
            return None
        same = body if unchanged is None else unchanged
        self.plain = self._call(wire, same, asked, changed=False)
        if not self.recalls:
            return self.plain
        self._settle()
        again = again or bool(asked.turn_id) or wire.is_tool_round(body)
        found = self._recalled(wire, body, asked.query, again=again)
        new = body
        if found.history:
            new = wire.add_history(new, found.history)
        if found.context.text:
            new = wire.inject(new, found.context.text, place=self._settings.place)
            self._shop.counts.add("injected")
        else:
            self._shop.counts.nothing(self.scope.entity_id, found.context.reason)
        if new is body:
            return self.plain
        return self._call(wire, new, asked, changed=True)

    def leave_alone(self) -> None:
        """Count a request that is passed on as it is."""
        self._shop.counts.add("left_alone")

    def resume(self, wire: WireFormat, answer_id: str) -> Call | None:
        """The call for a request that only fetches an earlier answer; nothing is sent along."""
        if self.recalls:
            self._settle()
        link = self._shop.turns.link(self.scope, answer_id)
        return None if link is None else self._call(wire, None, link, changed=False)

    def _settle(self) -> None:
        """Wait for what was said and answered just before: it counts, too."""
        self._shop.captures.wait(SETTLE_S, self.scope.entity_id)

    def _question(self, wire: WireFormat, body: Any) -> Link | None:
        query = wire.query(body).strip()
        if query:
            return Link(query, "")
        answer_id = wire.link(body)
        if answer_id is None or not self.recalls:
            return None
        self._settle()
        return self._shop.turns.link(self.scope, answer_id)

    def _call(self, wire: WireFormat, body: Any, asked: Link, *, changed: bool) -> Call:
        settings = self._settings
        return Call(
            wire,
            body,
            scope=self.scope,
            query=asked.query,
            changed=changed,
            hand_over=lambda call, events: self._shop.capture(call, events, settings),
            turn_id=asked.turn_id or None,
            goes_on=bool(asked.turn_id) or wire.is_tool_round(body),
        )

    def _recalled(self, wire: WireFormat, body: Any, query: str, *, again: bool) -> Recalled:
        """From the memo where nothing has changed, or where the turn was begun before."""
        host = self._shop.host
        sent = wire.sent_before(body)
        limit = 0 if sent is None else earlier.wanted(self._settings.history, self.scope, sent)
        settings = replace(self._settings, scope=None)
        key = (self.scope, query, settings, limit and tuple(sent or ()))
        revision = host.revision(self.scope)
        known = self._shop.memo.get(key)
        if known is not None and (again or known.revision == revision):
            return known
        context = host.recall(self.scope, query)
        history = self._history(sent or (), limit)
        found = Recalled(revision, context, tuple(history))
        self._shop.memo.put(key, found)
        return found

    def _history(self, sent: Sequence[Message], limit: int) -> Sequence[Message]:
        if limit <= 0:
            return ()
        stored = self._shop.host.history(self.scope, limit + len(sent))
        return earlier.missing(stored, sent, limit=limit)


def holds_block(body: Any) -> bool:
    """Whether our context block is in there already. Looks into dictionaries, lists and texts."""
    if isinstance(body, str):
        return f"<{TAG}>" in body
    if isinstance(body, dict):
        return any(holds_block(value) for value in body.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] (JSON)
    if isinstance(body, list | tuple):
        return any(holds_block(value) for value in body)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] (JSON)
    return False
