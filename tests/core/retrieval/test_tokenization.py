from __future__ import annotations

import pytest
from bm25s.stopwords import STOPWORDS_EN_PLUS
from hypothesis import given
from hypothesis import strategies as st

from memori_core.retrieval import stopwords
from memori_core.retrieval.tokenization import (
    STOP_MARK,
    beyond_latin,
    content_terms,
    has_cjk,
    index_terms,
    query_words,
)


def test_the_stop_words_are_those_of_the_field() -> None:
    assert frozenset(STOPWORDS_EN_PLUS) == stopwords.ENGLISH


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Running dogs", ["run", "dog"]),
        ("the dog", ["~the", "dog"]),
        ("Dana’s dog", ["dana", "dog"]),
        ("I'm here, can't go", ["~i", "~here", "~can", "go"]),
        ("花生 过敏", ["花", "生", "花生", "过", "敏", "过敏"]),
        ("用rerank模型", ["用", "rerank", "模", "型", "模型"]),
        ("2018年5月", ["2018", "年", "5", "月"]),
        ("ラーメン", ["ラ", "ー", "メ", "ン", "ラー", "ーメ", "メン"]),
        ("ชาเขียว ก", ["ชา", "าเ", "เข", "ขี", "ีย", "ยว", "ชาเ", "าเข", "เขี", "ขีย", "ียว", "ก"]),
        ("한국 사람", ["한", "국", "한국", "사", "람", "사람"]),
        ("\uff21\uff22\uff23\uff11\uff12", ["abc12", "abc", "12"]),
        ("café", ["café", "cafe"]),
        ("Tromsø", ["tromsø", "tromso"]),
        ("C, C++ and C#", ["c", "c++", "~and", "c#"]),
        ("getUserById", ["getuserbyid", "get", "user", "id"]),
        ("RULE-A002", ["rule-a002", "rule", "002", "a002"]),
        ("user_repo.py", ["user_repo.py", "user", "repo", "py", "user_repo"]),
        ("sign-off", ["sign-off", "signoff", "sign"]),
        ("2,500 dollars", ["2500", "dollar"]),
        ("🍕 and 👩‍👩‍👧", ["🍕", "~and", "👩‍👩‍👧"]),
        ("программирование", ["программирован"]),
        ("", []),
        ("?!", []),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert index_terms(text) == terms


def test_a_question_of_stop_words_falls_back_to_them() -> None:
    assert [word.terms for word in query_words("The Who")] == [("~the",), ("~who",)]
    assert [word.terms for word in query_words("Who is Dana?")] == [("dana",)]


def test_a_word_counts_once() -> None:
    assert len(query_words("dog dogs DOG")) == 1
    (word,) = query_words("getUserById")
    assert word.alternatives == (("getuserbyid",), ("get", "user", "id"))


def test_scripts() -> None:
    assert has_cjk("我 like tea")
    assert not has_cjk("I like tea, кофе")
    assert beyond_latin("кофе")
    assert beyond_latin("ما هذا")
    assert not beyond_latin("I met Дима at noon in Berlin")
    assert not beyond_latin("")


@given(st.text())
def test_text_and_question_share_their_terms(text: str) -> None:
    indexed = set(index_terms(text))
    for word in query_words(text):
        assert indexed.issuperset(word.terms)


@given(st.text())
def test_terms_are_stable_and_fit_in_a_line(text: str) -> None:
    terms = index_terms(text)
    assert terms == index_terms(text)
    assert all(term and not term.isspace() and " " not in term for term in terms)
    content = content_terms(terms)
    assert len(content) <= len(terms)
    assert bool(content) == bool(terms)
    assert content == terms or not any(term.startswith(STOP_MARK) for term in content)
