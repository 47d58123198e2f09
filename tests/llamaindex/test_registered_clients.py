"""The model's SDK client is registered with `memori.llm`, too: nothing is done twice."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any

import openai
import pytest
from llama_index.core.agent.workflow import FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatResponse, LLMMetadata
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from pydantic import PrivateAttr

from memori_core import Memori, Scope
from memori_core.hooks import TAG
from memori_core.testing import ProviderServer
from memori_llamaindex import LlamaIndexExtractor, MemoriMemory, MemoriMemoryBlock

PEANUTS = "User is allergic to peanuts"


class SdkLLM(FunctionCallingLLM):
    """A model of LlamaIndex over the OpenAI SDK, as llama-index-llms-openai is one."""

    _client: openai.OpenAI = PrivateAttr()
    _aclient: openai.AsyncOpenAI = PrivateAttr()

    def __init__(self, client: openai.OpenAI, aclient: openai.AsyncOpenAI) -> None:
        super().__init__()
        self._client, self._aclient = client, aclient

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_chat_model=True, is_function_calling_model=True, model_name="any")

    def _request(self, messages: Sequence[ChatMessage], **more: Any) -> dict[str, Any]:
        sent = [{"role": m.role.value, "content": m.content or ""} for m in messages]
        return {"model": "any", "messages": sent, **more}

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        answer = self._client.chat.completions.create(**self._request(messages))
        return _response(answer.choices[0].message.content)

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        answer = await self._aclient.chat.completions.create(**self._request(messages))
        return _response(answer.choices[0].message.content)

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        def answers() -> Iterator[ChatResponse]:
            text = ""
            for event in self._client.chat.completions.create(
                **self._request(messages, stream=True)
            ):
                delta = (event.choices[0].delta.content if event.choices else None) or ""
                text += delta
                yield _response(text, delta)

        return answers()

    @llm_chat_callback()
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        async def answers() -> AsyncGenerator[ChatResponse]:
            text = ""
            async for event in await self._aclient.chat.completions.create(
                **self._request(messages, stream=True)
            ):
                delta = (event.choices[0].delta.content if event.choices else None) or ""
                text += delta
                yield _response(text, delta)

        return answers()

    def _prepare_chat_with_tools(
        self, tools: Any, user_msg: Any = None, chat_history: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        return {"messages": [*(chat_history or []), *([user_msg] if user_msg else [])]}

    def get_tool_calls_from_response(self, response: Any, **kwargs: Any) -> list[ToolSelection]:
        return []

    def complete(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    acomplete = stream_complete = astream_complete = complete


def _response(text: str | None, delta: str = "") -> ChatResponse:
    return ChatResponse(message=ChatMessage(text or "", role="assistant"), delta=delta)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer("Thought: I know.\nAnswer: Noted.") as server:
        yield server


@pytest.fixture
async def llm(server: ProviderServer, memori: Memori):
    client = openai.OpenAI(base_url=server.openai_url, api_key="none")
    async with openai.AsyncOpenAI(base_url=server.openai_url, api_key="none") as aclient:
        for registered in (client, aclient):
            memori.llm.register(registered, scope=Scope("alice"), on_error="raise")
        yield SdkLLM(client, aclient)
    client.close()


def ping() -> str:
    """Answer a ping."""
    return "pong"


def sent(server: ProviderServer) -> str:
    return server.last.body["messages"].__str__()


def injected(memori: Memori) -> int:
    return int(memori.stats().get("injected", 0))


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize("kind", [FunctionAgent, ReActAgent])
async def test_an_agent_with_memory_recalls_once_and_is_captured_once(
    kind, streaming, llm, server, memori, turns
):
    agent = kind(llm=llm, tools=[ping], streaming=streaming, system_prompt="Be brief.")
    for question in ("I am allergic to peanuts.", "Do peanuts suit me?"):
        if kind is ReActAgent:  # a round with a tool, too
            server.script("Thought: I ping.\nAction: ping\nAction Input: {}")
        before = len(server.requests)
        memory = MemoriMemory.from_defaults(memori, entity_id="alice", on_error="raise")
        await agent.run(question, memory=memory)
        await memori.aflush()
        for request in server.requests[before:]:
            assert request.text.count(f"<{TAG}>") == 1
            assert [m["role"] for m in request.body["messages"]].count("system") == 1
    assert PEANUTS in sent(server)
    assert injected(memori) == 0
    assert memori.stats()["left_alone"] == len(server.requests)
    said = [turn[0] for turn in turns("alice")]
    assert said == [("user", "I am allergic to peanuts."), ("user", "Do peanuts suit me?")]
    assert [len(turn) for turn in turns("alice")] == [2, 2]


@pytest.mark.parametrize("mode", ["chat", "achat", "stream_chat", "astream_chat"])
async def test_a_chat_engine_with_memory_recalls_once_and_is_captured_once(
    mode, llm, server, memori, turns
):
    server.script("Noted.", "No.")
    for question in ("I am allergic to peanuts.", "Do peanuts suit me?"):
        memory = MemoriMemory.from_defaults(memori, entity_id="alice", on_error="raise")
        engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt="Be brief.")
        if mode == "chat":
            engine.chat(question)
        elif mode == "achat":
            await engine.achat(question)
        elif mode == "stream_chat":
            assert "".join(engine.stream_chat(question).response_gen)
        else:
            answer = await engine.astream_chat(question)
            assert "".join([text async for text in answer.async_response_gen()])
        await memori.aflush()
        assert server.last.text.count(f"<{TAG}>") == 1
    assert PEANUTS in sent(server)
    assert injected(memori) == 0
    assert turns("alice") == [
        [("user", "I am allergic to peanuts."), ("assistant", "Noted.")],
        [("user", "Do peanuts suit me?"), ("assistant", "No.")],
    ]


async def test_the_stock_memory_with_our_block_recalls_once(
    llm, server, memori, turns, stock_memory
):
    block = MemoriMemoryBlock(memori, entity_id="alice", on_error="raise")
    for question in ("I am allergic to peanuts.", "Do peanuts suit me?"):
        server.script("Noted.")
        await FunctionAgent(llm=llm).run(question, memory=stock_memory(memory_blocks=[block]))
        await memori.aflush()
        assert server.last.text.count(f"<{TAG}>") == 1
    assert PEANUTS in sent(server)
    assert injected(memori) == 0
    assert [len(turn) for turn in turns("alice")] == [2, 2]


async def test_without_memory_the_registered_client_does_it_alone(llm, server, memori, turns):
    server.script("Noted.", "No.")
    for question in ("I am allergic to peanuts.", "Do peanuts suit me?"):
        await FunctionAgent(llm=llm).run(question)
        await memori.aflush()
    assert PEANUTS in sent(server)
    assert injected(memori) == 1
    assert [len(turn) for turn in turns("alice")] == [2, 2]


def test_where_no_client_is_registered_nothing_empty_is_sent(memori: Memori):
    memory = MemoriMemory.from_defaults(memori, entity_id="alice")
    memory.put(ChatMessage("Hello."))
    assert [m.content for m in memory.get()] == ["Hello."]


async def test_the_extractor_leaves_the_memory_of_its_client_alone(llm, server, memori, turns):
    server.script('{"facts": [{"content": "User likes tea.", "message": 1}]}')
    from datetime import UTC, datetime

    from memori_core.hooks import Message

    extractor = LlamaIndexExtractor(llm, structured=False)
    found = await extractor.aextract([Message("user", "I like tea.")], said_at=datetime.now(UTC))
    assert [fact.content for fact in found.facts] == ["User likes tea."]
    assert turns("alice") == []
    assert memori.stats()["left_to_others"] == 1
