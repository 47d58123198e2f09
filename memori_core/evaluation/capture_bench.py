"""How long a caller waits for a turn to be captured, beside one fsync in the same run."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from memori_core.augmentation.base import Extractor
from memori_core.conversation import Extraction, Message
from memori_core.evaluation.timing import Times, timed
from memori_core.memori import Memori

_WARM_UP = 20


@dataclass(frozen=True, slots=True)
class CaptureTimes:
    """Milliseconds at the median (p95 for submit too), and what they are held against.

    Each turn waits to be augmented, and each takes the extractor two seconds.
    """

    turns: int
    fsync_p50_ms: float
    """One write of `written_bytes` and its fsync, in the same folder, by turns with `capture`."""
    written_bytes: int
    """What the database's log grows by with each turn."""
    capture_p50_ms: float
    """`capture`: returns when the turn is on the disk."""
    capture_over_fsync: float
    submit_p50_ms: float
    """`submit`: returns when the turn is with the operating system."""
    submit_p95_ms: float
    submit_without_extractor_p50_ms: float
    """The same where nothing is made of the turns."""

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
        slow = Memori(place / "capture.db", embedder=None, extractor=_Slow(2.0))
        alice = slow.scoped("alice", session_id="bench")
        timed(lambda i: alice.submit(_turn(i)), range(_WARM_UP))
        log = place / "capture.db-wal"
        before = log.stat().st_size
        timed(lambda i: alice.submit(_turn(i)), range(_WARM_UP))
        written = (log.stat().st_size - before) // _WARM_UP
        with (place / "probe").open("wb", buffering=0) as probe:
            captures, syncs = _beside(
                lambda i: alice.capture(_turn(i), on_full="defer"),
                lambda _: _sync(probe, written),
                turns,
            )
        submits = timed(lambda i: alice.submit(_turn(i)), range(turns))
        slow.augmentation.close(0)  # what waits stays in the file, which goes now
        slow.close()
        with Memori(place / "quiet.db", embedder=None, extractor=None) as quiet:
            bob = quiet.scoped("bob", session_id="bench")
            timed(lambda i: bob.submit(_turn(i)), range(_WARM_UP))
            without = timed(lambda i: bob.submit(_turn(i)), range(turns))
    return CaptureTimes(
        turns,
        fsync_p50_ms=syncs.p50_ms,
        written_bytes=written,
        capture_p50_ms=captures.p50_ms,
        capture_over_fsync=captures.p50_ms / syncs.p50_ms,
        submit_p50_ms=submits.p50_ms,
        submit_p95_ms=submits.p95_ms,
        submit_without_extractor_p50_ms=without.p50_ms,
    )


def _turn(number: int) -> list[Message]:
    return [
        Message("user", f"I went to place number {number} yesterday and liked it."),
        Message("assistant", "That sounds lovely. What did you like most about it?"),
    ]


def _sync(file: IO[bytes], size: int) -> None:
    file.write(b"x" * size)
    os.fsync(file.fileno())


def _beside(
    one: Callable[[int], object], other: Callable[[int], object], count: int
) -> tuple[Times, Times]:
    """The times of two calls that take turns, so that a slow moment of the machine hits both."""
    rounds = [(timed(one, [n]), timed(other, [n])) for n in range(count)]
    first, second = zip(*rounds, strict=True)
    return _joined(first), _joined(second)


def _joined(times: Sequence[Times]) -> Times:
    return Times(
        tuple(wall for t in times for wall in t.wall_ms),
        cpu_ms=tuple(cpu for t in times for cpu in t.cpu_ms),
    )
