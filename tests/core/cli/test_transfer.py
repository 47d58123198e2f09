from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
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


def test_an_export_does_not_replace_a_store(alice: Run, run_json: RunJSON):
    before = run_json("list", "--user", "alice")
    Path("link.jsonl").symlink_to("memori.db")
    Path("hard.jsonl").hardlink_to("memori.db")
    for file in ("memori.db", "./memori.db", "link.jsonl", "hard.jsonl", "memori.db-wal"):
        assert "belongs to a SQLite database" in alice("export", file, "--all", code=2).stderr
        failed = alice("list", "--user", "alice", "--json", file, code=2)
        assert "belongs to a SQLite database" in failed.stderr
    assert run_json("list", "--user", "alice") == before


def test_an_export_that_fails_half_way_leaves_the_old_file(
    alice: Run, monkeypatch: pytest.MonkeyPatch
):
    def failing(*args: object, **kwargs: object) -> Iterator[str]:
        yield "half of a new one"
        raise OSError("the disk is gone")

    Path("old.jsonl").write_text("the old one\n", encoding="utf-8")
    files = sorted(Path().iterdir())
    monkeypatch.setattr("memori_core.cli.transfer.export_jsonl", failing)
    assert "disk is gone" in alice("export", "old.jsonl", "--all", code=3).stderr
    assert Path("old.jsonl").read_text(encoding="utf-8") == "the old one\n"
    assert sorted(Path().iterdir()) == files


def test_an_export_through_a_link_keeps_link_and_mode(alice: Run):
    Path("real.jsonl").write_text("old", encoding="utf-8")
    Path("real.jsonl").chmod(0o600)
    Path("link.jsonl").symlink_to("real.jsonl")
    alice("export", "link.jsonl", "--all")
    assert Path("link.jsonl").is_symlink()
    assert Path("real.jsonl").stat().st_mode & 0o777 == 0o600
    assert "Porto" in Path("real.jsonl").read_text(encoding="utf-8")


def test_an_export_goes_into_what_is_no_file(alice: Run):
    alice("export", "/dev/null", "--all")
    assert Path("/dev/null").is_char_device()
    # The message names what was asked for, not the file beside it.
    assert "missing/out.jsonl" in alice("export", "missing/out.jsonl", "--all", code=3).stderr


def test_an_import_takes_a_file_with_a_byte_order_mark(alice: Run, run_json: RunJSON):
    alice("export", "all.jsonl", "--all")
    text = Path("all.jsonl").read_text(encoding="utf-8")
    Path("bom.jsonl").write_text(text, encoding="utf-8-sig")
    alice("import", "bom.jsonl", "--all", "--db", "new.db")
    assert len(run_json("list", "--user", "alice", "--db", "new.db")) == 2


@pytest.mark.parametrize("where", ["first", "later"])
def test_an_import_of_other_bytes_or_of_deep_json_is_one_line(alice: Run, where: str):
    alice("export", "good.jsonl", "--all")
    good = Path("good.jsonl").read_bytes() if where == "later" else b""
    for content in (b"\xff\xfe\n", b"[" * 100_000 + b"\n"):
        Path("bad.jsonl").write_bytes(good + content)
        failed = alice("import", "bad.jsonl", "--all", "--db", "new.db", code=2)
        assert failed.stderr.count("\n") == 1
        assert "line" in failed.stderr


def test_export_needs_to_know_whose(alice: Run):
    assert "--user" in alice("export", "-", code=2).stderr
