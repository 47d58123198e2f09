"""`memori.llm`: memory for model clients, without another change to the program."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from memori_core._exit import at_exit
from memori_core.errors import ConfigError
from memori_core.interception.counts import logger
from memori_core.interception.host import History, OnError, Place, Settings
from memori_core.interception.http_transports import package_of, wrapped
from memori_core.interception.interceptor import Interceptor, reference_to
from memori_core.interception.kind import ClientKind
from memori_core.interception.memory import MemoriHost, Memory
from memori_core.interception.registry import clients_of
from memori_core.interception.workshop import Workshop
from memori_core.models import Scope
from memori_core.results import Reason

M = TypeVar("M", bound=Memory)

EXIT_LIMIT_S: Final = 5.0

_lock = threading.RLock()
"""One registration at a time: looking whether a client has one, and giving it one, belong
together."""


@dataclass(frozen=True, slots=True)
class LlmReport:
    """What registered clients did so far. Counts and ids, no content."""

    clients: tuple[str, ...]
    """The registered clients that are still there, by type."""
    counts: Mapping[str, int]
    """See docs/pages/providers.md for what each number says."""
    nothing_injected: Mapping[str, Reason]
    """Why nothing was injected the last time it was not, by entity."""


class Llm(Generic[M]):
    """Registers model clients with one memory. There is one per `Memori`: `memori.llm`."""

    def __init__(self, memory: M) -> None:
        self._memory = memory
        self._workshop: Workshop | None = None
        self._clients: list[tuple[str, Callable[[], Any]]] = []

    def register(
        self,
        client: Any,
        *,
        scope: Scope | None = None,
        history: History = "auto",
        place: Place = "system",
        on_error: OnError = "log",
    ) -> M:
        """Give a client memory: every call through it recalls before and captures after.

        The client stays the same object with the same types, and nothing that you pass to it is
        changed. Registering it again with the same settings changes nothing; with others, they
        count from now on, for copies of it, too (`with_options`). A client has one memory:
        registering it with another `Memori` takes the place of the first, and says so in the log.

        Args:
            client: A client of an SDK, an SDK's module that has one (`ollama`, `litellm`), or a
                framework's model object that holds one.
            scope: Whose memory is meant where the context of a call names nobody: for thread
                pools, and for programs with one user.
            history: Earlier messages of the conversation that the caller did not send: at most
                this many, or False for none. `"auto"`: up to 20, where the scope names a session
                and the caller sends the new text only.
            place: Where the context block stands: `"system"`, behind the system prompt, or
                `"user"`, before the user's last text, which spares the prompt caches of providers.
            on_error: What to do with failures of the memory: `"log"` each sort once and go on, or
                `"raise"`, for tests.

        Returns:
            The memory.

        Raises:
            ConfigError: An argument cannot be right.
            UnsupportedClientError: The client is of no kind we know. The message lists them.
        """
        settings = _settings(scope=scope, history=history, place=place, on_error=on_error)
        with _lock:
            for inner, kind in clients_of(client):
                self._register(inner, kind, settings)
        return self._memory

    def unregister(self, client: Any) -> M:
        """Put a client back as it was. One that is not registered here is left as it is.

        Returns:
            The memory.

        Raises:
            UnsupportedClientError: The client is of no kind we know.
        """
        with _lock:
            for inner, kind in clients_of(client):
                present = kind.installed(inner)
                if present is not None and self._is_ours(present):
                    self._remove(inner, kind, present)
                    self._clients = [c for c in self._clients if c[1]() not in (None, inner)]
        return self._memory

    def transport(
        self,
        inner: Any,
        *,
        scope: Scope | None = None,
        history: History = "auto",
        place: Place = "system",
        on_error: OnError = "log",
    ) -> Any:
        """A transport for an HTTP client of your own, for programs that use no SDK.

        Args:
            inner: The httpx or httpx2 transport that sends the requests, sync or async.
            scope: See `register`, as the rest.
            history: See `register`.
            place: See `register`.
            on_error: See `register`.

        Returns:
            A transport of the same package and flavour.

        Raises:
            ConfigError: `inner` is no transport, or another argument cannot be right.
        """
        settings = _settings(scope=scope, history=history, place=place, on_error=on_error)
        module = package_of(inner)
        if module is None or not hasattr(inner, "handle_request") | hasattr(
            inner, "handle_async_request"
        ):
            raise ConfigError(
                f"`inner` must be an httpx or httpx2 transport, got {type(inner).__name__}. "
                "For example: httpx.Client(transport=memori.llm.transport(httpx.HTTPTransport()))"
            )
        return wrapped(inner, Interceptor(self.workshop(), settings), module=module)

    def stats(self) -> Mapping[str, int]:
        """What registered clients did so far, in numbers."""
        return {} if self._workshop is None else self._workshop.counts.numbers()

    def report(self) -> LlmReport:
        """What is registered, what it did, and why nothing was injected where nothing was."""
        shop = self._workshop
        return LlmReport(
            clients=tuple(name for name, reference in self._clients if reference() is not None),
            counts=self.stats(),
            nothing_injected={} if shop is None else shop.counts.reasons(),
        )

    def drain(self, timeout_s: float | None = None) -> bool:
        """Wait until every answer so far is stored. `memori.flush()` does it first.

        Returns:
            Whether it is.
        """
        return self._workshop is None or self._workshop.drain(timeout_s)

    def close(self, timeout_s: float | None = EXIT_LIMIT_S) -> bool:
        """Store what is still to be stored. `memori.close()` does it first.

        Returns:
            Whether everything is.
        """
        return self._workshop is None or self._workshop.close(timeout_s)

    def _register(self, client: Any, kind: ClientKind, settings: Settings) -> None:
        present = kind.installed(client)
        if present is not None:
            if self._is_ours(present) and present.client is client:
                present.settings = settings
                return
            if not self._is_ours(present):
                logger.warning(
                    "a %s was registered with another Memori; from now on this one serves it",
                    type(client).__name__,
                )
            self._remove(client, kind, present)
        kind.install(client, Interceptor(self.workshop(), settings, client=client))
        self._clients = [c for c in self._clients if c[1]() not in (None, client)]
        self._clients.append((_name_of(client), reference_to(client)))

    def _remove(self, client: Any, kind: ClientKind, present: Interceptor) -> None:
        if present.client is client:  # else this is a copy of it, and the others go on
            present.active = False  # for its copies
        kind.remove(client)

    def workshop(self) -> Workshop:
        """The threads, counts and queues that hooks share. It begins to load the embedder."""
        with _lock:
            if self._workshop is None:
                self._workshop = Workshop(MemoriHost(self._memory))
                # Later than the exit of the memory's own worker was planned, so it runs before it.
                at_exit(functools.partial(_finish_at_exit, weakref.ref(self._workshop)))
        self._workshop.warm_up()
        return self._workshop

    def _is_ours(self, interceptor: Interceptor | None) -> bool:
        return interceptor is not None and interceptor.belongs_to(self._workshop)


def _settings(
    *, scope: Scope | None, history: History, place: Place, on_error: OnError
) -> Settings:
    if scope is not None and not isinstance(scope, Scope):  # pyright: ignore[reportUnnecessaryIsInstance] (callers without a checker)
        raise ConfigError(f"`scope` must be a Scope, got {scope!r}. Write Scope({scope!r}).")
    counted = isinstance(history, int) and not isinstance(history, bool) and history > 0
    if not (history is False or history == "auto" or counted):
        raise ConfigError(f'`history` is "auto", a number above 0 or False, got {history!r}.')
    if place not in ("system", "user"):
        raise ConfigError(f'`place` is "system" or "user", got {place!r}.')
    if on_error not in ("log", "raise"):
        raise ConfigError(f'`on_error` is "log" or "raise", got {on_error!r}.')
    return Settings(scope=scope, history=history, place=place, on_error=on_error)


def _name_of(client: Any) -> str:
    return getattr(client, "__name__", None) or type(client).__name__


def _finish_at_exit(reference: weakref.ref[Workshop], last: bool) -> None:
    shop = reference()
    if shop is None:
        return
    if last:
        shop.close(EXIT_LIMIT_S)
    else:  # other threads may go on with their conversations
        shop.captures.wait(EXIT_LIMIT_S)
