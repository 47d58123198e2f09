from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from memori_core import __version__
from memori_core.cli import COMMANDS, main
from memori_core.cli._pairs import gathered, key_value
from memori_core.cli._text import columns, one_line, table

Run = Callable[..., Result]
RunJSON = Callable[..., Any]

START = "from memori_core.cli import main; main(prog_name='memori')"


def process(*args: str, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", START, *args],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == code, done.stderr
    return done


def test_help_and_version(run: Run):
    shown = run("--help").stdout
    assert all(name in shown for name in COMMANDS)
    assert "Exit codes" in shown
    assert __version__ in run("--version").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run: Run, name: str):
    assert "Usage: " in run(name, "--help").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_of_a_command_says_what_its_own_help_says(name: str):
    command = COMMANDS[name].load()
    summary = COMMANDS[name].summary.rstrip(".")
    assert command.get_short_help_str(limit=200).startswith(summary)


def test_help_loads_no_command_and_nothing_heavy(tmp_path: Path):
    code = (
        "import sys\nfrom memori_core.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "heavy = {'torch', 'sentence_transformers', 'bm25s', 'memori_core.cli.recall'}\n"
        "assert heavy.isdisjoint(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_user_and_a_file_from_the_environment(
    run: Run, run_json: RunJSON, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MEMORI_DB", "other.db")
    monkeypatch.setenv("MEMORI_ENTITY_ID", "alice")
    run("remember", "I live in Porto.")
    assert Path("other.db").exists()
    assert len(run_json("list")) == 1
    assert run_json("list", "--user", "bob") == []


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("recall", "Porto"), 2, "--user"),
        (("recall", "Porto", "--user", " "), 2, "entity_id"),
        (("recall", "Porto", "--user", "alice", "--limit", "-1"), 2, "limit"),
        (("recall", "Porto", "--user", "alice", "--strictness", "-1"), 2, "strictness"),
        (("recall", "Porto", "--user", "alice", "--strictness", "nan"), 2, "strictness"),
        (("recall", "Porto", "--user", "alice", "--fusion", "best"), 2, "fusion"),
        (("recall", "Porto", "--user", "alice", "--where", "year"), 2, "KEY=VALUE"),
        (("recall", "Porto", "--user", "alice", "--where", "a-b=1"), 2, "a-b"),
        (("remember", " ", "--user", "alice"), 2, "blank"),
        (("remember", "x", "--user", "alice", "--said-at", "yesterday"), 2, "said_at"),
        (("remember", "x", "--user", "alice", "--db", "http://host"), 2, "http"),
        (("remember", "x", "--user", "alice", "--db", "missing/m.db"), 3, "missing"),
        (("remember", "x", "--user", "alice", "--position", str(2**63)), 2, "position"),
        (("remember", "x", "--user", "alice", "--position", "-1"), 2, "position"),
        (("list", "--user", "alice", "--db", "nowhere.db"), 3, "nowhere.db does not exist"),
        (("list", "--user", "alice", "--db", "."), 3, "folder"),
        (("recall", "Porto", "--user", "alice", "--embedder", "no/model"), 4, "no/model"),
        (("nothing",), 2, "nothing"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_a_code(
    alice: Run, args: tuple[str, ...], code: int, says: str
):
    failed = alice(*args, code=code)
    assert says in failed.stderr
    assert failed.stdout == ""
    (_,) = [line for line in failed.stderr.splitlines() if line.startswith("Error: ")]


def test_a_damaged_file_is_named_and_left_as_it_was(run: Run):
    Path("bad.db").write_bytes(b"this is no database" * 100)
    assert "bad.db" in run("list", "--user", "alice", "--db", "bad.db", code=3).stderr
    assert Path("bad.db").read_bytes() == b"this is no database" * 100


def test_a_command_that_only_reads_makes_no_file(run: Run):
    run("recall", "Porto", "--user", "alice", code=3)
    assert list(Path().iterdir()) == []


def test_json_goes_to_a_file_beside_the_text(alice: Run):
    shown = alice("list", "--user", "alice", "--json", "facts.json").stdout
    assert "I live in Porto." in shown
    facts = json.loads(Path("facts.json").read_text(encoding="utf-8"))
    assert [fact["content"] for fact in facts] == ["I live in Porto.", "I am allergic to peanuts."]


@pytest.mark.parametrize(
    "error",
    [
        RecursionError("maximum recursion depth exceeded"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        OverflowError("Python int too large to convert to SQLite INTEGER"),
    ],
)
def test_data_that_nothing_refused_before_is_one_line(
    monkeypatch: pytest.MonkeyPatch, error: Exception
):
    def failing(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr("memori_core.cli._options.Memori", failing)
    result = CliRunner().invoke(main, ["remember", "x", "--user", "alice"])
    assert (result.exit_code, result.stderr) == (2, f"Error: {error}\n")


def test_an_interruption_is_quiet(monkeypatch: pytest.MonkeyPatch):
    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("memori_core.cli._options.Memori", interrupted)
    result = CliRunner().invoke(main, ["remember", "x", "--user", "alice"])
    assert (result.exit_code, result.output) == (130, "")


def test_as_a_program_of_its_own(tmp_path: Path):
    said = process("remember", "我对花生过敏。", "--user", "王芳", cwd=tmp_path)
    assert "我对花生过敏。" in said.stdout
    found = process("recall", "花生", "--user", "王芳", "--json", "-", cwd=tmp_path)
    assert json.loads(found.stdout)["facts"][0]["content"] == "我对花生过敏。"
    assert found.stderr == ""
    failed = process("list", cwd=tmp_path, code=2)
    assert failed.stdout == ""
    assert "Traceback" not in failed.stderr
    assert process("recall", "x", "--user", "bob", cwd=tmp_path, code=1).stderr == ""


def test_an_output_that_knows_no_chinese_gets_it_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    process("remember", "我对花生过敏。", "--user", "alice", cwd=tmp_path)
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    assert "\\u82b1\\u751f" in process("recall", "花生", "--user", "alice", cwd=tmp_path).stdout
    found = process("recall", "花生", "--user", "alice", "--json", "-", cwd=tmp_path)
    assert json.loads(found.stdout)["facts"][0]["content"] == "我对花生过敏。"


def test_bytes_that_are_no_text_are_refused(run: Run):
    said = os.fsdecode(b"caf\xe9")
    assert "surrogate" in run("remember", said, "--user", "alice", code=2).stderr
    assert "surrogate" in run("remember", "x", "--user", said, code=2).stderr


def test_key_value_reads_json_or_text():
    pairs = ["a=1", "b=true", "c=x=y", "d=01", 'e="1"', "f=", "a=2"]
    assert gathered([key_value(pair) for pair in pairs]) == (
        {"a": [1, 2], "b": True, "c": "x=y", "d": "01", "e": "1", "f": ""}
    )
    for no_json in ("[" * 100_000, "9" * 5_000):  # too deep, too long a number
        assert key_value(f"a={no_json}") == ("a", no_json)
    with pytest.raises(click.BadParameter, match="KEY=VALUE"):
        key_value("=1")


def test_tables_stand_straight_with_chinese_text():
    # 王芳 takes four columns, "bob" three.
    assert columns("王芳") == 4
    assert table(["who", "text"], [["王芳", "我"], ["bob", "x"]]) == (
        [" who  text", "王芳  我", " bob  x"]
    )


def test_long_text_is_cut_to_columns():
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("我对花生过敏", 5) == "我对…"
    assert one_line("abc", 3) == "abc"
