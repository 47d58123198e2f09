"""Failures that people reported of other memory systems: the id of the report is in each name."""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import re
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memori_core.stores
from memori_core.errors import ConfigError, ScopeError
from memori_core.models import Mention, Scope, unique_key
from memori_core.stores import InMemoryStore, SQLiteStore
from memori_core.stores.transfer import export_jsonl, import_jsonl
from memori_core.testing.facts import contents, create, fact_record, run
from memori_core.writes import DeleteFacts, UpdateFact

ALICE, BOB = Scope("alice"), Scope("bob")
PACKAGE = Path(memori_core.stores.__file__).parents[1]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memories.db"


@pytest.fixture(params=["memory", "file"])
def store(request, path):
    with InMemoryStore() if request.param == "memory" else SQLiteStore(path) as store:
        yield store


# B37: "database is locked"


def hold_a_write(path, held, seconds):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        held.set()
        time.sleep(seconds)
        connection.execute("ROLLBACK")


def write_fifty(path, name):
    with SQLiteStore(path, synchronous="NORMAL") as store:
        for n in range(50):
            create(store, Scope("shared"), fact_record(f"{name} {n}"))


def read_until(path, done, slowest):
    with SQLiteStore(path) as store:
        while not done.is_set():
            start = time.monotonic()
            store.changes(Scope("shared"))
            slowest.value = max(slowest.value, time.monotonic() - start)


def test_b37_a_write_waits_while_another_process_holds_the_file(path):
    spawn = multiprocessing.get_context("spawn")
    held = spawn.Event()
    with SQLiteStore(path) as store:
        holder = spawn.Process(target=hold_a_write, args=(path, held, 1.5))
        holder.start()
        assert held.wait(60)
        create(store, ALICE, fact_record("User likes tea"))
        assert contents(store, ALICE) == ["User likes tea"]
        holder.join(60)
        assert holder.exitcode == 0


def test_b37_four_writers_and_four_readers_lose_nothing(path):
    spawn = multiprocessing.get_context("spawn")
    done, slowest = spawn.Event(), [spawn.Value("d", 0.0) for _ in range(4)]
    writers = [spawn.Process(target=write_fifty, args=(path, f"w{n}")) for n in range(4)]
    readers = [spawn.Process(target=read_until, args=(path, done, s)) for s in slowest]
    SQLiteStore(path).close()
    for process in (*readers, *writers):
        process.start()
    for writer in writers:
        writer.join(120)
    done.set()
    for reader in readers:
        reader.join(60)
    assert [p.exitcode for p in (*writers, *readers)] == [0] * 8
    assert max(s.value for s in slowest) < 5.0  # seconds
    with SQLiteStore(path) as store:
        assert len(store.facts(Scope("shared"))) == store.revision(Scope("shared")) == 200


def test_b37_the_file_is_in_wal_mode_and_waits(path):
    with SQLiteStore(path) as store:
        for handle in (store._writer, store._reader()):
            with handle.use() as connection:
                assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
                assert connection.execute("PRAGMA busy_timeout").fetchone()[0] >= 5000


def test_b37_in_memory_still_works():
    with SQLiteStore(":memory:") as store:
        create(store, ALICE, fact_record("User likes tea"))
        assert contents(store, ALICE) == ["User likes tea"]


# B38: used from another thread than the one that made it


def test_b38_eight_threads_write_while_the_main_thread_reads(path):
    def write(n):
        for k in range(50):
            create(store, ALICE, fact_record(f"{n} {k}"))

    with SQLiteStore(path, synchronous="NORMAL") as store:
        with ThreadPoolExecutor(8) as pool:
            writers = [pool.submit(write, n) for n in range(8)]
            while not all(w.done() for w in writers):
                changes = store.changes(ALICE)
                assert len(changes.records) == changes.revision
        for writer in writers:
            writer.result()
        assert len(store.facts(ALICE)) == 400
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


# B41: "delete all of X" wiped everyone


def test_b41_erasing_one_leaves_the_others(store):
    for n in range(3):
        create(store, ALICE, fact_record(f"Alice {n}"))
    for n in range(2):
        create(store, BOB, fact_record(f"Bob {n}"))
    assert store.erase(Scope("nobody")) == 0
    with pytest.raises((AttributeError, TypeError)):
        store.erase(None)
    with pytest.raises(TypeError):
        store.erase()
    assert store.erase(ALICE) == 3
    assert len(store.facts(BOB)) == 2
    assert asyncio.run(store.aerase(Scope("nobody"))) == 0
    assert asyncio.run(store.aerase(ALICE)) == 0
    assert len(store.facts(BOB)) == 2


# B79: ids that try to be more than ids

HOSTILE = [
    "x' OR '1'='1",
    '") or true or ("',
    "a%",
    "a_",
    "O'Brien",
    "用户一",
    "x" * 5000,
    "'; DROP TABLE facts; --",
    "../../etc/passwd",
    '{"$ne": ""}',
    "1",
    "Alice",
    "alice ",
]


def test_b79_each_id_sees_its_own_facts_only(store):
    create(store, ALICE, fact_record("of alice"))
    for entity_id in HOSTILE:
        scope = Scope(entity_id)
        assert store.facts(scope) == []
        assert store.erase(scope) == 0
        create(store, scope, fact_record(f"of {entity_id[:20]}", id=entity_id))
    for entity_id in HOSTILE:
        assert contents(store, Scope(entity_id)) == [f"of {entity_id[:20]}"]
        assert len(store.facts(Scope(entity_id), ids=HOSTILE)) == 1
        assert store.history(Scope(entity_id), "' OR 1=1 --") == []
    assert store.entities() == sorted(["alice", *HOSTILE])
    for entity_id in HOSTILE:
        assert store.erase(Scope(entity_id)) == 1
    assert contents(store, ALICE) == ["of alice"]


@pytest.mark.parametrize("entity_id", [{"$ne": ""}, None, "", "  ", 7, ["alice"], b"alice"])
def test_b79_what_is_no_id_is_refused(entity_id):
    with pytest.raises(ScopeError):
        Scope(entity_id)


def test_b79_names_of_fields_are_never_put_into_sql(store):
    create(store, ALICE, fact_record("User likes tea", id="tea"))
    for name in ("content = 'x' --", "pinned = 1, content"):
        with pytest.raises(ConfigError, match="no field"):
            run(store, ALICE, UpdateFact("tea", changes={name: "x"}))
    create(store, BOB, fact_record("x", metadata={"k' = 'v' OR 1=1 --": "v"}))
    assert contents(store, ALICE) == ["User likes tea"]


# B80: pickle on disk


class Crafted:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


def test_b80_a_crafted_pickle_in_the_file_is_never_run(path, tmp_path):
    marker = tmp_path / "marker"
    crafted = pickle.dumps(Crafted(marker))
    with SQLiteStore(path) as store:
        create(store, ALICE, fact_record("bad", id="1", vector=crafted))
        create(store, ALICE, fact_record("good", id="2"), Mention("Rome", type="x", vector=crafted))
        store.set_setting("profile", crafted)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE facts SET metadata = ? WHERE id = '1'", (crafted,))
        connection.execute("UPDATE facts SET terms = ? WHERE id = '1'", (crafted,))
    with SQLiteStore(path) as store, InMemoryStore() as copy:
        assert contents(store, ALICE) == ["bad", "good"]
        assert len(store.changes(ALICE).records) == 2
        assert store.facts(ALICE, ids=["1"])[0].fact.metadata == {}
        assert store.mentions(ALICE)[0].mention.vector == crafted
        assert store.setting("profile") == crafted
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE facts SET terms = '' WHERE id = '1'")
        import_jsonl(copy, export_jsonl(store))
        assert copy.facts(ALICE)[0].vector == crafted
    assert not marker.exists()
    pickle.loads(crafted)
    assert marker.exists()  # so the trap would have worked


def test_b80_our_code_reads_no_pickles():
    forbidden = re.compile(
        r"^\s*(import|from)\s+(pickle|cPickle|joblib|dill|shelve|marshal|cloudpickle)\b"
        r"|allow_pickle\s*=\s*True|read_pickle|torch\.load\((?!.*weights_only=True)",
        re.MULTILINE,
    )
    found = [p for p in PACKAGE.rglob("*.py") if forbidden.search(p.read_text(encoding="utf-8"))]
    assert found == []


# D2: different facts that became one

DIFFERENT = [
    ("User writes C", "User writes C++", "User writes C#"),
    ("Version 1.5", "Version 15"),
    ("It is -5 degrees", "It is 5 degrees"),
    ("10²", "102"),
    ("用户喜欢喝茶", "用户住在北京", "用户有一只猫"),
    ("User likes 🍵", "User likes ☕"),
    ("?", "!!"),
]


@pytest.mark.parametrize("texts", DIFFERENT, ids=lambda texts: texts[-1])
def test_d2_facts_that_differ_in_a_sign_stay_apart(store, texts):
    if texts == ("?", "!!"):
        assert len({unique_key(t) for t in texts}) == 2
    for text in texts:
        create(store, ALICE, fact_record(text))
    assert sorted(contents(store, ALICE)) == sorted(texts)


def test_d2_a_repeat_is_counted(store):
    for text in (
        "User likes tea",
        "user likes TEA.",
        "User  likes\ttea!",
        "\uff35ser likes tea\u3002",
    ):
        create(store, ALICE, fact_record(text))
    (record,) = store.facts(ALICE)
    assert (record.fact.content, record.fact.times) == ("User likes tea", 4)


WORDS = st.lists(st.text("abcxyzäß五+#-.5", min_size=1), min_size=1)


@given(WORDS, st.sampled_from(["", ".", "!", "?", "。", "！", "…", " ."]), st.booleans())
def test_d2_case_space_and_final_marks_do_not_count(words, end, upper):
    text = " ".join(("User", *words))  # a text of marks only is told apart by its marks
    other = "  ".join(("User", *words)) + end
    assert unique_key(other.upper() if upper else other) == unique_key(text)


@given(st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_d2_numbers_stay_apart(a, b):
    assert (unique_key(f"It is {a}") == unique_key(f"It is {b}")) == (a == b)


# D16: what erasing leaves behind

SECRET = "zanzibar-4242"


def fill_with_secrets(store):
    scope = Scope(f"id {SECRET}")
    for n in range(200):
        create(
            store,
            scope,
            fact_record(
                f"{n} the pin is {SECRET} " + "x" * (n * 40),
                id=f"{n}",
                vector=SECRET.encode() * 100,
                speaker=SECRET,
                metadata={"m": SECRET},
            ),
            Mention(f"{SECRET} {n}", type="code", vector=SECRET.encode()),
        )
        run(store, scope, UpdateFact(f"{n}", changes={"content": f"{n} was {SECRET}"}))
    return scope


def bytes_on_disk(path):
    return b"".join(p.read_bytes() for p in path.parent.iterdir())


def test_d16_erasing_removes_the_bytes_from_the_files(path):
    with SQLiteStore(path, synchronous="NORMAL") as store:
        create(store, BOB, fact_record("Bob stays"))
        scope = fill_with_secrets(store)
        assert SECRET.encode() in bytes_on_disk(path)
        assert store.erase(scope) == 200
        left = bytes_on_disk(path)
        assert SECRET.encode() not in left
        assert b"Bob stays" in left
        assert list(export_jsonl(store, scope))[1:] == []
        for table in ("facts", "fact_versions", "mentions", "mention_links"):
            with store._writer.use() as connection:
                (count,) = connection.execute(
                    f"SELECT count(*) FROM {table} WHERE entity_key = ?", (scope.entity_key,)
                ).fetchone()
            assert count == 0


def test_d16_a_deleted_fact_leaves_the_file_when_it_is_closed(path):
    with SQLiteStore(path) as store:
        create(
            store,
            ALICE,
            fact_record(f"the pin is {SECRET}", id="pin", metadata={"m": SECRET}),
            Mention(SECRET, type="code"),
        )
        run(store, ALICE, UpdateFact("pin", changes={"content": f"the pin was {SECRET}"}))
        deleted = run(store, ALICE, DeleteFacts(("pin",)))
        assert deleted.deleted == ("pin",)
    assert SECRET.encode() not in bytes_on_disk(path)


def test_d16_erasing_while_another_thread_reads(path):
    with SQLiteStore(path) as store:
        scope = fill_with_secrets(store)
        done = threading.Event()

        def read():
            while not done.is_set():
                store.changes(scope)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            assert store.erase(scope) == 200
        finally:
            done.set()
            reader.join()
        assert SECRET.encode() not in bytes_on_disk(path)
