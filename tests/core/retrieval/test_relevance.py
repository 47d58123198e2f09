from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memori_core import InMemoryStore, Memori
from memori_core.embedding import EmbedderProfile
from memori_core.retrieval.cohort import cohort
from memori_core.retrieval.fusion import CoverageFusion, Search
from memori_core.retrieval.index import EntityIndex
from memori_core.retrieval.lexical import LexicalIndex
from memori_core.retrieval.person import first_person
from memori_core.retrieval.relevance import (
    dense_strength,
    match_words,
    relevance,
    relevance_cut,
)
from memori_core.retrieval.tokenization import index_terms, query_words
from memori_core.testing import FakeEmbedder
from memori_core.testing.facts import fact_record
from memori_core.writes import Changes

QUERY = np.array([1.0, 0.0], np.float32)


def strength(cosine: float, profile: EmbedderProfile, **flags: bool) -> float:
    cosines = np.array([cosine], np.float32)
    options = {"foreign": False, "cjk": False, **flags}
    return float(dense_strength(cosines, QUERY, profile, **options)[0])


def test_a_cosine_counts_from_the_background_upwards() -> None:
    profile = EmbedderProfile(np.array([0.1, 0.5], np.float32), scale=2.0)
    assert strength(0.4, profile) == pytest.approx((0.4 - 0.1) * 2)
    assert strength(0.05, profile) == 0.0
    assert strength(0.4, EmbedderProfile()) == pytest.approx(0.4)


def test_a_chinese_question_has_a_background_of_its_own() -> None:
    backgrounds = {
        "background": np.array([0.1, 0], np.float32),
        "background_cjk": np.array([0.3, 0], np.float32),
    }
    english = EmbedderProfile(**backgrounds)
    both = EmbedderProfile(**backgrounds, multilingual=True)
    assert strength(0.5, both, cjk=True) == pytest.approx(0.5 - 0.3)
    assert strength(0.5, both) == pytest.approx(0.5 - 0.1)
    # An embedder that does not know the script: a quarter.
    assert strength(0.5, english, cjk=True, foreign=True) == pytest.approx((0.5 - 0.3) / 4)


@pytest.mark.parametrize(
    ("query", "profile", "per_log"),
    [
        ("我住在哪里？", {"multilingual": True, "background_cjk": QUERY}, 0.035),
        ("Where do I live?", {"multilingual": True, "background_cjk": QUERY}, 0.05),
        ("我住在哪里？", {"multilingual": False, "background_cjk": QUERY}, 0.05),
        ("我住在哪里？", {"multilingual": True}, 0.05),  # nothing was measured
    ],
)
def test_a_chinese_question_that_is_understood_has_a_cut_of_its_own(
    query: str, profile: dict[str, Any], per_log: float
) -> None:
    index = EntityIndex(embedder="fake", dim=2)
    facts = tuple(fact_record(f"fact {i}") for i in range(8))
    index.apply(Changes(1, complete=True, records=facts))
    search = Search(
        query, snapshot=index.snapshot(), vector=QUERY, profile=EmbedderProfile(**profile)
    )
    # ln 8 = 2.0794415
    assert CoverageFusion().cut(search, 1.0) == pytest.approx(0.105 + per_log * 2.0794415)
    assert CoverageFusion().cut(search, 0.5) == pytest.approx((0.105 + per_log * 2.0794415) / 2)
    words_only = replace(search, vector=None)
    assert CoverageFusion().cut(words_only, 1.0) == pytest.approx(0.105 + 0.05 * 2.0794415)


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("用户住在杭州。", "我住在杭州。"),
        ("用户的猫叫米糕。", "我的猫叫米糕。"),
        ("用户界面要简洁。", "用户界面要简洁。"),
        ("用户名是小周。", "用户名是小周。"),
        ("团队负责用户增长。", "团队负责用户增长。"),
        ("User lives in Porto.", "I live in Porto"),
        ("User's cat is called Miso.", "My cat is called Miso"),
        ("User interface prototypes are due.", "User interface prototypes are due."),
        ("我住在杭州。", "我住在杭州。"),
    ],
)
def test_the_user_of_a_fact_is_the_one_who_asks(text: str, searched: str) -> None:
    assert first_person(text) == searched
    fake = FakeEmbedder()
    hybrid, words = (
        Memori(InMemoryStore(), embedder=embedder).scoped("alice") for embedder in (fake, None)
    )
    hybrid.remember(text)
    assert fake.documents == [searched]
    # Asked in either person, with vectors and without, it is found by all of its words.
    for memory in (hybrid, words):
        memory.remember(text)
        for query in (text, searched):
            (found,) = memory.recall(query)
            assert found.parts["coverage"] == pytest.approx(0.35)
            assert found.content == text
    assert set(fake.queries) == {searched}


def test_words_count_only_beyond_their_share() -> None:
    coverage = np.array([0.0, 0.3, 0.8])
    assert relevance(np.zeros(3), coverage).tolist() == pytest.approx([0.0, 0.0, 0.5])
    assert relevance_cut(1) == pytest.approx(0.105)
    assert relevance_cut(8) == pytest.approx(0.105 + 0.05 * 2.0794415)
    assert relevance_cut(8, strictness=0) == 0
    assert relevance_cut(0) == relevance_cut(1)


def coverage_of(texts: list[str], query: str) -> list[float]:
    index = LexicalIndex()
    index.add([index_terms(text) for text in texts])
    rows = np.arange(len(texts))
    return match_words(query_words(query), rows, index.view(), cohort("en")).coverage.tolist()


def test_coverage_is_the_share_of_the_information_found() -> None:
    assert coverage_of(["heron cello"], "heron cello")[0] == pytest.approx(1.0)
    assert coverage_of(["nothing of it"], "heron cello")[0] == 0
    half = coverage_of(["heron"], "heron zephyr")[0]
    assert 0.4 < half < 0.6  # two words that the cohort never saw weigh about the same


def test_a_tiny_store_does_not_make_a_common_word_rare() -> None:
    # B23: the only fact shares one everyday word with the question, and that is not enough.
    small = coverage_of(["Have a nice day"], "On which day is the eclipse?")[0]
    assert small - 0.3 < relevance_cut(1)
    large = coverage_of(
        ["Have a nice day", *(f"note {i}" for i in range(500))], "On which day is the eclipse?"
    )[0]
    assert abs(small - large) < 0.1


def test_a_compound_counts_once_and_in_part() -> None:
    whole, part, none = coverage_of(
        ["getUserById is slow", "the user waits", "nothing"], "getUserById heron"
    )
    assert 0 < part < whole < 1
    assert none == 0


def test_the_multilingual_embedder_answers_in_chinese() -> None:
    memori = Memori(InMemoryStore(), embedder="multilingual")
    memory = memori.scoped("小明")
    memory.remember_many(
        ["用户对花生过敏。", "用户住在杭州。", "用户喜欢喝乌龙茶。", "用户的猫叫米糕。"]
    )
    assert memory.recall("我对什么东西过敏?")[0].content == "用户对花生过敏。"
    assert memory.recall("谢谢").reason == "chit_chat"
    assert len(memory.recall("谢谢")) == 0
    assert len(memory.recall("光合作用的原理是什么?")) == 0
