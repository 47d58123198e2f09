"""Memories, and providers on this machine, for the real SDKs to talk to."""

from __future__ import annotations

import gc
import http.server
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.interception import Llm
from memori_core.stores import InMemoryStore
from memori_core.testing import FakeEmbedder, ProviderServer

ALICE = Scope("alice")


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def serve() -> Iterator[Callable[[type[http.server.BaseHTTPRequestHandler]], Any]]:
    """Serves a handler of a format that `ProviderServer` does not speak."""
    made: list[tuple[Any, threading.Thread]] = []

    def serve(handler: type[http.server.BaseHTTPRequestHandler]) -> Any:
        server: Any = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.url = f"http://127.0.0.1:{server.server_port}"
        server.seen, server.raw, server.fail_next, server.scripted = [], [], 0, []
        server.handle_error = lambda *_: None  # callers that went away
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        made.append((server, thread))
        return server

    yield serve
    for server, thread in made:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def grok() -> Iterator[Any]:
    """xAI over gRPC: answers `answer`, keeps the requests."""
    grpc = pytest.importorskip("grpc", reason="grpcio is not installed")
    chat_pb2 = pytest.importorskip("xai_sdk.proto").chat_pb2
    deferred_pb2 = pytest.importorskip("xai_sdk.proto").deferred_pb2
    services = pytest.importorskip("xai_sdk.proto.v6.chat_pb2_grpc", reason="protobuf below 6")
    going_on, stop = 0, 3  # FinishReason: REASON_INVALID, REASON_STOP

    class Grok(services.ChatServicer):
        answer = "Hello"

        def __init__(self) -> None:
            self.requests: list[Any] = []

        def whole(self, request: Any) -> Any:
            said = {"role": "ROLE_ASSISTANT", "content": self.answer}
            outputs = [
                chat_pb2.CompletionOutput(index=n, finish_reason=stop, message=said)
                for n in range(request.n or 1)
            ]
            return chat_pb2.GetChatCompletionResponse(id="1", outputs=outputs)

        def GetCompletion(self, request: Any, context: Any) -> Any:  # noqa: N802 (gRPC's name)
            self.requests.append(request)
            return self.whole(request)

        def GetCompletionChunk(self, request: Any, context: Any) -> Any:  # noqa: N802
            self.requests.append(request)
            for text, finish in ((self.answer[:3], going_on), (self.answer[3:], stop)):
                said = {"role": "ROLE_ASSISTANT", "content": text}
                output = chat_pb2.CompletionOutputChunk(index=0, finish_reason=finish, delta=said)
                yield chat_pb2.GetChatCompletionChunk(id="1", outputs=[output])

        def StartDeferredCompletion(self, request: Any, context: Any) -> Any:  # noqa: N802
            self.requests.append(request)
            return deferred_pb2.StartDeferredResponse(request_id="r")

        def GetDeferredCompletion(self, request: Any, context: Any) -> Any:  # noqa: N802
            whole = self.whole(self.requests[-1])
            return chat_pb2.GetDeferredCompletionResponse(status=deferred_pb2.DONE, response=whole)

    server, grok = grpc.server(futures.ThreadPoolExecutor(4)), Grok()
    services.add_ChatServicer_to_server(grok, server)
    grok.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"  # type: ignore[attr-defined]
    server.start()
    yield grok
    server.stop(None).wait(5)


@pytest.fixture
def litellm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module, without its advice; what it leaves open is collected here, where its tests
    ignore the warnings."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it asks the network for it
    litellm = pytest.importorskip("litellm", reason="litellm is not installed")
    logger = logging.getLogger("LiteLLM")
    level = logger.level
    monkeypatch.setattr(litellm, "suppress_debug_info", True)
    logger.setLevel(logging.CRITICAL)
    yield litellm
    logger.setLevel(level)
    litellm.in_memory_llm_clients_cache.flush_cache()
    gc.collect()


@pytest.fixture
def client(server: ProviderServer) -> Iterator[Any]:
    """An OpenAI client that is not registered."""
    openai = pytest.importorskip("openai", reason="openai is not installed")
    with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:
        yield client


@pytest.fixture
def memori() -> Iterator[Memori]:
    with Memori(InMemoryStore(), embedder=None, extractor=None) as memori:
        memori.scoped("alice").remember("User likes green tea.")
        yield memori


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def two_people(embedder: FakeEmbedder) -> Iterator[Memori]:
    """A memory of alice, who is the one that is meant, and bob."""
    with Memori(InMemoryStore(), embedder=embedder, extractor=None) as memori:
        memori.scoped("alice").remember("User likes green tea from Uji.")
        memori.scoped("bob").remember("User likes green tea from Hangzhou.")
        with memori.attribution("alice"):
            yield memori


@pytest.fixture
def llm(memori: Memori) -> Iterator[Llm[Memori]]:
    llm = Llm(memori)
    yield llm
    llm.close()


@pytest.fixture
def said(memori: Memori, llm: Llm[Memori]):
    """What was captured of an entity: pairs of role and text."""

    def said(entity_id: str = "alice") -> list[tuple[str, str]]:
        assert llm.drain(10)
        messages = memori.scoped(entity_id).messages()
        return [(m.message.role, m.message.content) for m in messages]

    return said
