"""What the tests of the Pydantic AI integration share: a model that keeps what it is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from memori_core import InMemoryStore, Memori

STREAMED = ("w0 ", "w1 ", "w2 ", "w3 ", "w4 ", "w5")


@dataclass
class Deps:
    user_id: Any


@dataclass
class Recorder:
    """A function model that keeps every request, and answers by words of the prompt.

    `usetool` calls the tool `ping` once, `boom` fails, `midboom` fails in the middle of a stream.
    """

    reply: str = "ok"
    requests: list[list[ModelMessage]] = field(default_factory=list)
    infos: list[AgentInfo] = field(default_factory=list)

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self._answer, stream_function=self._stream)

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self._keep(messages, info)
        await asyncio.sleep(0.001)
        if self._wants_tool(messages):
            return ModelResponse([TextPart("Let me look."), ToolCallPart("ping", {})])
        if info.output_tools:
            return ModelResponse([ToolCallPart(info.output_tools[0].name, {"name": "Bob"})])
        return ModelResponse([ThinkingPart("secret thoughts"), TextPart(self.reply)])

    async def _stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        self._keep(messages, info)
        if self._wants_tool(messages):
            yield {0: DeltaToolCall(name="ping", json_args="{}")}
            return
        for number, word in enumerate(STREAMED):
            await asyncio.sleep(0.002)
            if number == 3 and "midboom" in asked(messages):
                raise RuntimeError("midboom")
            yield word

    def _keep(self, messages: list[ModelMessage], info: AgentInfo) -> None:
        self.requests.append(list(messages))
        self.infos.append(info)
        if " boom" in f" {asked(messages)}":
            raise RuntimeError("boom")

    def _wants_tool(self, messages: Sequence[ModelMessage]) -> bool:
        returned = any(isinstance(p, ToolReturnPart) for m in messages[-1:] for p in m.parts)
        return "usetool" in asked(messages) and not returned

    def texts(self) -> list[str]:
        """What each request says in all, instructions included."""
        return [
            "\n".join([*prompts(messages), info.instructions or ""])
            for messages, info in zip(self.requests, self.infos, strict=True)
        ]


def prompts(messages: Sequence[ModelMessage]) -> list[str]:
    """The texts of the user's parts."""
    found: list[str] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, UserPromptPart):
                    items = [part.content] if isinstance(part.content, str) else part.content
                    found += [str(getattr(item, "content", item)) for item in items]
    return found or [""]


def asked(messages: Sequence[ModelMessage]) -> str:
    """What the user said last."""
    return [text for text in prompts(messages) if not text.startswith("<memori_context>")][-1]


@pytest.fixture
def memori() -> Iterator[Memori]:
    with Memori(InMemoryStore(), embedder=None) as memori:
        yield memori


@pytest.fixture
def own_loop() -> Iterator[None]:
    """For `run_sync`, which makes an event loop and leaves it open."""
    with asyncio.Runner() as runner:
        asyncio.set_event_loop(runner.get_loop())
        yield
        asyncio.set_event_loop(None)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def alice() -> Deps:
    return Deps("alice")


@pytest.fixture
def bob() -> Deps:
    return Deps("bob")


@pytest.fixture
def captured(memori: Memori) -> Callable[..., list[tuple[str, str]]]:
    """What was stored of an entity: role and text of each message."""

    def read(entity_id: str = "alice") -> list[tuple[str, str]]:
        memori.flush()
        stored = memori.scoped(entity_id).messages()
        return [(m.message.role, m.message.content) for m in stored]

    return read
