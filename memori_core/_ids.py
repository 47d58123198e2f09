"""Identifiers that sort by the time they were made."""

from __future__ import annotations

import os
import threading
import time

_lock = threading.Lock()
_last = 0


def uuid7() -> str:
    """A UUID version 7 (RFC 9562), greater than every one this process made before.

    The 12 bits after the millisecond count up inside one millisecond, so ids made in a row keep
    their order.
    """
    global _last
    ticks = time.time_ns() // 1_000_000 << 12
    with _lock:
        _last = ticks = max(ticks, _last + 1)
    random = int.from_bytes(os.urandom(8)) & (1 << 62) - 1
    value = (ticks >> 12) << 80 | 0x7 << 76 | (ticks & 0xFFF) << 64 | 0b10 << 62 | random
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
