"""The queue between answers and the store: filled from anywhere, emptied by one thread."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable


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
        self._queue: queue.SimpleQueue[tuple[Callable[[], None], str]] = queue.SimpleQueue()
        # One entry for each job that is not done: appended before it is queued, so that an empty
        # deque means that everything put before is done. Both operations are atomic.
        self._open: deque[str] = deque()
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
                    args=(self._queue, self._open),
                    name="memori-capture",
                    daemon=True,
                )
                self._thread.start()

    def put(self, job: Callable[[], None], whose: str = "") -> None:
        """Have a function run soon. It must not raise."""
        self._open.append(whose)
        self._queue.put((job, whose))

    def wait(self, timeout_s: float | None = None, whose: str | None = None) -> bool:
        """Wait until everything put before is done.

        Returns:
            Whether it is.
        """
        if not self._open or (whose is not None and whose not in self._open):
            return True
        if threading.current_thread() is self._thread:
            return False  # waiting for itself
        self.start()
        done = threading.Event()
        self.put(done.set)
        return done.wait(timeout_s)


def _serve(jobs: queue.SimpleQueue[tuple[Callable[[], None], str]], open_: deque[str]) -> None:
    while True:
        job, whose = jobs.get()
        job()
        open_.remove(whose)
