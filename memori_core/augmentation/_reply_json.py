"""The JSON in what a model said, however it is wrapped or broken off. Pure functions, linear."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeAlias, cast

Parsed: TypeAlias = "dict[str, object] | list[object]"

MAX_REPLY_CHARS = 2_000_000
_MAX_TRIES = 20  # places where JSON may begin; each costs one pass over the reply

_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
# A string, also one that is never closed, or a sign of structure. Possessive, hence linear.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?P<closed>"?)|[{}\[\],:]', re.DOTALL)
_START = re.compile(r"[{\[]")
_CLOSER = {"{": "}", "[": "]"}


def json_values(reply: str) -> Iterator[Parsed]:
    """Every object and list that stands in the reply, whole ones and a last one broken off.

    What is broken off is read up to its last whole item: of `{"facts": [{…}, {…}, {"con` the
    first two.
    """
    text = reply[:MAX_REPLY_CHARS]
    # Without a closing tag the pattern would look for it from every opening one.
    if "</think" in text.lower():
        text = _THINKING.sub("", text)
    whole = _loads(text)
    if whole is not None:
        yield whole
        return
    position, tries = 0, 0
    while tries < _MAX_TRIES and (start := _START.search(text, position)):
        tries += 1
        segment, end = _segment(text, start.start())
        value = _loads(segment) if segment else None
        if value is not None:
            yield value
        position = start.start() + 1 if value is None else end


def _loads(text: str) -> Parsed | None:
    try:
        # Not strict: line feeds inside strings are what models write.
        value: object = json.loads(text, strict=False, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return cast("Parsed", value) if isinstance(value, dict | list) else None


def _no_number(_constant: str) -> None:
    """NaN and the infinities, which JSON does not have, count as absent."""


def _segment(text: str, start: int) -> tuple[str, int]:
    """The object or list that begins here, closed by us if it is broken off; and where it ends.

    Items are the members of the outermost list, or of a list in the outermost object.
    """
    item_depth = 1 if text[start] == "[" else 2
    open_brackets: list[str] = []
    cut, cut_brackets = start, ""
    for token in _TOKEN.finditer(text, start):
        sign = token.group()[0]
        if sign in "{[":
            open_brackets.append(sign)
            continue
        if sign in "}]":
            if _CLOSER[open_brackets[-1]] != sign:
                break
            open_brackets.pop()
            if not open_brackets:
                return text[start : token.end()], token.end()
            ends_item = True
        else:
            ends_item = open_brackets[-1] == "[" and bool(token.group("closed"))
        if ends_item and len(open_brackets) <= item_depth:
            cut, cut_brackets = token.end(), "".join(open_brackets)
    if cut == start:
        return "", len(text)
    closing = "".join(_CLOSER[bracket] for bracket in reversed(cut_brackets))
    return text[start:cut] + closing, len(text)
