"""What an integration with an agent framework is made of, beside the public face.

The four `memori_*` packages use it, and so can yours. Everything here keeps one promise: a memory
that fails or hangs never ends, blocks or changes the agent's turn.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Self, TypeVar
from uuid import UUID

from memori_core._ids import uuid7
from memori_core._intake import Instant
from memori_core._threads import run_sync
from memori_core.augmentation.base import Extractor
from memori_core.augmentation.llm import LLMExtractor
from memori_core.augmentation.messages import read_messages, text_of
from memori_core.capturing import Captured
from memori_core.conversation import (
    ExtractedFact,
    Extraction,
    Message,
    Role,
    Status,
    StoredMessage,
    Triple,
)
from memori_core.embedding import CallableEmbedder, EmbedderSpec, FloatArray
from memori_core.errors import ConfigError, ScopeError, StoreError
from memori_core.interception.deadlines import DeadlineRunner, OverdueError
from memori_core.interception.handling import handle_while, handled, is_handled
from memori_core.interception.host import OnError
from memori_core.memori import Memori, ScopedMemory
from memori_core.models import JSONValue, Kind, Scope
from memori_core.rendering import TAG, escape, fact_line, without_block
from memori_core.results import Reason, Recall
from memori_core.retrieval.filters import Where

__all__ = [
    "CallableEmbedder",
    "Captured",
    "DeadlineRunner",
    "EmbedderSpec",
    "ExtractedFact",
    "Extraction",
    "Extractor",
    "FloatArray",
    "Hooks",
    "Instant",
    "JSONValue",
    "Kind",
    "LLMExtractor",
    "Message",
    "OnError",
    "Reason",
    "Role",
    "Status",
    "StoredMessage",
    "TAG",
    "Triple",
    "Where",
    "escape",
    "fact_line",
    "handle_while",
    "handled",
    "is_handled",
    "named_id",
    "read_messages",
    "run_sync",
    "text_of",
    "uuid7",
    "without_block",
]

T = TypeVar("T")

SETTLE_S = 1.0
"""A recall waits so long for what the same entity said just before to be stored."""

ATTEMPT_LIMIT_S: Final = 15.0
"""So long a tool waits for memory, which may have to load the embedder first."""


def named_id(name: str, value: object) -> str | None:
    """An id that a framework hands over, as text; None for nobody: nothing, or blank text.

    ```python
    from memori_core.hooks import named_id

    print(named_id("user_id", 42), named_id("user_id", " "))
    #> 42 None
    ```

    Args:
        name: What the framework calls it.
        value: The id: text, an integer or a UUID.

    Raises:
        ScopeError: It is something else.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, int | UUID) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise ScopeError(f"`{name}` of this run must be an id, got {value!r}.")
    return value


class Hooks:
    """A memory as a framework's hooks use it. Safe in every thread and on every event loop.

    ```python
    from memori_core import InMemoryStore, Memori, Scope
    from memori_core.hooks import Hooks

    memori = Memori(InMemoryStore(), embedder=None)
    hooks = Hooks(memori)
    alice = Scope("alice")
    hooks.submit([{"role": "user", "content": "I live in Porto."}], scope=alice)
    memori.flush()
    print(hooks.recall("Where in Porto do I live?", scope=alice)[0].content)
    #> User lives in Porto.
    ```

    Args:
        memori: The memory.
        on_error: What to do with a failure of the memory: `"log"` each sort once, count it and go
            on without memory, or `"raise"`, for tests. A failed capture is raised by the next
            `memori.flush()`.

    Raises:
        ConfigError: `memori` is no `Memori`, or `on_error` is another word.
    """

    def __init__(self, memori: Memori, *, on_error: OnError = "log") -> None:
        if not isinstance(memori, Memori):  # pyright: ignore[reportUnnecessaryIsInstance] (callers without a checker)
            raise ConfigError(f"`memori` must be a Memori, got {memori!r}. Make one: Memori().")
        if on_error not in ("log", "raise"):
            raise ConfigError(f'`on_error` is "log" or "raise", got {on_error!r}.')
        self.memori = memori
        self._on_error: OnError = on_error
        self._shop = memori.llm.workshop()

    def __deepcopy__(self, memo: object) -> Self:
        """Itself: frameworks copy what they are given, and there is one memory beneath."""
        return self

    def scoped(self, scope: Scope) -> ScopedMemory:
        """The memory of one scope, for work that is done in `attempt`: its verbs may raise."""
        return self.memori.scoped(
            scope.entity_id, process_id=scope.process_id, session_id=scope.session_id
        )

    def recall(self, query: str, *, scope: Scope, **options: Any) -> Recall:
        """What bears on a question, within 2 s (15 s while the embedder is being loaded).

        What the same entity said just before counts, too. After a failure, the recall is empty and
        its reason is `"error"` or `"timeout"`.

        Args:
            query: The question.
            scope: Whose memory to search.
            options: As `Memori.recall` takes them: `limit`, `strictness`, `where`, `kinds`, …
        """
        try:
            return self._shop.runner.run(
                self._search(query, scope, options), limit_s=self._shop.limit_s
            )
        except Exception as e:  # noqa: BLE001 (our failure is never the agent's)
            return self._nothing(query, scope, e)

    async def arecall(self, query: str, *, scope: Scope, **options: Any) -> Recall:
        """`recall` without blocking the event loop."""
        try:
            return await self._shop.runner.arun(
                self._search(query, scope, options), limit_s=self._shop.limit_s
            )
        except Exception as e:  # noqa: BLE001 (our failure is never the agent's)
            return self._nothing(query, scope, e)

    def options(self, **options: Any) -> dict[str, Any]:
        """The options of `recall`, checked when a hook is made rather than in every run.

        Raises:
            ConfigError: One of them cannot be right.
        """
        nobody = self.memori.scoped("nobody", process_id="none")
        try:
            # An empty question: checked, and not searched. A store that is closed or broken says
            # nothing of the options; the runs go on without it.
            with suppress(StoreError):
                nobody.recall("", **options)
        except TypeError as e:
            raise ConfigError(f"an option is of the wrong type: {e}, got {options!r}.") from e
        return options

    def attempt(self, stage: str, work: Callable[[], T], *, otherwise: T) -> T:
        """What a tool's work on the memory gives, within 15 s.

        Work that takes longer is not stopped, but nobody waits for it.

        Args:
            stage: What to call it in the log and in `memori.stats()`.
            work: The work. It is done in a thread of ours.
            otherwise: What to give where it fails or takes too long.

        Raises:
            Exception: The failure, with `on_error="raise"`.
        """
        try:
            return self._shop.runner.run(work, limit_s=ATTEMPT_LIMIT_S)
        except Exception as e:  # noqa: BLE001 (our failure is never the agent's)
            self.failed(stage, e)
            return otherwise

    async def aattempt(self, stage: str, work: Callable[[], T], *, otherwise: T) -> T:
        """`attempt` without blocking the event loop."""
        try:
            return await self._shop.runner.arun(work, limit_s=ATTEMPT_LIMIT_S)
        except Exception as e:  # noqa: BLE001 (our failure is never the agent's)
            self.failed(stage, e)
            return otherwise

    def submit(
        self,
        messages: object,
        *,
        scope: Scope,
        turn_id: str | None = None,
        status: Status = "complete",
    ) -> None:
        """Have a turn stored by a thread of ours: this returns at once, also on an event loop.

        The messages are read here, so what the caller does with them later changes nothing. The
        turns of one entity are stored in the order in which they came. `memori.flush()`,
        `memori.close()` and the end of the program wait for them.

        Args:
            messages: As `Memori.capture` takes them.
            scope: Whose turn it is.
            turn_id: The framework's id of the turn: one that is there already is not stored again.
            status: How the turn ended.
        """
        try:
            read = read_messages(messages)
        except Exception as e:  # noqa: BLE001 (whatever a framework's message raises)
            self.failed("capture", e)
            return
        if not read:
            return
        handle = self.scoped(scope)
        turn_id = turn_id or uuid7()

        def store() -> None:
            handle.submit(read, turn_id=turn_id, status=status)
            self._shop.counts.add("captured" if status == "complete" else "captured_partial")

        self._shop.captures.start()  # after a fork its thread is gone
        self._shop.do_soon(store, scope, on_error=self._on_error)

    def warn_once(self, name: str, message: str, *args: object) -> None:
        """Count something under a name in `memori.stats()`, and log it the first time."""
        self._shop.counts.warn_once(name, message, *args)

    def count(self, name: str) -> None:
        """Count one more under a name in `memori.stats()`."""
        self._shop.counts.add(name)

    def failed(self, stage: str, error: Exception) -> None:
        """Log a failure of the integration once with its cause and count it, or raise it.

        Raises:
            Exception: The error, with `on_error="raise"`.
        """
        self._shop.counts.failed(stage, error)
        if self._on_error == "raise":
            raise error

    def _search(self, query: str, scope: Scope, options: dict[str, Any]) -> Callable[[], Recall]:
        handle = self.scoped(scope)

        def search() -> Recall:
            self._shop.captures.wait(SETTLE_S, scope.entity_id)
            found = handle.recall(query, **options)
            if found.reason != "ok":
                self._shop.counts.nothing(scope.entity_id, found.reason)
            return found

        self._shop.counts.add("calls")
        return search

    def _nothing(self, query: str, scope: Scope, error: Exception) -> Recall:
        reason: Reason = "error"
        if isinstance(error, OverdueError):
            reason = "timeout"
            self._shop.counts.warn_once(
                "timeouts",
                "recall was given up: %s; the agent went on without memory. Further ones are "
                "counted, see memori.stats()",
                error,
            )
        else:
            self._shop.counts.failed("recall", error)
        self._shop.counts.nothing(scope.entity_id, reason)
        if self._on_error == "raise":
            raise error
        return Recall(query, scope=scope, reason=reason)
