"""What the LlamaIndex tests share: a memory, a model that answers by script, looks at both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory
from sqlalchemy.ext.asyncio import create_async_engine

from memori_core import InMemoryStore, Memori
from memori_core.testing import FakeEmbedder

FRAMEWORK_WARNINGS = (
    # workflows 2.26 looks through each new agent with inspect.getmembers, which touches what
    # pydantic has deprecated.
    "ignore:.*The `__fields:DeprecationWarning",
    "ignore:.*attribute on the instance is deprecated:DeprecationWarning",
    "ignore:is_running called from within a step:DeprecationWarning",  # by core 0.14 itself
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            for warning in FRAMEWORK_WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.fixture
def memori() -> Iterator[Memori]:
    with Memori(InMemoryStore(), embedder=FakeEmbedder()) as memori:
        yield memori


@pytest.fixture
def recalls(memori: Memori) -> Callable[[], int]:
    """How often hooks have recalled so far."""
    return lambda: int(memori.stats().get("calls", 0))


class Script:
    """A function-calling model that gives these answers in turn, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.seen: list[list[ChatMessage]] = []
        self.llm = MockFunctionCallingLLM(response_generator=self._answer, is_chat_model=True)

    def then(self, *answers: str | ChatMessage | Exception) -> Script:
        """Answer the next calls with these; what is called after the last is an error."""
        self.answers.extend(answers)
        return self

    def calls(self, tool: str, /, **kwargs: Any) -> Script:
        """Answer the next call by calling a tool."""
        block = ToolCallBlock(tool_call_id="1", tool_name=tool, tool_kwargs=kwargs)
        return self.then(ChatMessage(role="assistant", blocks=[block]))

    def _answer(self, messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
        self.seen.append([message.model_copy(deep=True) for message in messages])
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return ChatMessage(answer, role="assistant") if isinstance(answer, str) else answer

    @property
    def last(self) -> list[tuple[str, str]]:
        """The last request."""
        return [(m.role.value, m.content or "") for m in self.seen[-1]]

    @property
    def last_text(self) -> str:
        """The last request as one text."""
        return "\n".join(text for _, text in self.last)


@pytest.fixture
def script() -> Script:
    return Script()


Turns = list[list[tuple[str, str]]]


@pytest.fixture
def turns_of() -> Callable[[Memori, str], Turns]:
    """What is stored of a user: the turns, oldest first, each with its messages."""

    def look(memori: Memori, entity_id: str) -> Turns:
        memori.flush()
        found: dict[str, list[tuple[str, str]]] = {}
        for stored in memori.scoped(entity_id).messages():
            message = stored.message
            found.setdefault(stored.turn_id, []).append((message.role, message.content))
        return list(found.values())

    return look


@pytest.fixture
def turns(memori: Memori, turns_of: Callable[[Memori, str], Turns]) -> Callable[[str], Turns]:
    """The same, in the memory of the test."""
    return lambda entity_id: turns_of(memori, entity_id)


@pytest.fixture
def stock_memory() -> Iterator[Callable[..., Memory]]:
    """LlamaIndex's own `Memory`, with a database that is closed at the end."""
    engines: list[Any] = []

    def make(**kwargs: Any) -> Memory:
        engine = create_async_engine("sqlite+aiosqlite:///:memory:")
        engines.append(engine)
        return Memory.from_defaults(async_engine=engine, **kwargs)

    yield make

    async def close() -> None:
        for engine in engines:
            await engine.dispose()

    asyncio.run(close())
