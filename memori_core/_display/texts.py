"""What all displays share."""

from __future__ import annotations

from memori_core.rendering import one_line

COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b")
"""Of middling lightness, to be read on white and on black."""


def shorten(text: str, width: int = 100) -> str:
    """A text as one line of at most so many characters."""
    line = one_line(text)
    return line if len(line) <= width else line[: width - 1] + "…"
