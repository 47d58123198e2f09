"""Work with a time limit."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from memori_core.interception.deadlines import DeadlineRunner, OverdueError


def wait_until_free(runner: DeadlineRunner) -> None:
    """Until the threads are done with the work that was given up."""
    until = time.monotonic() + 10
    while runner._overdue and time.monotonic() < until:
        time.sleep(0.01)


def test_it_gives_back_what_the_work_gives_or_raises():
    runner = DeadlineRunner(2)
    assert runner.run(lambda: 5, limit_s=1) == 5
    with pytest.raises(ZeroDivisionError):
        runner.run(lambda: 1 / 0, limit_s=1)

    def late() -> None:
        raise TimeoutError("the work's own")

    with pytest.raises(TimeoutError, match="own"):
        runner.run(late, limit_s=1)


def test_what_is_overdue_is_given_up_and_then_refused_at_once():
    runner, release = DeadlineRunner(2), threading.Event()
    for _ in range(2):
        with pytest.raises(OverdueError, match="longer"):
            runner.run(release.wait, limit_s=0.05)
    began = time.perf_counter()
    with pytest.raises(OverdueError, match="overdue"):
        runner.run(lambda: 5, limit_s=5)
    assert time.perf_counter() - began < 1
    release.set()
    wait_until_free(runner)
    assert runner.run(lambda: 5, limit_s=5) == 5


def test_work_that_waits_for_a_thread_can_be_given_up():
    runner, release = DeadlineRunner(1), threading.Event()
    thread = threading.Thread(target=lambda: runner.run(release.wait, limit_s=5))
    thread.start()
    time.sleep(0.05)
    with pytest.raises(OverdueError):
        runner.run(lambda: 5, limit_s=0.05)
    release.set()
    thread.join()
    assert runner.run(lambda: 5, limit_s=5) == 5


def test_the_loop_goes_on_while_it_works():
    async def run() -> None:
        runner = DeadlineRunner(2)
        assert await runner.arun(lambda: 5, limit_s=1) == 5
        with pytest.raises(ZeroDivisionError):
            await runner.arun(lambda: 1 / 0, limit_s=1)
        with pytest.raises(OverdueError):
            await runner.arun(lambda: time.sleep(0.3), limit_s=0.05)
        work = asyncio.create_task(runner.arun(lambda: time.sleep(0.2), limit_s=1))
        ticks = 0
        while not work.done():
            await asyncio.sleep(0.01)
            ticks += 1
        assert ticks > 5

    asyncio.run(run())


def test_what_is_cancelled_is_given_up():
    async def run() -> None:
        runner, release = DeadlineRunner(1), threading.Event()
        works = [asyncio.create_task(runner.arun(release.wait, limit_s=5)) for _ in range(3)]
        await asyncio.sleep(0.05)
        for work in works:
            work.cancel()
        assert all(
            isinstance(e, asyncio.CancelledError)
            for e in await asyncio.gather(*works, return_exceptions=True)
        )
        with pytest.raises(OverdueError, match="earlier work"):
            await runner.arun(lambda: 5, limit_s=5)
        release.set()
        await asyncio.to_thread(wait_until_free, runner)
        assert await runner.arun(lambda: 5, limit_s=5) == 5

    asyncio.run(run())
