"""Messages of any shape as messages of ours: text only, by role."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast

from memori_core.conversation import Message, Role
from memori_core.errors import ConfigError
from memori_core.models import instant
from memori_core.rendering import without_block

_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "chatbot": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_TIME_FIELDS = ("said_at", "timestamp", "created_at")
"""Where a message keeps its time: our name for it, then those of common frameworks."""

_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
_PLACEHOLDERS: Final[Mapping[str, str]] = {
    "image": "[image]",
    "image_url": "[image]",
    "input_image": "[image]",
    "file": "[file]",
    "input_file": "[file]",
    "document": "[file]",
    "audio": "[audio]",
    "input_audio": "[audio]",
    "video": "[video]",
}
"""What stands for parts that are no text. Other parts (thinking, tool calls) are left out."""


def read_messages(messages: object) -> tuple[Message, ...]:
    """Messages as they can be kept.

    Args:
        messages: A text (what the user said), one message, or several: mappings and objects with
            a role (or type) and content. Messages without text are left out. When it was said
            stands in `said_at`, else `timestamp`, else `created_at`: an aware datetime, a date,
            either as ISO 8601 text, or seconds since 1970.

    Raises:
        ConfigError: Something is no message, or its time is none; its number is in the error.
    """
    one = hasattr(messages, "content")  # also a pydantic model, which is iterable
    one = one or isinstance(messages, str | Mapping) or not isinstance(messages, Iterable)
    several = cast("Iterable[object]", [messages] if one else messages)
    read: list[Message] = []
    for number, item in enumerate(several):
        try:
            message = _read(item)
        except ConfigError as e:
            raise ConfigError(f"message {number}: {e}") from None
        if message is not None:
            read.append(message)
    return tuple(read)


def _read(item: object) -> Message | None:
    if isinstance(item, str):
        item = Message("user", item)
    role = _role(_field(item, "role") or _field(item, "type"), item)
    content = clean_text(text_of(_field(item, "content")))
    if not content:
        return None
    name, id = _field(item, "name"), _field(item, "id")
    return Message(
        role,
        content,
        name=name if isinstance(name, str) and name.strip() else None,
        said_at=_said_at(item),
        id=id if isinstance(id, str) and id.strip() else None,
    )


def _said_at(item: object) -> datetime | None:
    for name in _TIME_FIELDS:
        value = _field(item, name)
        if type(value) in (int, float):  # True is no time
            return _since_1970(value, name=name)
        if value is not None:
            return instant(value, name=name)
    return None


def _since_1970(seconds: float, *, name: str) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError) as e:  # the last: beyond what the C library knows
        raise ConfigError(
            f"`{name}` is no time in seconds since 1970 ({e}). Is it in milliseconds?"
        ) from None


def _field(item: object, name: str) -> Any:  # Any: users' objects
    if isinstance(item, Mapping):
        return cast("Mapping[str, Any]", item).get(name)
    return getattr(item, name, None)


def _role(value: object, item: object) -> Role:
    name = getattr(value, "value", value)  # an enum member, or the text itself
    role = _ROLES.get(name.casefold()) if isinstance(name, str) else None
    if role is None:
        raise ConfigError(
            f"{item!r:.200} is no message: it needs a `role` (one of {', '.join(sorted(_ROLES))}) "
            "and `content`."
        )
    return role


def text_of(content: object) -> str:
    """The text of a message's content: a text, a part, a list of parts, or nothing."""
    return "\n".join(part for part in _parts(content) if part)


def _parts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Sequence):
        for part in cast("Sequence[object]", content):
            yield from _parts(part)
    elif content is not None:
        kind = _field(content, "type") or "text"
        if kind in _TEXT_PARTS:
            text = _field(content, "text")
            if isinstance(text, str):
                yield text
        else:
            yield _PLACEHOLDERS.get(str(kind), "")


_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？\n]*")


def asks_only(text: str) -> bool:
    """Whether a message holds nothing but questions, by their marks.

    Recalled later, such a message would answer a question with the same question.
    """
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(text)]
    said = [sentence for sentence in sentences if sentence]
    return bool(said) and all(sentence.endswith(("?", "？")) for sentence in said)


def clean_text(text: str) -> str:
    """A text without our own context block, and without what no store can keep."""
    return without_block(text).replace("\0", "").encode("utf-8", "replace").decode().strip()
