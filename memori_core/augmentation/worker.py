"""Background work on captured turns: bounded, leased, retried, and over when it is closed."""

from __future__ import annotations

import functools
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from weakref import WeakSet

from memori_core._exit import at_exit
from memori_core.conversation import Job
from memori_core.errors import QueueFullError
from memori_core.stores.base import Store

logger = logging.getLogger(__name__)

QUEUE_SIZE = 512
CONCURRENCY = 2
MAX_ATTEMPTS = 5
BACKOFF_S = 1.0
"""Before the second attempt; doubled for each further one."""
LEASE_S = 300.0
IDLE_POLL_S = 5.0
"""How often an idle worker looks for turns that others left."""
IDLE_END_S = 60.0
"""After so long without work a thread ends; the next turn starts another."""
FLUSH_POLL_S = 0.05
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
        concurrency: How many jobs run at once.
        queue_size: How many jobs of this process may wait before `reserve` refuses.
        clock: What time it is.
    """

    def __init__(
        self,
        store: Store,
        work: Callable[[Job], None],
        *,
        on_error: Callable[[Job, Exception], None] | None = None,
        concurrency: int = CONCURRENCY,
        queue_size: int = QUEUE_SIZE,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._work = work
        self._on_error = on_error
        self._concurrency = concurrency
        self._queue_size = queue_size
        self._clock = clock
        self._changed = threading.Condition()
        self._reserved = 0
        self._waiting: set[str] = set()
        self._threads: list[threading.Thread] = []
        self._pid = os.getpid()
        self._woken = 0
        self._closing = False
        self._counts = {"done": 0, "failed": 0, "dead": 0, "deferred": 0}
        _plan_exit()

    def reserve(self) -> None:
        """Take a place in the queue.

        Raises:
            QueueFullError: There is none. Nothing was stored.
        """
        self._notice_others_work(at_least=self._queue_size)
        with self._changed:
            taken = len(self._waiting) + self._reserved
            if taken >= self._queue_size:
                raise QueueFullError(
                    f"{taken} turns wait to be augmented, and no more fit. Nothing was stored. "
                    'Wait with flush(), or capture with on_full="defer".'
                )
            self._reserved += 1

    def release(self) -> None:
        """Give a place back without using it."""
        with self._changed:
            self._reserved -= 1

    def submit(self, job_id: str, *, reserved: bool) -> None:
        """Say that a job is in the store.

        Args:
            job_id: Which.
            reserved: Whether a place was taken for it. Without one it is left to an idle worker
                when the queue is full.
        """
        with self._changed:
            if reserved:
                self._reserved -= 1
            elif len(self._waiting) + self._reserved >= self._queue_size:
                self._counts["deferred"] += 1
            self._waiting.add(job_id)
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
            Whether none is left.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while self._wait_for_own(deadline):
            jobs = self._store.jobs()
            if not jobs["waiting"] and not jobs["running"]:
                return True
            with self._changed:
                self._wake()
                self._changed.wait(FLUSH_POLL_S)
            if deadline is not None and time.monotonic() >= deadline:
                return False
        return False

    def _wait_for_own(self, deadline: float | None) -> bool:
        while True:
            with self._changed:
                if not self._waiting:
                    return True
                self._wake()
                left = FLUSH_POLL_S if deadline is None else deadline - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(min(left, FLUSH_POLL_S))
            self._notice_others_work()

    def _notice_others_work(self, *, at_least: int = 1) -> None:
        """Stop waiting for jobs that were done before, or by another process."""
        with self._changed:
            before = set(self._waiting)
        if len(before) < at_least:
            return
        jobs = self._store.jobs()
        if not jobs["waiting"] and not jobs["running"]:
            with self._changed:
                self._waiting -= before

    def stats(self) -> Mapping[str, int]:
        """Counts of this process: `waiting`, `done`, `failed` attempts, `dead`, `deferred`."""
        with self._changed:
            return {"waiting": len(self._waiting), **self._counts}

    def close(self, timeout_s: float | None = None) -> bool:
        """Finish what waits, within the time, and end the threads.

        What is left stays in the store, and the next process takes it up.

        Args:
            timeout_s: At most so long; None for 10 s.

        Returns:
            Whether nothing was left.
        """
        timeout_s = CLOSE_S if timeout_s is None else timeout_s
        finished = self._wait_for_own(time.monotonic() + timeout_s)
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            threads = self._threads if self._pid == os.getpid() else []
        for thread in threads:
            thread.join(timeout_s)
        _live.discard(self)
        if not finished:
            logger.warning("%d captured turns wait for the next start", len(self._waiting))
        return finished

    def _wake(self) -> None:
        """Have threads that look for jobs. Called with the condition held."""
        if self._closing:
            return
        if self._pid != os.getpid():  # threads do not survive a fork
            self._pid, self._threads = os.getpid(), []
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        _live.add(self)
        while len(self._threads) < self._concurrency:
            number = len(self._threads)
            thread = threading.Thread(
                target=self._run, name=f"memori-augmentation-{number}", daemon=True
            )
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
                if self._closing or idle:
                    return
            jobs = self._claim()
            for job in jobs:
                self._do(job)
                idle_since = time.monotonic()
            if jobs:
                continue
            with self._changed:
                if self._woken == seen and not self._closing:
                    self._changed.wait(self._nap_s())

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

    def _do(self, job: Job) -> None:
        try:
            self._work(job)
        except Exception as e:  # noqa: BLE001 (whatever an extractor raises, the turn is kept)
            self._failed(job, e)
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
            except Exception:  # the callback is the user's
                logger.exception("the on_error callback failed")

    def _finished(self, job: Job, how: str) -> None:
        with self._changed:
            self._counts[how] += 1
            if how != "failed":
                self._waiting.discard(job.id)
            self._changed.notify_all()


_live: WeakSet[Worker] = WeakSet()


@functools.cache
def _plan_exit() -> None:
    at_exit(_finish_at_exit)


def _finish_at_exit() -> None:
    """A short script that ends without `close()` keeps what it captured."""
    for worker in list(_live):
        worker.close()
