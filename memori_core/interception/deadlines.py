"""Work with a time limit, in a few threads that never hold up the end of the process."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, TypeVar

T = TypeVar("T")

WORKERS = 8


class OverdueError(TimeoutError):
    """The work took longer than it may, or could not begin because earlier work still does."""


class DeadlineRunner:
    """Runs functions in daemon threads and waits for each no longer than it may take.

    Work that is overdue is not stopped, but nobody waits for it. When all threads are held up by
    such work, further work is refused at once rather than after another wait.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._queue: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._started = 0
        self._overdue: set[Future[Any]] = set()

    def run(self, work: Callable[[], T], *, limit_s: float) -> T:
        """What the function returns or raises.

        Raises:
            OverdueError: The time is over.
        """
        return self._result(self._start(work), limit_s)

    async def arun(self, work: Callable[[], T], *, limit_s: float) -> T:
        """`run` without blocking the event loop."""
        future = self._start(work)
        if not _in_asyncio():
            return await _wait_elsewhere(lambda: self._result(future, limit_s))
        wrapped = asyncio.wrap_future(future)
        try:
            done, _ = await asyncio.wait([wrapped], timeout=limit_s)
        except asyncio.CancelledError:
            wrapped.cancel()
            self._give_up(future)
            raise
        if not done:
            wrapped.cancel()
            self._give_up(future)
            raise OverdueError(f"it took longer than {limit_s:g} s")
        return wrapped.result()

    def _result(self, future: Future[T], limit_s: float) -> T:
        try:
            return future.result(limit_s)
        except FutureTimeoutError:
            if future.done():
                raise
            self._give_up(future)
            raise OverdueError(f"it took longer than {limit_s:g} s") from None

    def _give_up(self, future: Future[Any]) -> None:
        if not future.cancel():  # it runs: remember that it holds a thread
            with self._lock:
                self._overdue.add(future)
            future.add_done_callback(self._overdue.discard)

    def _start(self, work: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            if self._pid != os.getpid():  # threads do not live through a fork
                self._reset()
            if len(self._overdue) >= self._workers:
                raise OverdueError("earlier work is overdue in all threads")
            self._queue.put((future, work))
            if not self._idle.acquire(blocking=False) and self._started < self._workers:
                self._started += 1
                threading.Thread(
                    target=_serve,
                    args=(self._queue, self._idle),
                    name=f"memori-recall-{self._started}",
                    daemon=True,
                ).start()
        return future


def _serve(
    work: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]], idle: threading.Semaphore
) -> None:
    while True:
        future, function = work.get()
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function())
            except BaseException as e:  # noqa: BLE001 (handed to the one who waits)
                future.set_exception(e)
        del future, function
        idle.release()


def _in_asyncio() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _wait_elsewhere(wait: Callable[[], T]) -> T:
    """For trio, which httpx serves through anyio."""
    from anyio import to_thread  # there wherever httpx is

    return await to_thread.run_sync(wait)
