"""What `memori demo` asks of Pydantic AI: an agent whose fake model tells what its prompt holds."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from memori_core import Memori
from memori_core.testing import facts_in
from memori_pydantic_ai.capability import MemoriCapability


def _tell(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    return ModelResponse([TextPart("; ".join(facts_in(str(messages))) or "nothing")])


def answer(memori: Memori, user_id: str, question: str) -> str:
    """The answer of an agent to a user."""
    agent = Agent(FunctionModel(_tell), capabilities=[MemoriCapability(memori, user_id=user_id)])
    with ThreadPoolExecutor(1) as thread:  # where no event loop runs
        return thread.submit(lambda: asyncio.run(agent.run(question))).result().output
