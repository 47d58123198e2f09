from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

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


def test_doctor_changes_nothing(alice: Run, run_json: RunJSON):
    before = Path("memori.db").read_bytes()
    run_json("doctor")
    assert Path("memori.db").read_bytes() == before
