"""Spoken forms of both languages: corrections, asides, parts to play, whom a request is for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memori_core.augmentation.rules import RuleExtractor
from memori_core.conversation import ExtractedFact, Message

AT = datetime(2026, 3, 10, 10, tzinfo=UTC)


def facts(text: str) -> list[ExtractedFact]:
    return list(RuleExtractor().extract([Message("user", text)], said_at=AT).facts)


def said(text: str) -> list[str]:
    return [fact.content for fact in facts(text)]


def triples(text: str) -> set[tuple[str, str]]:
    return {(t.predicate, t.object) for fact in facts(text) for t in fact.triples}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I work in Leeds, wait no, I work in York", ["User works in York."]),
        ("I drive a Ford, I mean I drive a Fiat", ["User drives a Fiat."]),
        ("I drive a Ford, no wait, I live in Hull", ["User drives a Ford.", "User lives in Hull."]),
        ("I'm diabetic so nothing sugary please", ["User is diabetic."]),
        ("I'm vegan so no cheese", ["User is vegan."]),
        ("I'm 30, never been married", ["User is 30.", "User has never been married."]),
        (
            "I have a sore shoulder (broke my collarbone in 2020), so go easy",
            ["User has a sore shoulder.", "User broke their collarbone in 2020."],
        ),
        (
            "I have a dog, and my youngest, Ada, she's four",
            ["User has a dog.", "User's youngest Ada is four."],
        ),
        ("My dad, he works at the docks", ["User's dad works at the docks."]),
        ("My wife, she's been ill", ["User's wife has been ill."]),
        (
            "I live with my mom, she's a nurse",
            ["User lives with their mom.", "User's mom is a nurse."],
        ),
        ("What should I get my dad? He's diabetic", ["User's dad is diabetic."]),
        ("Can you write to my boss, Ms Hale? She's on leave", ["User's boss is on leave."]),
        ("error: I am unable to find the module\nI live in Rome", ["User lives in Rome."]),
        ("ValueError: my app is broken", []),
        ("I need to redo my cv", []),
        ("I've emailed him twice", []),
        ("Planning a wedding with my fiancé", ["User is planning a wedding with their fiancé."]),
        ("i love walkin and cookin", ["User loves walking and cooking."]),
        ("I like raisin bread", ["User likes raisin bread."]),
        ("Hi, it's Tomasz again", ["User's name is Tomasz."]),
        ("Hi, it's Monday again", []),
    ],
)
def test_spoken_english(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("帮我写封道歉信,语气正式一点", []),
        ("帮我写封信。以后回答简短一点", ["用户希望回答简短一点。"]),
        ("回复我的时候不要用表格", ["用户希望不要用表格。"]),
        ("回答我的时候用简体", ["用户希望回答我的时候用简体。".replace("我", "用户")]),
        ("我们来角色扮演,你演老师。我是学生,我今年八岁", []),
        ("咱们玩个游戏,我是国王。我住在城堡里", []),
        ("我先说:“我昨晚一直在家,我有三个孩子,我没杀人!”", []),
        (
            "给我女朋友选个礼物。她喜欢猫,平时爱看书",
            ["用户的女朋友喜欢猫。", "用户的女朋友平时爱看书。"],
        ),
        ("他平时爱喝酒,晚上不睡觉", []),
        ("我在美团做测试,还是做测试", ["用户在美团做测试。"]),
        ("我得请三天假", ["用户得请三天假。"]),
        ("我学法律,英语六级过了", ["用户学法律。", "用户英语六级过了。"]),
        ("python会一点点,sql完全不会", ["用户 python会一点点。", "用户 sql完全不会。"]),
        ("浙江温州人,普通话说得一般", ["用户浙江温州人。", "用户普通话说得一般。"]),
        ("我报了4月12号的半马", ["用户报了2026年4月12日的半马。"]),
        ("我参加了2月3号的考试", ["用户参加了2026年2月3日的考试。"]),
    ],
)
def test_spoken_chinese(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm coeliac", {("has_condition", "coeliac")}),
        ("I have two guinea pigs, Bo and Mo", {("has_pet", "two guinea pigs")}),
        ("I prefer tea without sugar", {("prefers", "tea without sugar")}),
        ("I don't prefer tea", set()),
        ("我是学法律的", {("studied", "法律")}),
        ("我是新疆喀什人", {("from", "新疆喀什")}),
    ],
)
def test_triples_of_spoken_forms(text: str, expected: set[tuple[str, str]]) -> None:
    assert triples(text) == expected


@pytest.mark.parametrize(
    "text", ["I sprained my ankle", "I tore my ACL", "我把脚崴了", "我右膝韧带撕裂"]
)
def test_injuries_are_pinned(text: str) -> None:
    assert [fact.pinned for fact in facts(text)] == [True]


def test_a_letter_that_only_folds_to_a_spelling_of_chat_is_left_alone() -> None:
    assert said("it doe\u017fnt matter") == []


def test_what_follows_an_unread_clause_about_a_relative_is_not_the_writers() -> None:
    assert said("带我妈去医院,平时血压高") == []
