"""Memories, and providers on this machine, for the real SDKs to talk to."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
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
