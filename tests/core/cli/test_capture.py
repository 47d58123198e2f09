from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

Run = Callable[..., Result]
RunJSON = Callable[..., Any]


def test_a_text_from_standard_input_becomes_facts(run: Run, run_json: RunJSON):
    said = "I'm allergic to peanuts. I live in Porto."
    shown = run("capture", "--user", "alice", "--at", "2026-03-10", stdin=said).stdout
    assert "fact, pinned  User is allergic to peanuts." in shown
    facts = run_json("list", "--user", "alice")
    assert [fact["content"] for fact in facts] == [
        "User is allergic to peanuts.",
        "User lives in Porto.",
    ]
    assert facts[0]["said_at"] == "2026-03-10T00:00:00+00:00"
    assert "no new facts" in run("capture", "--user", "alice", stdin=said).stdout


def test_a_speaker_has_a_name(run: Run):
    shown = run("capture", "--user", "team", "--name", "Mel", stdin="I play the cello.").stdout
    assert "Mel plays the cello." in shown


def test_json_lines_are_messages_with_their_own_times(run_json: RunJSON, tmp_path: Path):
    lines = [
        {"role": "user", "content": "I live in Porto.", "said_at": "2026-01-05"},
        {"role": "assistant", "content": "I live in the cloud."},
        {"role": "user", "content": "我对花生过敏。", "said_at": "2026-03-10"},
    ]
    file = tmp_path / "talk.jsonl"
    text = "\n\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    file.write_text(text, encoding="utf-8")
    facts = run_json("capture", str(file), "--user", "alice", "--session", "s1")
    assert [(fact["content"], fact["said_at"][:10]) for fact in facts] == [
        ("User lives in Porto.", "2026-01-05"),
        ("用户对花生过敏。", "2026-03-10"),
    ]
    assert {fact["session_id"] for fact in facts} == {"s1"}


def test_what_cannot_be_read_is_told(run: Run):
    def told(text: str) -> str:
        return run("capture", "--user", "alice", stdin=text, code=2).stderr

    good = '{"role": "user", "content": "I live in Porto."}'
    assert "line 2 is no JSON object" in told(good + "\nnot json")
    assert "role" in told('{"content": "I live in Porto."}')
    assert "`at`" in run("capture", "-u", "alice", "--at", "soon", stdin="x", code=2).stderr
    assert "Whose memory?" in run("capture", stdin="I live in Porto.", code=2).stderr


def test_a_file_with_a_byte_order_mark_holds_messages(run_json: RunJSON, tmp_path: Path):
    file = tmp_path / "talk.jsonl"
    line = '{"role": "user", "content": "I live in Porto."}'
    file.write_text(line + "\n", encoding="utf-8-sig")
    (fact,) = run_json("capture", str(file), "--user", "alice")
    assert fact["content"] == "User lives in Porto."


def test_a_file_of_other_bytes_is_refused_in_one_line(run: Run, tmp_path: Path):
    file = tmp_path / "talk.bin"
    file.write_bytes(b"\xff\xfeI live in Porto.")
    failed = run("capture", str(file), "--user", "alice", code=2)
    assert "talk.bin is not UTF-8" in failed.stderr
    assert failed.stderr.count("\n") == 1


def test_json_of_a_thousand_levels_is_a_text_like_any_other(run: Run):
    assert "no new facts" in run("capture", "-u", "alice", stdin="[" * 100_000).stdout


def test_an_empty_text_is_no_message(run: Run):
    assert "no new facts" in run("capture", "--user", "alice", stdin="\n").stdout


def test_triples_are_listed(run: Run, run_json: RunJSON):
    run("capture", "-u", "alice", "--at", "2026-01-05", stdin="I live in Porto. I like jazz.")
    run("capture", "-u", "alice", "--at", "2026-03-10", stdin="I live in Ghent. I like jazz.")
    assert [triple["object"] for triple in run_json("triples", "-u", "alice")] == ["jazz", "Ghent"]
    (porto,) = run_json("triples", "-u", "alice", "--object", "porto", "--history")
    assert (porto["predicate"], porto["valid_until"][:10]) == ("lives_in", "2026-03-10")
    shown = run("triples", "-u", "alice", "--history").stdout
    assert "until 2026-03-10  Porto" in shown
    assert "x2  jazz" in shown
    assert "no triples" in run("triples", "-u", "alice", "--subject", "Bob").stdout
