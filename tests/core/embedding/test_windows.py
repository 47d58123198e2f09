"""Long texts are cut into slices that together are the text."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from memori_core.embedding._windows import token_windows


def starts_of_words(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"\w+|[^\w\s]", text)]


@given(st.text(), st.integers(1, 20))
def test_the_windows_are_the_text_and_none_is_empty(text, size):
    starts = starts_of_words(text)
    windows = token_windows(text, starts, size=size)
    assert "".join(windows) == text
    assert len(windows) == 1 or all(windows)


@given(st.text(alphabet="ab ,", max_size=300), st.integers(1, 20))
def test_no_window_holds_more_than_its_size(text, size):
    starts = starts_of_words(text)
    at = 0
    for window in token_windows(text, starts, size=size):
        assert sum(at <= start < at + len(window) for start in starts) <= size
        at += len(window)


def test_windows_are_of_like_size():
    # 10 words in windows of at most 4: three windows of 4, 3 and 3.
    text = " ".join("abcdefghij")
    windows = token_windows(text, starts_of_words(text), size=4)
    assert [len(window.split()) for window in windows] == [4, 3, 3]


def test_words_are_not_cut_where_a_blank_is_near():
    text = "unbelievable unbelievable unbelievable"
    # Word pieces of three letters: four to a word of 12 letters and a blank.
    pieces = [13 * word + 3 * piece for word in range(3) for piece in range(4)]
    assert all(
        word == "unbelievable"
        for window in token_windows(text, pieces, size=7)
        for word in window.split()
    )


def test_tokens_at_one_character_make_no_empty_window():
    # A byte-level tokenizer makes four tokens of one emoji.
    assert token_windows("🥜", [0, 0, 0, 0], size=2) == ["🥜"]
