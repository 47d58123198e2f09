"""The worker behind `capture`: who works on which turn, for how long, and what `flush` says."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import pytest

from memori_core import InMemoryStore, Memori
from memori_core.augmentation import worker as worker_module
from memori_core.augmentation.base import Extractor
from memori_core.augmentation.worker import Worker
from memori_core.conversation import ExtractedFact, Extraction, Message
from memori_core.interception.handling import is_handled


class Each(Extractor):
    """Every message of a user is a fact; a hook may hold it up or make it fail."""

    name = "each"

    def __init__(self, hook: Callable[[], object] = lambda: None) -> None:
        self.calls = 0
        self._hook = hook

    def extract(
        self, messages: Sequence[Message], *, said_at: datetime, summary: str | None = None
    ) -> Extraction:
        self.calls += 1
        self._hook()
        said = [(n, m.content) for n, m in enumerate(messages) if m.role == "user"]
        return Extraction(tuple(ExtractedFact(text, message=n) for n, text in said))


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Blocks what waits for it, until the test is over."""
    gate = threading.Event()
    yield gate
    gate.set()


# Processes

MOVE_AROUND = """
import sys
from memori_core import Memori

path, first = sys.argv[1], int(sys.argv[2])
with Memori(path, embedder=None) as memori:
    print("ready", flush=True)
    sys.stdin.readline()
    alice = memori.scoped("alice", session_id=f"from {first}")
    for n in range(first, first + 20):
        alice.capture(f"I live in City{n}.")
    memori.flush()
"""


def test_two_processes_that_learn_of_one_entity_leave_one_current_fact(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    Memori(path, embedder=None).close()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", MOVE_AROUND, str(path), first],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for first in ("100", "200")
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:  # all of them before the first is waited for
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        process.communicate(timeout=60)
        assert process.returncode == 0
    with Memori(path, embedder=None, extractor=None) as memori:
        alice = memori.scoped("alice")
        homes = alice.triples(predicate="lives_in", include_ended=True)
        assert len(homes) == 40
        assert len(alice.triples(predicate="lives_in")) == 1
        assert sum(fact.superseded_by is None for fact in alice.list()) == 1


DIE_AT_WORK = """
import sys, time
from memori_core import Memori
from memori_core.augmentation import worker
from memori_core.augmentation.base import Extractor

class Stuck(Extractor):
    name = "stuck"

    def extract(self, messages, *, said_at, summary=None):
        print("started", flush=True)
        time.sleep(60)

worker.LEASE_S = 0.5
memori = Memori(sys.argv[1], embedder=None, extractor=Stuck())
memori.scoped("alice").capture("I live in Porto.")
time.sleep(60)
"""


def test_a_turn_of_a_killed_process_is_soon_taken_up_by_another(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with subprocess.Popen(
        [sys.executable, "-c", DIE_AT_WORK, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGKILL)
    with Memori(path, embedder=None) as memori:
        assert memori.flush(30)
        assert [f.content for f in memori.scoped("alice").list()] == ["User lives in Porto."]


def test_leases_are_short_enough_to_wait_for() -> None:
    assert worker_module.LEASE_S <= 15


def test_work_that_takes_longer_than_its_lease_is_done_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "LEASE_S", 0.3)
    monkeypatch.setattr(worker_module, "IDLE_POLL_S", 0.05)
    slow, other = Each(lambda: time.sleep(1.5)), Each()
    with Memori(tmp_path / "m.db", embedder=None, extractor=slow) as first:
        first.scoped("alice").capture("I live in Porto.")
        while not slow.calls:
            time.sleep(0.01)
        with Memori(tmp_path / "m.db", embedder=None, extractor=other) as second:
            assert second.flush(30)
        assert first.flush(30)
        assert (slow.calls, other.calls) == (1, 0)
        assert first.augmentation.stats()["done"] == 1


# What waits


def test_turns_of_two_entities_may_have_the_same_id(gate: threading.Event) -> None:
    with Memori(InMemoryStore(), embedder=None, extractor=Each(gate.wait)) as memori:
        for name in ("alice", "bob"):
            memori.scoped(name).capture(f"I am {name}.", turn_id="t")
        assert memori.augmentation.stats()["waiting"] == 2
        gate.set()
        assert memori.flush(20)
        for name in ("alice", "bob"):
            assert [f.content for f in memori.scoped(name).list()] == [f"I am {name}."]


def test_a_turn_that_comes_again_is_not_waited_for() -> None:
    with Memori(InMemoryStore(), embedder=None, extractor=Each()) as memori:
        alice = memori.scoped("alice")
        alice.capture("I like tea.", turn_id="t")
        assert memori.flush(20)
        alice.capture("I like tea.", turn_id="t")
        assert memori.augmentation.stats()["waiting"] == 0


def test_there_is_room_for_what_others_have_done_already(gate: threading.Event) -> None:
    store = InMemoryStore()
    with Memori(store, embedder=None, extractor=Each(gate.wait)) as memori:
        memori.scoped("alice").capture("I like tea.")
        worker = Worker(store, lambda job: None)
        worker._waiting = {("alice", str(n)) for n in range(worker_module.QUEUE_SIZE)}
        worker.reserve()  # one job is open in the store, whatever this process believes
        gate.set()


# Failures


@pytest.mark.parametrize("error", [asyncio.CancelledError(), SystemExit(1)])
def test_an_extractor_that_is_cancelled_or_exits_is_tried_again(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "BACKOFF_S", 0.01)
    errors = [error]

    def fail_once() -> None:
        if errors:
            raise errors.pop()

    with Memori(InMemoryStore(), embedder=None, extractor=Each(fail_once)) as memori:
        memori.scoped("alice").capture("I like tea.")
        assert memori.flush(20)
        assert [f.content for f in memori.scoped("alice").list()] == ["I like tea."]
        assert memori.augmentation.stats()["failed"] == 1


def test_an_on_error_that_exits_ends_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "BACKOFF_S", 0.01)
    errors = [ValueError("no") for _ in range(2 * worker_module.CONCURRENCY)]

    def fail_at_first() -> None:
        if errors:
            raise errors.pop()

    with Memori(
        InMemoryStore(),
        embedder=None,
        extractor=Each(fail_at_first),
        on_error=lambda _job, _error: sys.exit(1),
    ) as memori:
        memori.scoped("alice").capture("I like tea.")
        memori.scoped("bob").capture("I like tea.")
        assert memori.flush(20)


def test_flush_after_close_does_not_wait_for_what_nobody_does(gate: threading.Event) -> None:
    with Memori(InMemoryStore(), embedder=None, extractor=Each(gate.wait)) as memori:
        memori.scoped("alice").capture("I like tea.")
        assert not memori.augmentation.close(0.05)
        started = time.monotonic()
        assert not memori.augmentation.flush(20)
        assert time.monotonic() - started < 10
        gate.set()


def test_a_turn_that_goes_on_while_it_is_worked_on_is_no_failure(gate: threading.Event) -> None:
    each = Each(gate.wait)
    with Memori(InMemoryStore(), embedder=None, extractor=each) as memori:
        alice = memori.scoped("alice")
        question, answer = Message("user", "I like tea."), Message("assistant", "Noted.")
        alice.capture([question], turn_id="t", status="partial")
        while not each.calls:
            time.sleep(0.01)
        alice.capture([question, answer], turn_id="t")
        gate.set()
        assert memori.flush(20)
        counts = memori.augmentation.stats()
        assert (counts["lost"], counts["failed"], counts["done"]) == (1, 0, 1)


def test_closing_waits_once_for_all_threads(gate: threading.Event) -> None:
    with Memori(InMemoryStore(), embedder=None, extractor=Each(gate.wait)) as memori:
        for name in ("alice", "bob", "carol"):
            memori.scoped(name).capture("I like tea.")
        while memori.augmentation.stats()["jobs_running"] < 2:
            time.sleep(0.01)
        started = time.monotonic()
        assert not memori.augmentation.close(1.0)
        assert time.monotonic() - started < 1.9  # each of two threads once more would be 3
        gate.set()


def test_the_extractor_runs_where_registered_clients_stand_aside() -> None:
    seen: list[bool] = []
    with Memori(
        InMemoryStore(), embedder=None, extractor=Each(lambda: seen.append(is_handled()))
    ) as memori:
        memori.scoped("alice").capture("I like tea.")
        assert memori.flush(20)
    assert seen == [True]


def test_idle_threads_that_ended_are_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "IDLE_END_S", 0.0)
    monkeypatch.setattr(worker_module, "IDLE_POLL_S", 0.01)
    with Memori(InMemoryStore(), embedder=None, extractor=Each()) as memori:
        alice = memori.scoped("alice")
        for n in range(30):
            alice.capture(f"I like tea {n}.")
            assert memori.flush(20)
            time.sleep(0.02)
        assert len(alice.list()) == 30


def test_two_entities_are_worked_on_at_once() -> None:
    both = threading.Barrier(2)
    with Memori(InMemoryStore(), embedder=None, extractor=Each(lambda: both.wait(20))) as memori:
        for name in ("alice", "bob"):
            memori.scoped(name).capture(f"I am {name}.")
        assert memori.flush(30)
        for name in ("alice", "bob"):
            assert [f.content for f in memori.scoped(name).list()] == [f"I am {name}."]
