"""An event loop in a thread of its own, for code that has to wait for async clients."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """Runs coroutines of many threads at once, on one loop that lives as long as this object.

    The connections of an async client die with the loop that opened them, so the loop is kept.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0

    def run(self, doing: Coroutine[Any, Any, T]) -> T:
        """What a coroutine gives. Blocks this thread, whether it runs a loop itself or not."""
        return asyncio.run_coroutine_threadsafe(doing, self._started()).result()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():  # after a fork its thread is gone
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                threading.Thread(
                    target=_serve, args=(self._loop,), name="memori-embedder", daemon=True
                ).start()
                # Not at exit: what was captured may still have to be embedded then.
                weakref.finalize(self, _stop, self._loop).atexit = False
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)
