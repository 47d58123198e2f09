from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

Run = Callable[..., Result]
RunJSON = Callable[..., Any]


def without_revision(facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Revisions count the writes of one file, and do not move."""
    return [{**fact, "revision": 0} for fact in facts]


def contents(facts: list[dict[str, Any]]) -> list[str]:
    return [fact["content"] for fact in facts]


def test_everything_moves_to_another_file(alice: Run, run_json: RunJSON, tmp_path: Path):
    assert "exported 3 facts" in alice("export", "all.jsonl", "--all").stdout
    assert "imported 3 facts" in alice("import", "all.jsonl", "--all", "--db", "new.db").stdout
    for user in ("alice", "王芳"):
        there = run_json("list", "--user", user, "--db", "new.db")
        assert without_revision(there) == without_revision(run_json("list", "--user", user))
    # Once more changes nothing.
    alice("import", "all.jsonl", "--all", "--db", "new.db")
    assert len(run_json("list", "--user", "alice", "--db", "new.db")) == 2


def test_one_user_through_a_pipe(alice: Run, run_json: RunJSON):
    piped = alice("export", "-", "--user", "alice").stdout
    assert [json.loads(line).get("content") for line in piped.splitlines()] == (
        [None, "I live in Porto.", "I am allergic to peanuts."]
    )
    alice("import", "-", "--user", "carol", stdin=piped)
    assert contents(run_json("list", "--user", "carol")) == contents(
        run_json("list", "-u", "alice")
    )


def test_vectors_can_stay_behind(run: Run):
    run("remember", "I live in Porto.", "--user", "alice", "--embedder", "static")
    (_, line) = run("export", "-", "--user", "alice").stdout.splitlines()
    assert json.loads(line)["vector"] is not None
    (_, line) = run("export", "-", "--user", "alice", "--no-vectors").stdout.splitlines()
    assert json.loads(line)["vector"] is None


def test_both_results_cannot_go_to_stdout(alice: Run):
    assert "cannot both" in alice("export", "-", "--all", "--json", "-", code=2).stderr


def test_a_file_that_is_no_export_is_named(alice: Run):
    Path("no.jsonl").write_text("hello\n", encoding="utf-8")
    assert "line 1" in alice("import", "no.jsonl", "--all", code=2).stderr
    alice("import", "missing.jsonl", "--all", code=2)
    alice("export", "missing/out.jsonl", "--all", code=3)


def test_export_needs_to_know_whose(alice: Run):
    assert "--user" in alice("export", "-", code=2).stderr
