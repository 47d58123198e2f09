"""The queue between answers and the store: filled from anywhere, emptied by one thread."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Final

DELAY_S: Final = 0.005
"""A job that nobody waits for begins so much later: whoever put it there has an answer to go on
with, and both need the interpreter."""


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    run: Callable[[], None]
    entity_id: str | None
    _: KW_ONLY
    done: threading.Event = field(default_factory=threading.Event)


class CaptureQueue:
    """Runs what it is given, in order, in a thread of its own.

    `put` takes no lock, so it may be called in `__del__`, in signal handlers, anywhere. The thread
    is started by `start`, which must have been called before.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = 0
        self._reset()

    def _reset(self) -> None:
        # The jobs that are not done, the one that runs being the first.
        self._open: deque[_Job] = deque()
        # Rung when a job was added, and when somebody waits: what the thread waits at.
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Make sure that the thread is there."""
        if self._pid == os.getpid():
            return
        with self._lock:
            if self._pid != os.getpid():  # also after a fork, where threads are gone
                self._reset()
                self._pid = os.getpid()
                self._thread = threading.Thread(
                    target=_serve,
                    args=(self._bell, self._open),
                    name="memori-capture",
                    daemon=True,
                )
                self._thread.start()

    def put(self, job: Callable[[], None], entity_id: str | None = None) -> None:
        """Have a function run soon. It must not raise.

        Args:
            job: The function.
            entity_id: Whose memory it changes, for those who wait for it.
        """
        self._open.append(_Job(job, entity_id))
        self._bell.put(None)

    def wait(self, timeout_s: float | None = None, entity_id: str | None = None) -> bool:
        """Wait until what was put before is done.

        Args:
            timeout_s: How long at most; None for as long as it takes.
            entity_id: Wait for the jobs of this entity only; None for all.

        Returns:
            Whether it is.
        """
        if not self._open:
            return True
        if threading.current_thread() is self._thread:
            return False  # waiting for itself
        self.start()
        jobs = tuple(self._open)  # copied in one step: others change it meanwhile
        if entity_id is not None:
            jobs = [job for job in jobs if job.entity_id == entity_id]
        if not jobs:
            return True
        self._bell.put(None)
        return jobs[-1].done.wait(timeout_s)


def _serve(bell: queue.SimpleQueue[None], jobs: deque[_Job]) -> None:
    while True:
        bell.get()
        with suppress(queue.Empty):  # rung again: there is more to do, or somebody waits
            bell.get(timeout=DELAY_S)
        while jobs:
            jobs[0].run()
            jobs.popleft().done.set()
