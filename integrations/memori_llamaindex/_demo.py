"""What `memori demo` asks of LlamaIndex: an agent whose fake model repeats what it was sent."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms.mock import MockFunctionCallingLLM

from memori_core import Memori
from memori_core.testing import facts_in
from memori_llamaindex.memory import MemoriMemory


def answer(memori: Memori, user_id: str, question: str) -> str:
    """The answer of an agent to a user."""

    async def ask() -> str:
        agent: Any = FunctionAgent(llm=MockFunctionCallingLLM())  # Any: `run` is loosely typed
        memory = MemoriMemory.from_defaults(memori, entity_id=user_id)
        return str(await agent.run(user_msg=question, memory=memory))

    with ThreadPoolExecutor(1) as thread:  # where no event loop runs
        said = thread.submit(lambda: asyncio.run(ask())).result()
    return "; ".join(facts_in(said)) or "nothing"
