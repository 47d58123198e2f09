"""xai-sdk, the real package, against a loopback gRPC server made of its own protocol buffers."""

from __future__ import annotations

import asyncio
import copy
import gc
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import pytest
from pydantic import BaseModel

from memori_core import Memori
from memori_core.interception import Llm, handled
from memori_core.testing import FakeEmbedder

grpc = pytest.importorskip("grpc", reason="grpcio is not installed")
xai_sdk = pytest.importorskip("xai_sdk", reason="xai-sdk is not installed")
chat = pytest.importorskip("xai_sdk.chat")
proto = pytest.importorskip("xai_sdk.proto")
chat_pb2, deferred_pb2, sample_pb2 = proto.chat_pb2, proto.deferred_pb2, proto.sample_pb2
chat_pb2_grpc = pytest.importorskip("xai_sdk.proto.v6.chat_pb2_grpc", reason="protobuf below 6")

ASK = "Do I like green tea?"
ALICE, BOB = "User likes green tea from Uji.", "User likes green tea from Hangzhou."
ONE_TURN = [("user", ASK), ("assistant", "Hello")]
NAMES = (
    "GetCompletion",
    "GetCompletionChunk",
    "StartDeferredCompletion",
    "GetDeferredCompletion",
)
GOING_ON, STOP = sample_pb2.REASON_INVALID, sample_pb2.REASON_STOP


def output(text: str, finish: int = STOP, *, index: int = 0, **more: Any) -> Any:
    said = {"role": "ROLE_ASSISTANT", "content": text, "reasoning_content": "hm", **more}
    return chat_pb2.CompletionOutput(index=index, finish_reason=finish, message=said)


def piece(text: str, finish: int = GOING_ON) -> Any:
    said = {"role": "ROLE_ASSISTANT", "content": text}
    made = chat_pb2.CompletionOutputChunk(index=0, finish_reason=finish, delta=said)
    return chat_pb2.GetChatCompletionChunk(id="1", outputs=[made])


def call(kind: str) -> Any:
    return chat_pb2.ToolCall(id="t", type=kind, function={"name": "weather", "arguments": "{}"})


class FakeGrok(chat_pb2_grpc.ChatServicer):
    """Answers "Hello", or as the model's name says."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.raw: list[bytes] = []
        self.fail_next = 0
        self.code = grpc.StatusCode.UNAVAILABLE

    def note(self, request: Any, context: Any) -> None:
        self.seen.append(request)
        self.raw.append(request.SerializeToString(deterministic=True))
        if self.fail_next:
            self.fail_next -= 1
            context.abort(self.code, "busy")

    def GetCompletion(self, request: Any, context: Any) -> Any:  # noqa: N802 (gRPC's name)
        self.note(request, context)
        text = '{"a":1}' if request.HasField("response_format") else "Hello"
        outputs = [output(text, index=i) for i in range(request.n or 1)]
        if request.model == "searcher":  # tools on the server make outputs of their own
            searched = [call("TOOL_CALL_TYPE_WEB_SEARCH_TOOL")]
            outputs = [
                output("", sample_pb2.REASON_TOOL_CALLS, tool_calls=searched),
                output("found", index=1, role="ROLE_TOOL"),
                output("Hello", index=2),
            ]
        elif request.model == "caller" and len(request.messages) < 4:
            outputs = [
                output("", sample_pb2.REASON_TOOL_CALLS,
                       tool_calls=[call("TOOL_CALL_TYPE_CLIENT_SIDE_TOOL")]),
            ]  # fmt: skip
        return chat_pb2.GetChatCompletionResponse(id="1", outputs=outputs)

    def GetCompletionChunk(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.note(request, context)
        yield piece("Hel")
        if request.model == "broken":
            context.abort(grpc.StatusCode.INTERNAL, "broken")
        yield piece("lo", STOP)

    def StartDeferredCompletion(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.note(request, context)
        return deferred_pb2.StartDeferredResponse(request_id="r")

    def GetDeferredCompletion(self, request: Any, context: Any) -> Any:  # noqa: N802
        response = chat_pb2.GetChatCompletionResponse(outputs=[output("Hello")])
        return chat_pb2.GetDeferredCompletionResponse(status=deferred_pb2.DONE, response=response)


# xai-sdk says so of its own `sample_batch`, and protobuf of its generated modules.
pytestmark = [
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture
def server() -> Iterator[Any]:
    made, fake = grpc.server(futures.ThreadPoolExecutor(8)), FakeGrok()
    chat_pb2_grpc.add_ChatServicer_to_server(fake, made)
    fake.address = f"127.0.0.1:{made.add_insecure_port('127.0.0.1:0')}"  # type: ignore[attr-defined]
    made.start()
    yield fake
    made.stop(None).wait(5)


@pytest.fixture
def memori(two_people: Memori) -> Memori:
    return two_people


def make(kind: Any, server: Any) -> Any:
    return kind(api_key="x", api_host=server.address, use_insecure_channel=True)


@pytest.fixture
def client(server: Any) -> Iterator[Any]:
    made = make(xai_sdk.Client, server)
    yield made
    made.close()


def ask(client: Any, *messages: Any, model: str = "grok") -> Any:
    return client.chat.create(model=model, messages=[*messages] or [chat.user(ASK)])


def sent(server: Any) -> list[tuple[str, str]]:
    return [
        (chat_pb2.MessageRole.Name(m.role)[5:].lower(), m.content[0].text)
        for m in server.seen[-1].messages
    ]


def turns(llm: Llm[Memori], memori: Memori, who: str = "alice") -> list[tuple[str, str]]:
    llm.drain(10)
    return [(m.message.role, m.message.content) for m in memori.scoped(who).messages()]


class Shape(BaseModel):
    a: int


def test_the_block_stands_behind_the_system_prompt_also_in_chats_made_before(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    early = ask(client, chat.system("Be brief."), chat.user(ASK))
    llm.register(client, on_error="raise")
    answer = early.sample()
    assert answer.content == "Hello"
    assert [role for role, _ in sent(server)] == ["system", "system", "user"]
    assert sent(server)[0][1] == "Be brief."
    assert "Uji" in sent(server)[1][1]
    early.append(answer)
    early.append(chat.user("And black tea?"))
    early.sample()
    assert len(early.messages) == 4
    assert "memori" not in str(early.messages)  # B55
    second = [("user", "And black tea?"), ("assistant", "Hello")]
    assert turns(llm, memori) == ONE_TURN + second


def test_stream_parse_batch_and_defer(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    llm.register(client, on_error="raise")
    assert "".join(chunk.content for _, chunk in ask(client).stream()) == "Hello"
    assert "Uji" in sent(server)[0][1]
    assert ask(client).parse(Shape)[1] == Shape(a=1)
    assert [r.content for r in ask(client).sample_batch(2)] == ["Hello", "Hello"]
    assert ask(client).defer().content == "Hello"
    assert "Uji" in sent(server)[0][1]
    parsed = [("user", ASK), ("assistant", '{"a":1}')]
    assert turns(llm, memori) == [*ONE_TURN, *parsed, *ONE_TURN, *ONE_TURN]


@pytest.mark.parametrize("ending", ["close", "drop", "error"])
def test_a_stream_that_breaks_off_keeps_what_came(
    client: Any, llm: Llm[Memori], memori: Memori, ending: str
) -> None:
    llm.register(client, on_error="raise")
    if ending == "error":
        with pytest.raises(grpc.RpcError):
            list(ask(client, model="broken").stream())
    else:
        stream = ask(client).stream()
        next(stream)
        if ending == "close":
            stream.close()
        del stream
        gc.collect()
    assert turns(llm, memori) == [("user", ASK), ("assistant", "Hel")]
    assert llm.stats()["captured_partial"] == 1


def test_a_tool_loop_is_one_recall_and_one_turn(  # B61
    client: Any, server: Any, llm: Llm[Memori], memori: Memori, embedder: FakeEmbedder
) -> None:
    llm.register(client, on_error="raise")
    talk = ask(client, model="caller")
    talk.append(talk.sample())
    talk.append(chat.tool_result("line\n" * 500))
    assert talk.sample().content == "Hello"
    assert server.seen[0].messages[0] == server.seen[1].messages[0]
    assert embedder.queries == [ASK]
    assert turns(llm, memori) == ONE_TURN


def test_tools_on_the_server_are_part_of_the_answer(
    client: Any, llm: Llm[Memori], memori: Memori
) -> None:
    llm.register(client, on_error="raise")
    ask(client, model="searcher").sample()
    assert turns(llm, memori) == ONE_TURN


def test_retries_of_grpc_are_one_recall_and_one_turn(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori, embedder: FakeEmbedder
) -> None:
    llm.register(client, on_error="raise")
    server.fail_next = 2
    ask(client).sample()
    assert len(server.seen) == 3
    assert all("Uji" in request.messages[0].content[0].text for request in server.seen)
    assert embedder.queries == [ASK]
    assert turns(llm, memori) == ONE_TURN


def test_a_refused_request_raises_as_before_and_is_no_turn(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    llm.register(client, on_error="raise")
    server.fail_next, server.code = 2, grpc.StatusCode.INVALID_ARGUMENT
    with pytest.raises(grpc.RpcError):
        ask(client).sample()
    with pytest.raises(grpc.RpcError):
        list(ask(client).stream())
    assert turns(llm, memori) == []


def test_what_was_said_before_goes_along_in_a_session(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    llm.register(client, on_error="raise")
    with memori.attribution("alice", session_id="s"):
        ask(client).sample()
        ask(client, chat.system("Be brief."), chat.user("And black tea?")).sample()
    assert [role for role, _ in sent(server)] == ["system", "system", "user", "assistant", "user"]
    assert sent(server)[2:] == [*ONE_TURN, ("user", "And black tea?")]


def test_with_memory_off_the_bytes_are_the_same(client: Any, server: Any, llm: Llm[Memori]) -> None:
    def styles() -> list[bytes]:
        server.raw.clear()
        ask(client, chat.system("Be brief."), chat.user("Grüße, 茶?")).sample()
        list(ask(client).stream())
        ask(client).defer()
        return [*server.raw]

    plain = styles()
    llm.register(client, on_error="raise")
    with handled():
        assert styles() == plain
    llm.unregister(client)
    assert styles() == plain


def test_unregister_puts_the_same_calls_back(client: Any, llm: Llm[Memori]) -> None:
    stub = client.chat._stub
    before, own = [getattr(stub, name) for name in NAMES], dict(vars(stub))
    llm.register(client)
    llm.register(client)
    llm.unregister(client)
    assert all(getattr(stub, n) is b for n, b in zip(NAMES, before, strict=True))
    assert vars(stub) == own


def test_a_deep_copy_of_a_chat_does_nothing_after_unregister(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    llm.register(client, on_error="raise")
    copied = copy.deepcopy(ask(client))
    assert copied.sample().content == "Hello"
    llm.unregister(client)
    copied.sample()
    assert "memori" not in str(server.seen[-1])
    assert turns(llm, memori) == ONE_TURN


def test_a_request_that_holds_our_block_is_left_alone(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    llm.register(client, on_error="raise")
    ask(client, chat.system("<memori_context>\n- x\n</memori_context>"), chat.user(ASK)).sample()
    assert len(sent(server)) == 2
    assert turns(llm, memori) == []


def test_before_the_question(client: Any, server: Any, llm: Llm[Memori]) -> None:
    llm.register(client, place="user", on_error="raise")
    ask(client, chat.system("Be brief."), chat.user(ASK)).sample()
    assert [role for role, _ in sent(server)] == ["system", "user"]
    parts = [part.text for part in server.seen[-1].messages[-1].content]
    assert "Uji" in parts[0]
    assert parts[1:] == [ASK]


def test_a_failing_memory_does_not_fail_the_call(  # B57
    client: Any, llm: Llm[Memori], memori: Memori, embedder: FakeEmbedder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def broken(text: str) -> Any:
        raise RuntimeError("no model today")

    monkeypatch.setattr(embedder, "embed_query", broken)
    llm.register(client)
    assert ask(client).sample().content == "Hello"
    assert turns(llm, memori) == ONE_TURN


def test_async(server: Any, llm: Llm[Memori], memori: Memori) -> None:
    async def run() -> None:
        client = make(xai_sdk.AsyncClient, server)
        early = ask(client)
        llm.register(client, on_error="raise")
        assert (await early.sample()).content == "Hello"
        assert "Uji" in sent(server)[0][1]
        assert "".join([chunk.content async for _, chunk in early.stream()]) == "Hello"
        assert (await ask(client).defer()).content == "Hello"
        assert turns(llm, memori) == ONE_TURN * 3
        stream = ask(client, chat.user("Any tea left?")).stream()
        async for _ in stream:
            break
        await stream.aclose()
        for _ in range(100):
            gc.collect()
            await asyncio.sleep(0.01)
            if len(turns(llm, memori)) == 8:
                break
        assert turns(llm, memori)[6:] == [("user", "Any tea left?"), ("assistant", "Hel")]
        stub = client.chat._stub
        llm.unregister(client)
        assert not [name for name in vars(stub) if "memori" in name]
        await early.sample()
        assert "memori" not in str(server.seen[-1])
        await client.close()

    asyncio.run(run())


def test_two_users_at_once_see_their_own_memory(  # B60
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    llm.register(client, on_error="raise")

    def question(number: int) -> Any:
        return chat.user(f"Do I, {('Alice', 'Bob')[number % 2]} {number}, like green tea?")

    def ask_one(number: int) -> None:
        with memori.attribution(("alice", "bob")[number % 2]):
            ask(client, question(number)).sample()

    async def run() -> None:
        aclient = make(xai_sdk.AsyncClient, server)
        llm.register(aclient, on_error="raise")

        async def ask_async(number: int) -> None:
            with memori.attribution(("alice", "bob")[number % 2]):
                async for _ in ask(aclient, question(number)).stream():
                    pass

        await asyncio.gather(*(ask_async(n) for n in range(20, 40)))
        await aclient.close()

    with futures.ThreadPoolExecutor(10) as pool:
        list(pool.map(ask_one, range(20)))
    asyncio.run(run())
    for request in server.seen:
        block, asked = (m.content[0].text for m in request.messages)
        assert ("Uji" in block) == ("Alice" in asked)
        assert ("Hangzhou" in block) == ("Bob" in asked)
    for who in ("alice", "bob"):
        said = [text for role, text in turns(llm, memori, who) if role == "user"]
        assert len(said) == 20
        assert all(who.capitalize() in text for text in said)
