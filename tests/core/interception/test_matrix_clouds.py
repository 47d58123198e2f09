"""As test_matrix.py, for the clients that do not keep an httpx client: each in every style."""

from __future__ import annotations

import asyncio
import copy
import gc
import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from memori_core import Memori, Scope
from memori_core.interception import Llm
from memori_core.rendering import TAG
from memori_core.testing import ProviderServer, Reply

QUESTION = "Which tea do I like?"
JSON_ANSWER = '{"tea": "green"}'
USER = {"role": "user", "content": QUESTION}

pytestmark = [
    # botocore and LiteLLM leave connections to the garbage collector; the others are SDKs' own.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
]


class Tea(BaseModel):
    tea: str


@dataclass(frozen=True)
class Case:
    sdk: str
    style: str
    module: str
    make: Callable[[Any, Any], Any]
    ask: Callable[[Any, dict[str, Any]], Any]
    body: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.sdk}: {self.style}"

    @property
    def answer(self) -> str:
        return JSON_ANSWER if "parse" in self.style else "Hello"


# ------------------------------------------------------------------ Anthropic on Bedrock

CLAUDE = {"model": "m", "max_tokens": 9, "messages": [USER]}
KEYS = {"aws_access_key": "AKIDEXAMPLE", "aws_secret_key": "s", "aws_region": "us-east-1"}


def anthropic_bedrock(sdk: Any, at: Any) -> Any:
    return sdk.AnthropicBedrock(**KEYS, base_url=at.http.url)


def async_anthropic_bedrock(sdk: Any, at: Any) -> Any:
    return sdk.AsyncAnthropicBedrock(**KEYS, base_url=at.http.url)


def claude(c: Any, b: Any) -> str:
    return c.messages.create(**b).content[0].text


def claude_events(c: Any, b: Any) -> str:
    events = c.messages.create(**b, stream=True)
    return "".join(e.delta.text for e in events if e.type == "content_block_delta")


def claude_stream(c: Any, b: Any) -> str:
    with c.messages.stream(**b) as stream:
        return stream.get_final_text()


async def aclaude(c: Any, b: Any) -> str:
    return (await c.messages.create(**b)).content[0].text


async def aclaude_stream(c: Any, b: Any) -> str:
    async with c.messages.stream(**b) as stream:
        return await stream.get_final_text()


# ------------------------------------------------------------------------------- Google

CONTENTS = {"model": "m", "contents": QUESTION}


def google(sdk: Any, at: Any) -> Any:
    return sdk.Client(api_key="x", http_options={"base_url": at.http.url})


def google_on_aiohttp(sdk: Any, at: Any) -> Any:
    client = google(sdk, at)
    assert client._api_client._use_aiohttp()
    return client


def vertex(sdk: Any, at: Any) -> Any:
    credentials = import_module("google.oauth2.credentials").Credentials(token="t")
    return sdk.Client(
        vertexai=True,
        project="p",
        location="l",
        credentials=credentials,
        http_options={"base_url": at.http.url},
    )


def google_on(stack: str) -> Callable[[Any, Any], Any]:
    def make(sdk: Any, at: Any) -> Any:
        inner = pytest.importorskip(stack).AsyncClient()
        options = {"base_url": at.http.url, "httpx_async_client": inner}
        client = sdk.Client(api_key="x", http_options=options)
        client.inner = inner
        assert not client._api_client._use_aiohttp()
        return client

    return make


def generate(c: Any, b: Any) -> str:
    return c.models.generate_content(**b).text


def generate_stream(c: Any, b: Any) -> str:
    return "".join(chunk.text or "" for chunk in c.models.generate_content_stream(**b))


def google_chat(c: Any, b: Any) -> str:
    return c.chats.create(model=b["model"]).send_message(b["contents"]).text


def google_chat_stream(c: Any, b: Any) -> str:
    chunks = c.chats.create(model=b["model"]).send_message_stream(b["contents"])
    return "".join(chunk.text or "" for chunk in chunks)


async def agenerate(c: Any, b: Any) -> str:
    return (await c.aio.models.generate_content(**b)).text


async def agenerate_stream(c: Any, b: Any) -> str:
    chunks = await c.aio.models.generate_content_stream(**b)
    return "".join([chunk.text or "" async for chunk in chunks])


async def agoogle_chat(c: Any, b: Any) -> str:
    return (await c.aio.chats.create(model=b["model"]).send_message(b["contents"])).text


async def agoogle_chat_stream(c: Any, b: Any) -> str:
    chunks = await c.aio.chats.create(model=b["model"]).send_message_stream(b["contents"])
    return "".join([chunk.text or "" async for chunk in chunks])


ASYNC_GOOGLE = {
    "models.generate_content": agenerate,
    "models.generate_content_stream": agenerate_stream,
    "chats send_message": agoogle_chat,
    "chats send_message_stream": agoogle_chat_stream,
}

# ------------------------------------------------------------------------------ Bedrock

CONVERSE = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": QUESTION}]}]}
INVOKE = {
    "modelId": "anthropic.claude",
    "body": json.dumps(
        {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": [USER]}
    ),
}


def bedrock(sdk: Any, at: Any) -> Any:
    return sdk.client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=at.http.url,
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="s",
    )


def converse(c: Any, b: Any) -> str:
    return c.converse(**b)["output"]["message"]["content"][0]["text"]


def converse_stream(c: Any, b: Any) -> str:
    events = c.converse_stream(**b)["stream"]
    return "".join(
        e["contentBlockDelta"]["delta"]["text"] for e in events if "contentBlockDelta" in e
    )


def invoke(c: Any, b: Any) -> str:
    return json.loads(c.invoke_model(**b)["body"].read())["content"][0]["text"]


def invoke_stream(c: Any, b: Any) -> str:
    events = [
        json.loads(event["chunk"]["bytes"])
        for event in c.invoke_model_with_response_stream(**b)["body"]
    ]
    return "".join(e["delta"]["text"] for e in events if e["type"] == "content_block_delta")


# ---------------------------------------------------------------------------------- xAI

GROK = {"model": "grok", "messages": [QUESTION]}


def xai(sdk: Any, at: Any) -> Any:
    return sdk.Client(api_key="x", api_host=at.grok.address, use_insecure_channel=True)


def async_xai(sdk: Any, at: Any) -> Any:
    return sdk.AsyncClient(api_key="x", api_host=at.grok.address, use_insecure_channel=True)


def grok_chat(c: Any, b: Any) -> Any:
    user = import_module("xai_sdk.chat").user
    return c.chat.create(model=b["model"], messages=[user(text) for text in b["messages"]])


def sample(c: Any, b: Any) -> str:
    return grok_chat(c, b).sample().content


def grok_stream(c: Any, b: Any) -> str:
    return "".join(chunk.content for _, chunk in grok_chat(c, b).stream())


def grok_parse(c: Any, b: Any) -> str:
    response, parsed = grok_chat(c, b).parse(Tea)
    assert parsed == Tea(tea="green")
    return response.content


def sample_batch(c: Any, b: Any) -> str:
    first, second = grok_chat(c, b).sample_batch(2)
    assert first.content == second.content
    return first.content


def defer(c: Any, b: Any) -> str:
    return grok_chat(c, b).defer().content


async def asample(c: Any, b: Any) -> str:
    return (await grok_chat(c, b).sample()).content


async def agrok_stream(c: Any, b: Any) -> str:
    return "".join([chunk.content async for _, chunk in grok_chat(c, b).stream()])


async def agrok_parse(c: Any, b: Any) -> str:
    response, parsed = await grok_chat(c, b).parse(Tea)
    assert parsed == Tea(tea="green")
    return response.content


async def adefer(c: Any, b: Any) -> str:
    return (await grok_chat(c, b).defer()).content


# ------------------------------------------------------------------------------ LiteLLM

CHAT = {"messages": [USER]}


def litellm_module(sdk: Any, at: Any) -> Any:
    sdk.where = {"model": "openai/m", "api_base": at.http.openai_url, "api_key": "x"}
    return sdk


def router(sdk: Any, at: Any) -> Any:
    where = {"model": "openai/m", "api_base": at.http.openai_url, "api_key": "x"}
    made = sdk.Router(model_list=[{"model_name": "group", "litellm_params": where}])
    made.where = {"model": "group"}
    return made


def chunks_of(stream: Any) -> str:
    return "".join(c.choices[0].delta.content or "" for c in stream)


async def achunks_of(stream: Any) -> str:
    return "".join([c.choices[0].delta.content or "" async for c in stream])


def completion(c: Any, b: Any) -> str:
    return c.completion(**c.where, **b).choices[0].message.content


def completion_stream(c: Any, b: Any) -> str:
    return chunks_of(c.completion(**c.where, **b, stream=True))


def batch_completion(c: Any, b: Any) -> str:
    (found,) = c.batch_completion(**{**c.where, **b, "messages": [b["messages"]]})
    return found.choices[0].message.content


async def acompletion(c: Any, b: Any) -> str:
    return (await c.acompletion(**c.where, **b)).choices[0].message.content


async def acompletion_stream(c: Any, b: Any) -> str:
    return await achunks_of(await c.acompletion(**c.where, **b, stream=True))


CASES = [
    Case(sdk, f"{client}, {style}", module, make, ask, body)
    for sdk, module, client, make, body, styles in [
        (
            "anthropic",
            "anthropic",
            "AnthropicBedrock",
            anthropic_bedrock,
            CLAUDE,
            {"create": claude, "stream=True": claude_events, "stream()": claude_stream},
        ),
        (
            "anthropic",
            "anthropic",
            "AsyncAnthropicBedrock",
            async_anthropic_bedrock,
            CLAUDE,
            {"create": aclaude, "stream()": aclaude_stream},
        ),
        (
            "google-genai",
            "google.genai",
            "Client",
            google,
            CONTENTS,
            {
                "models.generate_content": generate,
                "models.generate_content_stream": generate_stream,
                "chats send_message": google_chat,
                "chats send_message_stream": google_chat_stream,
            },
        ),
        (
            "google-genai",
            "google.genai",
            "Client with Vertex AI",
            vertex,
            CONTENTS,
            {
                "models.generate_content": generate,
                "models.generate_content_stream": generate_stream,
            },
        ),
        (
            "google-genai",
            "google.genai",
            "Client.aio on aiohttp",
            google_on_aiohttp,
            CONTENTS,
            ASYNC_GOOGLE,
        ),
        (
            "google-genai",
            "google.genai",
            "Client.aio on httpx",
            google_on("httpx"),
            CONTENTS,
            ASYNC_GOOGLE,
        ),
        (
            "google-genai",
            "google.genai",
            "Client.aio on httpx2",
            google_on("httpx2"),
            CONTENTS,
            ASYNC_GOOGLE,
        ),
        (
            "boto3",
            "boto3",
            "bedrock-runtime",
            bedrock,
            CONVERSE,
            {"converse": converse, "converse_stream": converse_stream},
        ),
        (
            "boto3",
            "boto3",
            "bedrock-runtime with a body of Anthropic",
            bedrock,
            INVOKE,
            {"invoke_model": invoke, "invoke_model_with_response_stream": invoke_stream},
        ),
        (
            "xai-sdk",
            "xai_sdk",
            "Client",
            xai,
            GROK,
            {
                "sample": sample,
                "stream": grok_stream,
                "parse": grok_parse,
                "sample_batch": sample_batch,
                "defer": defer,
            },
        ),
        (
            "xai-sdk",
            "xai_sdk",
            "AsyncClient",
            async_xai,
            GROK,
            {"sample": asample, "stream": agrok_stream, "parse": agrok_parse, "defer": adefer},
        ),
        (
            "litellm",
            "litellm",
            "the module",
            litellm_module,
            CHAT,
            {
                "completion": completion,
                "stream=True": completion_stream,
                "batch_completion": batch_completion,
            },
        ),
        (
            "litellm",
            "litellm",
            "the module",
            litellm_module,
            CHAT,
            {"acompletion": acompletion, "stream=True": acompletion_stream},
        ),
        (
            "litellm",
            "litellm",
            "Router",
            router,
            CHAT,
            {"completion": completion, "stream=True": completion_stream},
        ),
        (
            "litellm",
            "litellm",
            "Router",
            router,
            CHAT,
            {"acompletion": acompletion, "stream=True": acompletion_stream},
        ),
    ]
    for style, ask in styles.items()
]


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    yield
    gc.collect()  # here, where the warnings of what the SDKs leave open are ignored


def ask(case: Case, make: Callable[[], Any], *prepare: Callable[[Any], Any]) -> str:
    """Make the client, prepare it, ask it once, and close it."""

    async def asked() -> str:
        client = make()
        for step in prepare:
            step(client)
        found = case.ask(client, case.body)
        if inspect.isawaitable(found):
            found = await found
        for owner in (getattr(client, "aio", None), getattr(client, "inner", None), client):
            for name in ("aclose", "close"):
                close = None if isinstance(owner, ModuleType) else getattr(owner, name, None)
                if callable(close):
                    closed = close()
                    if inspect.isawaitable(closed):
                        await closed
                    break
        return found

    return asyncio.run(asked())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_style(
    case: Case,
    server: ProviderServer,
    memori: Memori,
    llm: Llm[Memori],
    said: Any,
    request: pytest.FixtureRequest,
):
    if case.sdk == "litellm":
        request.getfixturevalue("litellm")
        request.addfinalizer(lambda: llm.unregister(sdk) and vars(sdk).pop("where", None))
    sdk = pytest.importorskip(case.module, reason=f"{case.sdk} is not installed")
    grok = request.getfixturevalue("grok") if case.sdk == "xai-sdk" else None
    at = SimpleNamespace(http=server, grok=grok)
    server.script(*[Reply(case.answer)] * 4)
    if grok:
        grok.answer = case.answer
    before = copy.deepcopy(case.body)
    sent: list[bytes] = []

    def last() -> bytes:
        return grok.requests[-1].SerializeToString(deterministic=True) if grok else server.last.raw

    def make() -> Any:
        return case.make(sdk, at)

    def register(entity_id: str) -> Callable[[Any], Any]:
        return lambda client: llm.register(client, scope=Scope(entity_id), on_error="raise")

    # with memory: one block, the caller's objects as they were, one turn
    assert ask(case, make, register("alice")) == case.answer
    assert last().count(f"<{TAG}>".encode()) == 1
    assert b"User likes green tea" in last()
    assert case.body == before
    assert said() == [("user", QUESTION), ("assistant", case.answer)]
    assert llm.stats()["captured"] == 1
    if case.make is litellm_module:
        llm.unregister(sdk)

    # not registered, nothing to say, and unregistered: the same bytes
    assert ask(case, make) == case.answer
    sent.append(last())
    assert ask(case, make, register("nobody")) == case.answer
    sent.append(last())
    assert ask(case, make, register("alice"), llm.unregister) == case.answer
    sent.append(last())
    assert sent[0] == sent[1] == sent[2]
    assert TAG.encode() not in last()
    assert case.body == before
    assert said("nobody") == [("user", QUESTION), ("assistant", case.answer)]
    assert len(said()) == 2
