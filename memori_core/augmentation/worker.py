"""Background work on captured turns: bounded, leased, retried, and over when it is closed."""

from __future__ import annotations

import functools
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal
from weakref import WeakSet

from memori_core._exit import at_exit
from memori_core.conversation import Job
from memori_core.errors import ExtractionError, LeaseLostError, QueueFullError
from memori_core.stores.base import Store

logger = logging.getLogger(__name__)

QUEUE_SIZE = 512
CONCURRENCY = 2
MAX_ATTEMPTS = 5
BACKOFF_S = 1.0
"""Before the second attempt; doubled for each further one."""
LEASE_S = 15.0
"""How long a job is held; renewed three times in that time while the job runs."""
IDLE_POLL_S = 5.0
"""How often an idle worker looks for turns that others left."""
IDLE_END_S = 60.0
"""After so long without work a thread ends; the next turn starts another."""
FLUSH_POLL_S = 0.05
START_DELAY_S = 0.005
"""A thread that is woken waits so long: the program that captured has an answer to go on with, and
both need the interpreter."""
CLOSE_S = 10.0
"""How long the end of a memory, or of the program, waits for turns to be augmented."""


class Worker:
    """Takes up waiting jobs of a store and hands them to a function.

    Threads start with the first job and end with `close()`. A job runs at least once, in whatever
    process; its result is applied once, because the batch that holds it also finishes it.

    Args:
        store: Where the jobs wait.
        work: Does one job and applies its result, or raises.
        on_error: Told of every failure.
        clock: What time it is.
    """

    def __init__(
        self,
        store: Store,
        work: Callable[[Job], None],
        *,
        on_error: Callable[[Job, Exception], None] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._work = work
        self._on_error = on_error
        self._clock = clock
        self._changed = threading.Condition()
        self._reserved = 0
        # Turns of this process, by entity and id: two entities may use the same ids.
        self._waiting: set[tuple[str, str]] = set()
        self._running: dict[str, Job] = {}  # by lease
        self._threads: list[threading.Thread] = []
        self._pid = os.getpid()
        self._woken = 0
        self._untold_dead = 0
        self._closing = threading.Event()
        self._counts = {"done": 0, "failed": 0, "dead": 0, "lost": 0, "deferred": 0}
        _plan_exit()

    def reserve(self) -> None:
        """Take a place in the queue.

        Raises:
            QueueFullError: There is none. Nothing was stored.
        """
        with self._changed:
            waiting = len(self._waiting)
        if waiting >= QUEUE_SIZE:  # others may have done some
            waiting = min(waiting, self._open_jobs())
        with self._changed:
            taken = waiting + self._reserved
            if taken >= QUEUE_SIZE:
                raise QueueFullError(
                    f"{taken} turns wait to be augmented, and no more fit. Nothing was stored. "
                    'Wait with flush(), or capture with on_full="defer".'
                )
            self._reserved += 1

    def release(self) -> None:
        """Give a place back without using it."""
        with self._changed:
            self._reserved -= 1

    def submit(self, entity_id: str, job_id: str, *, reserved: bool) -> None:
        """Say that a job is in the store.

        Args:
            entity_id: Whose turn it is.
            job_id: Which.
            reserved: Whether a place was taken for it. Without one it is left to an idle worker
                when the queue is full.
        """
        with self._changed:
            if reserved:
                self._reserved -= 1
            elif len(self._waiting) + self._reserved >= QUEUE_SIZE:
                self._counts["deferred"] += 1
            self._waiting.add((entity_id, job_id))
            self._wake()

    def resume(self) -> int:
        """Let dead jobs wait again, take up whatever waits, and return how many jobs were dead."""
        revived = self._store.revive_jobs()
        with self._changed:
            self._wake()
        return revived

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until every waiting job of the store is done or given up, whoever captured it.

        Args:
            timeout_s: At most so long; None for as long as it takes.

        Returns:
            Whether all of them are done: False when the time is over, or when one was given up
            since the last flush.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        before = self._store.jobs()["dead"]
        while self._wait_for_own(deadline):
            jobs = self._store.jobs()
            if not jobs["waiting"] and not jobs["running"]:
                with self._changed:
                    untold, self._untold_dead = self._untold_dead, 0
                return not untold and jobs["dead"] <= before
            with self._changed:
                self._wake()
                self._changed.wait(FLUSH_POLL_S)
            over = deadline is not None and time.monotonic() >= deadline
            if over or self._closing.is_set():
                return False
        return False

    def _wait_for_own(self, deadline: float | None) -> bool:
        while True:
            with self._changed:
                before = set(self._waiting)
                if not before:
                    return True
                if self._closing.is_set():  # nobody here will do them
                    return False
                self._wake()
                left = FLUSH_POLL_S if deadline is None else deadline - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(min(left, FLUSH_POLL_S))
            if not self._open_jobs():  # all done, some by others
                with self._changed:
                    self._waiting -= before

    def _open_jobs(self) -> int:
        jobs = self._store.jobs()
        return jobs["waiting"] + jobs["running"]

    def stats(self) -> Mapping[str, int]:
        """Counts of this process: `waiting`, `done`, `failed` attempts, `dead`, `lost` to another
        process or because the turn went on, `deferred`."""
        with self._changed:
            return {"waiting": len(self._waiting), **self._counts}

    def finish(self) -> None:
        """Wait, 10 s at most, for the turns of this process."""
        self._wait_for_own(time.monotonic() + CLOSE_S)

    def close(self, timeout_s: float | None = None) -> bool:
        """Finish what waits, within the time, and end the threads.

        What is left stays in the store, and the next process takes it up.

        Args:
            timeout_s: At most so long; None for 10 s.

        Returns:
            Whether nothing was left.
        """
        deadline = time.monotonic() + (CLOSE_S if timeout_s is None else timeout_s)
        finished = self._wait_for_own(deadline)
        with self._changed:
            self._closing.set()
            self._changed.notify_all()
            threads = list(self._threads) if self._pid == os.getpid() else []
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        _live.discard(self)
        if not finished:
            logger.warning("%d captured turns wait for the next start", len(self._waiting))
        return finished

    def _wake(self) -> None:
        """Have threads that look for jobs. Called with the condition held."""
        if self._closing.is_set():
            return
        if self._pid != os.getpid():  # threads do not survive a fork
            self._pid, self._threads, self._running = os.getpid(), [], {}
        _live.add(self)
        roles = {f"memori-augmentation-{n}": self._run for n in range(CONCURRENCY)}
        roles["memori-leases"] = self._keep_leases
        for name in roles.keys() - {thread.name for thread in self._threads}:
            thread = threading.Thread(target=roles[name], name=name, daemon=True)
            try:
                thread.start()
            except RuntimeError as e:  # at a limit of the system; the jobs are in the store
                logger.warning("no thread for captured turns could be started: %s", e)
                break
            self._threads.append(thread)
        self._woken += 1
        self._changed.notify_all()

    def _run(self) -> None:
        idle_since = time.monotonic()
        while True:
            with self._changed:
                seen = self._woken
                idle = time.monotonic() - idle_since > IDLE_END_S and not self._waiting
                if self._closing.is_set() or idle:
                    self._leave()
                    return
            jobs = self._claim()
            for job in jobs:
                self._do(job)
                idle_since = time.monotonic()
            if jobs:
                continue
            with self._changed:
                if self._woken == seen and not self._closing.is_set():
                    self._changed.wait(self._nap_s())
            self._closing.wait(START_DELAY_S)

    def _nap_s(self) -> float:
        """Short while something of ours waits for its retry, long otherwise."""
        return BACKOFF_S / 2 if self._waiting else IDLE_POLL_S

    def _claim(self) -> list[Job]:
        try:
            return self._store.claim_jobs(limit=1, lease_s=LEASE_S, now=self._clock())
        except Exception:  # a store that is down must not end the worker
            logger.exception("no captured turn could be taken up")
            time.sleep(BACKOFF_S)
            return []

    def _leave(self) -> None:
        """Count the current thread no longer. Called with the condition held, or `_wake` might rely
        on a thread that is about to end."""
        self._threads.remove(threading.current_thread())

    def _keep_leases(self) -> None:
        """Renew the leases of what runs, as long as there are threads that run something."""
        while not self._closing.wait(LEASE_S / 3):
            with self._changed:
                jobs = list(self._running.values())
                if len(self._threads) == 1:
                    self._leave()
                    return
            for job in jobs:
                self._renew(job)

    def _renew(self, job: Job) -> None:
        try:
            self._store.renew_job(job, lease_s=LEASE_S, now=self._clock())
        except Exception:  # the store may be down or closed; then the job is somebody else's
            logger.exception("turn %s could not be held", job.id)

    def _do(self, job: Job) -> None:
        with self._changed:
            self._running[job.lease] = job
        try:
            self._work(job)
        except LeaseLostError as e:  # taken over, said anew, or erased: others see to it
            logger.info("turn %s: %s", job.id, e)
            self._finished(job, "lost")
        except Exception as e:  # noqa: BLE001 (whatever an extractor raises, the turn is kept)
            self._failed(job, e)
        except BaseException as e:  # noqa: BLE001 (a cancelled call, or sys.exit() somewhere)
            self._failed(job, ExtractionError(f"it was ended by {e!r}"))
        else:
            self._finished(job, "done")

    def _failed(self, job: Job, error: Exception) -> None:
        dead = job.attempts >= MAX_ATTEMPTS
        wait = timedelta(seconds=BACKOFF_S * 2 ** (job.attempts - 1))
        logger.warning(
            "turn %s could not be augmented (attempt %d of %d): %s",
            job.id,
            job.attempts,
            MAX_ATTEMPTS,
            error,
            exc_info=error if job.attempts == 1 else None,
        )
        try:
            self._store.release_job(
                job, error=repr(error), retry_at=None if dead else self._clock() + wait
            )
        except Exception:  # its lease ends by itself
            logger.exception("turn %s could not be given back", job.id)
        self._finished(job, "dead" if dead else "failed")
        if self._on_error is not None:
            try:
                self._on_error(job, error)
            except BaseException:  # the callback is the user's, and may call sys.exit()
                logger.exception("the on_error callback failed")

    def _finished(self, job: Job, how: Literal["done", "failed", "dead", "lost"]) -> None:
        with self._changed:
            self._running.pop(job.lease, None)
            self._counts[how] += 1
            self._untold_dead += how == "dead"
            if how in ("done", "dead"):
                self._waiting.discard((job.entity_id, job.id))
            self._changed.notify_all()


_live: WeakSet[Worker] = WeakSet()


@functools.cache
def _plan_exit() -> None:
    at_exit(_finish_at_exit)


def _finish_at_exit(last: bool) -> None:
    """A short script that ends without `close()` keeps what it captured."""
    for worker in list(_live):
        if last:
            worker.close()
        else:  # other threads may capture more
            worker.finish()
