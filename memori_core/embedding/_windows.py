"""Cutting a long text into windows that a model can read whole."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def token_windows(text: str, starts: Sequence[int], *, size: int) -> list[str]:
    """Slices of a text that together are the text, of nearly equal size.

    Equal sizes, because the windows are averaged: a last window of three words must not count as
    much as one of two hundred.

    Args:
        text: Any text.
        starts: Where each token begins, as ascending character positions.
        size: Tokens per window at most, at least 1. Windows begin at a blank where one is near,
            so that no word is tokenised differently in its window.

    Returns:
        One slice when the text fits, else as many as are needed.
    """
    total = len(starts)
    if total <= size:
        return [text]
    cuts = [0]
    at = 0
    while total - at > size:
        windows_left = -(-(total - at) // size)
        end = at + -(-(total - at) // windows_left)
        at = _word_start(text, starts, low=at + (end - at) // 2, high=end)
        cuts.append(starts[at])
    # Several tokens may begin at one character (bytes of an emoji): no window for nothing.
    return [text[a:b] for a, b in pairwise([*cuts, len(text)]) if a < b]


def _word_start(text: str, starts: Sequence[int], *, low: int, high: int) -> int:
    """The last token after `low`, up to `high`, that follows a blank; `high` when none does."""
    for token in range(high, low, -1):
        start = starts[token]
        if text[start : start + 1].isspace() or text[start - 1 : start].isspace():
            return token
    return high
