"""What memory adds to a run of an Agno agent, beside the core's own recall.

    python tests/agno/overhead.py

Each round takes one turn of each kind, so that a busy machine is busy for all of them.
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


def timed(work: Callable[..., object], *args: object) -> float:
    started = time.perf_counter()
    work(*args)
    return (time.perf_counter() - started) * 1_000


def measure(path: Path, *, is_async: bool) -> dict[str, float]:
    loop = asyncio.new_event_loop()
    times: dict[str, list[float]] = {"plain": [], "ours": [], "recall": [], "capture": []}
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

        for number in range(ROUNDS):
            times["plain"].append(timed(run, "plain", number))
            times["ours"].append(timed(run, "ours", number))
            memori.flush()
            times["recall"].append(timed(alice.recall, QUESTION))
            times["capture"].append(timed(capture, number))
            memori.flush()
    loop.close()
    p50 = {kind: statistics.median(some[20:]) for kind, some in times.items()}
    # The capture is not waited for in a run: it is shown, and not taken off.
    return p50 | {"overhead": p50["ours"] - p50["plain"] - p50["recall"]}


def main() -> None:
    print(f"python {sys.version.split()[0]}, agno {version('agno')}; ms, p50 of {ROUNDS} rounds")
    for is_async in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            p50 = measure(Path(folder) / "m.db", is_async=is_async)
        p50["ours / plain"] = p50["ours"] / p50["plain"]
        print("arun" if is_async else "run ", *(f"{kind} {x:.2f}" for kind, x in p50.items()))


if __name__ == "__main__":
    main()
