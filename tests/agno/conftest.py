"""What the Agno tests share: a memory, agents with a scripted model, and looks at both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb

from memori_agno.testing import FakeModel
from memori_core import InMemoryStore, Memori

Said = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def memori() -> Iterator[Memori]:
    with Memori(InMemoryStore(), embedder=None) as memori:
        yield memori


@pytest.fixture
def make_agent() -> Callable[..., Agent]:
    def make(answer: Any = "fine", *, delay_s: float = 0.0, **kwargs: Any) -> Agent:
        model = FakeModel(answer=answer if callable(answer) else lambda _: answer, delay_s=delay_s)
        return Agent(
            **{"id": "helper", "model": model, "db": InMemoryDb(), "telemetry": False, **kwargs}
        )

    return make


@pytest.fixture
def said(memori: Memori) -> Said:
    """What is stored of a user, as (role, text)."""

    def look(user_id: str = "alice") -> list[tuple[str, str]]:
        memori.flush()
        stored = memori.scoped(user_id).messages()
        return [(message.message.role, message.message.content) for message in stored]

    return look


@pytest.fixture
def prompt() -> Callable[..., str]:
    """The system prompt of a request of an agent's model."""

    def look(agent: Any, request: int = -1) -> str:
        first = agent.model.requests[request][0]
        return str(first.content) if first.role == "system" else ""

    return look
