"""Reading and extending messages that are dictionaries or SDK objects. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, cast

from memori_core.conversation import Message

TEXT_KINDS: Final = frozenset({"text", "input_text", "output_text"})


def field(item: Any, name: str) -> Any:
    """A field of a dictionary or an attribute of an object; None without one."""
    if isinstance(item, Mapping):
        return cast("Mapping[str, Any]", item).get(name)
    return getattr(item, name, None)


def items(value: Any) -> Sequence[Any]:
    """A list or tuple as it is, anything else as nothing."""
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()


def inside(item: Any, name: str) -> dict[str, Any]:
    """A field that is a dictionary; an empty one for anything else."""
    value = field(item, name)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def role_of(message: Any) -> str:
    """The role of a message as text; `""` without one."""
    role = field(message, "role")
    role = getattr(role, "value", role)
    return role if isinstance(role, str) else ""


def text_of(content: Any, kinds: frozenset[str] = TEXT_KINDS, *, separator: str = " ") -> str:
    """The text of a content that is a text or a list of parts. Other parts are passed over."""
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for part in items(content):
        if isinstance(part, str):
            texts.append(part)
        elif field(part, "type") in kinds:
            text = field(part, "text")
            if isinstance(text, str) and text:
                texts.append(text)
    return separator.join(texts)


Sort = Literal["text", "silent", "assistant", "other"]
"""A text of the user, something of the user without text (an image), an answer, or else (the
prompt, results of tools)."""


def last_question(messages: Sequence[Any], sort: Callable[[Any], Sort]) -> int | None:
    """The place of the text that the user waits for an answer to; None without one.

    An image after an answer is something new: the text before that answer is not its question. An
    image right after the text, or after the results of tools, goes with it.

    Args:
        messages: The conversation.
        sort: Says what one of them is.
    """
    silent = False
    for place in range(len(messages) - 1, -1, -1):
        kind = sort(messages[place])
        if kind == "text":
            return place
        if kind == "assistant" and silent:
            return None
        silent = kind == "silent"
    return None


def last_user(messages: Sequence[Any]) -> int | None:
    """`last_question` of messages with roles and contents."""
    return last_question(messages, _sort)


def _sort(message: Any) -> Sort:
    role = role_of(message)
    if role != "user":
        return "assistant" if role == "assistant" else "other"
    content = field(message, "content")
    if text_of(content).strip():
        return "text"
    if any(field(part, "type") == "tool_result" for part in items(content)):
        return "other"
    return "silent"


def said(messages: Sequence[Any]) -> list[Message]:
    """What user and assistant said, also where it holds no text (a step with tools)."""
    found: list[Message] = []
    for message in messages:
        role = role_of(message)
        if role in ("user", "assistant"):
            found.append(Message(role, text_of(field(message, "content"))))
    return found


def joined(old: Any, block: str) -> str:
    """A text with the block behind it."""
    return f"{old}\n\n{block}" if old else block


def with_content(message: Any, content: Any) -> dict[str, Any]:
    """A new message with another content."""
    if isinstance(message, Mapping):
        return {**cast("Mapping[str, Any]", message), "content": content}
    dump = getattr(message, "model_dump", None)
    known = cast("dict[str, Any]", dump(exclude_none=True) if callable(dump) else vars(message))
    return {**known, "content": content}


def before_text(content: Any, block: str, *, kind: str = "text") -> Any:
    """A user's content with the block before its first text."""
    if isinstance(content, str):
        return f"{block}\n\n{content}"
    parts = list(items(content))
    at = next((i for i, part in enumerate(parts) if field(part, "type") in TEXT_KINDS), 0)
    return [*parts[:at], {"type": kind, "text": block}, *parts[at:]]


def plain(history: Sequence[Message]) -> list[dict[str, Any]]:
    """Earlier messages as most formats have them."""
    return [{"role": message.role, "content": message.content} for message in history]


def replaced(messages: Sequence[Any], place: int, message: Any) -> list[Any]:
    """A new list with one message changed."""
    return [*messages[:place], message, *messages[place + 1 :]]
