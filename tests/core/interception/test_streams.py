"""Streams: they stay what they are, and are captured however they end."""

from __future__ import annotations

import asyncio
import gc
import time
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.interception import Llm
from memori_core.rendering import TAG
from memori_core.testing import ProviderServer, Reply

openai = pytest.importorskip("openai", reason="openai is not installed")

QUESTION = "Which tea do I like?"
ASK = {"model": "m", "messages": [{"role": "user", "content": QUESTION}]}
ALICE = Scope("alice")
WHOLE = [("user", QUESTION), ("assistant", "Hello")]
BROKEN_OFF = [("user", QUESTION), ("assistant", "Hel")]
SLOW = Reply(pause_s=5.0)
"""The role, then "Hel"; the rest comes much later."""


@pytest.fixture
def client(client: Any, llm: Llm[Memori]) -> Any:
    llm.register(client, scope=ALICE, on_error="raise")
    return client


def stream_of(client: Any, **more: Any) -> Any:
    return client.chat.completions.create(**ASK, stream=True, **more)


def test_b47_a_stream_stays_a_stream(client: Any, server: ProviderServer, said: Any):
    with stream_of(client) as stream:
        assert isinstance(stream, openai.Stream)
        assert stream.response.headers["x-request-id"] == "req_1"
        first = next(stream)
        rest = list(stream)
    assert first.choices[0].delta.role == "assistant"
    assert "".join(c.choices[0].delta.content or "" for c in rest) == "Hello"
    assert said() == WHOLE


def test_b47_async_streams_too(server: ProviderServer, llm: Llm[Memori], said: Any):
    async def run() -> None:
        async with openai.AsyncOpenAI(api_key="x", base_url=server.openai_url) as client:
            llm.register(client, scope=ALICE, on_error="raise")
            async with await stream_of(client) as stream:
                assert isinstance(stream, openai.AsyncStream)
                await anext(stream)
                assert [c async for c in stream]
            await stream.close()

    asyncio.run(run())
    assert said() == WHOLE


def test_the_first_chunk_is_not_held_back(client: Any, server: ProviderServer):
    server.script(Reply(pause_s=3))
    began = time.perf_counter()
    stream = stream_of(client)
    next(stream)
    next(stream)
    assert time.perf_counter() - began < 2
    stream.close()


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_a_stream_that_is_closed_early_keeps_what_came(
    client: Any, server: ProviderServer, memori: Memori, said: Any, encoding: str
):
    server.script(Reply(pause_s=5.0, encoding=encoding))
    stream = stream_of(client)
    next(stream)
    next(stream)
    stream.close()
    assert said() == BROKEN_OFF


def test_a_stream_that_is_dropped_keeps_what_came(client: Any, server: ProviderServer, said: Any):
    server.script(SLOW)
    stream = stream_of(client)
    next(stream)
    next(stream)
    del stream
    gc.collect()
    assert said() == BROKEN_OFF


def test_a_broken_connection_is_the_callers_error_and_keeps_what_came(
    client: Any, server: ProviderServer, said: Any
):
    server.script(Reply(cut_after=2))
    with pytest.raises(openai.APIConnectionError):
        list(stream_of(client))
    assert said() == BROKEN_OFF


def test_d6_a_stream_without_a_word_keeps_the_users(client: Any, server: Any, said: Any):
    server.script(SLOW)
    stream = stream_of(client)
    stream.close()
    assert said() == [("user", QUESTION)]


def test_a_cancelled_task_is_captured_once(server: ProviderServer, llm: Llm[Memori], said: Any):
    async def run() -> None:
        async with openai.AsyncOpenAI(api_key="x", base_url=server.openai_url) as client:
            llm.register(client, scope=ALICE, on_error="raise")
            server.script(SLOW)
            got = asyncio.Event()

            async def read() -> None:
                async for chunk in await stream_of(client):
                    if chunk.choices[0].delta.content == "Hel":
                        got.set()

            task = asyncio.create_task(read())
            await got.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            del task
            for _ in range(20):
                gc.collect()
                await asyncio.sleep(0.01)

    asyncio.run(run())
    assert said() == BROKEN_OFF


def test_gzip_is_read_and_left_to_the_caller(client: Any, server: ProviderServer, said: Any):
    server.script(Reply(encoding="gzip"), Reply(encoding="gzip"))
    assert client.chat.completions.create(**ASK).choices[0].message.content == "Hello"
    assert "".join(c.choices[0].delta.content or "" for c in stream_of(client)) == "Hello"
    assert said() == WHOLE * 2


def test_a_failed_response_is_partial(client: Any, server: ProviderServer, said: Any):
    created = {"id": "r", "object": "response", "status": "in_progress", "output": []}
    events = [
        {"type": "response.created", "response": created},
        {"type": "response.output_text.delta", "delta": "Hel", "item_id": "i"},
        {"type": "response.failed", "response": {**created, "status": "failed"}},
    ]
    server.script(Reply(events=events))
    list(client.responses.create(model="m", input=QUESTION, stream=True))
    assert said() == BROKEN_OFF


# ------------------------------------------------------------------- Anthropic's helpers


HELPERS = {
    "text_stream": lambda s: "".join(s.text_stream),
    "get_final_message": lambda s: s.get_final_message().content[0].text,
    "get_final_text": lambda s: s.get_final_text(),
    "until_done": lambda s: s.until_done() or s.get_final_text(),
    "events": lambda s: "".join(e.text for e in s if e.type == "text"),
}


@pytest.mark.parametrize("helper", HELPERS.values(), ids=HELPERS)
def test_b50_the_helpers_of_anthropics_streams(
    server: ProviderServer, llm: Llm[Memori], said: Any, helper: Any
):
    anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")
    with anthropic.Anthropic(api_key="x", base_url=server.url) as client:
        llm.register(client, scope=ALICE, on_error="raise")
        with client.messages.stream(**ASK, max_tokens=9) as stream:
            assert helper(stream) == "Hello"
    assert server.last.text.count(f"<{TAG}>") == 1
    assert said() == WHOLE


def test_d10_anthropic_calls_of_tools_and_cached_prompts(
    server: ProviderServer, llm: Llm[Memori], said: Any
):
    """D5 and B56 too: the blocks of the caller stay first, with their marks."""
    anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")
    system = [{"type": "text", "text": "Long rules", "cache_control": {"type": "ephemeral"}}]
    with anthropic.Anthropic(api_key="x", base_url=server.url) as client:
        llm.register(client, scope=ALICE, on_error="raise")
        server.script(Reply(calls=["search"]), "Green.")
        first = client.messages.create(**ASK, max_tokens=9, system=system)
        result = {"type": "tool_result", "tool_use_id": "toolu_0", "content": "42"}
        messages: list[Any] = [
            *ASK["messages"],
            {"role": "assistant", "content": first.content},
            {"role": "user", "content": [result]},
        ]
        client.messages.create(model="m", max_tokens=9, system=system, messages=messages)
        sent = [request.body["system"] for request in server.requests]
        assert sent[0] == sent[1]
        assert sent[0][0] == system[0]
        assert len(sent[0]) == 2
        assert said() == [("user", QUESTION), ("assistant", "Green.")]
        client.messages.create(**ASK, max_tokens=9, system=anthropic.NOT_GIVEN)
        assert server.last.body["system"].startswith(f"<{TAG}>")
