from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


def users_of(run: Run, db: str = "memori.db") -> list[str]:
    run("export", "all.jsonl", "--all", "--db", db)
    lines = Path("all.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    return [json.loads(line)["entity_id"] for line in lines]


def test_from_memori_everybodys_facts_arrive(run: Run, memori_db: Path):
    said = run("import", "--from", "memori", str(memori_db)).stdout
    assert said == "imported 3 facts of 2 users into memori.db (3 new)\n"
    assert users_of(run) == ["1", "alice", "alice"]
    assert "(0 new)" in run("import", "--from", "memori", str(memori_db)).stdout


@pytest.mark.parametrize("source", ["qdrant", "get_all"])
def test_from_mem0_a_folder_and_json(run: Run, source: str, request: pytest.FixtureRequest):
    path = str(request.getfixturevalue(source))
    counts = json.loads(run("import", "--from", "mem0", path, "--json", "-").stdout)
    assert counts == {"imported": 2, "new": 2, "users": 2, "left_out": [], "others": 0}
    assert users_of(run) == ["alice", "用户-7"]


def test_one_user_only(run: Run, get_all: Path, monkeypatch: pytest.MonkeyPatch):
    said = run("import", "--from", "mem0", str(get_all), "--user", "alice").stdout
    assert "imported 1 facts of 1 users" in said
    assert "1 facts of other users" in said
    assert users_of(run) == ["alice"]
    monkeypatch.setenv("MEMORI_ENTITY_ID", "alice")
    assert "2 facts" in run("import", "--from", "mem0", str(get_all), "--all").stdout


def test_what_is_left_out_is_said(run: Run, tmp_path: Path):
    nobodys = {"id": "1", "memory": "Tea."}
    good = {"id": "2", "memory": "Cake.", "user_id": "alice"}
    Path("some.json").write_text(json.dumps([nobodys, good]), encoding="utf-8")
    said = run("import", "--from", "mem0", "some.json").stdout
    assert "left out 1, the first: fact 1: `entity_id` is empty" in said
    Path("none.json").write_text(json.dumps([nobodys]), encoding="utf-8")
    failed = run("import", "--from", "mem0", "none.json", code=2)
    assert "nothing of none.json can be stored" in failed.stderr


@pytest.mark.parametrize("content", [b"", b"\x8f\x11 an encrypted file"])
@pytest.mark.parametrize("origin", ["memori", "mem0"])
def test_a_wrong_file_is_one_line_and_makes_no_store(run: Run, origin: str, content: bytes):
    Path("bad").write_bytes(content)
    failed = run("import", "--from", origin, "bad", code=2)
    assert failed.stderr.count("\n") == 1
    assert not Path("memori.db").exists()
    run("import", "--from", origin, "missing", code=2)


def test_the_store_cannot_be_its_own_source(run: Run, memori_db: Path):
    shutil.copy(memori_db, "memori.db")
    before = Path("memori.db").read_bytes()
    assert "--db" in run("import", "--from", "memori", "memori.db", code=2).stderr
    assert Path("memori.db").read_bytes() == before


def test_options_that_do_not_go_together(run: Run, memori_db: Path):
    assert "path" in run("import", "--from", "memori", "-", code=2).stderr
    run("import", "--from", "memori", str(memori_db), "--embedder", "none")
    run("export", "all.jsonl", "--all")
    failed = run("import", "all.jsonl", "--all", "--embedder", "static", code=2)
    assert "--embedder goes with --from" in failed.stderr
