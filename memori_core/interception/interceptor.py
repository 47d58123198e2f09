"""What every kind of client calls: before a request, to get memory into it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from memori_core.interception.attempt import Attempt
from memori_core.interception.call import Call
from memori_core.interception.counts import Counts
from memori_core.interception.deadlines import OverdueError
from memori_core.interception.handling import is_handled
from memori_core.interception.host import MemoryHost, Settings
from memori_core.interception.wire.base import WireFormat
from memori_core.interception.workshop import Workshop


class Interceptor:
    """One client's registration with a memory. Safe in every thread.

    A kind of client calls `begin` (or `abegin`) with the request that the caller made, sends
    `call.body` instead, and gives the answer to `call.finish`. Where there is no call, it passes
    the request on untouched.
    """

    def __init__(self, workshop: Workshop, settings: Settings, *, client: Any = None) -> None:
        self._shop = workshop
        self._client = reference_to(client)
        self.settings = settings
        """May be changed: copies of the client hold the same interceptor, and follow."""
        self.active = True
        """False once unregistered: copies of the client may still hold it."""
        workshop.captures.start()

    @property
    def host(self) -> MemoryHost:
        """The memory behind it."""
        return self._shop.host

    @property
    def counts(self) -> Counts:
        """For what kinds of clients want counted or logged."""
        return self._shop.counts

    @property
    def client(self) -> Any:
        """The client that was registered, not a copy of it; None when it is gone."""
        return self._client()

    def belongs_to(self, workshop: Workshop | None) -> bool:
        """Whether it is a registration of that memory."""
        return self._shop is workshop

    def begin(self, wire: WireFormat, body: Any, *, again: bool = False) -> Call | None:
        """What to send instead of `body`; None to leave the call alone.

        Waits for the recall, 2 s at most (15 s while the embedder is being loaded).

        Args:
            wire: The format of the request.
            body: The request. It is not changed.
            again: Whether this is known to be a retry of a request that was begun before.
        """
        return self.run(lambda attempt: attempt.prepare(wire, body, again=again))

    async def abegin(self, wire: WireFormat, body: Any, *, again: bool = False) -> Call | None:
        """`begin` without blocking the event loop."""
        return await self.arun(lambda attempt: attempt.prepare(wire, body, again=again))

    def run(self, job: Callable[[Attempt], Call | None]) -> Call | None:
        """Run a job of its own under the rules of `begin`: for the scope of the caller's context,
        in a thread of ours, within the limit, failing silently.

        For kinds whose requests take work to read; the job ends in `attempt.prepare(...)`.
        """
        attempt = self._attempt()
        if attempt is None:
            return None
        try:
            return self._shop.runner.run(lambda: job(attempt), limit_s=self._shop.limit_s)
        except Exception as e:  # noqa: BLE001 (our failure is never the caller's)
            return self._failed(attempt, e, job)

    async def arun(self, job: Callable[[Attempt], Call | None]) -> Call | None:
        """`run` without blocking the event loop."""
        attempt = self._attempt()
        if attempt is None:
            return None
        try:
            return await self._shop.runner.arun(lambda: job(attempt), limit_s=self._shop.limit_s)
        except Exception as e:  # noqa: BLE001 (our failure is never the caller's)
            return self._failed(attempt, e, job)

    def _attempt(self) -> Attempt | None:
        """Read whose call it is, here where the caller is."""
        if not self.active:
            return None
        self._shop.captures.start()  # after a fork its thread is gone
        if is_handled():
            self.counts.add("left_to_others")
            return None
        scope = self.host.scope
        if self.settings.scope is not None and (scope is None or self.host.is_fallback(scope)):
            scope = self.settings.scope
        if scope is None:
            self.counts.warn_once(
                "no_scope",
                "a registered client was called, but nobody is named whose memory to use: the call "
                "goes without memory. Call memori.attribution(entity_id=...) before, or "
                "memori.llm.register(client, scope=Scope(...))",
            )
            return None
        self.counts.add("calls")
        return Attempt(self._shop, self.settings, scope)

    def _failed(
        self, attempt: Attempt, error: Exception, job: Callable[[Attempt], Call | None]
    ) -> Call | None:
        if isinstance(error, OverdueError):
            self.counts.warn_once(
                "timeouts",
                "recall was given up: %s; the call went on without memory. Further ones are "
                "counted, see memori.stats()",
                error,
            )
            self.counts.nothing(attempt.scope.entity_id, "timeout")
        else:
            self.counts.failed("recall", error)
            self.counts.nothing(attempt.scope.entity_id, "error")
        if self.settings.on_error == "raise":
            raise error
        if attempt.plain is None and isinstance(error, OverdueError):  # it did not even begin
            attempt.recalls = False
            with suppress(Exception):  # whatever it is, the call goes on
                return job(attempt)
        return attempt.plain


def reference_to(client: Any) -> Callable[[], Any]:
    """A weak reference; one to nothing for an object that takes none."""
    try:
        return weakref.ref(client)
    except TypeError:
        return lambda: None
