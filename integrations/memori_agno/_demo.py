"""What `memori demo` asks of Agno: an agent whose fake model tells what its prompt holds."""

from __future__ import annotations

from typing import Any

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.message import Message

from memori_agno.memory import MemoriMemory
from memori_agno.testing import FakeModel
from memori_core import Memori
from memori_core.testing import facts_in


def _tell(messages: list[Message]) -> str:
    return "; ".join(facts_in("\n".join(str(m.content) for m in messages))) or "nothing"


def answer(memori: Memori, user_id: str, question: str) -> str:
    """The answer of an agent to a user."""
    memory: Any = MemoriMemory(memori).agent_kwargs()
    agent: Any = Agent(model=FakeModel(answer=_tell), db=InMemoryDb(), **memory)
    return str(agent.run(question, user_id=user_id, session_id=f"demo of {user_id}").content)
