"""google-genai, the real SDK, against a loopback server."""

from __future__ import annotations

import asyncio
import copy
import http.server
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memori_core import Memori
from memori_core.embedding.base import Embedder
from memori_core.interception import Llm, handled
from memori_core.stores import InMemoryStore
from memori_core.testing import FakeEmbedder

genai = pytest.importorskip("google.genai", reason="google-genai is not installed")
types = pytest.importorskip("google.genai.types", reason="google-genai is not installed")

# google-genai 3.6 subclasses aiohttp.ClientSession, which aiohttp 3.14 discourages.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession")

ASK = "Do I like green tea?"
ALICE, BOB = "User likes green tea from Uji.", "User likes green tea from Hangzhou."
METHODS = ("request", "request_streamed", "async_request", "async_request_streamed")


def reply(*parts: dict[str, Any], finish: str | None = "STOP", **more: Any) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})]}


class FakeGemini(http.server.BaseHTTPRequestHandler):
    """Answers "Hello"; calls the first tool it is given; goes on after a token; fails when told."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args: Any) -> None: ...

    def do_POST(self) -> None:
        server: Any = self.server
        raw = self.rfile.read(int(self.headers["content-length"]))
        body = json.loads(raw)
        server.raw.append(raw)
        server.seen.append(body)
        if server.fail_next:
            server.fail_next -= 1
            busy = {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}
            return self.answer(json.dumps(busy), status=503)
        if server.scripted:
            return self.answer(json.dumps(server.scripted.pop(0)))
        last = body["contents"][-1]["parts"][-1]
        whole = reply({"text": "hm", "thought": True}, {"text": "Hello"})
        if body.get("tools") and "functionResponse" not in last:
            whole = reply({"functionCall": {"name": "weather", "args": {"city": "Rome"}}})
        if "streamGenerateContent" not in self.path:
            return self.answer(json.dumps(whole))
        events = [
            reply({"text": "hm", "thought": True}, finish=None),
            reply({"text": "Hel"}, finish=None),
            reply({"text": "lo"}),
        ]
        if "continue" in json.dumps(body) and "continuationToken" not in body:
            events = [reply({"text": "Hel"}, finish="CONTINUATION", continuationToken="dG9r")]
        elif "continuationToken" in body:
            events = [reply({"text": "lo"})]
        elif body.get("tools") and "functionResponse" not in last:
            events = [whole]
        stream = "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in events)
        return self.answer(stream, kind="text/event-stream")

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


@pytest.fixture
def server(serve: Any) -> Any:
    return serve(FakeGemini)


def memory(embedder: Embedder | None = None) -> Memori:
    made = Memori(InMemoryStore(), embedder=embedder, extractor=None)
    made.scoped("alice").remember(ALICE)
    made.scoped("bob").remember(BOB)
    return made


@pytest.fixture
def memori() -> Iterator[Memori]:
    with memory() as made:
        made.attribution("alice")
        yield made
        made._set_scope(None)


def options(server: Any, **more: Any) -> dict[str, Any]:
    return {"base_url": f"http://127.0.0.1:{server.server_port}", **more}


@pytest.fixture
def client(server: Any, llm: Llm[Memori]) -> Iterator[Any]:
    made = genai.Client(api_key="x", http_options=options(server))
    llm.register(made, on_error="raise")
    yield made
    made.close()


def system(body: dict[str, Any]) -> list[str]:
    return [part["text"] for part in body["systemInstruction"]["parts"]]


def turns(llm: Llm[Memori], memori: Memori, who: str = "alice") -> list[tuple[str, str]]:
    llm.drain(10)
    return [(m.message.role, m.message.content) for m in memori.scoped(who).messages()]


ONE_TURN = [("user", ASK), ("assistant", "Hello")]


@pytest.mark.parametrize(
    "form",
    [
        None,
        "Be brief.",
        ["Be brief.", "Be kind."],
        {"parts": [{"text": "Be brief."}]},
        types.Part(text="Be brief."),
        types.Content(parts=[types.Part(text="Be brief.")]),
    ],
    ids=["none", "str", "list", "dict", "Part", "Content"],
)
def test_the_block_stands_behind_every_form_of_system_instruction(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori, form: Any
) -> None:
    config = types.GenerateContentConfig(system_instruction=form)
    before = copy.deepcopy(config)
    assert client.models.generate_content(model="m", contents=ASK, config=config).text == "Hello"
    assert config == before  # B55
    sent = system(server.seen[-1])
    assert ALICE.rstrip(".") in sent[-1]
    assert sent[:-1] == {"None": [], "list": ["Be brief.", "Be kind."]}.get(
        "list" if isinstance(form, list) else str(form), ["Be brief."]
    )
    assert turns(llm, memori) == ONE_TURN


def test_every_form_of_contents_holds_the_question(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    content = types.Content(role="user", parts=[types.Part(text=ASK)])
    forms: list[Any] = [ASK, [ASK], [content], types.Part(text=ASK), {"parts": [{"text": ASK}]}]
    for form in forms:
        before = copy.deepcopy(form)
        client.models.generate_content(model="m", contents=form, config={"temperature": 0})
        assert form == before
        assert "Uji" in system(server.seen[-1])[-1]
    assert turns(llm, memori) == ONE_TURN * len(forms)


def test_a_plain_dictionary_as_config_is_not_changed(client: Any, server: Any) -> None:
    config = {"system_instruction": "Be brief."}
    client.models.generate_content(model="m", contents=ASK, config=config)
    assert config == {"system_instruction": "Be brief."}
    assert len(system(server.seen[-1])) == 2


def test_chats_made_before_are_served_and_their_history_holds_no_block(
    server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    with genai.Client(api_key="x", http_options=options(server)) as client:
        chat = client.chats.create(model="m")
        llm.register(client)
        chat.send_message(ASK)
        assert "".join(c.text or "" for c in chat.send_message_stream("And black tea?")) == "Hello"
        assert "memori" not in str(chat.get_history())
        assert len(server.seen[-1]["contents"]) == 3
    second = [("user", "And black tea?"), ("assistant", "Hello")]
    assert turns(llm, memori) == ONE_TURN + second


def test_a_stream_is_captured_once_however_it_ends(
    client: Any, llm: Llm[Memori], memori: Memori
) -> None:
    stream = client.models.generate_content_stream(model="m", contents=ASK)
    assert "".join(chunk.text or "" for chunk in stream) == "Hello"
    assert turns(llm, memori) == ONE_TURN
    stream = client.models.generate_content_stream(model="m", contents="Any tea left?")
    next(stream), next(stream)
    stream.close()
    assert turns(llm, memori)[2:] == [("user", "Any tea left?"), ("assistant", "Hel")]


def token_in_a_call() -> dict[str, Any]:
    listing = {"name": "list_files", "args": {"continuationToken": "abc"}}
    return reply({"text": "Page one of Alice. "}, {"functionCall": listing})


def token_in_another_candidate() -> dict[str, Any]:
    whole = reply({"text": "Page one of Alice. "})
    other = reply({"text": "x"}, index=1, continuationToken="dG9r")
    return {"candidates": whole["candidates"] + other["candidates"]}


@pytest.mark.parametrize("first", [token_in_a_call, token_in_another_candidate])
def test_two_people_on_one_client_never_share_an_answer(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori, first: Any
) -> None:
    """An answer that once spoke of a `continuationToken` was put before those of everybody."""
    server.scripted = [first(), reply({"text": "Hello Bob"}), reply({"text": "Hello again"})]
    client.models.generate_content(model="m", contents="List my files")
    with memori.attribution("bob"):
        for text in ("I am Bob.", "Still there?"):
            client.models.generate_content(model="m", contents=text)
    assert turns(llm, memori, "bob") == [
        ("user", "I am Bob."),
        ("assistant", "Hello Bob"),
        ("user", "Still there?"),
        ("assistant", "Hello again"),
    ]


def test_a_stream_that_continues_by_token_is_one_turn(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    stream = client.models.generate_content_stream(model="m", contents="tea? continue")
    assert "".join(chunk.text or "" for chunk in stream) == "Hello"
    assert len(server.seen) == 2
    assert system(server.seen[0]) == system(server.seen[1])
    assert turns(llm, memori) == [("user", "tea? continue"), ("assistant", "Hello")]


def test_retries_below_are_one_recall_and_one_turn(server: Any) -> None:
    embedder = FakeEmbedder()
    with memory(embedder) as memori, memori.attribution("alice"):
        llm = Llm(memori)
        retry = types.HttpRetryOptions(attempts=3, initial_delay=0.01)
        with genai.Client(api_key="x", http_options=options(server, retry_options=retry)) as client:
            llm.register(client, on_error="raise")
            server.fail_next = 2
            client.models.generate_content(model="m", contents=ASK)
        assert len(server.seen) == 3
        assert all("Uji" in system(body)[-1] for body in server.seen)
        assert embedder.queries.count(ASK) == 1
        assert turns(llm, memori) == ONE_TURN


@pytest.mark.parametrize("streamed", [False, True])
def test_rounds_of_automatic_function_calling_are_one_recall_and_one_turn(
    server: Any, streamed: bool
) -> None:
    def weather(city: str) -> str:
        """Weather of a city."""
        return f"sunny in {city}"

    embedder = FakeEmbedder()
    with memory(embedder) as memori, memori.attribution("alice"):
        llm = Llm(memori)
        with genai.Client(api_key="x", http_options=options(server)) as client:
            llm.register(client, on_error="raise")
            chat = client.chats.create(model="m", config={"tools": [weather]})
            if streamed:
                for _ in chat.send_message_stream(ASK):
                    pass
            else:
                assert chat.send_message(ASK).text == "Hello"
        assert len(server.seen) == 2
        assert "functionResponse" in server.seen[1]["contents"][-1]["parts"][0]
        assert system(server.seen[0]) == system(server.seen[1])
        assert embedder.queries.count(ASK) == 1  # B61
        assert turns(llm, memori) == ONE_TURN


def test_what_was_said_before_goes_along_in_a_session(
    client: Any, server: Any, memori: Memori
) -> None:
    with memori.attribution("alice", session_id="s"):
        client.models.generate_content(model="m", contents=ASK)
        client.models.generate_content(model="m", contents="And black tea?")
    said = [(c["role"], c["parts"][0]["text"]) for c in server.seen[-1]["contents"]]
    assert said == [("user", ASK), ("model", "Hello"), ("user", "And black tea?")]


def test_with_memory_off_the_bytes_are_the_same(server: Any, llm: Llm[Memori]) -> None:
    client = genai.Client(api_key="x", http_options=options(server))

    def styles() -> None:
        config = {"system_instruction": "Be brief.", "temperature": 0.5}
        client.models.generate_content(model="m", contents="Grüße, 茶?", config=config)
        list(client.models.generate_content_stream(model="m", contents=ASK))

    styles()
    llm.register(client, on_error="raise")
    with handled():
        styles()
    assert server.raw[:2] == server.raw[2:4]
    llm.unregister(client)
    styles()
    assert server.raw[:2] == server.raw[4:]
    client.close()


def test_unregister_puts_the_same_methods_back(server: Any, llm: Llm[Memori]) -> None:
    client = genai.Client(api_key="x", http_options=options(server))
    api = client._api_client
    before = [getattr(api, name) for name in METHODS]
    own = dict(vars(api))
    llm.register(client)
    llm.register(client.aio)  # the same object below: nothing more
    assert [getattr(api, name) for name in METHODS] != before
    llm.unregister(client)
    assert [getattr(api, name) for name in METHODS] == before
    assert vars(api) == own
    client.close()


@pytest.mark.parametrize(
    "config",
    [
        {"cached_content": "cachedContents/c"},
        {"response_modalities": ["AUDIO"]},
    ],
    ids=["cached content", "speech"],
)
def test_requests_that_take_no_system_instruction_are_left_alone(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori, config: Any
) -> None:
    client.models.generate_content(model="m", contents=ASK, config=config)
    assert "systemInstruction" not in server.seen[-1]
    assert turns(llm, memori) == []


def test_gemma_gets_the_block_before_the_question(client: Any, server: Any) -> None:
    client.models.generate_content(model="gemma-3-27b-it", contents=["Hi", ASK])
    assert "systemInstruction" not in server.seen[-1]
    parts = server.seen[-1]["contents"][-1]["parts"]
    assert "Uji" in parts[0]["text"]
    assert [p["text"] for p in parts[1:]] == ["Hi", ASK]


def test_a_refused_request_raises_as_before_and_is_no_turn(
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    server.fail_next = 2
    with pytest.raises(genai.errors.ServerError, match="busy"):
        client.models.generate_content(model="m", contents=ASK)
    with pytest.raises(genai.errors.ServerError, match="busy"):
        list(client.models.generate_content_stream(model="m", contents=ASK))
    assert turns(llm, memori) == []


def test_a_failing_memory_does_not_fail_the_call(server: Any, caplog: Any) -> None:  # B57
    class Broken(FakeEmbedder):
        def embed_query(self, text: str) -> Any:
            raise RuntimeError("no model today")

    with memory(Broken()) as memori, memori.attribution("alice"):
        llm = Llm(memori)
        with genai.Client(api_key="x", http_options=options(server)) as client:
            llm.register(client)
            assert client.models.generate_content(model="m", contents=ASK).text == "Hello"
            assert turns(llm, memori) == ONE_TURN


def test_counting_tokens_and_other_paths_are_left_alone(client: Any, server: Any) -> None:
    client.models.count_tokens(model="m", contents=ASK)
    assert "systemInstruction" not in json.dumps(server.seen[-1])


def test_vertex_sends_the_same(server: Any, llm: Llm[Memori]) -> None:
    credentials = pytest.importorskip("google.oauth2.credentials").Credentials(token="t")
    client = genai.Client(
        vertexai=True, project="p", location="l", credentials=credentials,
        http_options=options(server),
    )  # fmt: skip
    llm.register(client, on_error="raise")
    client.models.generate_content(model="m", contents=ASK)
    assert "Uji" in system(server.seen[-1])[-1]
    client.close()


@pytest.mark.parametrize("stack", ["aiohttp", "httpx", "httpx2"])
def test_async_on_every_stack(server: Any, llm: Llm[Memori], memori: Memori, stack: str) -> None:
    module = pytest.importorskip(stack)
    more = {} if stack == "aiohttp" else {"httpx_async_client": module.AsyncClient()}

    async def run() -> None:
        client = genai.Client(api_key="x", http_options=options(server, **more))
        assert client._api_client._use_aiohttp() == (stack == "aiohttp")
        llm.register(client, on_error="raise")
        models = client.aio.models
        assert (await models.generate_content(model="m", contents=ASK)).text == "Hello"
        assert "Uji" in system(server.seen[-1])[-1]
        stream = await models.generate_content_stream(model="m", contents=ASK)
        assert "".join([chunk.text or "" async for chunk in stream]) == "Hello"
        assert (await client.aio.chats.create(model="m").send_message(ASK)).text == "Hello"
        assert turns(llm, memori) == ONE_TURN * 3
        stream = await models.generate_content_stream(model="m", contents="Any tea left?")
        async for chunk in stream:
            if chunk.text:
                break
        await stream.aclose()
        for _ in range(100):  # the SDK's outer generator closes ours a moment later
            if len(turns(llm, memori)) == 8:
                break
            await asyncio.sleep(0.01)
        assert turns(llm, memori)[6:] == [("user", "Any tea left?"), ("assistant", "Hel")]
        await client.aio.aclose()
        if more:
            await more["httpx_async_client"].aclose()
        client.close()

    asyncio.run(run())


def test_async_does_not_block_the_loop(server: Any) -> None:  # B59
    class Slow(FakeEmbedder):
        def embed_query(self, text: str) -> Any:
            threading.Event().wait(0.3)
            return super().embed_query(text)

    async def run() -> float:
        client = genai.Client(api_key="x", http_options=options(server))
        llm.register(client, on_error="raise")
        await asyncio.sleep(0.4)  # warm
        loop, worst = asyncio.get_running_loop(), 0.0
        call = asyncio.ensure_future(client.aio.models.generate_content(model="m", contents=ASK))
        while not call.done():
            before = loop.time()
            await asyncio.sleep(0.01)
            worst = max(worst, loop.time() - before)
        assert (await call).text == "Hello"
        await client.aio.aclose()
        client.close()
        return worst

    with memory(Slow()) as memori, memori.attribution("alice"):
        llm = Llm(memori)
        assert asyncio.run(run()) < 0.25


def test_two_users_at_once_see_their_own_memory(  # B60
    client: Any, server: Any, llm: Llm[Memori], memori: Memori
) -> None:
    def ask(number: int) -> None:
        with memori.attribution(("alice", "bob")[number % 2]):
            who = ("Alice", "Bob")[number % 2]
            contents = f"Do I, {who} {number}, like green tea?"
            if number % 3:
                client.models.generate_content(model="m", contents=contents)
            else:
                list(client.models.generate_content_stream(model="m", contents=contents))

    async def ask_async(number: int) -> None:
        with memori.attribution(("alice", "bob")[number % 2]):
            who = ("Alice", "Bob")[number % 2]
            contents = f"Do I, {who} {number}, like green tea?"
            await client.aio.models.generate_content(model="m", contents=contents)

    async def run() -> None:
        await asyncio.gather(*(ask_async(n) for n in range(20, 40)))
        await client.aio.aclose()

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(ask, range(20)))
    asyncio.run(run())
    for body in server.seen:
        question = body["contents"][-1]["parts"][0]["text"]
        assert ("Uji" in system(body)[-1]) == ("Alice" in question)
        assert ("Hangzhou" in system(body)[-1]) == ("Bob" in question)
    for who in ("alice", "bob"):
        said = [text for role, text in turns(llm, memori, who) if role == "user"]
        assert len(said) == 20
        assert all(who.capitalize() in text for text in said)
