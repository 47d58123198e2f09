"""The interface between memory and the place that keeps it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar, Self

from memori_core._threads import run_sync
from memori_core.conversation import Job, JobStatus, Session, Status, StoredMessage, StoredTriple
from memori_core.models import FactRecord, FactVersion, LinkedMention, Scope
from memori_core.writes import Applied, Changes, WriteBatch


class Store(ABC):
    """Keeps the facts and conversations of many entities, apart from one another.

    All methods may be called from any thread. Only `scope.entity_id` decides what is seen.
    """

    capabilities: ClassVar[frozenset[str]] = frozenset()
    """What this store does beyond the interface, for example `"durable"` or `"multi_process"`."""

    @abstractmethod
    def apply(self, scope: Scope, batch: WriteBatch, *, durable: bool = True) -> Applied:
        """Apply a batch in one transaction, wholly or not at all.

        One batch raises the entity's revision by one. A batch that changes nothing leaves it, and
        so does one that only finishes a job.

        Args:
            scope: Whose.
            batch: What to do.
            durable: False: return before the disk has it, where the store can. The end of the
                process loses nothing then, but a power cut may take the last moments.

        Raises:
            ConfigError: An update would make two facts of the entity say the same.
            LeaseLostError: The batch finishes a job that is not leased as it says.
            StorageFullError: There is no room; nothing of the batch was stored.
        """

    @abstractmethod
    def revision(self, scope: Scope) -> int:
        """The number of changes to this entity so far; 0 for one that never wrote."""

    @abstractmethod
    def changes(self, scope: Scope, *, since: int = 0) -> Changes:
        """What changed after revision `since`, in the order it was stored."""

    @abstractmethod
    def facts(
        self,
        scope: Scope,
        *,
        ids: Sequence[str] | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> list[FactRecord]:
        """The facts of the entity, oldest id first.

        Args:
            scope: Whose.
            ids: Only these, in this order; ids that are not there are left out.
            after: Only facts whose id is greater, for paging.
            limit: At most this many.
        """

    def count(self, scope: Scope) -> int:
        """How many facts the entity has, indexed messages not counted."""
        return sum(record.fact.kind != "message" for record in self.facts(scope))

    @abstractmethod
    def history(self, scope: Scope, fact_id: str) -> list[FactVersion]:
        """What the fact said before, oldest first; empty when it was never updated."""

    @abstractmethod
    def mentions(self, scope: Scope) -> list[LinkedMention]:
        """The named entities of the entity's facts, with the facts that speak of them."""

    @abstractmethod
    def sources(self, scope: Scope) -> Mapping[str, tuple[str, ...]]:
        """By the id of a fact: the ids of all messages that said it, in order of their ids."""

    @abstractmethod
    def messages(
        self, scope: Scope, *, session_id: str | None = None, limit: int | None = None
    ) -> list[StoredMessage]:
        """What was said, oldest first.

        Args:
            scope: By whom and to whom.
            session_id: Only in this conversation.
            limit: Only the last so many.
        """

    @abstractmethod
    def sessions(self, scope: Scope) -> list[Session]:
        """The entity's conversations, the one that was active last first."""

    @abstractmethod
    def session_at(self, scope: Scope, at: datetime, *, idle: timedelta) -> Session | None:
        """The conversation of the scope's process that goes on at a time; None for none.

        Of several, the one that was active last.

        Args:
            scope: The entity, and its process or none.
            at: The time.
            idle: A conversation goes on for so long before its first word and after its last.
        """

    @abstractmethod
    def turns(self, scope: Scope) -> Mapping[str, Status]:
        """How the entity's turns ended, by the id of the turn."""

    @abstractmethod
    def triples(
        self,
        scope: Scope,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        include_ended: bool = False,
    ) -> list[StoredTriple]:
        """The statements of the entity's knowledge graph, oldest first.

        Args:
            scope: Whose.
            subject: Only about this subject; letter case does not count, here and below.
            predicate: Only with this predicate.
            object: Only with this object.
            include_ended: Also statements that no longer hold.
        """

    def attributes(self, scope: Scope, *, process_id: str) -> list[str]:
        """What was noted about a process in conversations with this entity, most frequent first."""
        times = self.attribute_times(scope).get(process_id, {})
        return sorted(times, key=lambda content: -times[content])

    @abstractmethod
    def attribute_times(self, scope: Scope) -> Mapping[str, Mapping[str, int]]:
        """By process: what was noted about it, in the order it came up, and how often."""

    @abstractmethod
    def claim_jobs(self, *, limit: int, lease_s: float, now: datetime) -> list[Job]:
        """Take up waiting jobs of any entity, oldest first, for `lease_s` seconds.

        A job whose lease ran out waits again. Of one entity one job runs at a time, since two would
        not see each other's facts. Those of one session are given out in the order they were
        captured: one that waits to be tried again holds up those behind it, a dead one does not. No
        job is given to two callers, in any process.
        """

    @abstractmethod
    def renew_job(self, job: Job, *, lease_s: float, now: datetime) -> bool:
        """Keep a job for another `lease_s` seconds from now, and return whether it is still ours.

        Long work is renewed while it goes on, so that leases can be short: what a process that died
        had taken up is soon free for others.
        """

    @abstractmethod
    def release_job(self, job: Job, *, error: str, retry_at: datetime | None) -> None:
        """Give a job back after a failure: to wait until `retry_at`, or for good (None: dead).

        Nothing happens if the lease was lost.
        """

    @abstractmethod
    def jobs(self) -> Mapping[JobStatus, int]:
        """How many jobs there are, by status; every status is there."""

    @abstractmethod
    def revive_jobs(self) -> int:
        """Let dead jobs wait again, and return how many there were. Attempts count from 0 again."""

    @abstractmethod
    def erase(self, scope: Scope) -> int:
        """Remove everything about the entity for good.

        Returns:
            How many facts there were, indexed messages not counted.
        """

    @abstractmethod
    def entities(self) -> list[str]:
        """The ids of all entities that have facts, conversations or attributes, in order."""

    @abstractmethod
    def setting(self, name: str) -> bytes | None:
        """A value kept beside the facts (for example an embedder's profile), or None."""

    @abstractmethod
    def set_setting(self, name: str, value: bytes) -> None:
        """Keep a value beside the facts."""

    @abstractmethod
    def stats(self) -> Mapping[str, int | str]:
        """Counts and sizes: `entities` and their `facts` (indexed messages not counted),
        `messages`, `sessions`, `jobs` that are not done, `bytes`, and what the store adds."""

    @abstractmethod
    def close(self) -> None:
        """Release files and connections. Closing twice is allowed; using it afterwards is not."""

    async def aapply(self, scope: Scope, batch: WriteBatch, *, durable: bool = True) -> Applied:
        """`apply` without blocking the event loop."""
        return await run_sync(self.apply, scope, batch, durable=durable)

    async def achanges(self, scope: Scope, *, since: int = 0) -> Changes:
        """`changes` without blocking the event loop."""
        return await run_sync(self.changes, scope, since=since)

    async def aerase(self, scope: Scope) -> int:
        """`erase` without blocking the event loop."""
        return await run_sync(self.erase, scope)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
