"""What the middleware costs beyond the core's own recall and capture. Run it: it prints a table.

python tests/langchain/overhead.py
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage

from memori_core import Memori, Scope
from memori_core.hooks import Hooks, Message
from memori_langchain import MemoriMiddleware

RUNS = 400
QUESTION = "What does the user drink in the morning, tea?"


def p50_ms(
    work: dict[str, Callable[[int], object]], *, between: Callable[[], object], runs: int = RUNS
) -> dict[str, float]:
    """The median of each, taken in turns, so that a busy machine counts for all alike.

    What one has left in the background is waited for, so that it does not count for the next.
    """
    times: dict[str, list[float]] = {name: [] for name in work}
    for n in range(runs + 20):
        for name, function in work.items():
            start = time.perf_counter()
            function(n)
            if n >= 20:
                times[name].append((time.perf_counter() - start) * 1000)
            between()
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    """Measure a run with and without the middleware, and the core's own work in it."""
    model = FakeMessagesListChatModel(responses=[AIMessage("Tea.")])
    with TemporaryDirectory() as folder, Memori(Path(folder) / "m.db", embedder=None) as memori:
        memori.scoped("alice").remember_many([f"User drinks tea number {n}." for n in range(1000)])
        hooks, scope = Hooks(memori), Scope("alice", session_id="t")
        plain = create_agent(model)
        ours = create_agent(model, middleware=[MemoriMiddleware(memori, entity_id="alice")])
        config: Any = {"configurable": {"thread_id": "t"}}

        def ask(agent: Any, n: int) -> object:
            question = HumanMessage(QUESTION, id=f"{id(agent)}-{n}")
            return agent.invoke({"messages": [question]}, config)

        def recall(_: int) -> object:
            return hooks.recall(QUESTION, scope=scope).context

        def capture(n: int) -> object:
            turn = [Message("user", QUESTION), Message("assistant", "Tea.")]
            return hooks.submit(turn, scope=scope, turn_id=f"core-{n}")

        found = p50_ms(
            {
                "agent without us": lambda n: ask(plain, n),
                "agent with the middleware": lambda n: ask(ours, n),
                "core recall": recall,
                "core capture (handed over)": capture,
            },
            between=memori.flush,
        )
    core = found["core recall"] + found["core capture (handed over)"]
    extra = found["agent with the middleware"] - found["agent without us"]
    for name, value in found.items():
        print(f"{name:28} {value:6.2f} ms p50")
    print(f"{'middleware beyond the core':28} {extra - core:6.2f} ms p50")
    names = ("langchain", "langchain-core", "langgraph")
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    print(f"{RUNS} runs, 1,000 facts, SQLite, {packages}, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
