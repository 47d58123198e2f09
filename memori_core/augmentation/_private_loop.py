"""Awaiting from code that has no event loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import weakref
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class PrivateLoop:
    """One event loop for the blocking side of an object that is async inside.

    It is kept between calls, because the connections of an async client die with the loop that
    opened them. Calls wait for one another. No thread is left behind.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, awaitable: Awaitable[T], /) -> T:
        """What the awaitable gives. Blocks, in a thread of its own if this one runs a loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return self._run_here(awaitable)
        context = contextvars.copy_context()
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(context.run, self._run_here, awaitable).result()

    def _run_here(self, awaitable: Awaitable[T]) -> T:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                # Not at exit: a worker may still be running it then, and the process ends anyway.
                weakref.finalize(self, self._loop.close).atexit = False
            return self._loop.run_until_complete(_awaited(awaitable))


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable
