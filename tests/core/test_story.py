"""Said in one session, remembered in the next: the default extractor, end to end."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from memori_core import Memori
from memori_core.testing import FakeEmbedder


@pytest.fixture
def memori(tmp_path: Path) -> Iterator[Memori]:
    with Memori(tmp_path / "m.db", embedder=FakeEmbedder()) as opened:
        yield opened


@pytest.mark.parametrize(
    ("said", "asked", "shown"),
    [
        ("I'm allergic to peanuts.", "Can you suggest a recipe?", "allergic to peanuts"),
        ("我对花生过敏", "帮我推荐个菜谱", "对花生过敏"),
    ],
)
def test_the_example_of_the_specification(
    memori: Memori, said: str, asked: str, shown: str
) -> None:
    memori.scoped("user", session_id="one").capture(
        [{"role": "user", "content": said}, {"role": "assistant", "content": "OK!"}]
    )
    assert memori.flush(20)
    later = memori.scoped("user", session_id="two")
    assert shown in later.recall(asked).context
    assert later.recall("thanks!").context == ""
    assert memori.scoped("somebody else").recall(asked).context == ""


@pytest.mark.parametrize(
    ("said", "dentist"),
    [
        ("I went to Oslo last week; my dentist appointment is tomorrow", "25 May 2023"),
        ("我上周去了奥斯陆,明天要去看牙医", "2023年5月25日"),
    ],
)
def test_b84_relative_dates_are_told_from_the_day_they_were_said(
    memori: Memori, said: str, dentist: str
) -> None:
    alice = memori.scoped("alice")
    alice.capture(said, at="2023-05-24T10:00:00+02:00")
    assert memori.flush(20)
    texts = " ".join(fact.content for fact in alice.list())
    assert dentist in texts
    for relative in ("last week", "tomorrow", "上周", "明天"):
        assert relative not in texts
    assert all(f"{fact.said_at:%Y-%m-%d}" == "2023-05-24" for fact in alice.list())


@pytest.mark.parametrize(
    ("first", "second", "now", "asked_now", "asked_then"),
    [
        (
            "I live in Porto.",
            "I moved from Porto to Ghent.",
            "Ghent",
            "Where does the user live now?",
            "Where did the user live before?",
        ),
        ("我住在杭州。", "我搬到苏州了。", "苏州", "用户住在哪里", "用户以前住在哪里"),
    ],
)
def test_b86_moved_from_a_to_b(
    memori: Memori, first: str, second: str, now: str, asked_now: str, asked_then: str
) -> None:
    alice = memori.scoped("alice")
    alice.capture(first, at="2026-01-05")
    alice.capture(second, at="2026-03-10")
    assert memori.flush(20)
    assert now in alice.recall(asked_now, strictness=0)[0].content
    then = alice.recall(asked_then, strictness=0)
    old = [f.fact for f in then if f.fact.valid_until is not None]
    assert [f"{fact.valid_until:%Y-%m-%d}" for fact in old if fact.valid_until][:1] == [
        "2026-03-10"
    ]
    assert "true until 2026-03-10" in then.context


def test_d14_nothing_leaves_this_machine(memori: Memori, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _, address: tried.append(address))
    alice = memori.scoped("alice")
    alice.capture("my diagnosis is type 1 diabetes and I live in Porto")
    assert memori.flush(20)
    alice.recall("diabetes")
    assert tried == []


def test_b35_system_prompts_and_tool_noise_are_no_memories(memori: Memori) -> None:
    alice = memori.scoped("alice")
    alice.capture(
        [
            {"role": "system", "content": "You are Atlas, my deploy target is eu-west."},
            {"role": "user", "content": "hi"},
            {"role": "tool", "content": '{"error": "Tool not found"}'},
            {"role": "assistant", "content": "I live in the cloud and I love deserts."},
        ]
    )
    assert memori.flush(20)
    assert alice.list() == []
    alice.capture("Please remember that I deploy on Fridays")
    assert memori.flush(20)
    (fact,) = alice.list()
    assert "Fridays" in fact.content
