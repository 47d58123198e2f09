"""What was said, as text: of prompts, histories and outputs. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    TextContent,
    UserContent,
    UserPromptPart,
)
from pydantic_core import to_json

from memori_pydantic_ai._blocks import is_block

_MEDIA: Final = ("image", "audio", "video")

Prompt = str | Sequence[UserContent] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the user said in a turn."""

    text: str = ""
    """With placeholders for images and files."""
    query: str = ""
    """Without them: what to search memory for."""
    run_id: str | None = None
    """The run in which it was said first, if that is known."""
    at: datetime | None = None


def said_in(prompt: Prompt) -> Said:
    """What a prompt says."""
    return Said(text="\n".join(_pieces(prompt)), query="\n".join(_texts(prompt)))


def said_in_run(prompt: Prompt, messages: Sequence[ModelMessage]) -> Said:
    """What a run is about: its prompt, else what the user said last in the history.

    A history that ends with words of the user asks something: chat frontends send their whole
    conversation so. Any other run without a prompt only goes on, with tool results for example.
    """
    if prompt is not None:
        return said_in(prompt)
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    said = next((said for request in reversed(requests) if (said := _said_by(request)).text), None)
    if said is None:
        return Said()
    asks = messages[-1] is requests[-1] and bool(_said_by(requests[-1]).text)
    return said if asks else replace(said, query="")


def _said_by(request: ModelRequest) -> Said:
    parts = [part for part in request.parts if isinstance(part, UserPromptPart)]
    return Said(
        text="\n".join(piece for part in parts for piece in _pieces(part.content)),
        query="\n".join(text for part in parts for text in _texts(part.content)),
        run_id=request.run_id,
        at=parts[0].timestamp if parts else None,
    )


def answer_of(output: object) -> str:
    """What an output says: a text as it is, data as JSON, or as it prints if that cannot be."""
    if output is None:
        return ""
    if isinstance(output, str):
        return output
    if isinstance(output, BinaryContent):
        return _placeholder(output)
    try:
        return to_json(output, bytes_mode="base64", serialize_unknown=True).decode()
    except ValueError:  # a serializer of its own failed
        return str(output)


def _items(prompt: Prompt) -> Sequence[UserContent]:
    items = [prompt] if isinstance(prompt, str) else prompt or ()
    return [item for item in items if not is_block(item)]


def _texts(prompt: Prompt) -> Iterator[str]:
    for item in _items(prompt):
        if text := _text(item):
            yield text


def _pieces(prompt: Prompt) -> Iterator[str]:
    for item in _items(prompt):
        if piece := _text(item) or _placeholder(item):
            yield piece


def _text(item: UserContent) -> str:
    if isinstance(item, str):
        return item
    return item.content if isinstance(item, TextContent) else ""


def _placeholder(item: object) -> str:
    """What stands for an image, a recording or a file; nothing for marks such as cache points."""
    kind = str(getattr(item, "kind", ""))
    if isinstance(item, BinaryContent):
        kind = item.media_type
    if kind in ("document-url", "uploaded-file") or isinstance(item, BinaryContent):
        return next((f"[{name}]" for name in _MEDIA if kind.startswith(name)), "[file]")
    return next((f"[{name}]" for name in _MEDIA if kind == f"{name}-url"), "")
