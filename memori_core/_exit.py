"""Work that is finished when the program ends."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module


def at_exit(function: Callable[[bool], object], /) -> None:
    """Call a function when the main thread ends, the last one registered first.

    Earlier than `atexit`, whose functions run when `concurrent.futures` can neither be imported
    nor take work: by then no library that needs it, so no model, can be loaded.

    Args:
        function: Told whether this is its last call. It is not where other threads go on after the
            main one: when they have ended, it is called once more.
    """

    def late() -> None:
        function(True)

    def early() -> None:
        last = not _others_go_on()
        if last:
            atexit.unregister(late)
        function(last)

    atexit.register(late)
    with suppress(RuntimeError):  # the main thread has ended already: only `atexit` is left
        # They plan exits of their own on import (3 ms in all), which must come before ours: once
        # the exits run, none can be added.
        import_module("concurrent.futures.thread")
        import_module("concurrent.futures.process")
        # CPython's own way for this; it has no public name.
        register = getattr(threading, "_register_atexit", None)
        if register is not None:
            register(early)


def _others_go_on() -> bool:
    here = threading.current_thread()
    return any(not thread.daemon and thread is not here for thread in threading.enumerate())
