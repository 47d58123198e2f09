"""What a person can do with a memory, whoever's it is. `Memori` and `ScopedMemory` share it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memori_core import _intake
from memori_core._conversation_verbs import ConversationVerbs
from memori_core._display.tables import Stats, Table
from memori_core._files import whole_file
from memori_core._intake import Instant, Rememberable
from memori_core.embedding import FloatArray
from memori_core.models import Fact, FactVersion, JSONValue, Kind
from memori_core.results import Recall
from memori_core.stores.transfer import write_jsonl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from memori_core.retrieval.filters import Where


class MemoryVerbs(ConversationVerbs):
    """The verbs for synchronous code. `AsyncMemoryVerbs` adds their twins."""

    def __deepcopy__(self, memo: object) -> Self:
        """Itself: it is a handle, and frameworks copy what they are given."""
        return self

    def remember(
        self,
        text: str,
        *,
        said_at: Instant | None = None,
        session_id: str | None = None,
        speaker: str | None = None,
        position: int | None = None,
        kind: Kind = "fact",
        pinned: bool = False,
        valid_until: Instant | None = None,
        metadata: Mapping[str, JSONValue] | None = None,
        id: str | None = None,
    ) -> Fact:
        """Store one fact and return it as it is stored.

        A repeat (same text but for case, spacing and final marks) returns the fact that is there,
        with `times` raised, whatever `id` was asked for. An `id` that is taken replaces that fact
        and keeps what it said before in its history.

        Args:
            text: What to remember.
            said_at: When it was said: an aware datetime, a date or ISO 8601 text; None for now.
            session_id: The conversation it is from; None for the scope's.
            speaker: Who said it.
            position: Its place in the session, counted from 0.
            kind: What sort of fact it is.
            pinned: Whether it stands in every context block.
            valid_until: When it stops being true.
            metadata: JSON values to filter by and to get back.
            id: An id of your own; None for a new UUID.

        Raises:
            ConfigError: An argument cannot be stored; nothing was.
            ScopeError: Nobody is named to remember for.
            StorageFullError: There is no room; nothing was stored.
        """
        new = _intake.new_fact(
            text,
            said_at=said_at,
            session_id=session_id,
            speaker=speaker,
            position=position,
            kind=kind,
            pinned=pinned,
            valid_until=valid_until,
            metadata=metadata or {},
            id=id,
        )
        return self._core.remember(self._current_scope(), [new])[0]

    def remember_many(
        self,
        items: Iterable[Rememberable],
        *,
        vectors: Sequence[Sequence[float]] | FloatArray | None = None,
        progress: bool = False,
    ) -> Sequence[Fact]:
        """Store many facts, 500 a transaction, and return them as they are stored.

        All are checked before the first is stored.

        Args:
            items: Texts, `NewFact`s, or mappings with the fields of a `NewFact`.
            vectors: Their vectors, shape `(n, dim)`, if they are known already.
            progress: Show a progress bar.

        Raises:
            ConfigError: An item cannot be stored; the message has its number. Nothing was stored.
            DimensionMismatchError: `vectors` has another shape.
        """
        return self._core.remember(self._current_scope(), items, vectors=vectors, progress=progress)

    def recall(
        self,
        query: str | None = None,
        *,
        vector: Sequence[float] | FloatArray | None = None,
        limit: int = 5,
        strictness: float = 1.0,
        where: Where | None = None,
        include_history: bool = False,
        kinds: Collection[Kind] | None = None,
        process_only: bool = False,
    ) -> Recall:
        """The facts that bear on a question, best first. See `Recall` for what comes back.

        Nothing comes back, with the reason, when nothing stored is close enough.

        Args:
            query: The question.
            vector: Its vector, shape `(dim,)`, if it is known already.
            limit: At most this many facts.
            strictness: Scales the cut below which nothing is recalled; 0 switches it off.
            where: Metadata the facts must have: key to value, or to a list of allowed values.
            include_history: Also facts that ended or were superseded. Questions about the past
                bring them too.
            kinds: Only facts of these kinds.
            process_only: Only what the scope's own process stored.

        Raises:
            ConfigError: An argument cannot be right.
            ScopeError: Nobody is named whose memory to search.
        """
        return self._core.retriever.recall(
            query,
            scope=self._current_scope(),
            vector=vector,
            limit=limit,
            strictness=strictness,
            where=where,
            include_history=include_history,
            kinds=kinds,
            process_only=process_only,
        )

    def get(self, fact_id: str) -> Fact | None:
        """The fact with this id, or None."""
        return self._core.get(self._current_scope(), fact_id)

    def list(self, *, limit: int | None = None, after: str | None = None) -> Sequence[Fact]:
        """Facts in the order of their ids, which is the order they were stored in.

        Args:
            limit: At most this many; None for all.
            after: Only facts behind this id, for paging.
        """
        return Table(self._core.facts(self._current_scope(), limit=limit, after=after))

    def history(self, fact_id: str) -> Sequence[FactVersion]:
        """What a fact said before it was updated, oldest first."""
        return Table(self._core.history(self._current_scope(), fact_id))

    def update(
        self,
        fact_id: str,
        *,
        text: str | None = None,
        said_at: Instant | None = None,
        valid_until: Instant | None = None,
        kind: Kind | None = None,
        metadata: Mapping[str, JSONValue] | None = None,
    ) -> Fact | None:
        """Change a fact; None if there is no such fact. What is not given stays.

        Args:
            fact_id: Which.
            text: What it says from now on; what it said before is kept in its history.
            said_at: When it was said.
            valid_until: When it stopped or stops being true.
            kind: What sort of fact it is.
            metadata: Takes the place of the metadata that is there.

        Raises:
            ConfigError: A value cannot be stored, or another fact says the same already.
        """
        changes: dict[str, object] = {
            "content": text,
            "said_at": _intake.instant(said_at, name="said_at"),
            "valid_until": _intake.instant(valid_until, name="valid_until"),
            "kind": kind,
            "metadata": metadata,
        }
        if metadata is not None:
            _intake.check_metadata(metadata)
        if kind is not None:
            _intake.check_kind(kind)
        given = {name: value for name, value in changes.items() if value is not None}
        return self._core.update(self._current_scope(), fact_id, given)

    def pin(self, fact_id: str) -> Fact | None:
        """Let a fact stand in every context block; None if there is no such fact."""
        return self._core.update(self._current_scope(), fact_id, {"pinned": True})

    def unpin(self, fact_id: str) -> Fact | None:
        """Let a fact come only when it is relevant; None if there is no such fact."""
        return self._core.update(self._current_scope(), fact_id, {"pinned": False})

    def forget(self, ids: str | Iterable[str]) -> int:
        """Delete one fact or several for good, and return how many there were."""
        return self._core.forget(self._current_scope(), ids)

    def erase(self) -> int:
        """Remove everything about the entity for good, and return how many facts there were.

        Raises:
            ScopeError: Nobody is named; nothing was removed.
        """
        return self._core.erase(self._current_scope())

    def export(self, path: str | Path) -> int:
        """Write the entity's facts to a file as JSON Lines and return how many there are.

        A file that is there is replaced when all is written, and stays as it was after an error.

        Raises:
            ConfigError: The file is a SQLite database: the store's own, for example.
        """
        return write_lines(path, self._core.export(self._current_scope()))

    def import_from(self, path: str | Path) -> int:
        """Store the facts of an exported file for the entity and return how many it held.

        Facts that are there already are kept once.

        Raises:
            ConfigError: A line is no fact; the message has its number. What came before it stays.
        """
        with Path(path).expanduser().open(encoding="utf-8") as lines:
            return self._core.import_lines(lines, scope=self._current_scope())

    def stats(self) -> Mapping[str, int | str]:
        """Counts of the entity's memory: `facts`, and `revision`, the number of changes."""
        return Stats(self._core.stats(self._current_scope()))

    def timeline(self, *, limit: int | None = 40, ax: Any = None) -> Figure:
        """A figure of what was said when and how long it held: a line for each fact.

        Args:
            limit: Only the facts that were said last, so many; None for all.
            ax: matplotlib axes to draw on; None makes a new figure.

        Raises:
            ConfigError: `limit` is no number from 0.
            MissingExtraError: matplotlib is not installed.
            ScopeError: Nobody is named whose memory to show.
        """
        return self._core.timeline(self._current_scope(), limit=limit, ax=ax)


def write_lines(path: str | Path, lines: Iterable[str]) -> int:
    """Write an export to a file and return how many facts it holds."""
    with whole_file(path) as file:
        return write_jsonl(file, lines)
