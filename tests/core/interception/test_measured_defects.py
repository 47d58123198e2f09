"""Measured defects of others, by id: what a registered client does instead.

The first test says where the ones that have tests of their own are.
"""

from __future__ import annotations

import copy
import gc
import ipaddress
import json
import logging
import re
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.augmentation import worker
from memori_core.augmentation.base import Extractor
from memori_core.conversation import Extraction, Message
from memori_core.errors import ExtractionError
from memori_core.interception import Llm
from memori_core.rendering import TAG
from memori_core.testing import ProviderServer

TESTS = Path(__file__).parents[1]
IDS = [*range(3, 12), *range(13, 16), *range(18, 23)]
ALICE = Scope("alice")
QUESTION = "Which tea do I like?"


@pytest.mark.parametrize("number", IDS)
def test_every_defect_has_a_test_that_names_it(number: int):
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py")]
    assert any(re.search(rf"\bD{number}\b|def test_\w*_?d{number}_", text) for text in texts)


def say(client: Any, *messages: Any) -> str:
    answer = client.chat.completions.create(model="m", messages=list(messages))
    return answer.choices[0].message.content


def user(text: str = QUESTION) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_d4_three_calls_with_one_list_send_one_block_each(
    client: Any, server: ProviderServer, llm: Llm[Memori]
):
    llm.register(client, scope=ALICE, on_error="raise")
    messages = [{"role": "system", "content": "Be brief."}, user()]
    before = copy.deepcopy(messages)
    for _ in range(3):
        client.chat.completions.create(model="m", messages=messages)
        assert messages == before
        assert server.last.text.count(f"<{TAG}>") == 1
        assert [m["role"] for m in server.last.body["messages"]] == ["system", "user"]


def test_d5_a_system_prompt_in_parts_is_kept(client: Any, server: ProviderServer, llm: Llm[Memori]):
    llm.register(client, scope=ALICE, on_error="raise")
    parts = [{"type": "text", "text": "Long rules"}, {"type": "text", "text": "More rules"}]
    say(client, {"role": "system", "content": parts}, user())
    sent = server.last.body["messages"][0]["content"]
    assert sent[:2] == parts
    assert f"<{TAG}>" in sent[2]["text"]


def test_d14_nothing_but_the_provider_is_connected_to(
    client: Any, server: ProviderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The whole of the quick start: recall, call, capture, extraction and close."""
    connect, looked_up = socket.socket.connect, socket.getaddrinfo
    reached: set[tuple[str, int]] = set()
    names: set[Any] = set()

    def note(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            reached.add(address[:2])
        connect(self, address)

    def note_name(host: Any, *args: Any, **kwargs: Any) -> Any:
        names.add(host.decode() if isinstance(host, bytes) else host)
        return looked_up(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", note)
    monkeypatch.setattr(socket, "getaddrinfo", note_name)
    with Memori(tmp_path / "m.db", embedder=None) as memori:
        memori.llm.register(client, scope=ALICE, on_error="raise")
        say(client, user("My diagnosis is type 1 diabetes and I live in Porto."))
        assert memori.flush(20)
        say(client, user("Where do I live?"))
        assert memori.flush(20)
        assert "Porto" in server.requests[1].body["messages"][0]["content"]
        assert memori.scoped("alice").list()
    port = int(server.url.rpartition(":")[2])
    assert reached == {("127.0.0.1", port)}
    assert all(ipaddress.ip_address(name).is_loopback for name in names)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("shape", ["anthropic", "titan", "llama"])
def test_d19_bodies_of_bedrock_are_served_or_left_alone_and_the_second_call_works(
    server: ProviderServer, llm: Llm[Memori], said: Any, shape: str
):
    """As LangChain's ChatBedrock calls it: `invoke_model(body=..., modelId=...)`, no `messages`."""
    boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    claude = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": [user()]}
    body = {
        "anthropic": json.dumps(claude),
        "titan": json.dumps({"inputText": QUESTION}),
        "llama": json.dumps({"prompt": QUESTION, "max_gen_len": 9}),
    }[shape]
    client = boto3.client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=server.url,
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="s",
    )
    sent: list[bytes] = []
    for registered in (False, True):
        if registered:
            llm.register(client, scope=Scope("alice", session_id="s"), on_error="raise")
        for _ in range(2):
            answered(client, body)
            sent.append(server.last.raw)
    client.close()
    del client
    gc.collect()  # here, where the warnings of what botocore leaves open are ignored
    if shape == "anthropic":
        assert all(raw.count(f"<{TAG}>".encode()) == 1 for raw in sent[2:])
        assert [role for role, _ in said()] == ["user", "assistant"] * 2
    else:
        assert sent == [body.encode()] * 4
        assert said() == []


def answered(client: Any, body: str) -> None:
    client.invoke_model(body=body, modelId="anthropic.claude-3:0")["body"].read()


def test_d19_a_model_object_like_langchains_calls_twice(
    client: Any, server: ProviderServer, llm: Llm[Memori], said: Any
):
    """Its requests have fields that SDKs do not send, and its client is reached through it."""
    model = type("ChatOpenAI", (), {"__module__": "langchain_openai.chat_models.base"})()
    model.root_client = client
    llm.register(model, scope=Scope("alice", session_id="s"), on_error="raise")
    create = model.root_client.chat.completions.with_raw_response.create
    for _ in range(2):
        raw = create(model="m", messages=[{**user(), "name": None}], extra_body={"n": 1})
        assert raw.parse().choices[0].message.content == "Hello"
        assert server.last.text.count(f"<{TAG}>") == 1
    assert [role for role, _ in said()] == ["user", "assistant"] * 2


class Failing(Extractor):
    """As one whose model is out of quota."""

    name = "failing"

    def extract(
        self, messages: Sequence[Message], *, said_at: datetime, summary: str | None = None
    ) -> Extraction:
        raise ExtractionError("HTTP 429")


def test_d21_a_failing_extractor_is_seen(
    client: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    """In the log, the counters and what `flush` says while work waits; the words are kept."""
    told: list[str] = []
    monkeypatch.setattr(worker, "BACKOFF_S", 0.2)
    with Memori(
        tmp_path / "m.db",
        embedder=None,
        extractor=Failing(),
        on_error=lambda job, error: told.append(str(error)),
    ) as memori:
        memori.llm.register(client, scope=ALICE, on_error="raise")
        with caplog.at_level(logging.WARNING):
            assert say(client, user("I live in Porto.")) == "Hello"
            assert memori.llm.drain(10)
            assert memori.flush(0.05) is False  # it will be tried again
            monkeypatch.setattr(worker, "BACKOFF_S", 0.001)
            assert memori.flush(20) is False  # it was given up
            assert memori.flush(20)  # nothing is left
        assert "HTTP 429" in caplog.text
        assert set(told) == {"HTTP 429"}
        assert memori.augmentation.stats()["failed"] == worker.MAX_ATTEMPTS - 1
        assert memori.augmentation.stats()["dead"] == 1
        said = memori.scoped("alice").messages()
        assert [m.message.content for m in said] == ["I live in Porto.", "Hello"]


SCRIPT = """
import sys
from openai import OpenAI
from memori_core import Memori
url, path = sys.argv[1:]
client = OpenAI(base_url=url, api_key="x")
mem = Memori(path, embedder=None).llm.register(client)
mem.attribution(entity_id="alice", process_id="script")
client.chat.completions.create(
    model="m", messages=[{"role": "user", "content": "I live in Porto."}]
)
"""


def test_d22_a_script_that_does_not_wait_keeps_its_turn(server: ProviderServer, tmp_path: Path):
    pytest.importorskip("openai", reason="openai is not installed")
    path = tmp_path / "m.db"
    started = time.monotonic()
    arguments = [sys.executable, "-c", SCRIPT, server.openai_url, str(path)]
    subprocess.run(arguments, check=True, timeout=60)
    assert time.monotonic() - started < 40
    with Memori(path, embedder=None, extractor=None) as memori:
        alice = memori.scoped("alice", process_id="script")
        said = [m.message.content for m in alice.messages()]
        assert said == ["I live in Porto.", "Hello"]
        assert any("Porto" in fact.content for fact in alice.list())
