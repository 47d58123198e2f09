"""The Messages API of Anthropic, also as Vertex AI and Bedrock serve it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from memori_core.conversation import Message
from memori_core.interception.host import Place
from memori_core.interception.wire import texts
from memori_core.interception.wire.base import Answer, WireFormat


class AnthropicMessages(WireFormat):
    """`messages` of users and assistants, and `system`, a text or blocks.

    Blocks of the caller stay first and as they are, so that what `cache_control` marks is still
    the beginning of the prompt.
    """

    name: ClassVar[str] = "anthropic"

    def accepts(self, body: Any) -> bool:
        system = body.get("system")
        return bool(texts.items(body.get("messages"))) and isinstance(
            system, str | list | type(None)
        )

    def query(self, body: Any) -> str:
        messages = texts.items(body["messages"])
        place = texts.last_user(messages)
        return "" if place is None else texts.text_of(texts.field(messages[place], "content"))

    def inject(self, body: Any, block: str, *, place: Place) -> Any:
        if place == "user":
            messages = texts.items(body["messages"])
            at = texts.last_user(messages)
            if at is not None:
                content = texts.before_text(texts.field(messages[at], "content"), block)
                message = texts.with_content(messages[at], content)
                return {**body, "messages": texts.replaced(messages, at, message)}
        system = body.get("system")
        if isinstance(system, list):
            return {**body, "system": [*texts.items(system), {"type": "text", "text": block}]}
        return {**body, "system": texts.joined(system, block)}

    def add_history(self, body: Any, history: Sequence[Message]) -> Any:
        return {**body, "messages": [*texts.plain(history), *body["messages"]]}

    def sent_before(self, body: Any) -> Sequence[Message] | None:
        messages = texts.items(body["messages"])
        return texts.said(messages[: texts.last_user(messages)])

    def is_tool_round(self, body: Any) -> bool:
        messages = texts.items(body["messages"])
        place = texts.last_user(messages)
        return place is not None and place < len(messages) - 1

    def read(self, answer: Answer, event: Any) -> None:
        match event.get("type"):
            case "message":
                for part in texts.items(event.get("content")):
                    _read_part(answer, part)
                _stopped(answer, event.get("stop_reason"))
                answer.complete = True
            case "content_block_start":
                _read_part(answer, event["content_block"])
            case "content_block_delta":
                if event["delta"].get("type") == "text_delta":
                    answer.text += event["delta"]["text"]
            case "message_delta":
                _stopped(answer, texts.inside(event, "delta").get("stop_reason"))
            case "message_stop":
                answer.complete = True
            case _:  # `ping`, and `error`, which stands where the end should
                pass


def _read_part(answer: Answer, part: Any) -> None:
    if part.get("type") == "text":
        answer.text += part.get("text") or ""
    elif part.get("type") == "tool_use":
        answer.calls.append(part.get("name") or "")


def _stopped(answer: Answer, reason: Any) -> None:
    if reason == "pause_turn":
        answer.unfinished = True
