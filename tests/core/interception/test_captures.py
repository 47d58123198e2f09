"""The queue between answers and the store."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.interception import Llm, attempt, captures
from memori_core.interception.captures import CaptureQueue
from memori_core.interception.host import Context
from memori_core.interception.memory import MemoriHost
from memori_core.interception.workshop import Workshop
from memori_core.stores import InMemoryStore
from memori_core.testing import FakeEmbedder, ProviderServer

ASK = {"model": "m", "messages": [{"role": "user", "content": "Which tea do I like?"}]}


@pytest.fixture
def queue() -> CaptureQueue:
    queue = CaptureQueue()
    queue.start()
    return queue


def test_it_keeps_the_order_and_can_be_waited_for(queue: CaptureQueue):
    done: list[int] = []
    for n in range(200):
        queue.put(lambda n=n: done.append(n))
    assert queue.wait(5)
    assert done == list(range(200))
    release = threading.Event()
    queue.put(lambda: release.wait(5) and None)
    assert not queue.wait(0.05)
    release.set()
    assert queue.wait(5)


def test_waiting_for_one_entity_does_not_wait_for_the_others(queue: CaptureQueue):
    release, done = threading.Event(), []
    queue.put(lambda: done.append("alice"), "alice")
    queue.put(lambda: release.wait(5) and None, "bob")
    assert queue.wait(5, "alice")
    assert done == ["alice"]
    assert not queue.wait(0.05, "bob")
    assert not queue.wait(0.05)
    queue.put(lambda: done.append("again"), "alice")  # behind bob's
    assert not queue.wait(0.05, "alice")
    release.set()
    assert queue.wait(5, "alice")
    assert done == ["alice", "again"]


def test_a_job_does_not_wait_for_itself(queue: CaptureQueue):
    found: list[bool] = []
    queue.put(lambda: found.append(queue.wait(5)))
    assert queue.wait(5)
    assert found == [False]


def test_a_job_leaves_the_interpreter_to_who_put_it_and_begins_when_somebody_waits(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(captures, "DELAY_S", 5.0)
    queue, done = CaptureQueue(), threading.Event()
    queue.start()
    queue.put(done.set)
    assert not done.wait(0.1)
    began = time.perf_counter()
    assert queue.wait(10)
    assert time.perf_counter() - began < 1


def test_a_job_that_nobody_waits_for_is_done_soon(queue: CaptureQueue):
    done = threading.Event()
    for _ in range(3):
        queue.put(done.set)
        assert done.wait(5)
        done.clear()


def test_many_threads_can_put_at_once(queue: CaptureQueue):
    done: list[str] = []

    def put(name: str) -> None:
        for _ in range(200):
            queue.put(lambda: done.append(name), name)
        assert queue.wait(10, name)
        assert done.count(name) == 200

    threads = [threading.Thread(target=put, args=(f"user{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 1600


def test_a_slow_capture_of_one_person_does_not_hold_up_another(
    server: ProviderServer, memori: Memori, llm: Llm[Memori], monkeypatch: pytest.MonkeyPatch
):
    openai = pytest.importorskip("openai", reason="openai is not installed")
    release, submit = threading.Event(), MemoriHost.submit

    def slow(self: MemoriHost, scope: Scope, *args: Any, **more: Any) -> None:
        if scope.entity_id == "bob":
            release.wait(10)
        submit(self, scope, *args, **more)

    monkeypatch.setattr(MemoriHost, "submit", slow)
    monkeypatch.setattr(attempt, "SETTLE_S", 8.0)
    with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:
        llm.register(client, on_error="raise")
        with memori.attribution("alice"):
            client.chat.completions.create(**ASK)  # connect, import, load
        assert llm.drain(5)
        with memori.attribution("bob"):
            client.chat.completions.create(**ASK)
        with memori.attribution("alice"):
            began = time.perf_counter()
            client.chat.completions.create(**ASK)
        assert time.perf_counter() - began < 4  # not `SETTLE_S`
        release.set()
        assert llm.drain(5)


class Counting(InMemoryStore):
    """Counts how often an index is loaded or caught up."""

    loads = 0

    def changes(self, scope: Scope, *, since: int = 0) -> Any:
        self.loads += 1
        return super().changes(scope, since=since)


def test_the_index_has_caught_up_before_the_next_recall(server: ProviderServer):
    openai = pytest.importorskip("openai", reason="openai is not installed")
    store = Counting()
    with (
        Memori(store, embedder=None, extractor=None) as memori,
        openai.OpenAI(api_key="x", base_url=server.openai_url) as client,
    ):
        alice = memori.scoped("alice")
        alice.remember("User likes green tea.")
        memori.llm.register(client, scope=Scope("alice"), on_error="raise")
        client.chat.completions.create(**ASK)
        assert memori.llm.drain(5)
        loads = store.loads
        assert alice.recall("Which tea do I like?").facts
        assert store.loads == loads


def test_an_index_that_nobody_recalls_from_is_not_loaded(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    openai = pytest.importorskip("openai", reason="openai is not installed")
    store = Counting()
    monkeypatch.setattr(MemoriHost, "recall", lambda *_: Context("", "no_facts"))
    with (
        Memori(store, embedder=None, extractor=None) as memori,
        openai.OpenAI(api_key="x", base_url=server.openai_url) as client,
    ):
        memori.scoped("alice").remember("User likes green tea.")
        memori.llm.register(client, scope=Scope("alice"), on_error="raise")
        loads = store.loads
        client.chat.completions.create(**ASK)
        assert memori.llm.drain(5)
        assert store.loads == loads
        assert len(memori.scoped("alice").messages()) == 2


def test_turns_are_captured_while_the_embedder_is_being_loaded(server: ProviderServer):
    openai = pytest.importorskip("openai", reason="openai is not installed")
    release = threading.Event()

    class Loading(FakeEmbedder):
        @property
        def dim(self) -> int:
            release.wait(20)
            return super().dim

        def warm_up(self) -> None:
            release.wait(20)

    with Memori(InMemoryStore(), embedder=Loading(), extractor=None) as memori:
        llm = Llm(memori)
        llm._workshop = Workshop(MemoriHost(memori), recall_limit_s=0.1, first_limit_s=0.1)
        with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:
            llm.register(client, scope=Scope("alice"))
            for _ in range(2):
                client.chat.completions.create(**ASK)
        assert llm.drain(5)
        release.set()
        assert len(memori.scoped("alice").messages()) == 4


FORK = """
import os, sys
from openai import OpenAI
from memori_core import Memori, Scope
from memori_core.testing import ProviderServer

def ask(text):
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])

with ProviderServer() as server, Memori(sys.argv[1], embedder=None, extractor=None) as memori:
    client = OpenAI(base_url=server.openai_url, api_key="x")
    memori.llm.register(client, scope=Scope("alice"), on_error="raise")
    if sys.argv[2] == "used":
        ask("Before the fork.")
        assert memori.llm.drain(5)
    child = os.fork()
    if child == 0:
        ask("First of the child.")
        ask("Second of the child.")
        os._exit(0 if memori.llm.drain(5) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    ask("After the fork.")
    assert memori.llm.drain(5)
    client.close()
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system does not fork")
@pytest.mark.parametrize("before", ["used", "unused"])
def test_no_turn_is_lost_after_a_fork(tmp_path: Path, before: str):
    pytest.importorskip("openai", reason="openai is not installed")
    path = tmp_path / "m.db"
    done = subprocess.run(
        [sys.executable, "-c", FORK, str(path), before],
        timeout=60,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    with Memori(path, embedder=None, extractor=None) as memori:
        said = [m.message.content for m in memori.scoped("alice").messages()]
    asked = [text for text in said if text != "Hello"]
    expected = ["First of the child.", "Second of the child.", "After the fork."]
    assert asked == (["Before the fork."] if before == "used" else []) + expected
