from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from memori_core import Memori
from memori_core.stores.migrations import APPLICATION_ID, MIGRATIONS

Run = Callable[..., Result]
RunJSON = Callable[..., Any]


def statuses(report: dict[str, Any]) -> dict[str, str]:
    return {check["name"]: check["status"] for check in report["checks"]}


def test_stats_of_the_file_and_of_one_user(alice: Run, run_json: RunJSON):
    whole = run_json("stats")
    assert (whole["facts"], whole["entities"]) == (3, 2)
    one = run_json("stats", "--user", "alice")
    assert (one["facts"], one["vectors of none"]) == (2, 2)
    assert "facts" in alice("stats").stdout


def test_reindex_makes_the_vectors_that_doctor_misses(alice: Run, run_json: RunJSON):
    before = run_json("doctor", "--embedder", "static", code=1)
    assert statuses(before)["vectors"] == "failed"
    assert run_json("reindex", "--embedder", "static") == {"reindexed": 3}
    assert run_json("reindex", "--embedder", "static") == {"reindexed": 0}
    after = run_json("doctor", "--embedder", "static")
    assert set(statuses(after).values()) == {"ok"}
    assert statuses(after).keys() == {
        *("python", "sqlite", "packages", "embedder", "store"),
        *("schema", "integrity", "journal", "vectors", "bm25"),
    }


def test_doctor_prints_a_line_a_check(alice: Run):
    lines = alice("doctor").stdout.splitlines()
    assert [line.split()[1] for line in lines] == (
        ["python", "sqlite", "packages", "store", "schema", "integrity", "journal", "bm25"]
    )
    assert all(line.startswith("ok") for line in lines)


def test_doctor_without_a_file_is_no_failure(run_json: RunJSON):
    assert statuses(run_json("doctor"))["store"] == "skipped"
    assert not Path("memori.db").exists()


def test_doctor_finds_a_file_that_is_none_of_ours(run: Run, run_json: RunJSON):
    Path("bad.db").write_bytes(b"this is no database" * 100)
    assert statuses(run_json("doctor", "--db", "bad.db", code=1))["store"] == "failed"
    with sqlite3.connect("other.db") as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    assert "FAILED" in run("doctor", "--db", "other.db", code=1).stdout


def test_doctor_names_an_embedder_that_is_not_there(alice: Run):
    shown = alice("doctor", "--embedder", "nobody/no-model", code=1).stdout
    assert "FAILED  embedder" in shown


def test_doctor_finds_word_scores_that_are_not_those_of_bm25s(
    alice: Run, run_json: RunJSON, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("memori_core.cli._checks.K1", 1.2)  # what bm25s is given; ours has 0.9
    report = run_json("doctor", code=1)
    assert statuses(report)["bm25"] == "failed"


def folder() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir()}


def test_doctor_does_not_migrate(run_json: RunJSON):
    with closing(sqlite3.connect("old.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        for statement in MIGRATIONS[0]:
            connection.execute(statement)
        connection.execute("PRAGMA user_version = 1")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    before = folder()
    report = run_json("doctor", "--db", "old.db", code=1)
    assert statuses(report)["schema"] == "failed"
    (schema,) = [check["detail"] for check in report["checks"] if check["name"] == "schema"]
    assert "version 1 of" in schema
    assert "needs migration" in schema
    assert folder() == before


def test_doctor_makes_no_store_of_an_empty_file(run: Run):
    Path("empty.db").touch()
    for name in ("empty.db", "missing.db"):
        assert f"no such store: {name}" in run("doctor", "--db", name).stdout
    assert folder() == {"empty.db": b""}


def test_doctor_converts_no_journal(alice: Run, run_json: RunJSON):
    with closing(sqlite3.connect("memori.db")) as connection:
        connection.execute("PRAGMA journal_mode = delete")
    before = folder()
    report = run_json("doctor", code=1)
    assert statuses(report)["journal"] == "failed"
    assert folder() == before


def test_doctor_does_not_move_a_write_ahead_log_into_the_file(alice: Run, run_json: RunJSON):
    # As a program leaves it that was killed: facts that are in the log only.
    with Memori("memori.db", embedder=None) as memori:
        memori.scoped("alice").remember("I left this in the log.")
        for name in ("memori.db", "memori.db-wal"):
            shutil.copy(name, f"killed{name.removeprefix('memori')}")
    before = Path("killed.db").read_bytes(), Path("killed.db-wal").read_bytes()
    report = run_json("doctor", "--db", "killed.db")
    assert "4 facts, 2 users" in str(report)
    assert (Path("killed.db").read_bytes(), Path("killed.db-wal").read_bytes()) == before


def test_doctor_changes_nothing(alice: Run, run_json: RunJSON):
    before = folder()
    run_json("doctor")
    assert folder() == before
