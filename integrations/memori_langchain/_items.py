"""What a store's item says, and whether a filter lets it through. Pure functions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from langgraph.store.base import get_text_at_path, tokenize_path

_RANGES: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def text_of_value(value: Mapping[str, Any], fields: Sequence[str] | None) -> str:
    """The text by which an item is found; empty if there is none.

    Args:
        value: The item's value.
        fields: Paths as LangGraph writes them (`"title"`, `"chapters[*].text"`, `"$"` for all as
            JSON); None for all texts and numbers in it.
    """
    if fields is None:
        return "\n".join(_leaves(value))
    texts: list[str] = []
    for path in fields:
        texts += get_text_at_path(value, path if path == "$" else tokenize_path(path))
    return "\n".join(text for text in texts if text.strip())


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in cast("Mapping[object, object]", value).values():
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from _leaves(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        text = str(value).strip()
        if text:
            yield text


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether an item has what a filter asks for.

    Raises:
        ValueError: The filter has an operator that there is not.
    """
    return all(_fits(value.get(key), want) for key, want in (wanted or {}).items())


def _fits(have: Any, want: Any) -> bool:
    if isinstance(want, Mapping):
        asked = cast("Mapping[str, Any]", want)
        if any(key.startswith("$") for key in asked):
            return all(_holds(have, name, limit) for name, limit in asked.items())
        return isinstance(have, Mapping) and all(
            _fits(cast("Mapping[str, Any]", have).get(key), item) for key, item in asked.items()
        )
    if isinstance(want, list | tuple):
        items = cast("Sequence[Any]", want)
        if not isinstance(have, list | tuple) or len(cast("Sequence[Any]", have)) != len(items):
            return False
        return all(_fits(h, w) for h, w in zip(cast("Sequence[Any]", have), items, strict=True))
    return bool(have == want)


def _holds(have: Any, name: str, limit: Any) -> bool:
    if name == "$eq":
        return bool(have == limit)
    if name == "$ne":
        return bool(have != limit)
    if name not in _RANGES:
        raise ValueError(f"filter operator {name!r} is none of $eq, $ne, {', '.join(_RANGES)}.")
    try:
        return _RANGES[name](float(have), float(limit))
    except (TypeError, ValueError):  # no number there: out of every range
        return False
