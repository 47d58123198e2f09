"""Facts speak of the user, questions are the user's own: both are searched as one person."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memori_core import InMemoryStore, Memori
from memori_core.models import NewFact
from memori_core.retrieval.index_text import embedded_text, index_text
from memori_core.retrieval.person import first_person


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("User works as a nurse.", "I work as a nurse"),
        ("User watches birds.", "I watch birds"),
        ("User usually studies at night.", "I usually study at night"),
        ("User passes exams.", "I pass exams"),
        ("User is allergic to peanuts.", "I am allergic to peanuts"),
        ("User doesn't eat meat.", "I don't eat meat"),
        ("User no longer smokes.", "I no longer smoke"),
        ("User has a dog and lives with User's wife.", "I have a dog and lives with my wife"),
        ("User's sister Inês works.", "My sister Inês works"),
        ("User leads the User Experience team.", "I lead the User Experience team"),
        ("User moved from Porto to Ghent.", "I moved from Porto to Ghent"),
    ],
)
def test_a_fact_about_the_user_is_searched_as_the_user_would_say_it(text: str, said: str) -> None:
    assert first_person(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "User interface work is fun.",
        "User stories are written on Mondays.",
        "User and Bob went out.",
        "User: hello",
        "Users like tea.",
        "user likes tea",
        "The User likes tea.",
        "Marta sells on Etsy.",
        "I work as a nurse.",
        "",
    ],
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert first_person(text) == text


def test_the_day_is_among_the_words_and_not_in_the_vector() -> None:
    day = datetime(2026, 1, 5, tzinfo=UTC)
    fact = NewFact("User lives in Porto.", said_at=day, source_message_id="m")
    with Memori(InMemoryStore(), embedder=None, extractor=None) as memori:
        alice = memori.scoped("alice")
        (stored,) = alice.remember_many([fact])
    assert embedded_text(stored) == "I live in Porto"
    assert index_text(stored) == "5 January 2026 I live in Porto"


def test_questions_share_no_word_with_what_was_captured_and_find_it() -> None:
    with Memori(InMemoryStore()) as memori:
        alice = memori.scoped("alice")
        for day, text in (
            ("2026-01-05", "Hi! I'm Alice. I'm allergic to peanuts, and I live in Porto."),
            ("2026-01-05", "I work as a nurse, and I play the cello in an amateur orchestra."),
            ("2026-01-06", "Please remember that the alarm code of the garage is K-4711."),
            ("2026-03-10", "Good news: I moved from Porto to Ghent!"),
        ):
            alice.capture(text, at=day)
        assert memori.flush(60)
        for question, answer in (
            ("What is my job?", "User works as a nurse."),
            ("What's my profession?", "User works as a nurse."),
            ("What do I do for a living?", "User works as a nurse."),
            ("Where do I live now?", "User moved from Porto to Ghent."),
            ("Where did I live in January?", "User lives in Porto."),
            ("Where did I live before?", "User lives in Porto."),
        ):
            assert alice.recall(question)[0].content == answer, question
        assert alice.recall("How tall is the Eiffel Tower?").reason == "below_cut"
