"""Bedrock's Converse: the dictionaries that boto3 takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from memori_core.conversation import Message
from memori_core.interception.host import Place
from memori_core.interception.wire.base import Answer, WireFormat
from memori_core.interception.wire.texts import Sort, last_question

Dict = Mapping[str, Any]  # Any: JSON, and what boto3 adds to it

_WITHOUT_SYSTEM = (
    "amazon.titan-t",
    "mistral.mistral-7b",
    "mistral.mixtral-8x7b",
    "cohere.command-text",
    "cohere.command-light",
    "ai21.j2",
)
"""Models that answer "This model doesn't support system messages" (567-labs/instructor#1753,
danny-avila/LibreChat#6456)."""


class BedrockConverse(WireFormat):
    """`messages`, `system` as a list, `output.message`; the events of `converse_stream`."""

    name: ClassVar[str] = "bedrock converse"

    def accepts(self, body: Any) -> bool:
        """Not with a stored prompt, which does not take `system`."""
        return ":prompt/" not in str(body.get("modelId") or "")

    def query(self, body: Any) -> str:
        at = _last_user_text(_messages(body))
        return "" if at is None else _text(_messages(body)[at])

    def inject(self, body: Any, block: str, *, place: Place) -> Any:
        model = str(body.get("modelId") or "")
        if place == "user" or any(name in model for name in _WITHOUT_SYSTEM):
            return _before_user_text(body, block)
        return {**body, "system": [*(body.get("system") or ()), {"text": block}]}

    def read(self, answer: Answer, event: Any) -> None:
        if "output" in event:
            message = cast("Dict", event["output"].get("message") or {})
            for part in _parts(message):
                answer.calls += [part["toolUse"]["name"]] if "toolUse" in part else []
            answer.text += _text(message, between="")  # `reasoningContent` has no `text` of its own
            answer.complete = True
        elif "contentBlockDelta" in event:
            answer.text += event["contentBlockDelta"].get("delta", {}).get("text", "")
        elif "contentBlockStart" in event:
            tool = event["contentBlockStart"].get("start", {}).get("toolUse")
            answer.calls += [tool["name"]] if tool else []
        elif "messageStop" in event:  # only `metadata` comes after it
            answer.complete = True

    def add_history(self, body: Any, history: Sequence[Message]) -> Any:
        earlier = [{"role": m.role, "content": [{"text": m.content}]} for m in history]
        return {**body, "messages": [*earlier, *_messages(body)]}

    def sent_before(self, body: Any) -> Sequence[Message] | None:
        messages = _messages(body)
        return _said(messages[: _last_user_text(messages) or 0])

    def is_tool_round(self, body: Any) -> bool:
        messages = _messages(body)
        at = _last_user_text(messages)
        return at is not None and at + 1 < len(messages)


def _messages(body: Dict) -> Sequence[Dict]:
    return cast("Sequence[Dict]", body.get("messages") or ())


def _parts(message: Dict) -> Sequence[Dict]:
    return cast("Sequence[Dict]", message.get("content") or ())


def _part_text(part: Dict) -> str:
    """The text of a part, or of one that a guardrail is to look at."""
    guarded = cast("Dict", part.get("guardContent") or {})
    text = part.get("text") or cast("Dict", guarded.get("text") or {}).get("text")
    return str(text or "")


def _text(message: Dict, *, between: str = " ") -> str:
    return between.join(text for part in _parts(message) if (text := _part_text(part)))


def _last_user_text(messages: Sequence[Dict]) -> int | None:
    return last_question(messages, _sort)


def _sort(message: Dict) -> Sort:
    if message.get("role") != "user":
        return "assistant" if message.get("role") == "assistant" else "other"
    if _text(message).strip():
        return "text"
    return "other" if any("toolResult" in part for part in _parts(message)) else "silent"


def _said(messages: Sequence[Dict]) -> list[Message]:
    """What both said, also where it holds no text (a step with tools)."""
    return [Message("user" if m.get("role") == "user" else "assistant", _text(m)) for m in messages]


def _before_user_text(body: Dict, block: str) -> Dict:
    messages = [*_messages(body)]
    at = _last_user_text(messages)
    if at is None:
        return body
    parts = _parts(messages[at])
    first = next(i for i, part in enumerate(parts) if _part_text(part))
    messages[at] = {**messages[at], "content": [*parts[:first], {"text": block}, *parts[first:]]}
    return {**body, "messages": messages}
