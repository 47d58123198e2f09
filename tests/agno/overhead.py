"""What memory adds to a run of an Agno agent, beyond the core's own recall and capture.

    python tests/agno/overhead.py

Each round takes one turn of each kind, so that a busy machine is busy for all of them. Where it is,
look at the CPU time: the threads of a run wait for a core.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb

from memori_agno import MemoriMemory
from memori_agno.testing import FakeModel
from memori_core import Memori

ROUNDS = 300
FACTS = 200
QUESTION = "Which tea number 7 do I like?"


def helper(**kwargs: Any) -> Agent:
    return Agent(id="helper", model=FakeModel(), db=InMemoryDb(), telemetry=False, **kwargs)


def timed(clock: Callable[[], float], work: Callable[..., object], *args: object) -> float:
    started = clock()
    work(*args)
    return (clock() - started) * 1_000


def measure(path: Path, clock: Callable[[], float], *, is_async: bool) -> dict[str, float]:
    on_cpu = clock is time.process_time  # then what other threads do later counts, too
    loop = asyncio.new_event_loop()
    kinds = ("plain", "ours", "recall", "capture")
    times: dict[str, list[float]] = {kind: [] for kind in kinds}
    with Memori(path, embedder=None) as memori:
        memori.scoped("alice").remember_many(f"User likes tea number {n}." for n in range(FACTS))
        alice = memori.scoped("alice")
        agents = {"plain": helper(), "ours": helper(**MemoriMemory(memori).agent_kwargs())}

        def run(kind: str, number: int) -> None:
            ids = {"user_id": "alice", "session_id": f"{kind}-{number}"}
            if is_async:
                loop.run_until_complete(agents[kind].arun(QUESTION, **ids))
            else:
                agents[kind].run(QUESTION, **ids)

        def capture(number: int) -> None:
            turn = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": "ok"}]
            alice.submit(turn, turn_id=f"direct-{number}")

        def whole(work: Callable[..., object], *args: object) -> None:
            work(*args)
            if on_cpu:
                memori.flush()

        for number in range(ROUNDS):
            times["plain"].append(timed(clock, run, "plain", number))
            times["ours"].append(timed(clock, whole, run, "ours", number))
            memori.flush()
            times["recall"].append(timed(clock, alice.recall, QUESTION))
            times["capture"].append(timed(clock, whole, capture, number))
            memori.flush()
    loop.close()
    p50 = {kind: statistics.median(some[20:]) for kind, some in times.items()}
    return p50 | {"beyond": p50["ours"] - p50["plain"] - p50["recall"] - p50["capture"]}


def main() -> None:
    print(f"python {sys.version.split()[0]}, agno {version('agno')}; ms, p50 of {ROUNDS} rounds")
    for name, clock in (("wall", time.perf_counter), ("cpu ", time.process_time)):
        for is_async in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                p50 = measure(Path(folder) / "m.db", clock, is_async=is_async)
            p50["ours / plain"] = p50["ours"] / p50["plain"]
            shown = (f"{kind} {x:.2f}" for kind, x in p50.items())
            print(name, "arun" if is_async else "run ", *shown)


if __name__ == "__main__":
    main()
