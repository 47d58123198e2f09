"""Which language a part of a message is written in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from memori_core.augmentation.rules.base import Code

_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f][\w'+#./-]*")
_FIRST_LETTER = re.compile(r"[^\W\d_]")
_ENGLISH_OPENING = re.compile(r"\W*(?:i|i'm|im|i've|my|we|our|the|you|can|is)\b", re.IGNORECASE)
# A line is cut where its language can change: after a mark that ends a clause. A stop inside a word
# (lilei@example.com, Node.js, v2.1) ends nothing, and a link is one word.
_PIECE = re.compile(
    r"(?:https?://[^\s\u3000-\u9fff\uff00-\uffef]+|[^,，;；。.!！?？\n]|\.(?![\s.]|$))*+"
    r"(?:[,，;；。.!！?？]+\s*|\n|$)"
)


def runs(text: str) -> Iterator[tuple[Code, str]]:
    """The text cut into stretches of one language, in order; joined they are the text."""
    if _CJK.search(text) is None:
        yield "en", text
        return
    if _LATIN_WORD.search(text) is None:
        yield "zh", text
        return
    code: Code = "zh"
    labelled: list[tuple[Code, str]] = []
    for piece in _PIECE.findall(text):
        code = _code(piece, before=code) if labelled else _code(piece, before=_code(text))
        labelled.append((code, piece))
    for _, group in groupby(labelled, key=lambda pair: pair[0]):
        pieces = list(group)
        yield pieces[0][0], "".join(piece for _, piece in pieces)


def _code(piece: str, *, before: Code = "zh") -> Code:
    """By the share of Chinese characters, one Latin word counting as one or two of them."""
    cjk = len(_CJK.findall(piece))
    words = len(_LATIN_WORD.findall(piece))
    if cjk + words == 0:
        return before
    first = _FIRST_LETTER.search(piece)
    if first is not None and _CJK.match(first.group()) is not None:
        return "zh" if 2 * cjk >= words else "en"
    if _ENGLISH_OPENING.match(piece) is not None:
        return "zh" if cjk > 4 * words else "en"
    return "zh" if cjk > words else "en"
