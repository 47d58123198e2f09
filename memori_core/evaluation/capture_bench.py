"""How long a caller waits for a turn to be captured, beside one fsync in the same run."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from memori_core.augmentation.base import Extractor
from memori_core.conversation import Extraction, Message
from memori_core.evaluation.timing import Times, timed
from memori_core.memori import Memori

_WARM_UP = 20


@dataclass(frozen=True, slots=True)
class CaptureTimes:
    """Milliseconds at the median (p95 for submit too), and what they are held against."""

    turns: int
    fsync_p50_ms: float
    """One write of `written_bytes` and its fsync, in the same folder."""
    written_bytes: int
    """What the database's log grows by with each turn."""
    capture_p50_ms: float
    """`capture`: returns when the turn is on the disk."""
    capture_over_fsync: float
    submit_p50_ms: float
    """`submit`: returns when the turn is with the operating system."""
    submit_p95_ms: float
    submit_slow_extractor_p50_ms: float
    """The same while each turn takes the extractor two seconds."""

    def to_json(self) -> dict[str, float]:
        """The same by name."""
        return asdict(self)


class _Slow(Extractor):
    """Takes its time, as a model behind a network does."""

    name = "slow"

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s

    def extract(
        self, messages: Sequence[Message], *, said_at: datetime, summary: str | None = None
    ) -> Extraction:
        time.sleep(self._delay_s)
        return Extraction()


def bench_capture(turns: int = 300, *, folder: Path | None = None) -> CaptureTimes:
    """Measure it on a new SQLite file.

    Args:
        turns: How many turns of two messages are captured for each figure.
        folder: On which disk; None for the temporary folder.
    """
    with tempfile.TemporaryDirectory(dir=folder) as name:
        place = Path(name)
        # No extractor: what is measured is the caller's wait, not the worker on the other core.
        with Memori(place / "capture.db", embedder=None, extractor=None) as memori:
            alice = memori.scoped("alice", session_id="bench")
            timed(lambda i: alice.capture(_turn(i)), range(_WARM_UP))
            log = place / "capture.db-wal"
            before = log.stat().st_size
            timed(lambda i: alice.capture(_turn(i)), range(_WARM_UP))
            written = (log.stat().st_size - before) // _WARM_UP
            syncs = _fsyncs(place / "probe", size=written, count=turns)
            captures = timed(lambda i: alice.capture(_turn(i)), range(turns))
            submits = timed(lambda i: alice.submit(_turn(i)), range(turns))
        slow = Memori(place / "slow.db", embedder=None, extractor=_Slow(2.0))
        bob = slow.scoped("bob", session_id="bench")
        timed(lambda i: bob.submit(_turn(i)), range(_WARM_UP))
        with_slow = timed(lambda i: bob.submit(_turn(i)), range(turns))
        slow.augmentation.close(0)
        slow.close()
    return CaptureTimes(
        turns,
        fsync_p50_ms=syncs.p50_ms,
        written_bytes=written,
        capture_p50_ms=captures.p50_ms,
        capture_over_fsync=captures.p50_ms / syncs.p50_ms,
        submit_p50_ms=submits.p50_ms,
        submit_p95_ms=submits.p95_ms,
        submit_slow_extractor_p50_ms=with_slow.p50_ms,
    )


def _turn(number: int) -> list[Message]:
    return [
        Message("user", f"I went to place number {number} yesterday and liked it."),
        Message("assistant", "That sounds lovely. What did you like most about it?"),
    ]


def _fsyncs(path: Path, *, size: int, count: int) -> Times:
    with path.open("wb", buffering=0) as file:

        def write(_: int) -> None:
            file.write(b"x" * size)
            os.fsync(file.fileno())

        return timed(write, range(count))
