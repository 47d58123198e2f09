"""The async twin of every verb: one hop to a worker thread, at the top."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memori_core._intake import Instant, Rememberable
from memori_core._threads import run_sync
from memori_core._verbs import MemoryVerbs
from memori_core.capturing import Captured, OnFull
from memori_core.conversation import Session, Status, StoredMessage, StoredTriple
from memori_core.embedding import FloatArray
from memori_core.models import Fact, FactVersion, JSONValue, Kind
from memori_core.results import Recall

if TYPE_CHECKING:
    from memori_core.retrieval.filters import Where


class AsyncMemoryVerbs(MemoryVerbs):
    """Every verb in two flavours: `verb`, and `averb` for async code."""

    async def aremember(
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
        """`remember` without blocking the event loop."""
        return await run_sync(
            self.remember,
            text,
            said_at=said_at,
            session_id=session_id,
            speaker=speaker,
            position=position,
            kind=kind,
            pinned=pinned,
            valid_until=valid_until,
            metadata=metadata,
            id=id,
        )

    async def aremember_many(
        self,
        items: Iterable[Rememberable],
        *,
        vectors: Sequence[Sequence[float]] | FloatArray | None = None,
        progress: bool = False,
    ) -> Sequence[Fact]:
        """`remember_many` without blocking the event loop."""
        return await run_sync(self.remember_many, items, vectors=vectors, progress=progress)

    async def arecall(
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
        """`recall` without blocking the event loop."""
        return await run_sync(
            self.recall,
            query,
            vector=vector,
            limit=limit,
            strictness=strictness,
            where=where,
            include_history=include_history,
            kinds=kinds,
            process_only=process_only,
        )

    async def aget(self, fact_id: str) -> Fact | None:
        """`get` without blocking the event loop."""
        return await run_sync(self.get, fact_id)

    async def alist(self, *, limit: int | None = None, after: str | None = None) -> Sequence[Fact]:
        """`list` without blocking the event loop."""
        return await run_sync(self.list, limit=limit, after=after)

    async def ahistory(self, fact_id: str) -> Sequence[FactVersion]:
        """`history` without blocking the event loop."""
        return await run_sync(self.history, fact_id)

    async def aupdate(
        self,
        fact_id: str,
        *,
        text: str | None = None,
        said_at: Instant | None = None,
        valid_until: Instant | None = None,
        kind: Kind | None = None,
        metadata: Mapping[str, JSONValue] | None = None,
    ) -> Fact | None:
        """`update` without blocking the event loop."""
        return await run_sync(
            self.update,
            fact_id,
            text=text,
            said_at=said_at,
            valid_until=valid_until,
            kind=kind,
            metadata=metadata,
        )

    async def apin(self, fact_id: str) -> Fact | None:
        """`pin` without blocking the event loop."""
        return await run_sync(self.pin, fact_id)

    async def aunpin(self, fact_id: str) -> Fact | None:
        """`unpin` without blocking the event loop."""
        return await run_sync(self.unpin, fact_id)

    async def aforget(self, ids: str | Iterable[str]) -> int:
        """`forget` without blocking the event loop."""
        return await run_sync(self.forget, ids)

    async def aerase(self) -> int:
        """`erase` without blocking the event loop."""
        return await run_sync(self.erase)

    async def aexport(self, path: str | Path) -> int:
        """`export` without blocking the event loop."""
        return await run_sync(self.export, path)

    async def aimport_from(self, path: str | Path) -> int:
        """`import_from` without blocking the event loop."""
        return await run_sync(self.import_from, path)

    async def astats(self) -> Mapping[str, int | str]:
        """`stats` without blocking the event loop."""
        return await run_sync(self.stats)

    async def acapture(
        self,
        messages: object,
        *,
        at: Instant | None = None,
        turn_id: str | None = None,
        status: Status = "complete",
        on_full: OnFull = "raise",
    ) -> Captured:
        """`capture` without blocking the event loop."""
        return await run_sync(
            self.capture, messages, at=at, turn_id=turn_id, status=status, on_full=on_full
        )

    async def asubmit(
        self,
        messages: object,
        *,
        at: Instant | None = None,
        turn_id: str | None = None,
        status: Status = "complete",
    ) -> Captured:
        """`submit` without blocking the event loop."""
        return await run_sync(self.submit, messages, at=at, turn_id=turn_id, status=status)

    async def amessages(
        self, *, session_id: str | None = None, limit: int | None = None
    ) -> Sequence[StoredMessage]:
        """`messages` without blocking the event loop."""
        return await run_sync(self.messages, session_id=session_id, limit=limit)

    async def asessions(self) -> Sequence[Session]:
        """`sessions` without blocking the event loop."""
        return await run_sync(self.sessions)

    async def atriples(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        include_ended: bool = False,
    ) -> Sequence[StoredTriple]:
        """`triples` without blocking the event loop."""
        return await run_sync(
            self.triples,
            subject=subject,
            predicate=predicate,
            object=object,
            include_ended=include_ended,
        )

    async def aattributes(self, *, process_id: str | None = None) -> Sequence[str]:
        """`attributes` without blocking the event loop."""
        return await run_sync(self.attributes, process_id=process_id)
