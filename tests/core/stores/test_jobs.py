"""Turns that wait to be augmented: what a crash leaves of them, and how processes share them."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import memori_core.stores
from memori_core.errors import LeaseLostError
from memori_core.models import Scope
from memori_core.stores import SQLiteStore
from memori_core.testing.facts import contents, fact_record, run
from memori_core.testing.turns import append, claim
from memori_core.writes import CreateFact, FinishJob, WriteBatch

ALICE = Scope("alice")
ROOT = Path(memori_core.stores.__file__).parents[2]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memories.db"


# kill -9

CAPTURE_AND_AUGMENT = """
import sys, threading
from datetime import UTC, datetime
from memori_core.models import Scope
from memori_core.stores import SQLiteStore
from memori_core.testing.facts import fact_record
from memori_core.testing.turns import turn
from memori_core.writes import CreateFact, FinishJob, WriteBatch

path, start, durable = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "durable"
store, alice = SQLiteStore(path), Scope("alice")

def augment():
    while True:
        for job in store.claim_jobs(limit=2, lease_s=0.5, now=datetime.now(UTC)):
            fact = fact_record("About " + job.id)
            batch = WriteBatch((CreateFact(fact), FinishJob(job.id, lease=job.lease)))
            store.apply(alice, batch, durable=durable)

threading.Thread(target=augment, daemon=True).start()
for n in range(start, 1_000_000):
    op = turn(f"t{n}", session_id=f"s{n % 5}")
    store.apply(alice, WriteBatch((op,)), durable=durable)
    print(n, flush=True)
"""


def augment_all(store):
    """Work on what is there until nothing is left, as after a restart."""
    now = datetime.now(UTC) + timedelta(seconds=1)  # the leases of the dead process ran out
    while jobs := store.claim_jobs(limit=10, lease_s=60, now=now):
        for job in jobs:
            fact = CreateFact(fact_record(f"About {job.id}"))
            run(store, ALICE, fact, FinishJob(job.id, lease=job.lease))


def kill_and_resume(path, rounds):
    """Kill a process that captures and augments, again and again; then augment the rest."""
    acknowledged: list[int] = []
    chance = random.Random(7)
    for number in range(rounds):
        start = str(max(acknowledged, default=-1) + 2)
        durable = ("durable", "not")[number % 2]
        args = [sys.executable, "-c", CAPTURE_AND_AUGMENT, str(path), start, durable]
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        with subprocess.Popen(args, env=env, text=True, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            acknowledged.append(int(process.stdout.readline()))
            time.sleep(chance.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
            lines = process.stdout.read().split("\n")
            acknowledged += [int(line) for line in lines[:-1]]  # the last one may be cut short
    with SQLiteStore(path) as store:
        augment_all(store)
        records = store.facts(ALICE)
        counts = store.jobs()
        turns, messages = store.turns(ALICE), store.messages(ALICE)
        assert {f"t{n}" for n in acknowledged} <= set(turns)
        assert {r.fact.content for r in records} == {f"About {turn_id}" for turn_id in turns}
        assert {r.fact.times for r in records} == {1}
        assert counts == {"waiting": 0, "running": 0, "done": len(turns), "dead": 0}
        assert sorted(m.turn_id for m in messages) == sorted(turns)
        for session in store.sessions(ALICE):
            positions = [m.position for m in store.messages(ALICE, session_id=session.id)]
            assert positions == list(range(len(positions)))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_every_acknowledged_turn_is_augmented_once_after_a_kill(path):
    kill_and_resume(path, rounds=4)


@pytest.mark.slow
def test_every_acknowledged_turn_is_augmented_once_after_a_hundred_kills(path):
    kill_and_resume(path, rounds=100)


# Processes


def work_off(path, name, both_have_some, results):
    with SQLiteStore(path) as store:
        done: list[str] = []
        while sum(store.jobs()[status] for status in ("waiting", "running")):
            claimed = store.claim_jobs(limit=2, lease_s=60, now=datetime.now(UTC))
            if not done and claimed:
                both_have_some.wait(60)
            for job in claimed:
                # The text says who: a job done twice would leave two facts.
                fact = CreateFact(fact_record(f"About {job.id} by {name}"))
                run(store, Scope(job.entity_id), fact, FinishJob(job.id, lease=job.lease))
                done.append(job.id)
        results.put(done)


def test_two_processes_that_resume_one_backlog_do_no_job_twice(path):
    with SQLiteStore(path, synchronous="NORMAL") as store:
        for n in range(200):
            append(store, Scope(f"user {n % 3}"), f"t{n}", session_id=f"s{n % 20}")
    spawn = multiprocessing.get_context("spawn")
    both_have_some, results = spawn.Barrier(2), spawn.Queue()
    workers = [
        spawn.Process(target=work_off, args=(path, name, both_have_some, results))
        for name in ("A", "B")
    ]
    for worker in workers:
        worker.start()
    shares = [results.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(60)
    assert all(shares), "one process did everything, so this run shows nothing"
    assert sorted(shares[0] + shares[1]) == sorted(f"t{n}" for n in range(200))
    with SQLiteStore(path) as store:
        assert store.jobs() == {"waiting": 0, "running": 0, "done": 200, "dead": 0}
        assert sum(len(store.facts(Scope(entity_id))) for entity_id in store.entities()) == 200


def test_a_job_survives_the_process_that_claimed_it(path):
    with SQLiteStore(path) as first:
        append(first, ALICE, "t")
        (lost,) = claim(first, lease_s=60)
    with SQLiteStore(path) as second:
        assert claim(second) == []
        later = datetime.now(UTC) + timedelta(days=999)
        (job,) = claim(second, now=later)
        assert (job.messages, job.attempts) == (lost.messages, 2)
        with pytest.raises(LeaseLostError):
            run(second, ALICE, FinishJob("t", lease=lost.lease))


def test_looking_for_jobs_takes_no_write_lock_when_there_are_none(path):
    with SQLiteStore(path) as store, closing(sqlite3.connect(path)) as other:
        append(store, ALICE, "t")
        claim(store)
        other.execute("BEGIN IMMEDIATE")
        assert claim(store) == []


def test_the_error_of_a_dead_job_is_kept(path):
    with SQLiteStore(path) as store:
        append(store, ALICE, "t")
        (job,) = claim(store)
        store.release_job(job, error="no answer", retry_at=None)
        with closing(sqlite3.connect(path)) as other:
            assert other.execute("SELECT status, error FROM jobs").fetchall() == [
                ("dead", "no answer")
            ]


# Durability


def test_only_a_group_without_a_durable_batch_is_committed_without_the_disk(path):
    with SQLiteStore(path) as store:
        levels: list[str] = []
        with store._writer.use() as connection:
            connection.set_trace_callback(levels.append)
        for durable in (False, True, False):
            new = CreateFact(fact_record(f"Fact {len(levels)}"))
            store.apply(ALICE, WriteBatch((new,)), durable=durable)
        chosen = [sql for sql in levels if sql.startswith(("PRAGMA", "BEGIN", "COMMIT"))]
        quick = [
            "PRAGMA synchronous = NORMAL",
            "BEGIN IMMEDIATE",
            "COMMIT",
            "PRAGMA synchronous = FULL",
        ]
        assert chosen == [*quick, "BEGIN IMMEDIATE", "COMMIT", *quick]
        assert len(contents(store, ALICE)) == 3


@pytest.mark.parametrize("durable", [[False, False, True], [False, False, False]])
def test_a_group_with_one_durable_batch_is_durable(path, durable):

    with SQLiteStore(path) as store:
        done: list[str] = []

        def write(n):
            new = CreateFact(fact_record(f"Fact {n}"))
            store.apply(ALICE, WriteBatch((new,)), durable=durable[n])

        threads = [threading.Thread(target=write, args=(n,)) for n in range(3)]
        with store._writer.use() as connection:
            connection.set_trace_callback(done.append)
            for thread in threads:
                thread.start()
            while len(store._commits.waiting) < 3:
                time.sleep(0.001)
        for thread in threads:
            thread.join()
        assert done.count("COMMIT") == 1
        assert ("PRAGMA synchronous = NORMAL" in done) is not any(durable)


# Erasing


def test_the_bytes_of_what_was_said_are_gone_after_erasing(path):
    secret = "Zanzibar-7781"
    with SQLiteStore(path) as store:
        for n in range(50):
            append(store, ALICE, f"{secret} {n}", session_id=secret)
        store.erase(ALICE)
        for file in path.parent.iterdir():
            assert secret.encode() not in file.read_bytes()
