"""What memory adds to a run: `python tests/llamaindex/overhead.py`.

Each round runs every kind of memory once, in turn, so that a busy machine counts for all alike.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer, Memory
from sqlalchemy.ext.asyncio import create_async_engine

from memori_core import Memori
from memori_llamaindex import FRAMEWORK_VERSION, MemoriMemory, __version__

ROUNDS = 200
FACTS = 1_000


def answer(messages: Any, **_: Any) -> ChatMessage:
    return ChatMessage("Noted.", role="assistant")


async def turn_by_hand(memory: BaseMemory) -> None:
    """What an agent asks of its memory in a turn without tools, and nothing else."""
    await memory.aput(ChatMessage("Where in Porto do I live?"))
    await memory.aget()
    await memory.aput_messages([ChatMessage("Noted.", role="assistant")])
    await memory.aget()


async def main() -> None:
    warnings.simplefilter("ignore")
    agent = FunctionAgent(llm=MockFunctionCallingLLM(response_generator=answer))
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    with (
        tempfile.TemporaryDirectory() as folder,
        Memori(Path(folder) / "m.db", embedder=None) as memori,
    ):
        memori.scoped("alice").remember_many(
            [f"User likes tea number {n} of Town{n}." for n in range(FACTS - 1)]
            + ["User lives in Porto."]
        )
        kinds: dict[str, Callable[[], BaseMemory]] = {
            "ChatMemoryBuffer": lambda: ChatMemoryBuffer.from_defaults(token_limit=21_000),
            "Memory (SQLite in memory)": lambda: Memory.from_defaults(async_engine=engine),
            "MemoriMemory": lambda: MemoriMemory.from_defaults(memori, entity_id="alice"),
        }
        times: dict[tuple[str, str], list[float]] = {}
        for n in range(ROUNDS):
            for name, make in kinds.items():
                for what in ("calls", "run"):
                    memory = make()
                    await memori.aflush()  # a model takes longer to answer than this to store
                    started = time.perf_counter()
                    if what == "run":
                        await agent.run("Where in Porto do I live?", memory=memory)
                    else:
                        await turn_by_hand(memory)
                    if n >= 20:
                        times.setdefault((what, name), []).append(time.perf_counter() - started)
            if n % 20 == 0:  # what was said makes the store grow
                memori.scoped("alice").forget(
                    [f.id for f in memori.scoped("alice").list() if f.kind == "message"]
                )
    await engine.dispose()
    print(f"memori-core {__version__}, llama-index-core {FRAMEWORK_VERSION}, {FACTS} facts")
    for what in ("calls", "run"):
        base = statistics.median(times[what, "ChatMemoryBuffer"])
        for name in kinds:
            p50 = statistics.median(times[what, name])
            print(f"{what:6} {name:26} p50 {p50 * 1e3:6.2f} ms  x{p50 / base:.2f}")


if __name__ == "__main__":
    asyncio.run(main())
