"""Wall and processor time of small pieces of work."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import TypeVar

from memori_core.evaluation.metrics import percentile

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Times:
    """What some calls took, in milliseconds."""

    wall_ms: tuple[float, ...]
    _: KW_ONLY
    cpu_ms: tuple[float, ...]
    """Of the whole process, all its threads."""

    @property
    def p50_ms(self) -> float:
        """Median of the wall time."""
        return percentile(self.wall_ms, 50)

    @property
    def p95_ms(self) -> float:
        """The wall time that 95 % of the calls do not exceed."""
        return percentile(self.wall_ms, 95)

    @property
    def cpu_p50_ms(self) -> float:
        """Median of the processor time."""
        return percentile(self.cpu_ms, 50)


def timed(call: Callable[[T], object], items: Iterable[T]) -> Times:
    """The times of `call(item)` for each item."""
    walls: list[float] = []
    cpus: list[float] = []
    for item in items:
        cpu, wall = time.process_time(), time.perf_counter()
        call(item)
        walls.append((time.perf_counter() - wall) * 1e3)
        cpus.append((time.process_time() - cpu) * 1e3)
    return Times(tuple(walls), cpu_ms=tuple(cpus))


def max_rss_mb() -> float:
    """The largest memory that this process ever had."""
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / (2**20 if sys.platform == "darwin" else 2**10)  # bytes there, KiB elsewhere
