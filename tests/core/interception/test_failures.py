"""Memory fails, the call goes on: within the limit, said once, counted."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.augmentation.llm import LLMExtractor
from memori_core.interception import Llm, handled
from memori_core.interception.deadlines import WORKERS, OverdueError
from memori_core.interception.memory import MemoriHost
from memori_core.interception.workshop import Workshop
from memori_core.rendering import TAG
from memori_core.stores import InMemoryStore
from memori_core.testing import FakeEmbedder, ProviderServer

openai = pytest.importorskip("openai", reason="openai is not installed")

ASK = {"model": "m", "messages": [{"role": "user", "content": "Which tea do I like?"}]}
ALICE = Scope("alice")
LOG = "memori_core.interception.counts"


@pytest.fixture
def client(client: Any, llm: Llm[Memori]) -> Any:
    llm.register(client, scope=ALICE)
    return client


def answer(client: Any) -> str:
    return client.chat.completions.create(**ASK).choices[0].message.content


def failing(*_: Any, **__: Any) -> Any:
    raise OSError("the disk is gone")


def test_b57_a_broken_recall_is_said_once_and_counted(
    client: Any,
    server: ProviderServer,
    llm: Llm[Memori],
    said: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    """D3 and D13: neither a bad row nor a missing table ends the user's call."""
    monkeypatch.setattr(MemoriHost, "recall", failing)
    for _ in range(3):
        assert answer(client) == "Hello"
    assert TAG not in server.last.text
    warnings = [r for r in caplog.records if r.name == LOG and r.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "the disk is gone" in caplog.text
    assert llm.stats()["recall_failed"] == 3
    assert llm.report().nothing_injected == {"alice": "error"}
    assert len(said()) == 6  # captured all the same


def test_b57_a_broken_capture_is_said_once_and_counted(
    client: Any,
    llm: Llm[Memori],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    monkeypatch.setattr(MemoriHost, "submit", failing)
    for _ in range(2):
        assert answer(client) == "Hello"
    assert llm.drain(5)
    assert llm.stats()["capture_failed"] == 2
    assert len([r for r in caplog.records if r.name == LOG]) == 1
    assert "the disk is gone" in caplog.text


def test_tests_can_have_failures_raised(
    server: ProviderServer, llm: Llm[Memori], monkeypatch: pytest.MonkeyPatch
):
    with openai.OpenAI(api_key="x", base_url=server.openai_url, max_retries=0) as client:
        llm.register(client, scope=ALICE, on_error="raise")
        with monkeypatch.context() as patched:
            patched.setattr(MemoriHost, "submit", failing)
            answer(client)
            with pytest.raises(OSError, match="disk"):
                llm.drain(5)
        monkeypatch.setattr(MemoriHost, "revision", failing)
        with pytest.raises(OSError, match="disk"):
            answer(client)


def with_limit(memori: Memori, limit_s: float) -> Llm[Memori]:
    llm = Llm(memori)
    llm._workshop = Workshop(MemoriHost(memori), recall_limit_s=limit_s, first_limit_s=5)
    return llm


def test_b57_a_recall_that_hangs_is_given_up(
    server: ProviderServer,
    memori: Memori,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    release = threading.Event()
    monkeypatch.setattr(MemoriHost, "recall", lambda *_: release.wait(20))
    llm = with_limit(memori, 0.1)
    with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:
        llm.register(client, scope=ALICE)
        assert llm._workshop is not None
        assert llm._workshop._warm.wait(5)
        for _ in range(12):  # more than there are threads
            began = time.perf_counter()
            assert answer(client) == "Hello"
            assert time.perf_counter() - began < 1
    release.set()
    assert TAG not in server.last.text
    assert llm.stats()["timeouts"] == 12
    assert llm.report().nothing_injected == {"alice": "timeout"}
    assert caplog.text.count("given up") == 1
    llm.close(5)
    assert len(memori.scoped("alice").messages()) == 24


def test_the_first_recall_waits_for_the_embedder(server: ProviderServer):
    class Slow(FakeEmbedder):
        def warm_up(self) -> None:
            time.sleep(0.5)
            super().warm_up()

        def embed_query(self, text: str) -> Any:
            time.sleep(0.5)
            return super().embed_query(text)

    with Memori(InMemoryStore(), embedder=Slow(), extractor=None) as memori:
        memori.scoped("alice").remember("Which tea do I like? Green tea.")
        llm = with_limit(memori, 0.2)
        with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:
            llm.register(client, scope=ALICE)
            answer(client)
            assert TAG in server.last.text
        llm.close()


def test_nobody_named_is_said_once(
    server: ProviderServer, llm: Llm[Memori], caplog: pytest.LogCaptureFixture
):
    with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:
        llm.register(client, on_error="raise")
        for _ in range(2):
            assert answer(client) == "Hello"
    assert llm.stats() == {"no_scope": 2}
    assert caplog.text.count("memori.attribution") == 1


def test_b59_the_event_loop_is_never_blocked(server: ProviderServer):
    """D18: a slow embedder and a slow store hold up the call, not the loop."""

    class Slow(FakeEmbedder):
        def embed_query(self, text: str) -> Any:
            time.sleep(1.0)
            return super().embed_query(text)

    async def run(memori: Memori, llm: Llm[Memori]) -> float:
        async with openai.AsyncOpenAI(api_key="x", base_url=server.openai_url) as client:
            llm.register(client, scope=ALICE, on_error="raise")
            await client.chat.completions.create(**ASK)  # connect, import, load
            call = asyncio.create_task(
                client.chat.completions.create(
                    model="m", messages=[{"role": "user", "content": "And which coffee do I like?"}]
                )
            )
            worst = 0.0
            while not call.done():
                began = time.perf_counter()
                await asyncio.sleep(0.01)
                worst = max(worst, time.perf_counter() - began)
            await call
            return worst

    with Memori(InMemoryStore(), embedder=Slow(), extractor=None) as memori:
        memori.scoped("alice").remember("User likes green tea.")
        llm = Llm(memori)
        assert asyncio.run(run(memori, llm)) < 0.5
        llm.close()


def test_b59_fetching_an_answer_never_blocks_the_loop(
    server: ProviderServer, llm: Llm[Memori], monkeypatch: pytest.MonkeyPatch
):
    """Where all threads are held up by overdue work, what is left runs on the loop: no waiting."""
    release = threading.Event()

    def hang(*_: Any, **__: Any) -> None:
        release.wait(20)

    async def run() -> float:
        async with openai.AsyncOpenAI(api_key="x", base_url=server.openai_url) as client:
            llm.register(client, scope=ALICE)
            found = await client.responses.create(model="m", input="tea?", background=True)
            assert llm.drain(5)
            monkeypatch.setattr(MemoriHost, "submit", hang)  # a capture that stays open
            await client.chat.completions.create(**ASK)
            shop = llm.workshop()
            for _ in range(WORKERS):
                with pytest.raises(OverdueError):
                    await shop.runner.arun(hang, limit_s=0.01)
            fetching = asyncio.create_task(client.responses.retrieve(found.id))
            worst = 0.0
            while not fetching.done():
                began = time.perf_counter()
                await asyncio.sleep(0.01)
                worst = max(worst, time.perf_counter() - began)
            await fetching
            release.set()
            return worst

    assert asyncio.run(run()) < 0.5


def test_calls_that_are_cancelled_give_their_recall_up(
    server: ProviderServer, llm: Llm[Memori], monkeypatch: pytest.MonkeyPatch
):
    """Else every later call would wait its full time for a thread that is never free."""
    release = threading.Event()
    monkeypatch.setattr(MemoriHost, "recall", lambda *_: release.wait(20))

    async def run() -> float:
        async with openai.AsyncOpenAI(api_key="x", base_url=server.openai_url) as client:
            llm.register(client, scope=ALICE)
            calls = [asyncio.create_task(client.chat.completions.create(**ASK)) for _ in range(20)]
            await asyncio.sleep(0.5)
            for call in calls:
                call.cancel()
            found = await asyncio.gather(*calls, return_exceptions=True)
            assert {type(f) for f in found} == {asyncio.CancelledError}
            began = time.perf_counter()
            await client.chat.completions.create(**ASK)
            return time.perf_counter() - began

    assert asyncio.run(run()) < 1  # refused at once
    release.set()


def test_a_call_that_is_handled_elsewhere_is_left_alone(
    client: Any, server: ProviderServer, llm: Llm[Memori], said: Any
):
    with handled():
        answer(client)
    assert TAG not in server.last.text
    assert said() == []
    assert llm.stats() == {"left_to_others": 1}
    answer(client)
    assert TAG in server.last.text


def test_an_extractor_behind_a_registered_client_is_not_part_of_the_conversation(
    server: ProviderServer,
):
    """Its prompts would be captured, extracted from, captured, and so on without end."""
    server.script("Nice.", '{"facts": []}')
    with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:

        def complete(messages: Any) -> str:
            return (
                client.chat.completions.create(model="m", messages=messages)
                .choices[0]
                .message.content
            )

        with Memori(InMemoryStore(), embedder=None, extractor=LLMExtractor(complete)) as memori:
            memori.llm.register(client, scope=ALICE)
            client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "I live in Porto."}]
            )
            assert memori.flush(10)
            said = [m.message.content for m in memori.scoped("alice").messages()]
    assert said == ["I live in Porto.", "Nice."]
    assert len(server.requests) == 2
    assert TAG not in server.last.text


def test_why_nothing_was_injected_is_kept_by_entity(
    server: ProviderServer, memori: Memori, llm: Llm[Memori]
):
    with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:
        llm.register(client)
        with memori.attribution("bob"):
            answer(client)
        with memori.attribution("alice"):
            thanks = [{"role": "user", "content": "thanks!"}]
            client.chat.completions.create(model="m", messages=thanks)
    assert llm.report().nothing_injected == {"bob": "no_facts", "alice": "chit_chat"}
