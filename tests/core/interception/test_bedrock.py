"""boto3's bedrock-runtime, the real SDK, against a loopback server that checks every signature."""

from __future__ import annotations

import base64
import binascii
import copy
import gc
import http.server
import io
import json
import struct
import urllib.parse
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memori_core import Memori
from memori_core.interception import Llm, handled
from memori_core.testing import FakeEmbedder

boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
botocore = pytest.importorskip("botocore", reason="boto3 is not installed")
auth = pytest.importorskip("botocore.auth")
awsrequest = pytest.importorskip("botocore.awsrequest")
eventstream = pytest.importorskip("botocore.eventstream")
KEYS = pytest.importorskip("botocore.credentials").Credentials("AKIDEXAMPLE", "secret")
Config = pytest.importorskip("botocore.config").Config

ASK = "Do I like green tea?"
ALICE, BOB = "User likes green tea from Uji.", "User likes green tea from Hangzhou."
ONE_TURN = [("user", ASK), ("assistant", "Hello")]
CLAUDE = "anthropic.claude-3:0"


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """One message of application/vnd.amazon.eventstream."""
    head = b"".join(
        bytes([len(k)]) + k.encode() + b"\x07" + struct.pack(">H", len(v)) + v.encode()
        for k, v in headers.items()
    )
    prelude = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    message = prelude + struct.pack(">I", binascii.crc32(prelude)) + head + payload
    return message + struct.pack(">I", binascii.crc32(message))


def event(kind: str, data: dict[str, Any]) -> bytes:
    headers = {":message-type": "event", ":event-type": kind, ":content-type": "application/json"}
    return frame(headers, json.dumps(data).encode())


def delta(at: int, **what: Any) -> bytes:
    return event("contentBlockDelta", {"contentBlockIndex": at, "delta": what})


def chunk(data: dict[str, Any]) -> bytes:
    return event("chunk", {"bytes": base64.b64encode(json.dumps(data).encode()).decode()})


def text_delta(text: str) -> dict[str, Any]:
    return {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": text},
    }


USAGE = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
MESSAGE = {
    "id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
    "stop_sequence": None, "content": [{"type": "text", "text": "Hello"}],
    "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip
ANTHROPIC: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**MESSAGE, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    text_delta("Hel"),
    text_delta("lo"),
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]
CONVERSE = [
    event("messageStart", {"role": "assistant"}),
    delta(0, reasoningContent={"text": "hm"}),
    delta(1, text="Hel"),
    delta(1, text="lo"),
    event("contentBlockStop", {"contentBlockIndex": 1}),
    event("messageStop", {"stopReason": "end_turn"}),
    event("metadata", {"usage": USAGE, "metrics": {"latencyMs": 1}}),
]
THROTTLED = frame(
    {":message-type": "exception", ":exception-type": "throttlingException",
     ":content-type": "application/json"}, b'{"message": "slow down"}',
)  # fmt: skip


class FakeBedrock(http.server.BaseHTTPRequestHandler):
    """Answers "Hello" to what is signed; a model `broken` breaks off; `caller` calls a tool."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args: Any) -> None: ...

    def signed(self, body: bytes) -> bool:
        given = self.headers["Authorization"].split(" ", 1)[1].split(", ")
        scope, names, signature = (part.split("=", 1)[1] for part in given)
        headers = {name: self.headers[name] for name in names.split(";")}
        url = f"http://{self.headers['host']}{self.path}"
        request = awsrequest.AWSRequest(method="POST", url=url, data=body, headers=headers)
        signer = auth.SigV4Auth(KEYS, scope.split("/")[3], scope.split("/")[2])
        request.context["timestamp"] = self.headers["X-Amz-Date"]
        text = signer.string_to_sign(request, signer.canonical_request(request))
        return signer.signature(text, request) == signature

    def do_POST(self) -> None:
        server: Any = self.server
        raw = self.rfile.read(int(self.headers["content-length"]))
        if not self.signed(raw):
            return self.answer(b'{"message": "The signature does not match"}', status=403)
        server.raw.append(raw)
        server.seen.append(json.loads(raw))
        if server.fail_next:
            server.fail_next -= 1
            return self.answer(b'{"message": "busy"}', status=503)
        path = urllib.parse.unquote(self.path)
        broken = "/broken/" in path
        if path.endswith("/converse-stream"):
            events = [*CONVERSE[:3], THROTTLED] if broken else CONVERSE
            return self.answer(b"".join(events), kind="application/vnd.amazon.eventstream")
        if path.endswith("/invoke-with-response-stream"):
            stream = b"".join(chunk(e) for e in ANTHROPIC)
            return self.answer(stream, kind="application/vnd.amazon.eventstream")
        if not path.endswith("/converse"):
            return self.answer(json.dumps(MESSAGE).encode())
        content: list[Any] = [{"reasoningContent": {"reasoningText": {"text": "hm"}}}]
        stop = "end_turn"
        if "/caller/" in path and len(server.seen[-1]["messages"]) == 1:
            content.append({"toolUse": {"toolUseId": "t", "name": "f", "input": {}}})
            stop = "tool_use"
        else:
            content.append({"text": "Hello"})
        message = {"role": "assistant", "content": content}
        whole = {"output": {"message": message}, "stopReason": stop, "usage": USAGE}
        return self.answer(json.dumps({**whole, "metrics": {"latencyMs": 1}}).encode())

    def answer(self, raw: bytes, *, status: int = 200, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        try:
            self.wfile.write(raw)
        except OSError:  # the caller went away
            self.close_connection = True


# botocore leaves its connections to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    yield
    gc.collect()  # here, where the warnings of what botocore leaves open are ignored


@pytest.fixture
def server(serve: Any) -> Any:
    return serve(FakeBedrock)


@pytest.fixture
def memori(two_people: Memori) -> Memori:
    return two_people


@pytest.fixture
def unregistered(server: Any) -> Iterator[Any]:
    made = boto3.client(
        "bedrock-runtime", region_name="us-east-1",
        endpoint_url=f"http://127.0.0.1:{server.server_port}",
        aws_access_key_id=KEYS.access_key, aws_secret_access_key=KEYS.secret_key,
        config=Config(retries={"max_attempts": 3, "mode": "standard"}, max_pool_connections=20),
    )  # fmt: skip
    yield made
    made.close()


@pytest.fixture
def client(unregistered: Any, llm: Llm[Memori]) -> Any:
    llm.register(unregistered, on_error="raise")
    return unregistered


def said(text: str = ASK) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [{"text": text}]}]


def body(text: str = ASK, **more: Any) -> str:
    messages = [{"role": "user", "content": text}]
    version = "bedrock-2023-05-31"
    return json.dumps({"anthropic_version": version, "max_tokens": 5, "messages": messages, **more})


def turns(llm: Llm[Memori], memori: Memori, who: str = "alice") -> list[tuple[str, str]]:
    llm.drain(10)
    return [(m.message.role, m.message.content) for m in memori.scoped(who).messages()]


@pytest.mark.parametrize(
    "system",
    [None, [{"text": "Long rules"}, {"cachePoint": {"type": "default"}}]],
    ids=["none", "with a cache point"],
)
def test_converse_gets_the_block_behind_the_system_prompt(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori, system: Any
) -> None:
    args: dict[str, Any] = {"modelId": CLAUDE, "messages": said()}
    if system:
        args["system"] = system
    before = copy.deepcopy(args)
    answer = client.converse(**args)
    assert answer["output"]["message"]["content"][-1]["text"] == "Hello"
    assert args == before  # B55, B56
    sent = server.seen[-1]["system"]
    assert sent[:-1] == (system or [])
    assert "Uji" in sent[-1]["text"]
    assert turns(llm, memori) == ONE_TURN


def test_converse_stream_is_botocores_own_and_is_captured_once(
    client: Any, llm: Llm[Memori], memori: Memori
) -> None:
    stream = client.converse_stream(modelId=CLAUDE, messages=said())["stream"]
    assert type(stream) is eventstream.EventStream
    assert len(list(stream)) == len(CONVERSE)
    assert turns(llm, memori) == ONE_TURN


@pytest.mark.parametrize("ending", ["close", "drop", "error"])
def test_a_stream_that_breaks_off_keeps_what_came(
    client: Any, llm: Llm[Memori], memori: Memori, ending: str
) -> None:
    model = "broken" if ending == "error" else CLAUDE
    stream = client.converse_stream(modelId=model, messages=said())["stream"]
    if ending == "error":
        with pytest.raises(botocore.exceptions.EventStreamError, match="slow down"):
            list(stream)
    else:
        for part in stream:
            if "text" in part.get("contentBlockDelta", {}).get("delta", {}):
                break
        if ending == "close":
            stream.close()
        del stream
        gc.collect()
    assert turns(llm, memori) == [("user", ASK), ("assistant", "Hel")]
    assert llm.stats()["captured_partial"] == 1


def test_a_tool_loop_is_one_recall_and_one_turn(  # B61
    client: Any, server: Any, llm: Llm[Memori], memori: Memori, embedder: FakeEmbedder
) -> None:
    messages = said()
    message = client.converse(modelId="caller", messages=messages)["output"]["message"]
    result = {"toolUseId": "t", "content": [{"text": "line\n" * 500}]}
    messages += [message, {"role": "user", "content": [{"toolResult": result}]}]
    client.converse(modelId="caller", messages=messages)
    assert server.seen[0]["system"] == server.seen[1]["system"]
    assert embedder.queries == [ASK]
    assert turns(llm, memori) == ONE_TURN


def test_retries_below_are_one_recall_and_one_turn(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori, embedder: FakeEmbedder
) -> None:
    server.fail_next = 2
    client.converse(modelId=CLAUDE, messages=said())
    assert len(server.seen) == 3
    assert all("Uji" in sent["system"][-1]["text"] for sent in server.seen)
    assert embedder.queries == [ASK]
    assert turns(llm, memori) == ONE_TURN


@pytest.mark.parametrize("make", [str, str.encode, lambda text: bytearray(text.encode())])
def test_invoke_model_with_a_body_of_anthropic(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori, make: Callable[[str], Any]
) -> None:
    given = make(body(system="Rules"))
    before = copy.deepcopy(given)
    answer = client.invoke_model(modelId=CLAUDE, body=given)
    assert json.loads(answer["body"].read())["content"][0]["text"] == "Hello"
    assert given == before
    assert server.seen[-1]["system"].startswith("Rules\n\n<memori_context>")
    assert turns(llm, memori) == ONE_TURN


READERS: dict[str, Callable[[Any], Any]] = {
    "read": lambda b: b.read(),
    "read in pieces": lambda b: b"".join(iter(lambda: b.read(16), b"")),
    "chunks": lambda b: b"".join(b.iter_chunks(16)),
    "lines": lambda b: b"".join(b.iter_lines()),
    "for": b"".join,
    "readlines": lambda b: b"".join(b.readlines()),
    "readinto": lambda b: io.BufferedReader(b).read(),
}


@pytest.mark.parametrize("how", [*READERS, "with", "read by size, then dropped"])
def test_however_a_body_is_read_it_is_captured_once(
    client: Any, llm: Llm[Memori], memori: Memori, how: str
) -> None:
    got = client.invoke_model(modelId=CLAUDE, body=body())["body"]
    if how == "with":
        with got as raw:
            text = raw.read()
    elif how.startswith("read by size"):
        text = got.read(len(json.dumps(MESSAGE)))
        del got
        gc.collect()
    else:
        text = READERS[how](got)
    assert json.loads(text) == MESSAGE
    assert turns(llm, memori) == ONE_TURN


def test_a_body_that_is_closed_unread_leaves_the_question(
    client: Any, llm: Llm[Memori], memori: Memori
) -> None:
    client.invoke_model(modelId=CLAUDE, body=body())["body"].close()
    assert turns(llm, memori) == [("user", ASK)]


def test_invoke_model_with_response_stream(client: Any, llm: Llm[Memori], memori: Memori) -> None:
    got = client.invoke_model_with_response_stream(modelId=CLAUDE, body=body())["body"]
    assert len(list(got)) == len(ANTHROPIC)
    assert turns(llm, memori) == ONE_TURN


def test_bodies_we_do_not_know_are_left_alone(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    titan = json.dumps({"inputText": ASK})
    client.invoke_model(modelId="titan", body=titan)["body"].read()
    client.invoke_model(modelId=CLAUDE, body=io.BytesIO(body().encode()))["body"].read()
    assert server.raw == [titan.encode(), body().encode()]
    client.converse(modelId="arn:aws:bedrock:us-east-1:1:prompt/P", messages=said())
    assert "system" not in server.seen[-1]  # a stored prompt has its own
    assert turns(llm, memori) == []


def test_models_without_a_system_prompt_get_the_block_before_the_question(
    client: Any, server: Any
) -> None:
    client.converse(modelId="mistral.mistral-7b-instruct-v0:2", messages=said())
    assert "system" not in server.seen[-1]
    first, second = server.seen[-1]["messages"][-1]["content"]
    assert "Uji" in first["text"]
    assert second == {"text": ASK}


def test_what_was_said_before_goes_along_in_a_session(
    client: Any, server: Any, memori: Memori
) -> None:
    with memori.attribution("alice", session_id="s"):
        client.converse(modelId=CLAUDE, messages=said())
        client.converse(modelId=CLAUDE, messages=said("And black tea?"))
    roles = [(m["role"], m["content"][0]["text"]) for m in server.seen[-1]["messages"]]
    assert roles == [("user", ASK), ("assistant", "Hello"), ("user", "And black tea?")]


def test_with_memory_off_the_bytes_are_the_same(
    unregistered: Any, server: Any, llm: Llm[Memori]
) -> None:
    def styles() -> list[bytes]:
        server.raw.clear()
        unregistered.converse(modelId=CLAUDE, messages=said("Grüße, 茶?"))
        list(unregistered.converse_stream(modelId=CLAUDE, messages=said())["stream"])
        unregistered.invoke_model(modelId=CLAUDE, body=body())["body"].read()
        return [*server.raw]

    plain = styles()
    llm.register(unregistered, on_error="raise")
    with handled():
        assert styles() == plain
    llm.unregister(unregistered)
    assert styles() == plain


def test_unregister_takes_both_handlers_out(unregistered: Any, llm: Llm[Memori]) -> None:
    def handlers() -> list[Any]:
        emitter = unregistered.meta.events._emitter
        return [
            *emitter._handlers.prefix_search("before-parameter-build.bedrock-runtime"),
            *emitter._handlers.prefix_search("after-call.bedrock-runtime"),
        ]

    before, own = handlers(), set(vars(unregistered))
    llm.register(unregistered)
    llm.register(unregistered)
    assert len(handlers()) == len(before) + 2
    llm.unregister(unregistered)
    assert handlers() == before
    assert set(vars(unregistered)) == own


def test_other_services_and_clients_are_others(server: Any, llm: Llm[Memori]) -> None:
    from memori_core.errors import UnsupportedClientError

    other = boto3.client(
        "s3", region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b"
    )
    with pytest.raises(UnsupportedClientError):
        llm.register(other)
    other.close()


def test_a_refused_request_raises_as_before_and_is_no_turn(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    server.fail_next = 9
    with pytest.raises(botocore.exceptions.ClientError, match="busy"):
        client.converse(modelId=CLAUDE, messages=said())
    assert turns(llm, memori) == []


def test_a_failing_memory_does_not_fail_the_call(  # B57
    unregistered: Any, llm: Llm[Memori], memori: Memori, embedder: FakeEmbedder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def broken(text: str) -> Any:
        raise RuntimeError("no model today")

    monkeypatch.setattr(embedder, "embed_query", broken)
    llm.register(unregistered)
    answer = unregistered.converse(modelId=CLAUDE, messages=said())
    assert answer["output"]["message"]["content"][-1]["text"] == "Hello"
    answer = unregistered.invoke_model(modelId=CLAUDE, body=body())
    assert json.loads(answer["body"].read()) == MESSAGE
    assert turns(llm, memori) == ONE_TURN * 2


def test_two_users_at_once_see_their_own_memory(  # B60
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    def ask(number: int) -> None:
        with memori.attribution(("alice", "bob")[number % 2]):
            text = f"Do I, {('Alice', 'Bob')[number % 2]} {number}, like green tea?"
            if number % 3:
                client.converse(modelId=CLAUDE, messages=said(text))
            else:
                list(client.converse_stream(modelId=CLAUDE, messages=said(text))["stream"])

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(ask, range(40)))
    for sent in server.seen:
        question, block = sent["messages"][-1]["content"][0]["text"], sent["system"][-1]["text"]
        assert ("Uji" in block) == ("Alice" in question)
        assert ("Hangzhou" in block) == ("Bob" in question)
    for who in ("alice", "bob"):
        asked = [text for role, text in turns(llm, memori, who) if role == "user"]
        assert len(asked) == 20
        assert all(who.capitalize() in text for text in asked)
