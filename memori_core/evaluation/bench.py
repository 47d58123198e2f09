"""How long a recall takes, and what it is made of, beside what the machine can do.

Every size is measured in two processes of its own: one fills a SQLite file, the other opens it
and recalls, so that its memory is that of a program which only reads.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from tqdm import tqdm

from memori_core.errors import ConfigError
from memori_core.evaluation.baselines import bandwidth_probe_ms, bm25s_times, dense_times
from memori_core.evaluation.given import GivenVectors
from memori_core.evaluation.pools import DIM, Pool, locomo_pool, made_up_pool
from memori_core.evaluation.timing import max_rss_mb, timed
from memori_core.memori import Memori

LIMIT = 5
WARM_UP = 5
"""Recalls that are not counted."""
SINGLE_WRITES = 50
ENTITY = "bench"
_MODEL = "all-MiniLM-L6-v2"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BenchRow:
    """Figures for one number of facts of one entity."""

    n: int
    p50_ms: float
    """Warm recall of 5 with the vector given, hybrid: median of the wall time."""
    p95_ms: float
    cpu_p50_ms: float
    """Median of the processor time, all threads."""
    rss_mb: float
    """Largest memory of the process that recalls, Python and numpy included."""
    cold_ms: float
    """The first recall: reading the file and making the index."""
    remember_many_ms: float
    """Storing all facts at once, per fact, vectors given."""
    remember_ms: float
    """Storing one more fact, durably: median."""
    numpy_dense_p50_ms: float
    """For comparison: cosines of all rows and the best 5, nothing else."""
    bm25s_p50_ms: float
    """For comparison: bm25s alone on the same texts."""
    probe_ms: float
    """For comparison: reading the matrix once (the sum of its numbers)."""

    def to_json(self) -> dict[str, float]:
        """The row as JSON values, with recall as a multiple of the probe and of the baselines."""
        row = {name: round(value, 4) for name, value in asdict(self).items()}
        ratios = {
            "probe": self.probe_ms,
            "numpy_dense": self.numpy_dense_p50_ms,
            "bm25s": self.bm25s_p50_ms,
        }
        return row | {
            f"times_{name}": round(self.p50_ms / other, 2) for name, other in ratios.items()
        }


def bench_recall(
    sizes: Sequence[int], *, data: str | Path | None = None, progress: bool = False
) -> list[BenchRow]:
    """Measure warm recall at several numbers of facts.

    Args:
        sizes: Numbers of facts, each at least 1.
        data: LoCoMo's file for real texts and vectors; None for made-up ones.
        progress: Show a progress bar on standard error.

    Raises:
        ConfigError: A size is below 1, or the data cannot be read.
    """
    if wrong := [size for size in sizes if size < 1]:
        raise ConfigError(f"a size must be at least 1, got {wrong[0]}.")
    rows: list[BenchRow] = []
    with tqdm(sizes, desc="recall", disable=not progress) as bar:
        for size in bar:
            bar.set_postfix(n=size)  # pyright: ignore[reportUnknownMemberType] (untyped options)
            with tempfile.TemporaryDirectory() as folder:
                rows.append(_measured(Path(folder) / "bench.db", size, data))
    return rows


def _measured(path: Path, size: int, data: str | Path | None) -> BenchRow:
    many_ms, one_ms = _alone(_fill, path, size, data)
    found = _alone(_recall, path, size, data)
    return BenchRow(size, remember_many_ms=many_ms, remember_ms=one_ms, **found)


def _alone(function: Callable[[Path, int, str | Path | None], T], *args: Any) -> T:
    """Call a function of this module in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        return executor.submit(function, *args).result()


def _pool(size: int, data: str | Path | None) -> Pool:
    return made_up_pool(size) if data is None else locomo_pool(data, size)


def _fill(path: Path, size: int, data: str | Path | None) -> tuple[float, float]:
    """Milliseconds per fact of storing all at once, and of storing one more."""
    pool = _pool(size, data)
    with Memori(path, embedder=GivenVectors(_MODEL, dim=DIM)) as memori:
        memory = memori.scoped(ENTITY)
        started = time.perf_counter()
        memory.remember_many(pool.texts, vectors=pool.vectors)
        many_ms = (time.perf_counter() - started) * 1e3 / size
        other = memori.scoped("another")  # the measured entity keeps its size

        def remember(number: int) -> None:
            other.remember_many([f"One more, {number}."], vectors=pool.vectors[:1])

        one = timed(remember, range(SINGLE_WRITES))
    np.savez(path.with_suffix(".npz"), queries=pool.queries, rows=pool.query_vectors)
    return many_ms, one.p50_ms


def _recall(path: Path, size: int, data: str | Path | None) -> dict[str, float]:
    """What recall takes from a filled file, then what the baselines take."""
    with np.load(path.with_suffix(".npz"), allow_pickle=False) as archive:
        asked = list(zip(archive["queries"].tolist(), archive["rows"], strict=True))
    with Memori(path, embedder=GivenVectors(_MODEL, dim=DIM)) as memori:
        memory = memori.scoped(ENTITY)

        def recall(question: tuple[str, Any]) -> None:
            memory.recall(question[0], vector=question[1], limit=LIMIT)

        cold = timed(recall, asked[:1])
        timed(recall, asked[:WARM_UP])
        warm = timed(recall, asked)
        rss_mb = max_rss_mb()
    pool = _pool(size, data)
    return {
        "p50_ms": warm.p50_ms,
        "p95_ms": warm.p95_ms,
        "cpu_p50_ms": warm.cpu_p50_ms,
        "rss_mb": rss_mb,
        "cold_ms": cold.p50_ms,
        "numpy_dense_p50_ms": dense_times(pool, limit=LIMIT).p50_ms,
        "bm25s_p50_ms": bm25s_times(pool, limit=LIMIT).p50_ms,
        "probe_ms": bandwidth_probe_ms(pool.vectors),
    }
