"""Anthropic's client for Bedrock: memory comes in before the request is signed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.errors import UnsupportedClientError
from memori_core.interception import Llm
from memori_core.rendering import TAG
from memori_core.testing import ProviderServer

anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")
pytest.importorskip("botocore", reason="botocore is not installed")

QUESTION = "Which tea do I like?"
ASK: dict[str, Any] = {
    "model": "m",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": QUESTION}],
}
KEYS = {"aws_access_key": "AKIDEXAMPLE", "aws_secret_key": "s", "aws_region": "us-east-1"}
ALICE = Scope("alice")


def signature(server: ProviderServer) -> str:
    return next(v for k, v in server.last.headers.items() if k.lower() == "authorization")


def signed_again(server: ProviderServer) -> str:
    """The signature that the body asks for."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    sent = {k.lower(): v for k, v in server.last.headers.items()}
    names = sent["authorization"].split("SignedHeaders=")[1].split(",")[0].split(";")
    request = AWSRequest(
        "POST",
        server.url + server.last.path,
        headers={name: sent[name] for name in names},
        data=server.last.raw,
    )
    request.context["timestamp"] = sent["x-amz-date"]
    auth = SigV4Auth(Credentials("AKIDEXAMPLE", "s"), "bedrock", "us-east-1")
    canonical = auth.canonical_request(request)
    return auth.signature(auth.string_to_sign(request, canonical), request)


def test_the_signature_covers_the_block(server: ProviderServer, llm: Llm[Memori], said: Any):
    with anthropic.AnthropicBedrock(**KEYS, base_url=server.url) as client:
        before = client._middleware
        for _ in range(2):
            llm.register(client, scope=ALICE, on_error="raise")
        assert client.messages.create(**ASK).content[0].text == "Hello"
        assert server.last.text.count(f"<{TAG}>") == 1
        assert signature(server).endswith(signed_again(server))
        assert said() == [("user", QUESTION), ("assistant", "Hello")]
        client.with_options(timeout=5).messages.create(**ASK)
        assert TAG in server.last.text
        llm.unregister(client)
        assert client._middleware == before
        client.messages.create(**ASK)
        assert TAG not in server.last.text


def test_the_async_client(server: ProviderServer, llm: Llm[Memori], said: Any):
    async def run() -> str:
        async with anthropic.AsyncAnthropicBedrock(**KEYS, base_url=server.url) as client:
            llm.register(client, scope=ALICE, on_error="raise")
            return (await client.messages.create(**ASK)).content[0].text

    assert asyncio.run(run()) == "Hello"
    assert server.last.text.count(f"<{TAG}>") == 1
    assert said() == [("user", QUESTION), ("assistant", "Hello")]


def test_streams_come_in_frames_of_aws(server: ProviderServer, llm: Llm[Memori], said: Any):
    with anthropic.AnthropicBedrock(**KEYS, base_url=server.url) as client:
        llm.register(client, scope=ALICE, on_error="raise")
        with client.messages.stream(**ASK) as stream:
            assert stream.get_final_text() == "Hello"
    assert said() == [("user", QUESTION), ("assistant", "Hello")]


def test_an_openai_client_that_signs_is_refused(llm: Llm[Memori]):
    openai = pytest.importorskip("openai", reason="openai is not installed")
    provider = openai.providers.bedrock(
        region="us-east-1", access_key_id="AKIDEXAMPLE", secret_access_key="s"
    )
    with (
        openai.OpenAI(provider=provider) as client,
        pytest.raises(UnsupportedClientError, match="signs"),
    ):
        llm.register(client)
