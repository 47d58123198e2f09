from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memori_core.errors import MissingExtraError
from memori_core.retrieval.entities import RuleEntityExtractor, default_extractor
from memori_core.retrieval.lemmas import RuleLemmatizer, SpacyLemmatizer, default_lemmatizer
from memori_core.retrieval.spacy_entities import SpacyEntityExtractor
from memori_core.retrieval.spacy_models import installed_model


def found(text: str) -> list[str]:
    return [mention.text for mention in RuleEntityExtractor().extract([text])[0]]


def typed(text: str) -> dict[str, str]:
    return {m.text: m.type for m in RuleEntityExtractor().extract([text])[0]}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Poppy is afraid of thunderstorms.", ["Poppy"]),
        ("User's name is Marisol Vantreek and she goes by Mari.", ["Marisol Vantreek", "Mari"]),
        ("Mari lives in Porto, on Rua das Flores.", ["Mari", "Porto", "Rua das Flores"]),
        ("The composer is Hildegard of Bingen.", ["Hildegard of Bingen"]),
        ("She works at the Museum of the Future.", ["Museum of the Future"]),
        ("Mari's manager is Farrukh Dsouza.", ["Mari", "Farrukh Dsouza"]),
        (
            "Poppy sees the vet Dr. Okonkwo at Bluebell Clinic.",
            ["Poppy", "Okonkwo", "Bluebell Clinic"],
        ),
        ("O'Neill met Jean-Luc Picard.", ["O'Neill", "Jean-Luc Picard"]),
        ("Mari met Mary J. Blige.", ["Mari", "Mary J. Blige"]),
        ("Mari was born in Tromsø.", ["Mari", "Tromsø"]),
        ("Meeting Keziah in Ghent", ["Keziah", "Ghent"]),
        ("POPPY?", ["POPPY"]),
        ("User met Will Smith in Los Angeles.", ["Will Smith", "Los Angeles"]),
        ("La Paz is high up.", ["La Paz"]),
    ],
)
def test_names_by_their_capitals(text: str, names: list[str]):
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "hey Caroline",
        "Hey Caroline!",
        "Wow Caroline, that is great.",
        "Bye Caroline",
        "Thanks Caroline",
        "Hey, Caroline's here",
        "Good Morning Caroline",
    ],
)
def test_a_greeting_is_not_part_of_a_name(text: str):
    assert found(text) == ["Caroline"]


@pytest.mark.parametrize(
    "text",
    [
        "What happened in May 2023?",
        "User runs every Sunday morning.",
        "The lessons are on Tuesdays, from September to December.",
        "I think I'm fine, and so is he.",
        "What is it that he did with her?",
        "Where does the user live?",
        "USER'S FAVOURITE COLOUR IS TEAL.",
        "User Prefers Window Seats On Flights.",
        "Call the dentist tomorrow",
        "Breakfast is at eight.",
        "who is poppy",
        "Ich habe gestern gegessen",
        "Пользователь любит чай.",
        "",
        "???",
    ],
)
def test_months_pronouns_first_words_and_shouting_are_no_names(text: str):
    assert found(text) == []


def test_a_month_is_cut_off_a_name():
    assert found("In April Keziah moved to Ghent.") == ["Keziah", "Ghent"]


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("Ticket NLR-2207 tracks the bug.", ["NLR-2207"]),
        ("The part is SKU-4417/B.", ["SKU-4417/B"]),
        ("telemetry.decoder.core raises ValueError", ["telemetry.decoder.core", "ValueError"]),
        ("parse_frame_header() and getUserById", ["parse_frame_header", "getUserById"]),
        ("MAX_RETRY_COUNT is in config/retry.toml", ["MAX_RETRY_COUNT", "config/retry.toml"]),
        (
            "It runs v4.12.3 on build-07.northlight.example.",
            ["v4.12.3", "build-07.northlight.example"],
        ),
        ("write to mari@x.example, please", ["mari@x.example"]),
        ("written in C++", ["C++"]),
        ("User bought a ThinkPad", ["ThinkPad"]),
    ],
)
def test_identifiers_stay_whole(text: str, identifiers: list[str]):
    assert typed(text) == dict.fromkeys(identifiers, "IDENTIFIER")


@pytest.mark.parametrize(
    "text",
    ["at 10:30 or 10am", "the 3rd, e.g. this", "and/or", "a 3-year-old", "5.99", "2025-02-17"],
)
def test_measures_and_prose_are_no_identifiers(text: str):
    assert found(text) == []


def test_a_product_name_with_a_hump_is_one_name():
    assert typed("User has a MacBook Pro.") == {"MacBook Pro": "PROPER"}


def test_titles_in_quotation_marks():
    assert typed('User reads "The Salt Atlas" by Oriane Delacourt-Bly.') == {
        "The Salt Atlas": "QUOTED",
        "Oriane Delacourt-Bly": "PROPER",
    }
    speech = 'He said "I will go there tomorrow with all of my friends" to Keziah.'
    assert found(speech) == ["Keziah"]


def test_chinese_titles_and_names_inside_chinese():
    text = "用户最喜欢的书是《三体》和「小王子」，用 Python 写代码。"
    assert typed(text) == {"三体": "QUOTED", "小王子": "QUOTED", "Python": "PROPER"}
    assert found("用户喜欢喝乌龙茶。") == []
    assert found("《书》") == []  # one character is too short


def test_markdown_leaves_no_trace():
    text = "# Plans\n- **Project Aurora** with [Keziah](https://x.example/a)\n- `user_repo.py`"
    assert typed(text) == {
        "Project Aurora": "PROPER",
        "Keziah": "PROPER",
        "user_repo.py": "QUOTED",
    }


def test_each_name_once_in_the_order_of_the_text():
    assert found("Keziah met Poppy. KEZIAH likes Poppy's bark.") == ["Keziah", "Poppy"]


def test_lengths():
    assert found("I met Bo and Ann.") == ["Ann"]
    assert found(f"I met {'A' + 'b' * 99} there.") == ["A" + "b" * 99]
    assert found(f"I met {'A' + 'b' * 100} there.") == []


def test_many_texts_at_once():
    assert len(RuleEntityExtractor().extract(["Poppy", "", "tea"])) == 3
    assert RuleEntityExtractor().extract([]) == []


@given(st.text(max_size=200))
def test_any_text_gives_names_that_stand_in_it(text: str):
    names = RuleEntityExtractor().extract([text])[0]
    assert len({m.norm for m in names}) == len(names)
    assert all(2 <= len(m.text) <= 100 and m.vector is None for m in names)


# ------------------------------------------------------------------------------------------- spaCy

without_spacy = pytest.mark.skipif(installed_model() is not None, reason="spaCy is installed")
with_spacy = pytest.mark.skipif(installed_model() is None, reason="needs spaCy and its model")


@without_spacy
def test_without_spacy_the_rules_are_ours():
    assert isinstance(default_extractor(), RuleEntityExtractor)
    assert isinstance(default_lemmatizer(), RuleLemmatizer)
    assert "spacy" not in sys.modules


@without_spacy
@pytest.mark.parametrize("make", [SpacyEntityExtractor, SpacyLemmatizer])
def test_without_spacy_the_error_is_the_pip_line(make: type):
    with pytest.raises(MissingExtraError, match=r"pip install \"memori-core\[spacy\]\""):
        make()


@with_spacy
def test_spacy_adds_topics_and_keeps_our_rules():
    texts = ["Poppy had knee surgery in May 2023.", "hey Caroline", "用户喜欢喝《三体》茶"]
    names = [[m.text for m in one] for one in SpacyEntityExtractor().extract(texts)]
    assert names == [["Poppy", "knee surgery"], ["Caroline"], ["三体"]]


@with_spacy
def test_spacy_lemmas_are_those_of_the_package():
    # Recorded from mem0ai 2.2.1 (shared/fixtures/mem0.json).
    lemmas = SpacyLemmatizer().lemmas(["meeting on Friday", "What is it?", "skiing with Aslak"])
    assert lemmas == [["meet", "meeting", "friday"], [], ["ski", "skiing", "aslak"]]


def test_our_lemmas_keep_identifiers_and_other_scripts():
    rule = RuleLemmatizer()
    assert rule.lemmas(["What is the SKU-4417?", "Пользователь любит чай", "is it the"]) == [
        ["sku", "4417"],
        ["пользователь", "любит", "чай"],
        [],
    ]
    assert rule.document_terms(["Running shoes", "is it the"]) == [["run", "shoe"], []]
