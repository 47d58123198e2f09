"""LiteLLM, the real package, against a loopback server."""

from __future__ import annotations

import asyncio
import copy
import gc
import http.server
import inspect
import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.interception import Llm, handled
from memori_core.testing import FakeEmbedder

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else the import asks the network for prices
litellm = pytest.importorskip("litellm", reason="litellm is not installed")

ASK = "Do I like green tea?"
ALICE, BOB = "User likes green tea from Uji.", "User likes green tea from Hangzhou."
ONE_TURN = [("user", ASK), ("assistant", "Hello")]
TAG = "<memori_context>"


def choice(kind: str, finish: str | None = None, **more: Any) -> dict[str, Any]:
    made = {"index": 0, "finish_reason": finish, **more}
    return {"id": "c", "object": kind, "created": 1, "model": "m", "choices": [made]}


def delta(finish: str | None = None, **what: Any) -> dict[str, Any]:
    return choice("chat.completion.chunk", finish, delta=what)


class FakeModel(http.server.BaseHTTPRequestHandler):
    """Answers "Hello"; a model `broken` answers 500; a model `caller` calls a tool."""

    protocol_version = "HTTP/1.0"  # LiteLLM never closes a connection that is kept open
    disable_nagle_algorithm = True

    def log_message(self, *args: Any) -> None: ...

    def do_POST(self) -> None:
        server: Any = self.server
        raw = self.rfile.read(int(self.headers["content-length"]))
        body = json.loads(raw)
        server.raw.append(raw)
        server.seen.append(body)
        if body.get("model") == "broken":
            return self.answer('{"error": {"message": "busy", "type": "server_error"}}', status=500)
        if self.path.endswith("/messages"):
            answer = {
                "id": "m", "type": "message", "role": "assistant", "model": "m",
                "stop_reason": "end_turn", "stop_sequence": None,
                "content": [{"type": "text", "text": "Hello"}],
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }  # fmt: skip
            return self.answer(json.dumps(answer))
        if body.get("stream"):
            nothing = {**delta(), "choices": []}  # B48: as Azure's content filter and usage send
            words = [delta(role="assistant", content="Hel"), delta(content="lo"), delta("stop")]
            parts = [nothing, *words, nothing]
            text = "".join(f"data: {json.dumps(part)}\n\n" for part in parts)
            return self.answer(text + "data: [DONE]\n\n", kind="text/event-stream")
        message: dict[str, Any] = {"role": "assistant", "content": "Hello"}
        finish = "stop"
        if body.get("model") == "caller" and body["messages"][-1]["role"] != "tool":
            function = {"name": "weather", "arguments": "{}"}
            calls = [{"id": "t", "type": "function", "function": function}]
            message, finish = (
                {"role": "assistant", "content": None, "tool_calls": calls},
                "tool_calls",
            )
        return self.answer(json.dumps(choice("chat.completion", finish, message=message)))

    def answer(self, text: str, *, status: int = 200, kind: str = "application/json") -> None:
        raw = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        try:
            self.wfile.write(raw)
        except OSError:  # the caller went away
            self.close_connection = True


# LiteLLM's own: it leaves clients and sessions unclosed, and pydantic warns of some of its types.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.usefixtures("litellm"),
]


@pytest.fixture
def server(serve: Any) -> Any:
    return serve(FakeModel)


@pytest.fixture
def memori(two_people: Memori) -> Memori:
    return two_people


@pytest.fixture
def llm(memori: Memori) -> Iterator[Llm[Memori]]:
    made = Llm(memori)
    yield made
    made.unregister(litellm)


@pytest.fixture
def where(server: Any) -> dict[str, Any]:
    return {"api_base": f"http://127.0.0.1:{server.server_port}/v1", "api_key": "x"}


@pytest.fixture
def args(where: dict[str, Any]) -> dict[str, Any]:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": ASK}]},
    ]
    return {"model": "openai/m", "messages": messages, **where}


def turns(llm: Llm[Memori], memori: Memori, who: str = "alice") -> list[tuple[str, str]]:
    llm.drain(10)
    return [(m.message.role, m.message.content) for m in memori.scoped(who).messages()]


def text_of(chunks: Any) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


async def atext_of(chunks: Any) -> str:
    return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks])


def test_the_block_extends_the_system_message_and_the_caller_keeps_their_objects(
    server: Any, llm: Llm[Memori], memori: Memori, args: dict[str, Any]
) -> None:
    llm.register(litellm, on_error="raise")
    before = copy.deepcopy(args)
    for _ in range(3):  # B55
        assert litellm.completion(**args).choices[0].message.content == "Hello"
        assert args == before
        sent = server.seen[-1]["messages"]
        assert [m["role"] for m in sent] == ["system", "user"]
        assert sent[0]["content"].startswith("Be brief.\n\n" + TAG)
        assert json.dumps(sent).count(TAG) == 1
        assert "Uji" in sent[0]["content"]
    assert turns(llm, memori) == ONE_TURN * 3


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": ASK}],
        ({"role": "user", "content": ASK},),
        [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": ASK}],
        [
            {"role": "system", "content": [{"type": "text", "text": "Be brief."}]},
            {"role": "user", "content": ASK},
        ],
    ],
    ids=["no system", "tuple", "developer", "parts"],
)
def test_other_shapes_of_messages(
    server: Any, llm: Llm[Memori], where: dict[str, Any], messages: Any
) -> None:
    llm.register(litellm, on_error="raise")
    before = copy.deepcopy(messages)
    litellm.completion("openai/m", messages, **where)  # by position
    assert messages == before
    first = server.seen[-1]["messages"][0]
    assert json.dumps(first["content"]).count(TAG) == 1
    expected = messages[0]["role"] if len(messages) > 1 else "system"
    assert first["role"] in (expected, "system")  # LiteLLM itself may map `developer`


def test_a_stream_keeps_its_class_and_is_captured_once(
    llm: Llm[Memori], memori: Memori, args: dict[str, Any]
) -> None:
    llm.register(litellm, on_error="raise")
    stream = litellm.completion(**args, stream=True)
    assert isinstance(stream, litellm.CustomStreamWrapper)
    assert type(stream).__name__ == "CustomStreamWrapper"
    assert text_of(stream) == "Hello"
    assert turns(llm, memori) == ONE_TURN


@pytest.mark.parametrize("ending", ["close", "with", "drop"])
def test_a_stream_that_is_broken_off_keeps_what_came(
    llm: Llm[Memori], memori: Memori, args: dict[str, Any], ending: str
) -> None:
    llm.register(litellm, on_error="raise")
    stream = litellm.completion(**args, stream=True)
    if ending == "close":
        next(stream)
        stream.close()
    elif ending == "with":
        with stream:
            next(stream)
    else:
        next(stream)
        del stream
        for _ in range(100):  # threads of LiteLLM's own hold it for a moment
            gc.collect()
            if turns(llm, memori):
                break
            time.sleep(0.02)
    assert turns(llm, memori) == [("user", ASK), ("assistant", "Hel")]


def test_anthropic_through_litellm(
    server: Any, llm: Llm[Memori], memori: Memori, args: dict[str, Any]
) -> None:
    llm.register(litellm, on_error="raise")
    base = args["api_base"].removesuffix("/v1")
    litellm.completion(**{**args, "model": "anthropic/m", "api_base": base}, max_tokens=5)
    assert TAG in server.seen[-1]["system"][-1]["text"]
    assert turns(llm, memori) == ONE_TURN


def test_a_fallback_is_one_recall_and_one_turn(
    server: Any, llm: Llm[Memori], memori: Memori, args: dict[str, Any], embedder: FakeEmbedder
) -> None:
    llm.register(litellm, on_error="raise")
    other = {k: v for k, v in args.items() if k != "messages"}
    litellm.completion(**{**args, "model": "openai/broken", "num_retries": 1}, fallbacks=[other])
    assert len(server.seen) > 1
    assert all(json.dumps(body).count(TAG) == 1 for body in server.seen)
    assert embedder.queries.count(ASK) == 1
    assert turns(llm, memori) == ONE_TURN


def test_a_failed_call_raises_as_before_and_is_no_turn(
    llm: Llm[Memori], memori: Memori, args: dict[str, Any]
) -> None:
    llm.register(litellm, on_error="raise")
    with pytest.raises(litellm.InternalServerError):
        litellm.completion(**{**args, "model": "openai/broken"}, num_retries=0, max_retries=0)
    assert turns(llm, memori) == []


def test_a_tool_loop_with_message_objects_is_one_recall_and_one_turn(  # B61
    server: Any, llm: Llm[Memori], memori: Memori, args: dict[str, Any], embedder: FakeEmbedder
) -> None:
    llm.register(litellm, on_error="raise")
    args["model"] = "openai/caller"
    tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
    said = litellm.completion(**args, tools=[tool]).choices[0].message
    assert said.tool_calls
    args["messages"] += [said, {"role": "tool", "tool_call_id": "t", "content": "line\n" * 500}]
    assert litellm.completion(**args, tools=[tool]).choices[0].message.content == "Hello"
    assert args["messages"][2] is said
    assert server.seen[0]["messages"][0] == server.seen[1]["messages"][0]
    assert embedder.queries == [ASK]
    assert turns(llm, memori) == ONE_TURN


def test_batch_completion_goes_through_with_a_scope_of_its_own(
    server: Any, llm: Llm[Memori], memori: Memori, args: dict[str, Any]
) -> None:
    llm.register(litellm, scope=Scope("bob"), on_error="raise")  # its threads have no context
    many = [args["messages"], args["messages"]]
    assert len(litellm.batch_completion(**{**args, "messages": many})) == 2
    assert all("Hangzhou" in body["messages"][0]["content"] for body in server.seen)
    assert turns(llm, memori, "bob") == ONE_TURN * 2


def test_async_plain_and_stream(
    server: Any, llm: Llm[Memori], memori: Memori, args: dict[str, Any]
) -> None:
    llm.register(litellm, on_error="raise")

    async def run() -> None:
        answer = await litellm.acompletion(**args)
        assert answer.choices[0].message.content == "Hello"
        assert "Uji" in server.seen[-1]["messages"][0]["content"]
        assert await atext_of(await litellm.acompletion(**args, stream=True)) == "Hello"
        stream = await litellm.acompletion(**args, stream=True)
        async for _ in stream:
            break
        await stream.aclose()

    asyncio.run(run())
    assert turns(llm, memori) == [*ONE_TURN * 2, ("user", ASK), ("assistant", "Hel")]


def test_router_through_the_module_and_registered_itself(
    server: Any, llm: Llm[Memori], memori: Memori, args: dict[str, Any], where: dict[str, Any]
) -> None:
    models = [{"model_name": "g", "litellm_params": {"model": "openai/m", **where}}]
    router = litellm.Router(model_list=models)
    own, completion = set(vars(router)), router.completion
    messages = args["messages"]
    llm.register(litellm, on_error="raise")
    router.completion(model="g", messages=messages)
    assert json.dumps(server.seen[-1]).count(TAG) == 1
    llm.register(router, on_error="raise")  # both: still once
    router.completion("g", messages)
    assert json.dumps(server.seen[-1]).count(TAG) == 1
    llm.unregister(litellm)
    assert text_of(router.completion(model="g", messages=messages, stream=True)) == "Hello"

    async def run() -> None:
        await router.acompletion(model="g", messages=messages)
        stream = await router.acompletion(model="g", messages=messages, stream=True)
        assert await atext_of(stream) == "Hello"

    asyncio.run(run())
    assert turns(llm, memori) == ONE_TURN * 5
    assert all("Uji" in json.dumps(body) for body in server.seen)
    llm.unregister(router)
    assert set(vars(router)) == own
    assert router.completion == completion
    router.completion(model="g", messages=messages)
    assert TAG not in json.dumps(server.seen[-1])
    assert len(turns(llm, memori)) == 10


def test_a_router_that_falls_back_is_one_turn(
    server: Any, llm: Llm[Memori], memori: Memori, args: dict[str, Any], where: dict[str, Any],
    embedder: FakeEmbedder,
) -> None:  # fmt: skip
    models = [
        {"model_name": name, "litellm_params": {"model": f"openai/{model}", **where}}
        for name, model in (("bad", "broken"), ("good", "m"))
    ]
    router = litellm.Router(model_list=models, fallbacks=[{"bad": ["good"]}], num_retries=1)
    llm.register(router, on_error="raise")
    router.completion(model="bad", messages=args["messages"])
    assert len(server.seen) > 1
    assert all(json.dumps(body).count(TAG) == 1 for body in server.seen)
    assert embedder.queries == [ASK]
    assert turns(llm, memori) == ONE_TURN


def test_what_was_said_before_goes_along_in_a_session(
    server: Any, llm: Llm[Memori], memori: Memori, where: dict[str, Any]
) -> None:
    llm.register(litellm, on_error="raise")
    with memori.attribution("alice", session_id="s"):
        for text in (ASK, "And black tea?"):
            litellm.completion("openai/m", [{"role": "user", "content": text}], **where)
    roles = [(m["role"], m["content"]) for m in server.seen[-1]["messages"]]
    assert roles[1:] == [*ONE_TURN, ("user", "And black tea?")]


def test_with_memory_off_the_bytes_are_the_same(
    server: Any, llm: Llm[Memori], args: dict[str, Any]
) -> None:
    def styles() -> list[bytes]:
        server.raw.clear()
        litellm.completion(**args)
        list(litellm.completion(**args, stream=True))
        asyncio.run(litellm.acompletion(**args))
        return [*server.raw]

    plain = styles()
    llm.register(litellm, on_error="raise")
    with handled():
        assert styles() == plain
    llm.unregister(litellm)
    assert styles() == plain


def test_unregister_puts_the_same_functions_back(llm: Llm[Memori]) -> None:
    before = litellm.completion, litellm.acompletion
    llm.register(litellm)
    llm.register(litellm)
    held = litellm.completion
    assert inspect.signature(held) == inspect.signature(before[0])
    assert inspect.iscoroutinefunction(litellm.acompletion)
    llm.unregister(litellm)
    assert litellm.completion is before[0]
    assert litellm.acompletion is before[1]
    assert not [name for name in vars(litellm) if "memori" in name]


def test_a_name_bound_while_registered_does_nothing_after(
    server: Any, llm: Llm[Memori], memori: Memori, args: dict[str, Any]
) -> None:
    llm.register(litellm, on_error="raise")
    held = litellm.completion
    llm.unregister(litellm)
    held(**args)
    assert TAG not in json.dumps(server.seen[-1])
    assert turns(llm, memori) == []


def test_a_failing_memory_does_not_fail_the_call(  # B57
    llm: Llm[Memori], memori: Memori, args: dict[str, Any], monkeypatch: pytest.MonkeyPatch,
    embedder: FakeEmbedder,
) -> None:  # fmt: skip
    def broken(text: str) -> Any:
        raise RuntimeError("no model today")

    monkeypatch.setattr(embedder, "embed_query", broken)
    llm.register(litellm)
    assert litellm.completion(**args).choices[0].message.content == "Hello"
    assert turns(llm, memori) == ONE_TURN


def test_two_users_at_once_see_their_own_memory(  # B60
    server: Any, llm: Llm[Memori], memori: Memori, where: dict[str, Any]
) -> None:
    llm.register(litellm, on_error="raise")

    def question(number: int) -> dict[str, Any]:
        who = ("Alice", "Bob")[number % 2]
        text = f"Do I, {who} {number}, like green tea?"
        return {"model": "openai/m", "messages": [{"role": "user", "content": text}], **where}

    def ask(number: int) -> None:
        with memori.attribution(("alice", "bob")[number % 2]):
            litellm.completion(**question(number))

    async def ask_async(number: int) -> None:
        with memori.attribution(("alice", "bob")[number % 2]):
            await atext_of(await litellm.acompletion(**question(number), stream=True))

    async def run() -> None:
        await asyncio.gather(*(ask_async(n) for n in range(20, 40)))

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(ask, range(20)))
    asyncio.run(run())
    for body in server.seen:
        sent = json.dumps(body["messages"])
        assert ("Uji" in sent) == ("Alice" in sent)
        assert ("Hangzhou" in sent) == ("Bob" in sent)
    for who in ("alice", "bob"):
        said = [text for role, text in turns(llm, memori, who) if role == "user"]
        assert len(said) == 20
        assert all(who.capitalize() in text for text in said)
