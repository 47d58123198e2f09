"""A store that lives and dies with the program."""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import get_args

from memori_core.conversation import Job, JobStatus, Session, Status, StoredMessage, StoredTriple
from memori_core.errors import StoreClosedError
from memori_core.models import FactRecord, FactVersion, LinkedMention, Scope
from memori_core.stores._apply import apply_ops
from memori_core.stores._memory_conversations import QueuedJob, matching
from memori_core.stores._memory_table import Entity, MemoryTable
from memori_core.stores.base import Store
from memori_core.writes import Applied, Changes, WriteBatch


class InMemoryStore(Store):
    """Keeps facts in dictionaries: for tests, and for memory that need not outlive the program.

    ```python
    from memori_core import Scope
    from memori_core.stores import InMemoryStore

    store = InMemoryStore()
    print(store.revision(Scope("alice")))
    #> 0
    ```
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entities: dict[bytes, Entity] | None = {}
        self._settings: dict[str, bytes] = {}
        self._job_numbers = count()

    def apply(self, scope: Scope, batch: WriteBatch, *, durable: bool = True) -> Applied:
        with self._lock:
            entities = self._open()
            entity = entities.get(scope.entity_key) or Entity()
            table = MemoryTable(entity, self._job_numbers)
            try:
                applied = apply_ops(
                    table, batch.ops, revision=entity.revision, now=datetime.now(UTC)
                )
            except BaseException:
                table.roll_back()
                raise
            if applied.revision > entity.revision:
                entity.revision = applied.revision
                entity.entity_id = scope.entity_id
                entities[scope.entity_key] = entity
            return applied

    def revision(self, scope: Scope) -> int:
        with self._lock:
            entity = self._open().get(scope.entity_key)
            return entity.revision if entity else 0

    def changes(self, scope: Scope, *, since: int = 0) -> Changes:
        with self._lock:
            entity = self._entity(scope)
            complete = since <= 0 or since < entity.floor or since > entity.revision
            start = 0 if complete else since
            records = [r for r in entity.facts.values() if r and r.fact.revision > start]
            deleted = () if complete else (i for i, n in entity.tombstones.items() if n > start)
            return Changes(
                revision=entity.revision,
                complete=complete,
                records=tuple(records),
                deleted=tuple(deleted),
            )

    def facts(
        self,
        scope: Scope,
        *,
        ids: Sequence[str] | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> list[FactRecord]:
        with self._lock:
            entity = self._entity(scope)
            wanted = sorted(entity.facts) if ids is None else ids
            found = (entity.facts.get(i) for i in wanted if after is None or i > after)
            return [record for record in found if record][:limit]

    def history(self, scope: Scope, fact_id: str) -> list[FactVersion]:
        with self._lock:
            entity = self._entity(scope)
            return list(entity.versions.get(fact_id, ()))

    def mentions(self, scope: Scope) -> list[LinkedMention]:
        with self._lock:
            entity = self._entity(scope)
            return [
                LinkedMention(mention, fact_ids=tuple(sorted(entity.links[norm])))
                for norm, mention in sorted(entity.mentions.items())
            ]

    def sources(self, scope: Scope) -> Mapping[str, tuple[str, ...]]:
        with self._lock:
            sources = self._entity(scope).sources
            return {i: tuple(sorted(sources[i])) for i in sorted(sources)}

    def messages(
        self, scope: Scope, *, session_id: str | None = None, limit: int | None = None
    ) -> list[StoredMessage]:
        with self._lock:
            found = list(self._entity(scope).said.messages.values())
        if session_id is None:
            found.sort(key=lambda m: (m.said_at, m.position, m.id))
        else:
            found = [message for message in found if message.session_id == session_id]
        return found if limit is None else found[max(0, len(found) - limit) :]

    def sessions(self, scope: Scope) -> list[Session]:
        with self._lock:
            sessions = self._entity(scope).said.sessions.values()
            return sorted(sessions, key=lambda s: (s.last_active_at, s.id), reverse=True)

    def session_at(self, scope: Scope, at: datetime, *, idle: timedelta) -> Session | None:
        for session in self.sessions(scope):
            goes_on = session.started_at - at < idle and at - session.last_active_at < idle
            if goes_on and session.process_id == scope.process_id:
                return session
        return None

    def turns(self, scope: Scope) -> Mapping[str, Status]:
        with self._lock:
            turns = self._entity(scope).said.turns
            return {i: turns[i].status for i in sorted(turns)}

    def triples(
        self,
        scope: Scope,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        include_ended: bool = False,
    ) -> list[StoredTriple]:
        with self._lock:
            return matching(
                self._entity(scope).said.triples.items(),
                subject=subject,
                predicate=predicate,
                object=object,
                include_ended=include_ended,
            )

    def attribute_times(self, scope: Scope) -> Mapping[str, Mapping[str, int]]:
        found: dict[str, dict[str, int]] = {}
        with self._lock:
            for (process_id, _), (text, times) in self._entity(scope).said.attributes.items():
                found.setdefault(process_id, {})[text] = times
        return found

    def claim_jobs(self, *, limit: int, lease_s: float, now: datetime) -> list[Job]:
        claimed: list[Job] = []
        with self._lock:
            unfinished = (job for job in self._queue() if job[2].status != "done")
            queue = sorted(unfinished, key=lambda job: job[2].number)
            busy = {
                entity.entity_id
                for entity, _, queued in queue
                if queued.status == "running" and not queued.is_due(now)
            }
            behind: set[tuple[str, str]] = set()
            for entity, job_id, queued in queue:
                session = (entity.entity_id, queued.session_id)
                if len(claimed) >= limit:
                    break
                if queued.is_open and session not in behind:
                    behind.add(session)
                    if queued.is_due(now) and entity.entity_id not in busy:
                        busy.add(entity.entity_id)
                        until = now + timedelta(seconds=lease_s)
                        claimed.append(_claimed(entity, job_id, queued, until))
        return claimed

    def renew_job(self, job: Job, *, lease_s: float, now: datetime) -> bool:
        with self._lock:
            jobs = self._entity(Scope(job.entity_id)).said.jobs
            old = jobs.get(job.id)
            if old is None or old.status != "running" or old.lease != job.lease:
                return False
            jobs[job.id] = replace(old, lease_until=now + timedelta(seconds=lease_s))
            return True

    def release_job(self, job: Job, *, error: str, retry_at: datetime | None) -> None:
        with self._lock:
            jobs = self._entity(Scope(job.entity_id)).said.jobs
            old = jobs.get(job.id)
            if old is not None and old.status == "running" and old.lease == job.lease:
                jobs[job.id] = replace(
                    old,
                    status="dead" if retry_at is None else "waiting",
                    lease="",
                    lease_until=None,
                    retry_at=retry_at,
                    error=error,
                )

    def jobs(self) -> Mapping[JobStatus, int]:
        with self._lock:
            counts = Counter(queued.status for _, _, queued in self._queue())
        return {status: counts[status] for status in get_args(JobStatus)}

    def revive_jobs(self) -> int:
        with self._lock:
            dead = [job for job in self._queue() if job[2].status == "dead"]
            for entity, job_id, queued in dead:
                entity.said.jobs[job_id] = replace(queued, status="waiting", attempts=0)
            return len(dead)

    def erase(self, scope: Scope) -> int:
        with self._lock:
            entities = self._open()
            entity = entities.get(scope.entity_key)
            if entity is None or not entity.entity_id:
                return 0
            revision = entity.revision + 1
            entities[scope.entity_key] = Entity(revision=revision, floor=revision)
            return entity.count()

    def entities(self) -> list[str]:
        with self._lock:
            return sorted(e.entity_id for e in self._open().values() if e.is_known())

    def setting(self, name: str) -> bytes | None:
        with self._lock:
            self._open()
            return self._settings.get(name)

    def set_setting(self, name: str, value: bytes) -> None:
        with self._lock:
            self._open()
            self._settings[name] = bytes(value)

    def stats(self) -> Mapping[str, int | str]:
        with self._lock:
            entities = list(self._open().values())
            return {
                "store": "memory",
                "entities": sum(e.is_known() for e in entities),
                "facts": sum(e.count() for e in entities),
                "messages": sum(len(e.said.messages) for e in entities),
                "sessions": sum(len(e.said.sessions) for e in entities),
                "jobs": sum(queued.status != "done" for _, _, queued in self._queue()),
                "bytes": sum(e.size() for e in entities),
            }

    def close(self) -> None:
        with self._lock:
            self._entities = None

    def _open(self) -> dict[bytes, Entity]:
        if self._entities is None:
            raise StoreClosedError("this InMemoryStore was closed. Make a new one.")
        return self._entities

    def _entity(self, scope: Scope) -> Entity:
        return self._open().get(scope.entity_key) or Entity()

    def _queue(self) -> Iterator[tuple[Entity, str, QueuedJob]]:
        for entity in self._open().values():
            for job_id, queued in entity.said.jobs.items():
                yield entity, job_id, queued


def _claimed(entity: Entity, job_id: str, queued: QueuedJob, until: datetime) -> Job:
    said, lease, attempts = entity.said, uuid.uuid4().hex, queued.attempts + 1
    said.jobs[job_id] = replace(
        queued, status="running", attempts=attempts, lease=lease, lease_until=until, retry_at=None
    )
    return Job(
        job_id,
        entity_id=entity.entity_id,
        process_id=queued.process_id,
        session_id=queued.session_id,
        attempts=attempts,
        lease=lease,
        messages=tuple(said.messages_of(job_id)),
        summary=said.sessions[queued.session_id].summary,
    )
