"""`Memori` and `ScopedMemory`: the handles that people hold. Wiring only."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from memori_core._async_verbs import AsyncMemoryVerbs
from memori_core._attribution import Attribution
from memori_core._display.tables import Stats
from memori_core._ids import uuid7
from memori_core._threads import run_sync
from memori_core._verbs import write_lines
from memori_core.augmentation.base import Extractor
from memori_core.augmentation.redaction import redact
from memori_core.augmentation.resolving import make_extractor
from memori_core.capturing import Augmentation, Redactor
from memori_core.conversation import Job
from memori_core.core import MemoryCore
from memori_core.embedding import DEFAULT_EMBEDDER, EmbedderSpec, make_embedder
from memori_core.errors import ConfigError, ScopeError
from memori_core.interception.llm import Llm, LlmReport
from memori_core.models import Scope
from memori_core.retrieval.boosts import Boost, conversation
from memori_core.retrieval.fusion import Fusion, make_fusion
from memori_core.retrieval.hybrid import HybridRetriever
from memori_core.stores import Store, open_store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_attributed: ContextVar[Mapping[int, Scope]] = ContextVar("memori_attributed", default={})  # noqa: B039 (never changed in place)
_numbers = itertools.count()


class ScopedMemory(AsyncMemoryVerbs):
    """The memory of one entity: a cheap handle to pass around, for example as a dependency.

    ```python
    from memori_core import Memori
    from memori_core.stores import InMemoryStore

    memori = Memori(InMemoryStore(), embedder=None)
    alice = memori.scoped("alice")
    alice.remember("User lives in Porto.")
    print(alice.recall("Where in Porto do I live?")[0].content)
    #> User lives in Porto.
    print(len(memori.scoped("bob").recall("Where in Porto do I live?")))
    #> 0
    ```
    """

    def __init__(self, core: MemoryCore, augmentation: Augmentation, scope: Scope) -> None:
        self._core = core
        self._augmentation = augmentation
        self.scope = scope
        """Whose memory this is."""

    def _current_scope(self) -> Scope:
        return self.scope

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to release: the handle holds no resources of its own."""

    def __repr__(self) -> str:
        return f"ScopedMemory({self.scope!r})"


class Memori(AsyncMemoryVerbs):
    """Long-term memory in a file, for any number of entities.

    ```python
    from memori_core import Memori

    with Memori("memories.db", embedder=None) as memori:
        alice = memori.scoped("alice")
        alice.remember("User is allergic to peanuts.")
        print(alice.recall("Any peanuts?")[0].content)
        #> User is allergic to peanuts.
    ```

    Args:
        path_or_store: A SQLite file (made if it is not there), `":memory:"`, or a store.
        embedder: What turns text into vectors, see `make_embedder`; None recalls by words only.
        fusion: How signals become one order: a policy, or `"coverage"`, `"memori"`, `"mem0"`,
            `"dense"`, `"lexical"`.
        boosts: Further stages; `"conversation"` for stores of turns with sessions and positions.
        scope: Whose memory is meant where nobody is named, for programs with one user.
        extractor: What makes facts of captured messages: the rules, which need no model, or an
            object such as `LLMExtractor`; None keeps messages only.
        index_messages: Whether what users said is recalled beside facts; None for yes with the
            rules and no with a model. Where they are not, the rules keep the statements that are
            no facts, too.
        redactor: What takes secrets out of captured messages before they are stored; None stores
            them. What you `remember` yourself is stored as it is.
        on_error: Told of every failure of the extractor.

    Raises:
        ConfigError: An argument cannot be right.
        MissingExtraError: The embedder needs a package that is not installed.
        StoreError: The file cannot be opened; it was not touched.
    """

    def __init__(
        self,
        path_or_store: str | PathLike[str] | Store | None = None,
        *,
        embedder: EmbedderSpec = DEFAULT_EMBEDDER,
        fusion: Fusion | str = "coverage",
        boosts: Sequence[Boost] | Literal["conversation"] = (),
        scope: Scope | None = None,
        extractor: Extractor | Literal["rules"] | None = "rules",
        index_messages: bool | None = None,
        redactor: Redactor | None = redact,
        on_error: Callable[[Job, Exception], None] | None = None,
    ) -> None:
        if scope is not None and not isinstance(scope, Scope):  # pyright: ignore[reportUnnecessaryIsInstance] (callers without a checker)
            raise ConfigError(f"`scope` must be a Scope, got {scope!r}. Write Scope({scope!r}).")
        if isinstance(boosts, str):
            if boosts != "conversation":
                raise ConfigError(f'`boosts` is "conversation" or Boost objects, got {boosts!r}.')
            boosts = conversation()
        # All of it is checked before the file is made.
        made = make_embedder(embedder)
        policy = make_fusion(fusion, has_embedder=made is not None)
        extracts = make_extractor(extractor, indexes_messages=index_messages)
        self._number = next(_numbers)
        self._fallback = scope
        self._owns_store = not isinstance(path_or_store, Store)
        self._store = (
            path_or_store if isinstance(path_or_store, Store) else open_store(path_or_store)
        )
        self._core = MemoryCore(
            self._store,
            HybridRetriever(self._store, embedder=made, fusion=policy, boosts=boosts),
        )
        self._augmentation = Augmentation(
            self._core,
            extracts,
            index_messages=index_messages,
            redactor=redactor,
            on_error=on_error,
        )
        self._llm: Llm[Memori] = Llm(self)

    @property
    def retriever(self) -> HybridRetriever:
        """What finds facts; frameworks that bring their own loop use it directly."""
        return self._core.retriever

    @property
    def augmentation(self) -> Augmentation:
        """The background work on captured turns: wait for it, resume it, count it."""
        return self._augmentation

    @property
    def llm(self) -> Llm[Memori]:
        """Memory for model clients that are used as before: `memori.llm.register(client)`."""
        return self._llm

    @property
    def scope(self) -> Scope | None:
        """Whose memory is meant here and now; None for nobody's."""
        return _attributed.get().get(self._number, self._fallback)

    def _current_scope(self) -> Scope:
        scope = self.scope
        if scope is None:
            raise ScopeError(
                "Nobody is named whose memory to use. Call memori.attribution(entity_id=...), use "
                "memori.scoped(entity_id), or create Memori(..., scope=Scope(entity_id))."
            )
        return scope

    def _set_scope(self, scope: Scope | None) -> None:
        others = {n: s for n, s in _attributed.get().items() if n != self._number}
        _attributed.set(others if scope is None else {**others, self._number: scope})

    def scoped(
        self, entity_id: str, *, process_id: str | None = None, session_id: str | None = None
    ) -> ScopedMemory:
        """The memory of one entity. Handles are cheap and share no state.

        Raises:
            ScopeError: An id is blank or no text.
        """
        scope = Scope(entity_id, process_id=process_id, session_id=session_id)
        return ScopedMemory(self._core, self._augmentation, scope)

    def attribution(
        self, entity_id: str, *, process_id: str | None = None, session_id: str | None = None
    ) -> Attribution:
        """Say whose memory is meant from here on, in this task or thread only.

        A statement in scripts and notebooks; a `with` block where the context serves others after:

        ```python
        from memori_core import Memori
        from memori_core.stores import InMemoryStore

        memori = Memori(InMemoryStore(), embedder=None)
        with memori.attribution("alice"):
            memori.remember("User likes tea.")
        print(memori.scope)
        #> None
        ```

        Raises:
            ScopeError: An id is blank or no text.
        """
        scope = Scope(entity_id, process_id=process_id, session_id=session_id)
        before = _attributed.get().get(self._number)
        self._set_scope(scope)
        return Attribution(scope, end=lambda: self._set_scope(before))

    def new_session(self) -> str:
        """Start a new conversation in this context and return its id."""
        session_id = uuid7()
        self.set_session(session_id)
        return session_id

    def set_session(self, session_id: str) -> None:
        """Go on with a conversation in this context.

        Raises:
            ScopeError: Nobody is named, or the id is blank.
        """
        self._set_scope(replace(self._current_scope(), session_id=session_id))

    def stats(self) -> Mapping[str, int | str]:
        """Counts and sizes of the whole store, and what memory recalls with."""
        retriever = self._core.retriever
        embedder = retriever.encoder.embedder
        return Stats(
            {
                **self._core.store.stats(),
                "embedder": "none" if embedder is None else embedder.name,
                "fusion": retriever.fusion.name,
                **self._llm.stats(),
            }
        )

    def timeline(
        self, scope: Scope | None = None, *, limit: int | None = 40, ax: Any = None
    ) -> Figure:
        """A figure of what was said when and how long it held: a line for each fact.

        Args:
            scope: Whose; None for the one who is meant here and now.
            limit: Only the facts that were said last, so many; None for all.
            ax: matplotlib axes to draw on; None makes a new figure.

        Raises:
            ConfigError: `limit` is no number from 0.
            MissingExtraError: matplotlib is not installed.
            ScopeError: Nobody is named whose memory to show.
        """
        return self._core.timeline(scope or self._current_scope(), limit=limit, ax=ax)

    def doctor(self) -> LlmReport:
        """What registered clients did: counts, and why nothing was injected. No content."""
        return self._llm.report()

    def entities(self) -> Sequence[str]:
        """The ids of all entities that have facts."""
        return self._core.store.entities()

    def export_all(self, path: str | Path) -> int:
        """Write the facts of every entity to a file as JSON Lines and return how many there are."""
        return write_lines(path, self._core.export(None))

    def import_all(self, path: str | Path) -> int:
        """Store the facts of an exported file for the entities they name, and return how many."""
        with Path(path).expanduser().open(encoding="utf-8") as lines:
            return self._core.import_lines(lines, scope=None)

    def reindex(self, *, progress: bool = False) -> int:
        """Make vectors anew that another embedder made, and return how many facts that were.

        Args:
            progress: Show a progress bar.
        """
        return self._core.reindex(progress=progress)

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until every captured turn is augmented or given up.

        Args:
            timeout_s: At most so long; None for as long as it takes.

        Returns:
            Whether all are augmented: False when the time is over, or when a turn was given up
            since the last flush. It is kept, and `augmentation.resume()` tries it again.
        """
        started = time.monotonic()
        if not self._llm.drain(timeout_s):
            return False
        left = None if timeout_s is None else max(0.0, timeout_s - (time.monotonic() - started))
        return self._augmentation.flush(left)

    async def aflush(self, timeout_s: float | None = None) -> bool:
        """`flush` without blocking the event loop."""
        return await run_sync(self.flush, timeout_s)

    def warm_up(self) -> None:
        """Load the embedder now rather than at the first recall."""
        self._core.retriever.warm_up()

    def close(self) -> None:
        """Finish captured turns (10 s at most), release the store, and refuse further work.

        A store that was brought stays open. What is not finished waits for the next start.
        """
        self._llm.close()
        self._augmentation.close()
        self._core.close()
        if self._owns_store:
            self._store.close()

    async def areindex(self, *, progress: bool = False) -> int:
        """`reindex` without blocking the event loop."""
        return await run_sync(self.reindex, progress=progress)

    async def aclose(self) -> None:
        """`close` without blocking the event loop."""
        await run_sync(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
