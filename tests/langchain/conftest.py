"""What the tests of the LangChain integration share: a model that answers from its prompt."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import pytest
import pytest_socket
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import ConfigDict, Field

from memori_core import InMemoryStore, Memori


class PromptModel(BaseChatModel):
    """Answers with the lines of memory in its system prompt, or as scripted.

    A script holds messages, texts and exceptions; it is used up first. Every prompt is kept.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    script: list[Any] = Field(default_factory=list)
    prompts: list[list[BaseMessage]] = Field(default_factory=list)
    delay_s: float = 0.0

    @property
    def _llm_type(self) -> str:
        return "prompt"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(**kwargs)

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        self.prompts.append(messages)
        reply = self.script.pop(0) if self.script else _known(messages)
        if isinstance(reply, BaseException):
            raise reply
        return reply if isinstance(reply, AIMessage) else AIMessage(reply)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        await asyncio.sleep(self.delay_s)
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        yield from _chunks(self._answer(messages))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(self._answer(messages)):
            await asyncio.sleep(self.delay_s)
            yield chunk


def _known(messages: list[BaseMessage]) -> str:
    system = "\n".join(str(m.text) for m in messages if m.type == "system")
    lines = [line[2:] for line in system.splitlines() if line.startswith("- ")]
    return "I know: " + " | ".join(lines) if lines else "I know nothing."


def _chunks(answer: AIMessage) -> Iterator[ChatGenerationChunk]:
    if answer.tool_calls:
        calls = [
            {"name": c["name"], "args": str(c["args"]).replace("'", '"'), "id": c["id"], "index": i}
            for i, c in enumerate(answer.tool_calls)
        ]
        yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=calls))
        return
    words = str(answer.text).split(" ")
    for i, word in enumerate(words):
        text = word if i == 0 else f" {word}"
        yield ChatGenerationChunk(message=AIMessageChunk(text))


@pytest.fixture(autouse=True)
def no_sockets_but_loopback(no_network: None) -> Iterator[None]:
    """No test of this folder opens a connection that leaves the machine, or looks up a name."""
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)
    yield
    pytest_socket._remove_restrictions()


@pytest.fixture
def memori() -> Iterator[Memori]:
    with Memori(InMemoryStore(), embedder=None) as memori:
        yield memori


@pytest.fixture
def model() -> Callable[..., PromptModel]:
    """Makes a model; what is given is its script."""
    return lambda *script, **settings: PromptModel(script=list(script), **settings)


@pytest.fixture
def said(memori: Memori) -> Callable[..., list[tuple[str, str]]]:
    """What is stored of a person: role and text of each message, oldest first."""

    def read(entity_id: str, session_id: str | None = None) -> list[tuple[str, str]]:
        memori.flush()
        stored = memori.scoped(entity_id).messages(session_id=session_id)
        return [(m.message.role, m.message.content) for m in stored]

    return read


@pytest.fixture
def call() -> Callable[..., AIMessage]:
    """An answer that asks for a tool."""

    def make(name: str, id: str = "1", text: str = "", /, **arguments: Any) -> AIMessage:
        return AIMessage(text, tool_calls=[{"name": name, "args": arguments, "id": id}])

    return make
