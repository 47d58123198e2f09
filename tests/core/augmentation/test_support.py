"""A fact says no more than its source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memori_core.augmentation.prompts import EXAMPLE_FACTS, EXAMPLE_INPUT, EXAMPLE_SUMMARY
from memori_core.augmentation.support import (
    SourceText,
    is_prompt_example,
    supported,
    supported_share,
)
from memori_core.conversation import ExtractedFact

REWRITTEN = [
    ("User is allergic to peanuts.", "I'm allergic to peanuts."),
    ("User has a peanut allergy.", "im allergic to peanuts"),
    ("User goes to the gym and studies law.", "I go to the gym, I study law"),
    ("User has celiac disease.", "I have celiac"),
    ("User bought a red bike.", "I buy a red bike"),
    ("User's name is Priya.", "Hi! I'm Priya, a nurse from Leeds."),
    ("User wants to be called Sam.", "Call me Sam."),
    ("User's sister Ana lives in Linz.", "my sister ana lives in linz"),
    ("User has three cats.", "I have 3 cats"),
    ("User has 3 cats.", "I have three cats"),
    ("User earns 1200 euros.", "I earn 1,200 euros"),
    ("User went to Oslo in the week of 15 May 2023.", "I went to Oslo last week"),
    ("User sees the dentist on 2023-05-25.", "I see the dentist tomorrow"),
    ("User has a dentist appointment on 2023-05-25.", "the dentist is tomorrow"),
    ("User writes C++.", "I write C++"),
    ("Maria has a dog.", "Maria: I have a dog"),
    ("用户对花生过敏。", "我住在杭州,对花生过敏。"),
    ("用户患有糖尿病。", "我有糖尿病"),
    ("用户2026年3月9日去了上海。", "我昨天去了上海"),
    ("用户有三只猫。", "我有3只猫"),
    ("L'utilisateur est allergique aux noix.", "Je suis allergique aux noix."),
    ("Der Nutzer wohnt in Graz.", "Ich wohne in Graz"),
    ("El usuario vive en Madrid.", "Vivo en Madrid"),
    ("Пользователь живёт в Москве.", "Я живу в Москве"),
    ("ユーザーはピーナッツアレルギーです。", "私はピーナッツアレルギーがあります"),
]

INVENTED = [
    ("User lives in Berlin.", "I live in Graz."),
    ("User lives in Berlin with two cats.", "I live in Graz with two cats."),
    ("User has 4 cats and a dog called Rex.", "I have 3 cats and a dog called Rex"),
    ("User has four cats and a dog called Rex.", "I have three cats and a dog called Rex"),
    ("User moved to Ghent in 2019.", "I moved to Ghent"),
    ("User likes deserts.", "Maybe later."),
    ("User is John Doe.", "ok, thanks"),
    ("User has them.", "I have them"),
    ("用户喜欢吃苹果。", "我喜欢吃香蕉"),
    ("用户有三只猫。", "我有两只猫"),
    ("用户住在 Berlin。", "我住在 Graz"),
    ("", "I live in Graz"),
]


@pytest.mark.parametrize(("fact", "source"), REWRITTEN)
def test_a_rewritten_fact_passes(fact: str, source: str):
    assert supported(ExtractedFact(fact), source)


@pytest.mark.parametrize(("fact", "source"), INVENTED)
def test_an_invented_fact_does_not(fact: str, source: str):
    assert not supported(ExtractedFact(fact), source)


def test_a_year_that_was_resolved_need_not_be_said():
    assert supported(ExtractedFact("User moved in 2025.", dates=("2025",)), "I moved last year")
    assert not supported(ExtractedFact("User moved in 2025."), "I moved last year")


@pytest.mark.parametrize("example", [*EXAMPLE_FACTS, EXAMPLE_SUMMARY])
def test_b29_an_example_of_the_prompt_is_refused_whatever_was_said(example: str):
    assert is_prompt_example(example.rstrip(".").upper())
    assert not supported(ExtractedFact(example), EXAMPLE_INPUT + example)


def test_the_share_of_a_set_of_facts():
    facts = [(ExtractedFact(fact), source) for fact, source in [REWRITTEN[0], INVENTED[0]]]
    assert supported_share(facts) == 0.5
    assert supported_share([]) == 1.0


def test_the_share_of_one_fact():
    # tea, coffee and likes count, User and and do not: two of three.
    assert SourceText("I like tea").share("User likes tea and coffee") == pytest.approx(2 / 3)


@given(st.text(), st.text())
def test_any_texts_are_compared(fact: str, source: str):
    assert supported(ExtractedFact(fact), source) in (True, False)
    assert 0.0 <= SourceText(source).share(fact) <= 1.0


@given(st.text(min_size=1), st.text())
def test_more_source_never_takes_support_away(fact: str, more: str):
    source = f"{fact} we said"
    if supported(ExtractedFact(fact), source):
        assert supported(ExtractedFact(fact), f"{source}\n{more}")
