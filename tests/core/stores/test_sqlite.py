"""What SQLite adds to the promises of a store: durability, processes, forks, damaged files."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import memori_core.stores
from memori_core.errors import ConfigError, StorageFullError, StoreClosedError, StoreError
from memori_core.models import Scope
from memori_core.stores import SQLiteStore
from memori_core.testing.facts import contents, create, fact_record, run
from memori_core.testing.stores import StoreConformance
from memori_core.writes import CreateFact, UpdateFact, WriteBatch

ALICE, BOB = Scope("alice"), Scope("bob")
ROOT = Path(memori_core.stores.__file__).parents[2]


class TestSQLiteFile(StoreConformance):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path):
        self.path = tmp_path / "memories.db"

    def make_store(self) -> SQLiteStore:
        return SQLiteStore(self.path, synchronous="NORMAL")


class TestSQLiteInMemory(StoreConformance):
    def make_store(self) -> SQLiteStore:
        return SQLiteStore(":memory:")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memories.db"


@pytest.fixture
def store(path):
    with SQLiteStore(path) as store:
        yield store


def integrity(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchone()[0]


# Lasting


def test_facts_outlive_the_store(path):
    with SQLiteStore(path) as first:
        create(first, ALICE, fact_record("User likes tea", vector=b"1234", embedder="e"))
        expected = first.facts(ALICE)
    with SQLiteStore(str(path)) as second:
        assert second.facts(ALICE) == expected
        assert second.revision(ALICE) == 1


WRITE_UNTIL_KILLED = """
import sys
from memori_core.models import Scope
from memori_core.writes import CreateFact, WriteBatch
from memori_core.stores import SQLiteStore
from memori_core.testing.facts import fact_record

path, synchronous, start = sys.argv[1:]
store = SQLiteStore(path, synchronous=synchronous)
for n in range(int(start), 1_000_000):
    facts = tuple(CreateFact(fact_record(f"{n}/{k}", vector=b"v" * 1500)) for k in range(3))
    store.apply(Scope("alice"), WriteBatch(facts))
    print(n, flush=True)
"""


@pytest.mark.parametrize("synchronous", ["FULL", "NORMAL"])
def test_a_killed_process_loses_nothing_that_was_acknowledged(path, synchronous):
    acknowledged: list[int] = []
    for _ in range(3):
        args = [str(path), synchronous, str(max(acknowledged, default=-1) + 2)]
        with start_python(WRITE_UNTIL_KILLED, *args, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            lines = [int(writer.stdout.readline())]
            time.sleep(0.2)
            writer.send_signal(signal.SIGKILL)
            lines += [int(line) for line in writer.stdout.read().split()]
        acknowledged += lines
        with SQLiteStore(path) as store:
            stored = contents(store, ALICE)
            batches = {text.split("/")[0] for text in stored}
            assert len(stored) == 3 * len(batches) == 3 * store.revision(ALICE)
            assert {str(n) for n in acknowledged} <= batches
    assert integrity(path) == "ok"


def start_python(code, *args, **options):
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", code, *args], env=env, text=True, **options)


# Many at once


def test_one_commit_serves_all_who_wait(path):
    with SQLiteStore(path) as store:
        done: list[str] = []

        def write(n):
            create(store, Scope(f"user {n}"), fact_record("User likes tea"))

        threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
        with store._writer.use() as connection:  # hold the writer until all eight have queued
            connection.set_trace_callback(done.append)
            for thread in threads:
                thread.start()
            while len(store._commits.waiting) < 8:
                time.sleep(0.001)
        for thread in threads:
            thread.join()
        assert done.count("COMMIT") == 1
        assert len(store.entities()) == 8


def test_a_bad_batch_in_a_group_fails_only_its_own_caller(path):
    with SQLiteStore(path) as store:
        create(store, ALICE, fact_record("User likes tea", id="tea"))
        outcomes: dict[int, object] = {}

        def write(n):
            op = (
                UpdateFact("tea", changes={"colour": n})
                if n % 2
                else CreateFact(fact_record(f"Fact {n}"))
            )
            try:
                outcomes[n] = store.apply(ALICE, WriteBatch((op,)))
            except ConfigError as e:
                outcomes[n] = e

        threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
        with store._writer.use():
            for thread in threads:
                thread.start()
            while len(store._commits.waiting) < 8:
                time.sleep(0.001)
        for thread in threads:
            thread.join()
        assert [isinstance(outcomes[n], ConfigError) for n in range(8)] == [False, True] * 4
        assert store.revision(ALICE) == 5
        assert sorted(contents(store, ALICE))[:4] == ["Fact 0", "Fact 2", "Fact 4", "Fact 6"]


def test_a_batch_that_failed_is_not_stored_by_the_next(store, path):
    store._writer.close()
    hidden = path.rename(path.with_name("hidden.db"))
    path.mkdir()
    with pytest.raises(StoreError, match="is a folder"):
        create(store, ALICE, fact_record("User likes tea"))
    path.rmdir()
    hidden.rename(path)
    create(store, ALICE, fact_record("User likes milk"))
    assert contents(store, ALICE) == ["User likes milk"]


def test_a_write_waits_for_another_process_and_then_says_what_is_wrong(path, monkeypatch):
    monkeypatch.setattr("memori_core.stores._sqlite_file.BUSY_TIMEOUT_S", 0.2)
    with SQLiteStore(path) as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"memories\.db was locked"):
            create(store, ALICE, fact_record("User likes tea"))
        assert store.facts(ALICE) == []
        other.rollback()
        create(store, ALICE, fact_record("User likes tea"))
        assert contents(store, ALICE) == ["User likes tea"]


def test_another_process_catches_up_by_revision(path):
    with SQLiteStore(path) as here, SQLiteStore(path) as there:
        create(here, ALICE, fact_record("User likes tea", id="tea"))
        seen = there.changes(ALICE)
        create(here, ALICE, fact_record("User likes milk", id="milk"))
        assert there.revision(ALICE) == 2
        changes = there.changes(ALICE, since=seen.revision)
        assert [r.fact.id for r in changes.records] == ["milk"]
        here.erase(ALICE)
        assert there.changes(ALICE, since=2).complete


# Forks

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
# Python 3.12 and later warn of any fork beside threads; ours is what the test is about.
beside_threads = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


@contextmanager
def forked(action):
    """Run `action` in a forked child; fails if it did."""
    child = os.fork()
    if child == 0:
        try:
            action()
        except BaseException:  # noqa: BLE001 (a child must never return into pytest)
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    yield
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def write_some(store, name):
    for n in range(20):
        create(store, ALICE, fact_record(f"{name} {n}"))


@forks
def test_parent_and_child_of_a_fork_both_go_on(store, path):
    create(store, ALICE, fact_record("before"))
    assert len(contents(store, ALICE)) == 1
    with forked(lambda: write_some(store, "child")):
        write_some(store, "parent")
    assert len(contents(store, ALICE)) == 41
    assert integrity(path) == "ok"


@forks
@beside_threads
def test_a_fork_while_other_threads_write_neither_hangs_nor_writes_twice(store, path):
    def child():
        assert not store._writer._lock.locked()
        write_some(store, "child")

    writers = [threading.Thread(target=write_some, args=(store, f"t{n}")) for n in range(4)]
    for writer in writers:
        writer.start()
    with forked(child):
        for writer in writers:
            writer.join()
    records = store.facts(ALICE)
    assert len(records) == 5 * 20
    assert {r.fact.times for r in records} == {1}
    assert integrity(path) == "ok"


@forks
def test_what_is_in_memory_is_copied_by_a_fork():
    with SQLiteStore(":memory:") as store:
        create(store, ALICE, fact_record("before"))

        def child():
            create(store, ALICE, fact_record("child"))
            assert contents(store, ALICE) == ["before", "child"]

        with forked(child):
            pass
        assert contents(store, ALICE) == ["before"]


def test_a_reader_goes_with_its_thread(store):
    thread = threading.Thread(target=store.revision, args=(ALICE,))
    thread.start()
    thread.join()
    assert len(store._handles._handles) == 1  # the writer


# No room


@pytest.fixture
def small_disk(tmp_path):
    """A real file system of 1 MB; where it cannot be mounted, the test is skipped."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting needs root")
    yield folder
    subprocess.run(["umount", folder], check=True)


def fill(store):
    """Write until there is no room, and return how many facts were acknowledged."""
    count = 0

    def write_for_ever():
        nonlocal count
        while True:
            create(store, ALICE, fact_record(f"Fact {count}", vector=b"v" * 1500))
            count += 1

    with pytest.raises(StorageFullError, match=r"no room left to write to .*memories\.db"):
        write_for_ever()
    return count


def test_a_full_disk_keeps_what_was_stored(small_disk):
    path = small_disk / "memories.db"
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 300_000)
    with SQLiteStore(path) as store:
        stored = fill(store)
        assert stored > 10
        assert len(store.facts(ALICE)) == store.revision(ALICE) == stored
        with pytest.raises(StorageFullError):
            create(store, ALICE, fact_record("One more", vector=b"v" * 20_000))
        ballast.unlink()
        create(store, ALICE, fact_record("One more", vector=b"v" * 20_000))
    assert integrity(path) == "ok"


def test_a_full_database_keeps_what_was_stored(store, path):
    # The page limit gives the same SQLITE_FULL as a full disk, and needs no root.
    with store._writer.use() as connection:
        connection.execute("PRAGMA max_page_count = 100")
    stored = fill(store)
    assert len(store.facts(ALICE)) == store.revision(ALICE) == stored > 10
    with store._writer.use() as connection:
        connection.execute("PRAGMA max_page_count = 1000")
    create(store, ALICE, fact_record("One more"))
    assert integrity(path) == "ok"


# Wrong files and places


def test_a_damaged_file_is_named(path):
    path.write_bytes(b"this is no database, " * 100)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"memories\.db is damaged, or is no SQLite database"):
        SQLiteStore(path)
    assert path.read_bytes() == before


def test_a_file_damaged_inside_is_named(path):
    with SQLiteStore(path) as store:
        run(store, ALICE, *(CreateFact(fact_record(f"Fact {n}")) for n in range(500)))
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"memories\.db is damaged"), SQLiteStore(path) as store:
        store.facts(ALICE)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(StoreError, match=r"the folder .*nowhere of memories\.db does not exist"):
        SQLiteStore(tmp_path / "nowhere" / "memories.db")


def test_a_path_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="does not exist"):
        SQLiteStore(tmp_path / "file" / "memories.db")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(StoreError, match="is a folder"):
        SQLiteStore(tmp_path)


def test_a_wrong_synchronous_is_named(path):
    with pytest.raises(ConfigError, match="OFF"):
        SQLiteStore(path, synchronous="OFF")  # pyright: ignore[reportArgumentType] (the point)


@pytest.fixture
def read_only_disk(tmp_path):
    """A folder with a filled `memories.db`, mounted read-only (root passes file permissions)."""
    folder = tmp_path / "disk"
    folder.mkdir()
    with SQLiteStore(folder / "memories.db") as store:
        create(store, ALICE, fact_record("User likes tea"))
    bind = subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False)
    if bind.returncode:
        pytest.skip("mounting needs root")
    subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_read_only_file_can_be_read(read_only_disk):
    with SQLiteStore(read_only_disk / "memories.db") as store:
        assert contents(store, ALICE) == ["User likes tea"]
        with pytest.raises(StoreError, match=r"memories\.db cannot be written: .* read-only"):
            create(store, ALICE, fact_record("User likes milk"))
        with pytest.raises(StoreError, match="read-only"):
            store.erase(ALICE)


def test_a_new_file_in_a_read_only_folder_is_refused(read_only_disk):
    with pytest.raises(OSError, match="Read-only file system"):
        (read_only_disk / "probe").touch()
    with pytest.raises(StoreError, match=r"new\.db cannot be made: the folder .* is read-only"):
        SQLiteStore(read_only_disk / "new.db")


# Closing, and rows that are damaged


def test_closing_ends_the_use_in_every_thread(store):
    opened, closed = threading.Event(), threading.Event()
    errors: list[Exception] = []

    def read():
        store.revision(ALICE)
        opened.set()
        closed.wait()
        try:
            store.revision(ALICE)
        except StoreClosedError as e:
            errors.append(e)

    thread = threading.Thread(target=read)
    thread.start()
    opened.wait()
    store.close()
    closed.set()
    thread.join()
    assert "memories.db was closed" in str(errors[0])


def test_closing_leaves_one_file(store, path):
    create(store, ALICE, fact_record("User likes tea"))
    store.close()
    assert list(path.parent.iterdir()) == [path]


def test_damaged_metadata_of_one_fact_stops_no_other(store, path, caplog):
    for fact_id in ("bad", "good"):
        create(store, ALICE, fact_record(f"Fact {fact_id}", id=fact_id, metadata={"n": 1}))
    with closing(sqlite3.connect(path)) as other:
        for damage in ("{", "[1]", "7", None):
            with other:
                other.execute("UPDATE facts SET metadata = ? WHERE id = 'bad'", (damage,))
            with caplog.at_level(logging.WARNING):
                bad, good = store.changes(ALICE).records
            assert (bad.fact.metadata, good.fact.metadata) == ({}, {"n": 1})
            assert "metadata of fact bad" in caplog.text
            caplog.clear()


def test_a_fact_with_a_damaged_vector_still_comes_back(store, path):
    create(store, ALICE, fact_record("User likes tea", vector=b"12345678"))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE facts SET vector = x'ff'")
    assert store.facts(ALICE)[0].vector == b"\xff"


def test_processes_that_start_together_make_one_schema(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    start, paths = spawn.Barrier(4), [tmp_path / f"{n}.db" for n in range(12)]
    starters = [spawn.Process(target=open_and_write, args=(paths, n, start)) for n in range(4)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join(60)
    assert [starter.exitcode for starter in starters] == [0] * 4
    for path in paths:
        with SQLiteStore(path) as store:
            assert len(store.facts(ALICE)) == 4


def open_and_write(paths, n, start):
    for path in paths:
        start.wait(60)
        with SQLiteStore(path) as store:
            create(store, ALICE, fact_record(f"Fact {n}"))


def test_a_relative_path_stays_the_same_file_when_the_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    with SQLiteStore("memories.db") as store:
        monkeypatch.chdir(elsewhere)
        create(store, ALICE, fact_record("User likes tea"))
        with ThreadPoolExecutor(1) as pool:  # with a connection of its own
            assert pool.submit(contents, store, ALICE).result() == ["User likes tea"]
    assert list(elsewhere.iterdir()) == []
