"""`KEY=VALUE` on the command line, for metadata."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from memori_core.models import JSONValue

Pair = tuple[str, JSONValue]


def key_value(text: str) -> Pair:
    """A key and a JSON value; a value that is no JSON is taken as text.

    `year=2026` is a number and `vip=true` a truth value; `year="2026"`, with the marks, is text.

    Raises:
        BadParameter: There is no key or no `=`.
    """
    key, separator, value = text.partition("=")
    if not key or not separator:
        raise click.BadParameter(f"{text!r} is not KEY=VALUE.")
    try:
        return key, json.loads(value)
    except (ValueError, RecursionError):
        return key, value


def gathered(pairs: Sequence[Pair]) -> dict[str, JSONValue]:
    """The pairs as a mapping; values of a key that comes several times as a list."""
    found: dict[str, list[JSONValue]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: values[0] if len(values) == 1 else values for key, values in found.items()}
