"""What is taken back across a full stop, quoted, and told in appositions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memori_core.augmentation.rules import RuleExtractor
from memori_core.conversation import ExtractedFact, Message

AT = datetime(2026, 3, 10, 10, tzinfo=UTC)


def facts(text: str) -> tuple[ExtractedFact, ...]:
    return RuleExtractor().extract([Message("user", text)], said_at=AT).facts


def contents(text: str) -> list[str]:
    return [fact.content for fact in facts(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Rome. No wait, in Milan.", ["User lives in Milan."]),
        ("I live in Rome. Sorry, I meant Milan.", ["User lives in Milan."]),
        ("I live in Rome. Scratch that, I live in Milan.", ["User lives in Milan."]),
        ("I'm 41. Actually no, I turned 42 in May.", ["User turned 42 in May 2025."]),
        ("I'm 34. Wait, 35.", ["User is 35."]),
        ("My sister lives in Oslo. I mean Bergen.", ["User's sister lives in Bergen."]),
        ("I have two cats. No, three.", ["User has three cats."]),
        ("I have two cats. Scratch that, three.", ["User has three cats."]),
        ("I have a dog. Just kidding.", []),
        ("I have a dog. I love jazz. Just kidding!", ["User has a dog."]),
        ("I love jazz. Not true, I hate it.", []),
        ("我住在北京。不对，是上海。", ["用户住在上海。"]),
        ("我住在北京。说错了，我住在上海。", ["用户住在上海。"]),
        ("我今年30岁。哦不对，31。", ["用户2026年31岁。"]),
        ("我养了三只猫。开玩笑的。", []),
    ],
)
def test_the_next_sentence_takes_back(text: str, expected: list[str]) -> None:
    assert contents(text) == expected


def test_the_statement_is_corrected_too() -> None:
    (english,) = facts("I live in Rome. No wait, in Milan.")
    (chinese,) = facts("我住在北京。不对，是上海。")
    assert [(t.predicate, t.object) for t in english.triples] == [("lives_in", "Milan")]
    assert [(t.predicate, t.object) for t in chinese.triples] == [("lives_in", "上海")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I work at Fiat. Sorry, Tom!", ["User works at Fiat."]),
        ("I live in Rome. I mean it.", ["User lives in Rome."]),
        ("I live in Rome. No wait, is that in Italy?", ["User lives in Rome."]),
        ("I work at Fiat. I meant to ask: is that good?", ["User works at Fiat."]),
        ("I can't swim. No, I can't drive either.", ["User can't swim."]),
        ("I live in Rome. It rains. No wait, in Milan.", ["User lives in Rome."]),
        ("我住在北京。不是很喜欢这里。", ["用户住在北京。"]),
    ],
)
def test_what_takes_nothing_back(text: str, expected: list[str]) -> None:
    assert contents(text)[:1] == expected


@pytest.mark.parametrize(
    ("text", "expected", "pinned"),
    [
        ('My doctor said "you have asthma".', ["User has asthma."], True),
        ("My GP told me: “You have gout.”", ["User has gout."], True),
        (
            "my sister rang and she said \"I'm pregnant and I'm moving to Perth\".",
            ["User's sister is pregnant.", "User's sister is moving to Perth."],
            False,
        ),
        ('My mum said "I am allergic to cats".', ["User's mum is allergic to cats."], True),
        ("医生说“你有高血压”", ["医生说用户有高血压。"], True),
    ],
)
def test_quoted_speech_of_a_known_speaker(text: str, expected: list[str], pinned: bool) -> None:
    found = facts(text)
    assert [fact.content for fact in found] == expected
    assert {fact.pinned for fact in found} == {pinned}


@pytest.mark.parametrize(
    "text",
    [
        'He said "I have a dog".',
        'The captain in the film said "I hate the sea".',
        'My wife always says "you snore like a bear".',
        'How do I translate "my doctor said you have asthma"?',
        'Did my doctor say "you have asthma"?',
        'Write a story in which my sister says "I live on the moon".',
        'My boss said "can you come in on Sunday?"',
    ],
)
def test_other_quotations_say_nothing(text: str) -> None:
    assert contents(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My brother, Anselm, is a baker.", ["User's brother Anselm is a baker."]),
        ("Anselm, my brother, is a baker.", ["User's brother Anselm is a baker."]),
        (
            "I work at Fiat with my cousin Bo, who is a nurse.",
            ["User works at Fiat with their cousin Bo.", "User's cousin Bo is a nurse."],
        ),
        ("My uncle, Bo, and I bought a boat.", ["User bought a boat."]),
        (
            "I live with my sister, Ann, Bob and Carl.",
            ["User lives with their sister, Ann, Bob and Carl."],
        ),
    ],
)
def test_names_beside_relatives(text: str, expected: list[str]) -> None:
    assert contents(text) == expected
