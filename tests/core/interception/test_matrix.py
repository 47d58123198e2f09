"""Every SDK in every style: memory goes in, the answer comes out as it was, one turn is kept.

A case makes a client, asks once and returns the answer's text.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest
from pydantic import BaseModel

from memori_core import Memori, Scope
from memori_core.interception import Llm
from memori_core.interception.http_clients import HttpKind
from memori_core.interception.sdks import KINDS
from memori_core.rendering import TAG
from memori_core.testing import ProviderServer, Reply

QUESTION = "Which tea do I like?"
JSON_ANSWER = '{"tea": "green"}'


class Tea(BaseModel):
    tea: str


@dataclass(frozen=True)
class Case:
    sdk: str
    style: str
    make: Callable[[Any, ProviderServer], Any]
    ask: Callable[[Any, dict[str, Any]], Any]
    body: dict[str, Any]
    answer: str = "Hello"

    @property
    def id(self) -> str:
        return f"{self.sdk}: {self.style}"


CHAT = {"model": "m", "messages": [{"role": "user", "content": QUESTION}]}
RESPONSE = {"model": "m", "input": QUESTION}
CLAUDE = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": QUESTION}]}
PROMPT = {"model": "m", "prompt": QUESTION}


def openai(sdk: Any, server: ProviderServer) -> Any:
    return sdk.OpenAI(api_key="x", base_url=server.openai_url)


def async_openai(sdk: Any, server: ProviderServer) -> Any:
    return sdk.AsyncOpenAI(api_key="x", base_url=server.openai_url)


def azure(sdk: Any, server: ProviderServer) -> Any:
    return sdk.AzureOpenAI(api_key="x", azure_endpoint=server.url, api_version="2024-10-21")


def async_azure(sdk: Any, server: ProviderServer) -> Any:
    return sdk.AsyncAzureOpenAI(api_key="x", azure_endpoint=server.url, api_version="2024-10-21")


def openai_on_httpx(sdk: Any, server: ProviderServer) -> Any:
    import httpx

    return sdk.OpenAI(api_key="x", base_url=server.openai_url, http_client=httpx.Client())


def chunks(stream: Any) -> str:
    return "".join(c.choices[0].delta.content or "" for c in stream if c.choices)


async def achunks(stream: Any) -> str:
    return "".join([c.choices[0].delta.content or "" async for c in stream if c.choices])


def chat(c: Any, b: Any) -> str:
    return c.chat.completions.create(**b).choices[0].message.content


def chat_stream(c: Any, b: Any) -> str:
    return chunks(c.chat.completions.create(**b, stream=True))


def chat_stream_helper(c: Any, b: Any) -> str:
    with c.chat.completions.stream(**b) as stream:
        return stream.get_final_completion().choices[0].message.content


def chat_parse(c: Any, b: Any) -> str:
    message = c.chat.completions.parse(**b, response_format=Tea).choices[0].message
    assert message.parsed == Tea(tea="green")
    return message.content


def beta_parse(c: Any, b: Any) -> str:
    message = c.beta.chat.completions.parse(**b, response_format=Tea).choices[0].message
    assert message.parsed == Tea(tea="green")
    return message.content


def chat_raw(c: Any, b: Any) -> str:
    raw = c.chat.completions.with_raw_response.create(**b)
    assert raw.headers["x-request-id"] == "req_1"
    raw.parse()
    return raw.parse().choices[0].message.content


def chat_streaming_raw(c: Any, b: Any) -> str:
    with c.chat.completions.with_streaming_response.create(**b) as raw:
        return raw.parse().choices[0].message.content


async def achat(c: Any, b: Any) -> str:
    return (await c.chat.completions.create(**b)).choices[0].message.content


async def achat_stream(c: Any, b: Any) -> str:
    return await achunks(await c.chat.completions.create(**b, stream=True))


async def achat_stream_helper(c: Any, b: Any) -> str:
    async with c.chat.completions.stream(**b) as stream:
        return (await stream.get_final_completion()).choices[0].message.content


async def achat_parse(c: Any, b: Any) -> str:
    message = (await c.chat.completions.parse(**b, response_format=Tea)).choices[0].message
    assert message.parsed == Tea(tea="green")
    return message.content


async def achat_raw(c: Any, b: Any) -> str:
    raw = await c.chat.completions.with_raw_response.create(**b)
    return raw.parse().choices[0].message.content


async def achat_streaming_raw(c: Any, b: Any) -> str:
    async with c.chat.completions.with_streaming_response.create(**b) as raw:
        return (await raw.parse()).choices[0].message.content


def response(c: Any, b: Any) -> str:
    return c.responses.create(**b).output_text


def response_stream(c: Any, b: Any) -> str:
    events = list(c.responses.create(**b, stream=True))
    return events[-1].response.output_text


def response_stream_helper(c: Any, b: Any) -> str:
    with c.responses.stream(**b) as stream:
        return stream.get_final_response().output_text


def response_parse(c: Any, b: Any) -> str:
    found = c.responses.parse(**b, text_format=Tea)
    assert found.output_parsed == Tea(tea="green")
    return found.output_text


def response_raw(c: Any, b: Any) -> str:
    return c.responses.with_raw_response.create(**b).parse().output_text


async def aresponse(c: Any, b: Any) -> str:
    return (await c.responses.create(**b)).output_text


async def aresponse_stream(c: Any, b: Any) -> str:
    async with c.responses.stream(**b) as stream:
        return (await stream.get_final_response()).output_text


async def aresponse_parse(c: Any, b: Any) -> str:
    found = await c.responses.parse(**b, text_format=Tea)
    assert found.output_parsed == Tea(tea="green")
    return found.output_text


def anthropic(sdk: Any, server: ProviderServer) -> Any:
    return sdk.Anthropic(api_key="x", base_url=server.url)


def async_anthropic(sdk: Any, server: ProviderServer) -> Any:
    return sdk.AsyncAnthropic(api_key="x", base_url=server.url)


def vertex(sdk: Any, server: ProviderServer) -> Any:
    return sdk.AnthropicVertex(region="r", project_id="p", access_token="t", base_url=server.url)


def async_vertex(sdk: Any, server: ProviderServer) -> Any:
    return sdk.AsyncAnthropicVertex(
        region="r", project_id="p", access_token="t", base_url=server.url
    )


def _texts(events: list[Any]) -> list[str]:
    deltas = [event.delta for event in events if event.type == "content_block_delta"]
    return [delta.text for delta in deltas if delta.type == "text_delta"]


def claude(c: Any, b: Any) -> str:
    return c.messages.create(**b).content[-1].text


def claude_stream(c: Any, b: Any) -> str:
    return "".join(_texts(list(c.messages.create(**b, stream=True))))


def claude_stream_helper(c: Any, b: Any) -> str:
    with c.messages.stream(**b) as stream:
        return stream.get_final_text()


def claude_parse(c: Any, b: Any) -> str:
    found = c.messages.parse(**b, output_format=Tea)
    assert found.parsed_output == Tea(tea="green")
    return found.content[-1].text


def claude_beta(c: Any, b: Any) -> str:
    return c.beta.messages.create(**b).content[-1].text


def claude_raw(c: Any, b: Any) -> str:
    return c.messages.with_raw_response.create(**b).parse().content[-1].text


async def aclaude(c: Any, b: Any) -> str:
    return (await c.messages.create(**b)).content[-1].text


async def aclaude_stream(c: Any, b: Any) -> str:
    return "".join(_texts([e async for e in await c.messages.create(**b, stream=True)]))


async def aclaude_stream_helper(c: Any, b: Any) -> str:
    async with c.messages.stream(**b) as stream:
        return await stream.get_final_text()


async def aclaude_raw(c: Any, b: Any) -> str:
    raw = await c.messages.with_raw_response.create(**b)
    return (await raw.parse()).content[-1].text


def groq(sdk: Any, server: ProviderServer) -> Any:
    return sdk.Groq(api_key="x", base_url=server.url)


def async_groq(sdk: Any, server: ProviderServer) -> Any:
    return sdk.AsyncGroq(api_key="x", base_url=server.url)


def together(sdk: Any, server: ProviderServer) -> Any:
    return sdk.Together(api_key="x", base_url=server.openai_url)


def async_together(sdk: Any, server: ProviderServer) -> Any:
    return sdk.AsyncTogether(api_key="x", base_url=server.openai_url)


def mistral(sdk: Any, server: ProviderServer) -> Any:
    return import_module("mistralai.client").Mistral(api_key="x", server_url=server.url)


def mistral_chat(c: Any, b: Any) -> str:
    return c.chat.complete(**b).choices[0].message.content


def mistral_stream(c: Any, b: Any) -> str:
    with c.chat.stream(**b) as events:
        return chunks(event.data for event in events)


async def amistral_chat(c: Any, b: Any) -> str:
    return (await c.chat.complete_async(**b)).choices[0].message.content


async def amistral_stream(c: Any, b: Any) -> str:
    found = [e.data async for e in await c.chat.stream_async(**b)]
    return chunks(found)


def cohere(sdk: Any, server: ProviderServer) -> Any:
    return sdk.ClientV2(api_key="x", base_url=server.url)


def async_cohere(sdk: Any, server: ProviderServer) -> Any:
    return sdk.AsyncClientV2(api_key="x", base_url=server.url)


def cohere_chat(c: Any, b: Any) -> str:
    return c.chat(**b).message.content[0].text


def cohere_stream(c: Any, b: Any) -> str:
    return "".join(
        e.delta.message.content.text for e in c.chat_stream(**b) if e.type == "content-delta"
    )


async def acohere_chat(c: Any, b: Any) -> str:
    return (await c.chat(**b)).message.content[0].text


async def acohere_stream(c: Any, b: Any) -> str:
    texts = [
        e.delta.message.content.text async for e in c.chat_stream(**b) if e.type == "content-delta"
    ]
    return "".join(texts)


def ollama(sdk: Any, server: ProviderServer) -> Any:
    return sdk.Client(host=server.url)


def async_ollama(sdk: Any, server: ProviderServer) -> Any:
    return sdk.AsyncClient(host=server.url)


def ollama_chat(c: Any, b: Any) -> str:
    return c.chat(**b).message.content


def ollama_stream(c: Any, b: Any) -> str:
    return "".join(part.message.content for part in c.chat(**b, stream=True))


def ollama_generate(c: Any, b: Any) -> str:
    return c.generate(**b).response


async def aollama_chat(c: Any, b: Any) -> str:
    return (await c.chat(**b)).message.content


async def aollama_stream(c: Any, b: Any) -> str:
    return "".join([part.message.content async for part in await c.chat(**b, stream=True)])


CASES = [
    *(
        Case(sdk, f"{name}, {style}", make, ask, body, answer)
        for sdk, name, make, body, styles in [
            (
                "openai",
                "OpenAI chat",
                openai,
                CHAT,
                {
                    "create": chat,
                    "stream=True": chat_stream,
                    "stream()": chat_stream_helper,
                    "parse": chat_parse,
                    "beta parse": beta_parse,
                    "raw": chat_raw,
                    "streaming raw": chat_streaming_raw,
                },
            ),
            (
                "openai",
                "AsyncOpenAI chat",
                async_openai,
                CHAT,
                {
                    "create": achat,
                    "stream=True": achat_stream,
                    "stream()": achat_stream_helper,
                    "parse": achat_parse,
                    "raw": achat_raw,
                    "streaming raw": achat_streaming_raw,
                },
            ),
            (
                "openai",
                "OpenAI responses",
                openai,
                RESPONSE,
                {
                    "create": response,
                    "stream=True": response_stream,
                    "stream()": response_stream_helper,
                    "parse": response_parse,
                    "raw": response_raw,
                },
            ),
            (
                "openai",
                "AsyncOpenAI responses",
                async_openai,
                RESPONSE,
                {"create": aresponse, "stream()": aresponse_stream, "parse": aresponse_parse},
            ),
            ("openai", "AzureOpenAI", azure, CHAT, {"create": chat, "stream=True": chat_stream}),
            ("openai", "AsyncAzureOpenAI", async_azure, CHAT, {"create": achat}),
            (
                "openai",
                "OpenAI on httpx",
                openai_on_httpx,
                CHAT,
                {"create": chat, "stream=True": chat_stream},
            ),
            (
                "anthropic",
                "Anthropic",
                anthropic,
                CLAUDE,
                {
                    "create": claude,
                    "stream=True": claude_stream,
                    "stream()": claude_stream_helper,
                    "parse": claude_parse,
                    "beta": claude_beta,
                    "raw": claude_raw,
                },
            ),
            (
                "anthropic",
                "AsyncAnthropic",
                async_anthropic,
                CLAUDE,
                {
                    "create": aclaude,
                    "stream=True": aclaude_stream,
                    "stream()": aclaude_stream_helper,
                    "raw": aclaude_raw,
                },
            ),
            (
                "anthropic",
                "AnthropicVertex",
                vertex,
                CLAUDE,
                {"create": claude, "stream=True": claude_stream},
            ),
            ("anthropic", "AsyncAnthropicVertex", async_vertex, CLAUDE, {"create": aclaude}),
            ("groq", "Groq", groq, CHAT, {"create": chat, "stream=True": chat_stream}),
            ("groq", "AsyncGroq", async_groq, CHAT, {"create": achat, "stream=True": achat_stream}),
            ("together", "Together", together, CHAT, {"create": chat, "stream=True": chat_stream}),
            (
                "together",
                "AsyncTogether",
                async_together,
                CHAT,
                {"create": achat, "stream=True": achat_stream},
            ),
            (
                "mistralai",
                "Mistral",
                mistral,
                CHAT,
                {
                    "complete": mistral_chat,
                    "stream": mistral_stream,
                    "complete_async": amistral_chat,
                    "stream_async": amistral_stream,
                },
            ),
            (
                "cohere",
                "ClientV2",
                cohere,
                CHAT,
                {"chat": cohere_chat, "chat_stream": cohere_stream},
            ),
            (
                "cohere",
                "AsyncClientV2",
                async_cohere,
                CHAT,
                {"chat": acohere_chat, "chat_stream": acohere_stream},
            ),
            ("ollama", "Client", ollama, CHAT, {"chat": ollama_chat, "stream=True": ollama_stream}),
            ("ollama", "Client generate", ollama, PROMPT, {"generate": ollama_generate}),
            (
                "ollama",
                "AsyncClient",
                async_ollama,
                CHAT,
                {"chat": aollama_chat, "stream=True": aollama_stream},
            ),
        ]
        for style, ask in styles.items()
        for answer in [JSON_ANSWER if "parse" in style else "Hello"]
    )
]


def ask(case: Case, make: Callable[[], Any], *prepare: Callable[[Any], Any]) -> str:
    """Make the client, prepare it, ask it once, and close it."""

    async def asked() -> str:
        client = make()
        for step in prepare:
            step(client)
        found = case.ask(client, case.body)
        if inspect.isawaitable(found):
            found = await found
        for owner, attribute in kind_of(client).places(client):
            held = getattr(owner, attribute)
            await held.aclose() if hasattr(held, "aclose") else held.close()
        return found

    return asyncio.run(asked())


def kind_of(client: Any) -> HttpKind:
    return next(k for k in KINDS if isinstance(k, HttpKind) and k.matches(client))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_style(
    case: Case, server: ProviderServer, memori: Memori, llm: Llm[Memori], said: Any
):
    sdk = pytest.importorskip(case.sdk, reason=f"{case.sdk} is not installed")
    server.script(*[Reply(case.answer, thinking="hm" if case.body is CLAUDE else "")] * 4)
    before = copy.deepcopy(case.body)
    sent: list[bytes] = []

    def make() -> Any:
        return case.make(sdk, server)

    def register(entity_id: str) -> Callable[[Any], Any]:
        return lambda client: llm.register(client, scope=Scope(entity_id), on_error="raise")

    # with memory: one block, the caller's objects as they were, one turn
    assert ask(case, make, register("alice")) == case.answer
    assert server.last.text.count(f"<{TAG}>") == 1
    assert "User likes green tea" in server.last.text
    assert case.body == before
    assert said() == [("user", QUESTION), ("assistant", case.answer)]

    # not registered, nothing to say, and unregistered: the same bytes
    assert ask(case, make) == case.answer
    sent.append(server.last.raw)
    assert ask(case, make, register("nobody")) == case.answer
    sent.append(server.last.raw)
    assert ask(case, make, register("alice"), llm.unregister) == case.answer
    sent.append(server.last.raw)
    assert sent[0] == sent[1] == sent[2]
    assert TAG not in server.last.text
    assert case.body == before
    assert said("nobody") == [("user", QUESTION), ("assistant", case.answer)]
    assert len(said()) == 2
