"""Identifiers that sort by the time they were made."""

from __future__ import annotations

import os
import random
import threading
import time

_lock = threading.Lock()
_last = 0

# Seeded by the system, apart from the generator that programs seed themselves. A system call for
# each id would hand the interpreter to another thread, and wait to get it back.
_random = random.Random()  # noqa: S311 (ids, not secrets)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.seed)


def uuid7() -> str:
    """A UUID version 7 (RFC 9562), greater than every one this process made before.

    The 12 bits after the millisecond count up inside one millisecond, so ids made in a row keep
    their order.
    """
    global _last
    ticks = time.time_ns() // 1_000_000 << 12
    with _lock:
        _last = ticks = max(ticks, _last + 1)
        noise = _random.getrandbits(62)
    value = (ticks >> 12) << 80 | 0x7 << 76 | (ticks & 0xFFF) << 64 | 0b10 << 62 | noise
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
