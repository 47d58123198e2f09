"""Agno's inputs and answers as text: what the user said now, and what was answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from agno.models.message import Message
from agno.run.agent import RunInput, RunOutput
from agno.run.team import TeamRunInput, TeamRunOutput
from pydantic import BaseModel

from memori_core.hooks import text_of, without_block

_MEDIA: Final = (
    ("images", "[image]"),
    ("audios", "[audio]"),
    ("videos", "[video]"),
    ("files", "[file]"),
)
"""Where an input keeps what is no text, and what stands for it in a message."""


def input_text(given: RunInput | TeamRunInput | None) -> str:
    """What the user says with a run's input, placeholders for media included."""
    if given is None:
        return ""
    media = [
        sign
        for name, sign in _MEDIA
        for _ in cast("Sequence[object]", getattr(given, name, None) or ())
    ]
    return "\n".join(part for part in (user_text(cast(Any, given).input_content), *media) if part)


def question_of(text: str) -> str:
    """What to search for: a text without its placeholders."""
    signs = {sign for _, sign in _MEDIA}
    return "\n".join(line for line in text.splitlines() if line not in signs).strip()


def user_text(content: Any) -> str:
    """What the user says in anything that Agno takes as input.

    Of a list of messages that is what follows the last answer: the messages before it are history.
    Structured input becomes lines of `name: value`.
    """
    if content is None:
        return ""
    if isinstance(content, list):
        items = cast("list[Any]", content)
        if any(_role(item) for item in items):
            items = _after_the_last_answer(items)
        return "\n".join(filter(None, map(user_text, items)))
    if isinstance(content, Message):
        return _clean(text_of(content.content)) if content.role == "user" else ""
    if isinstance(content, BaseModel):
        return _lines(content.model_dump())
    if isinstance(content, Mapping):
        fields = cast("Mapping[str, Any]", content)
        if "role" in fields:
            return _clean(text_of(fields.get("content"))) if fields["role"] == "user" else ""
        return _clean(text_of(fields)) if "type" in fields else _lines(fields)
    return _clean(str(content))


def answer_text(output: RunOutput | TeamRunOutput) -> str:
    """What was answered; JSON for a structured answer."""
    if output.content is None:
        return ""
    if isinstance(output.content, str):
        return _clean(output.content)
    return _clean(str(output.get_content_as_string()))  # pyright: ignore[reportUnknownMemberType] (its kwargs are untyped)


def _role(item: Any) -> str | None:
    if isinstance(item, Mapping):
        return cast("Mapping[str, Any]", item).get("role")
    return item.role if isinstance(item, Message) else None


def _after_the_last_answer(items: list[Any]) -> list[Any]:
    last = max((n for n, item in enumerate(items) if _role(item) not in (None, "user")), default=-1)
    return items[last + 1 :]


def _lines(fields: Mapping[str, Any]) -> str:
    return _clean(
        "\n".join(f"{name}: {value}" for name, value in fields.items() if value is not None)
    )


def _clean(text: str) -> str:
    return without_block(text).strip()
