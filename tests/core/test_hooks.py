"""What integrations are made of: recall and capture that never end, block or change the agent."""

from __future__ import annotations

import asyncio
import copy
import logging
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from memori_core import InMemoryStore, Memori, Recall, Scope
from memori_core import hooks as hooks_module
from memori_core.errors import ConfigError, EmbeddingError, ScopeError, StoreClosedError
from memori_core.hooks import Hooks, handle_while, is_handled, named_id

ALICE, BOB = Scope("alice"), Scope("bob")


@pytest.fixture
def memori() -> Iterator[Memori]:
    with Memori(InMemoryStore(), embedder=None) as memori:
        yield memori


def contents(found: Recall) -> list[str]:
    return [fact.content for fact in found]


def test_what_was_said_just_before_is_recalled_by_the_same_entity_only(memori: Memori):
    hooks = Hooks(memori, on_error="raise")
    hooks.submit("I live in Porto.", scope=ALICE)
    memori.flush()
    assert contents(hooks.recall("Where in Porto do I live?", scope=ALICE)) == [
        "User lives in Porto."
    ]
    assert contents(asyncio.run(hooks.arecall("Where in Porto do I live?", scope=BOB))) == []


def test_options_reach_the_recall(memori: Memori):
    hooks = Hooks(memori, on_error="raise")
    memori.scoped("alice").remember_many([f"User likes tea number {n}." for n in range(9)])
    assert len(hooks.recall("Which tea?", scope=ALICE, limit=7, strictness=0)) == 7
    assert len(asyncio.run(hooks.arecall("Which tea?", scope=ALICE, limit=2, strictness=0))) == 2


def test_a_scope_has_its_memory_with_its_process_and_session(memori: Memori):
    scope = Scope("alice", process_id="bot", session_id="s1")
    hooks = Hooks(memori, on_error="raise")
    assert hooks.scoped(scope).scope == scope
    hooks.scoped(scope).remember("User lives in Porto.")
    (fact,) = memori.scoped("alice").list()
    assert (fact.process_id, fact.session_id) == ("bot", "s1")


def test_a_message_that_cannot_be_read_is_counted_or_raised(memori: Memori):
    class Lazy:
        role = "user"

        @property
        def content(self) -> str:
            raise RuntimeError("the page is gone")

    Hooks(memori).submit([Lazy()], scope=ALICE)
    assert memori.stats()["capture_failed"] == 1
    with pytest.raises(RuntimeError, match="the page is gone"):
        Hooks(memori, on_error="raise").submit([Lazy()], scope=ALICE)


def test_a_redactor_that_exits_ends_no_later_capture():
    def redact(text: str) -> str:
        return sys.exit(1) if "bad" in text else text

    with Memori(InMemoryStore(), embedder=None, redactor=redact) as memori:
        hooks = Hooks(memori)
        hooks.submit("I like bad jokes.", scope=ALICE)
        hooks.submit("I like tea.", scope=ALICE)
        assert memori.flush(20)
        assert [m.message.content for m in memori.scoped("alice").messages()] == ["I like tea."]
        assert memori.stats()["capture_failed"] == 1


def test_a_turn_id_is_stored_once(memori: Memori):
    hooks = Hooks(memori, on_error="raise")
    for _ in range(3):
        hooks.submit("I live in Porto.", scope=ALICE, turn_id="t1")
    memori.flush()
    assert len(memori.scoped("alice").messages()) == 1


def test_messages_are_read_when_they_are_handed_over(memori: Memori):
    hooks = Hooks(memori, on_error="raise")
    message = {"role": "user", "content": "I live in Porto."}
    hooks.submit([message], scope=ALICE)
    message["content"] = "I live in Rome."
    memori.flush()
    assert [m.message.content for m in memori.scoped("alice").messages()] == ["I live in Porto."]


def test_a_failing_recall_is_logged_once_counted_and_empty(caplog: pytest.LogCaptureFixture):
    with Memori(InMemoryStore(), embedder=_broken) as memori:
        hooks = Hooks(memori)
        with caplog.at_level(logging.WARNING):
            found = [hooks.recall("Where do I live?", scope=ALICE) for _ in range(3)]
        assert [f.reason for f in found] == ["error"] * 3
        assert len(_warnings(caplog, "memory failed (recall)")) == 1
        assert memori.stats()["recall_failed"] == 3
        assert memori.doctor().nothing_injected == {"alice": "error"}
        with pytest.raises(EmbeddingError, match="the model is gone"):
            Hooks(memori, on_error="raise").recall("Where do I live?", scope=ALICE)


def _broken(texts: list[str]) -> list[list[float]]:
    raise RuntimeError("the model is gone")


def _warnings(caplog: pytest.LogCaptureFixture, start: str) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.getMessage().startswith(start)]


def test_a_hanging_recall_is_given_up_and_the_event_loop_runs_on():
    release = threading.Event()

    def hang(texts: list[str]) -> list[list[float]]:
        release.wait(20)
        return [[1.0, 0.0] for _ in texts]

    async def run(hooks: Hooks) -> tuple[str, int]:
        ticks = 0
        recall = asyncio.ensure_future(hooks.arecall("Where do I live?", scope=ALICE))
        while not recall.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return recall.result().reason, ticks

    with Memori(InMemoryStore(), embedder=hang) as memori:
        memori.llm.workshop()._first_limit_s = memori.llm.workshop()._recall_limit_s = 0.3
        try:
            reason, ticks = asyncio.run(run(Hooks(memori)))
        finally:
            release.set()
    assert reason == "timeout"
    assert ticks > 5


def test_submit_does_not_wait_for_the_store(tmp_path: Path):
    with Memori(tmp_path / "m.db", embedder=None) as memori:
        hooks = Hooks(memori)
        hooks.submit("I live in Porto.", scope=ALICE)
        memori.flush()
        other = sqlite3.connect(tmp_path / "m.db")
        other.execute("BEGIN IMMEDIATE")  # another process writes for long
        started = time.monotonic()
        hooks.submit("I live in Rome.", scope=ALICE)
        assert time.monotonic() - started < 1
        other.rollback()
        other.close()
        memori.flush()
        assert len(memori.scoped("alice").messages()) == 2


def test_a_failed_capture_is_counted_and_with_raise_comes_with_flush(memori: Memori):
    class Odd:
        role = "nobody"
        content = "?"

    Hooks(memori).submit([Odd()], scope=ALICE)
    assert memori.stats()["capture_failed"] == 1
    with pytest.raises(ConfigError, match="is no message"):
        Hooks(memori, on_error="raise").submit([Odd()], scope=ALICE)


def test_bad_arguments_are_refused(memori: Memori):
    with pytest.raises(ConfigError, match="must be a Memori"):
        Hooks(memori.scoped("alice"))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="on_error"):
        Hooks(memori, on_error="ignore")  # type: ignore[arg-type]


def test_two_entities_at_once_never_mix(memori: Memori):
    hooks = Hooks(memori, on_error="raise")

    async def one(n: int) -> list[str]:
        scope = Scope(f"user-{n}")
        hooks.submit(f"I live in City{n}.", scope=scope)
        await asyncio.to_thread(memori.flush)
        return contents(await hooks.arecall(f"Do I live in City{n}?", scope=scope))

    async def everyone() -> list[list[str]]:
        return await asyncio.gather(*(one(n) for n in range(50)))

    for n, found in enumerate(asyncio.run(everyone())):
        assert found == [f"User lives in City{n}."]


def test_calls_are_left_alone_while_any_run_of_the_context_goes_on():
    async def run() -> list[bool]:
        going = {"outer": True, "inner": True}
        seen = [is_handled()]
        handle_while(lambda: going["outer"])
        for _ in range(3_000):  # a run that starts many others: none of them is kept
            inner = {"on": True}
            handle_while(lambda inner=inner: inner["on"])
            inner["on"] = False
        handle_while(lambda: going["inner"])
        for name in ("outer", "inner"):
            seen.append(is_handled())
            going[name] = False
        return [*seen, is_handled()]

    assert asyncio.run(run()) == [False, True, True, False]
    assert not is_handled()


def test_ids_of_frameworks_as_text():
    given = UUID(int=5)
    assert [named_id("id", i) for i in ("alice", " a ", 0, 7, given)] == [
        "alice",
        " a ",
        "0",
        "7",
        str(given),
    ]
    assert [named_id("id", i) for i in (None, "", " \n")] == [None, None, None]
    for no_id in (True, 1.5, b"alice", ["alice"]):
        with pytest.raises(ScopeError, match="`id` of this run must be an id"):
            named_id("id", no_id)


def test_options_are_checked_at_once(memori: Memori):
    hooks = Hooks(memori)
    assert hooks.options(limit=0, strictness=0.5) == {"limit": 0, "strictness": 0.5}
    assert hooks.options(process_only=True) == {"process_only": True}  # the run has the process
    for wrong in ({"limit": -1}, {"limit": "5"}, {"strictness": -1}, {"where": 5}):
        with pytest.raises(ConfigError):
            hooks.options(**wrong)


def test_options_of_a_closed_memory_are_no_error():
    with Memori(InMemoryStore(), embedder=None) as memori:
        hooks = Hooks(memori)
    assert hooks.options(limit=3) == {"limit": 3}  # as for a run: it goes on without


def test_a_deep_copy_has_the_same_memory(memori: Memori):
    alice = memori.scoped("alice")
    given = {"hooks": Hooks(memori), "memori": memori, "memory": alice}
    copied = copy.deepcopy(given)
    assert all(copied[name] is part for name, part in given.items())


async def test_a_tool_gets_what_its_work_gives_or_something_else_in_time(
    memori: Memori, monkeypatch: pytest.MonkeyPatch
):
    hooks, strict, release = Hooks(memori), Hooks(memori, on_error="raise"), threading.Event()
    assert hooks.attempt("tool", lambda: "done", otherwise="no") == "done"
    assert await hooks.aattempt("tool", lambda: "done", otherwise="no") == "done"

    def fail() -> str:
        raise StoreClosedError("it is closed")

    assert hooks.attempt("tool", fail, otherwise="no") == "no"
    assert await hooks.aattempt("tool", fail, otherwise="no") == "no"
    assert memori.stats()["tool_failed"] == 2
    with pytest.raises(StoreClosedError):
        strict.attempt("tool", fail, otherwise="no")
    monkeypatch.setattr(hooks_module, "ATTEMPT_LIMIT_S", 0.05)
    try:
        assert hooks.attempt("tool", lambda: release.wait(20), otherwise="no") == "no"
        assert await hooks.aattempt("tool", lambda: release.wait(20), otherwise="no") == "no"
    finally:
        release.set()
