"""The engine of the rule extractor: who is listened to, what is left out, that it never fails."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memori_core.augmentation.rules import RuleExtractor
from memori_core.augmentation.rules.cleaning import clean
from memori_core.augmentation.rules.scripts import runs
from memori_core.conversation import Extraction, Message, Role

AT = datetime(2026, 3, 10, 10, tzinfo=UTC)


def extracted(*messages: Message, statements: bool = False) -> Extraction:
    return RuleExtractor(statements=statements).extract(messages, said_at=AT)


def said(text: str, *, statements: bool = False) -> list[str]:
    return [f.content for f in extracted(Message("user", text), statements=statements).facts]


def test_b30_the_assistants_words_are_not_the_users_facts() -> None:
    turn = [
        Message("user", "Any book tips?"),
        Message("assistant", "You could try Dune; I love deserts."),
        Message("user", "Maybe later."),
    ]
    assert extracted(*turn).facts == ()
    found = extracted(*turn, Message("user", "Great, I finished Dune and loved it")).facts
    assert [(f.content, f.message) for f in found] == [("User finished Dune.", 3)]


def test_b35_system_prompts_and_tool_noise_are_not_memories() -> None:
    noise = [
        Message("system", "You are Atlas, deploy target is eu-west. I live in the cloud."),
        Message("tool", '{"error":"Tool not found","name":"I am a tool"}'),
    ]
    assert extracted(*noise, Message("user", "hi")).facts == ()
    found = extracted(*noise, Message("user", "Please remember that I deploy on Fridays")).facts
    assert [f.content for f in found] == ["User deploys on Fridays."]


def test_b29_small_talk_leaves_nothing() -> None:
    turn = [Message("user", "ok, thanks"), Message("assistant", "You're welcome")]
    assert extracted(*turn) == Extraction()


def test_b33_the_users_language_and_names_are_kept() -> None:
    assert said("I love the Café de Flore and 火锅") == ["User loves the Café de Flore and 火锅."]
    assert all("用户" in fact for fact in said("我住在杭州,对花生过敏。"))


def test_b34_placeholders_of_content_that_is_no_text_are_not_facts() -> None:
    assert said("I love hiking [image]") != []
    assert "base64" not in " ".join(said("I love hiking\ndata:image/png;base64,AAAA"))
    assert said("") == []


def test_code_quotes_and_our_own_block_are_not_the_users_words() -> None:
    assert said("```\nI live in Malta\n```\nI live in Rome.") == ["User lives in Rome."]
    assert said("> I live in Malta\nwhat do you make of this comment?") == []
    block = "<memori_context>\n- User likes tea. I live in Malta.\n</memori_context>\nhi"
    assert said(block) == []
    assert said("<memori_context>I live in Malta.") == []
    assert said("print('I am a teapot')  # why is there no output") == []


def test_each_fact_knows_its_message_and_stands_once() -> None:
    found = extracted(
        Message("user", "I live in Rome. I live in Rome!"),
        Message("user", "I live in Rome. I have a dog."),
    ).facts
    assert [(f.content, f.message) for f in found] == [
        ("User lives in Rome.", 0),
        ("User has a dog.", 1),
    ]


def test_a_message_with_its_own_time_is_dated_by_it() -> None:
    early = Message("user", "I ran 10k yesterday", said_at=datetime(2024, 1, 2, tzinfo=UTC))
    assert extracted(early).facts[0].dates == ("2024-01-01",)


def test_statements_come_only_when_asked_for() -> None:
    text = "The museum in our street opens at nine."
    assert said(text) == []
    (fact,) = extracted(Message("user", text), statements=True).facts
    assert fact.kind == "statement"
    assert "The museum in our street opens at nine." in fact.content
    assert said("Can you open the museum?", statements=True) == []


def test_a_task_frame_in_one_language_holds_for_the_other() -> None:
    assert said("请把下面这段话翻译成中文:I am allergic to cats. I live in Rome.") == []


@pytest.mark.parametrize(
    "text", ["I live in Rome.", "我住在罗马。", "Hi, 我是 Kevin, I live in 上海"]
)
def test_runs_join_to_the_text(text: str) -> None:
    assert "".join(piece for _, piece in runs(text)) == text


def test_cleaning_keeps_what_was_said() -> None:
    assert clean("I’m fine") == "I'm fine"
    assert clean("a\ud800b\x00c") == "abc"


def test_work_is_bounded_by_the_number_of_different_clauses() -> None:
    assert said("I live in Rome and work at Fiat. " * 1_000) == [
        "User lives in Rome.",
        "User works at Fiat.",
    ]


# ------------------------------------------------------------------------------ properties

WORDS = (
    "I my we me you she he it if and but so because not never am was have love live in at Rome "
    "remember forget always allergic to , . ; : ? ! \" ' ( ) - > ` \n 我 不 吃 住在 2019 yesterday"
).split(" ")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300) | st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join))
def test_any_text_gives_sentences_and_no_exception(text: str) -> None:
    for fact in extracted(Message("user", text), statements=True).facts:
        assert fact.content.strip()
        assert "\n" not in fact.content
        assert len(fact.content) < 1_000
        if fact.kind != "statement":
            assert "?" not in fact.content


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(["assistant", "system", "tool"]), st.text(max_size=100))
def test_only_users_are_listened_to(role: Role, text: str) -> None:
    assert extracted(Message(role, text + " I live in Rome.")) == Extraction()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我的邮箱是lilei@example.com", ["用户的邮箱是lilei@example.com。"]),
        ("我平时用Node.js写后端", ["用户平时用Node.js写后端。"]),
        (
            "我的主页是https://lilei.example.com/a?b=1.5",
            ["用户的主页是https://lilei.example.com/a?b=1.5。"],
        ),
        ("我的系统是Mint v2.1,我住在杭州", ["用户的系统是Mint v2.1。", "用户住在杭州。"]),
        (
            "我住在杭州. I love it here in Hangzhou.",
            ["用户住在杭州。", "User loves it here in Hangzhou."],
        ),
    ],
)
def test_a_stop_inside_a_word_ends_nothing(text: str, expected: list[str]) -> None:
    assert said(text) == expected
