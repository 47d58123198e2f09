"""Work that is finished when the program ends."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from importlib import import_module


def at_exit(function: Callable[..., object], /, *args: object) -> None:
    """Call a function at the end of the program, the last one registered first.

    Earlier than `atexit`, whose functions run when `concurrent.futures` can neither be imported
    nor take work: by then no library that needs it, so no model, can be loaded.
    """
    # They plan exits of their own on import (3 ms in all), which must come before ours: once the
    # exits run, none can be added.
    import_module("concurrent.futures.thread")
    import_module("concurrent.futures.process")
    # CPython's own way for this; it has no public name.
    register = getattr(threading, "_register_atexit", atexit.register)
    register(function, *args)
