"""Stored text and tables of it, fit for a terminal."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Sequence
from io import TextIOWrapper

_UNSAFE = {"Cc", "Cs", "Zl", "Zp"}
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """Text that cannot steer a terminal: control characters but line breaks become blanks."""
    return "".join(
        " " if c != "\n" and (unicodedata.category(c) in _UNSAFE or c in _BIDI) else c for c in text
    )


def let_any_text_out() -> None:
    """What an output's encoding cannot write is escaped; it would end the program otherwise."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def one_line(text: str, width: int | None = None) -> str:
    """Text on one line, cut to a number of terminal columns."""
    line = " ".join(printable(text).split())
    if width is None or columns(line) <= width:
        return line
    used = 0
    for at, c in enumerate(line):
        used += _columns_of(c)
        if used > width - 1:
            return line[:at].rstrip() + "…"
    return line


def columns(text: str) -> int:
    """How many terminal columns a line takes: Chinese characters take two."""
    return sum(map(_columns_of, text))


def _columns_of(c: str) -> int:
    if unicodedata.combining(c):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def terminal_width() -> int | None:
    """The width to cut lines to; None where the output is read by a program."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: cells stand right, but the last column, free text, stands left and is cut.

    Args:
        header: One title a column.
        rows: As many cells each.
    """
    cells = [list(header), *([one_line(cell) for cell in row] for row in rows)]
    last = len(header) - 1
    widths = [max(columns(row[i]) for row in cells) for i in range(last)]
    total = terminal_width()
    room = None if total is None else max(20, total - sum(widths) - 2 * last)
    return [
        "  ".join(
            [" " * (widths[i] - columns(row[i])) + row[i] for i in range(last)]
            + [one_line(row[last], room)]
        ).rstrip()
        for row in cells
    ]
