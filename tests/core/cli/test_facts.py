from __future__ import annotations

from collections.abc import Callable
from typing import Any

from click.testing import Result

Run = Callable[..., Result]
RunJSON = Callable[..., Any]


def test_what_is_remembered_is_listed(run: Run, run_json: RunJSON):
    run(
        *("remember", "I play the cello.", "--user", "alice", "--said-at", "2026-05-01"),
        *("--speaker", "Alice", "--session", "s1", "--position", "3", "--pinned", "--id", "f1"),
        *("--meta", "year=2026", "--meta", "vip=true", "--meta", "tag=a", "--meta", "tag=b"),
    )
    (fact,) = run_json("list", "--user", "alice")
    assert fact["content"] == "I play the cello."
    assert fact["id"] == "f1"
    assert fact["said_at"] == "2026-05-01T00:00:00+00:00"
    assert (fact["speaker"], fact["session_id"], fact["position"]) == ("Alice", "s1", 3)
    assert fact["pinned"] is True
    assert fact["metadata"] == {"year": 2026, "vip": True, "tag": ["a", "b"]}
    shown = run("list", "--user", "alice").stdout
    assert "f1  2026-05-01  pinned  Alice: I play the cello." in shown


def test_a_repeat_is_one_fact(run: Run, run_json: RunJSON):
    run("remember", "I play the cello.", "--user", "alice")
    again = run("remember", "i play the cello", "--user", "alice")
    assert "said 2 times" in again.stdout
    assert len(run_json("list", "--user", "alice")) == 1


def test_an_id_that_is_taken_replaces_the_fact(run: Run, run_json: RunJSON):
    run("remember", "I live in Porto.", "--user", "alice", "--id", "home")
    run("remember", "I live in Lisbon.", "--user", "alice", "--id", "home")
    assert [fact["content"] for fact in run_json("list", "-u", "alice")] == ["I live in Lisbon."]


def test_list_goes_page_by_page(alice: Run, run_json: RunJSON):
    (first,) = run_json("list", "--user", "alice", "--limit", "1")
    (second,) = run_json("list", "--user", "alice", "--after", first["id"])
    assert [first["content"], second["content"]] == [
        "I live in Porto.",
        "I am allergic to peanuts.",
    ]


def test_two_users_do_not_meet(alice: Run, run_json: RunJSON):
    assert [fact["content"] for fact in run_json("list", "--user", "王芳")] == ["我对花生过敏。"]
    assert run_json("list", "--user", "nobody") == []
    assert "no facts" in alice("list", "--user", "nobody").stdout


def test_forget_deletes_and_says_how_many(alice: Run, run_json: RunJSON):
    first, second = (fact["id"] for fact in run_json("list", "--user", "alice"))
    assert run_json("forget", first, "unknown", "--user", "alice") == {"forgotten": 1}
    assert [fact["id"] for fact in run_json("list", "--user", "alice")] == [second]
    alice("forget", "unknown", "--user", "alice", code=1)
    # Another user's fact is no fact of mine.
    alice("forget", second, "--user", "王芳", code=1)


def test_erase_asks_first(alice: Run, run_json: RunJSON):
    asked = alice("erase", "--user", "alice", stdin="n\n", code=1)
    assert "'alice'" in asked.stderr
    assert len(run_json("list", "--user", "alice")) == 2
    assert "erased 2" in alice("erase", "--user", "alice", stdin="y\n").stdout
    assert run_json("list", "--user", "alice") == []
    assert len(run_json("list", "--user", "王芳")) == 1
    assert run_json("erase", "--user", "王芳", "--yes") == {"erased": 1}


def test_stored_text_cannot_steer_the_terminal(run: Run):
    run("remember", "red \x1b[31m and \u202ereversed\nsecond line", "--user", "alice")
    shown = run("list", "--user", "alice").stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "reversed second line" in shown
