"""xAI's gRPC chat: the protocol buffers that xai-sdk sends and receives.

Written against the messages' own fields, so that no generated module need be imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from memori_core.conversation import Message
from memori_core.interception.host import Place
from memori_core.interception.wire.base import Answer, WireFormat
from memori_core.interception.wire.texts import Sort, last_question
from memori_core.rendering import TAG

# `MessageRole` of xai.api.v1; numbers of a protocol buffer's enum do not change.
_INVALID, _USER, _ASSISTANT, _SYSTEM, _DEVELOPER = 0, 1, 2, 3, 6
_CLIENT_SIDE = (0, 1)
"""`ToolCallType`: calls that the caller is to make; the others are made by the server."""
_NO_REASON = 0
"""`FinishReason.REASON_INVALID`: the answer goes on."""


class XaiChat(WireFormat):
    """`GetCompletionsRequest`, `GetChatCompletionResponse` and `GetChatCompletionChunk`.

    The block is a system message of its own behind the caller's: xAI takes messages of any role in
    any order.
    """

    name: ClassVar[str] = "xai"

    def accepts(self, body: Any) -> bool:
        """Not where the block is in it already."""
        return not any(f"<{TAG}>" in part.text for m in body.messages for part in m.content)

    def query(self, body: Any) -> str:
        at = _last_user_text(body.messages)
        return "" if at is None else _text(body.messages[at])

    def inject(self, body: Any, block: str, *, place: Place) -> Any:
        new = _copy(body)
        if place == "user":
            at = _last_user_text(new.messages)
            if at is not None:
                parts = [type(new.messages[at].content[0])(text=block), *new.messages[at].content]
                _replace(new.messages[at].content, parts)
            return new
        at = _leading(new.messages)
        _replace(
            new.messages, [*new.messages[:at], _message(new, _SYSTEM, block), *new.messages[at:]]
        )
        return new

    def read(self, answer: Answer, event: Any) -> None:
        answer.id = event.id or answer.id
        for output in self._outputs(event):
            said = output.message if hasattr(output, "message") else output.delta
            if said.role in (_INVALID, _ASSISTANT):
                answer.text += said.content
                answer.calls += [c.function.name for c in said.tool_calls if c.type in _CLIENT_SIDE]
                answer.complete = output.finish_reason != _NO_REASON

    def _outputs(self, event: Any) -> Sequence[Any]:
        """What belongs to the answer: with tools on the server it comes in several outputs."""
        return event.outputs

    def add_history(self, body: Any, history: Sequence[Message]) -> Any:
        new = _copy(body)
        at = _leading(new.messages)
        earlier = [
            _message(new, _USER if m.role == "user" else _ASSISTANT, m.content) for m in history
        ]
        _replace(new.messages, [*new.messages[:at], *earlier, *new.messages[at:]])
        return new

    def sent_before(self, body: Any) -> Sequence[Message] | None:
        if self.link(body):
            return None
        return _said(body.messages[: _last_user_text(body.messages) or 0])

    def is_tool_round(self, body: Any) -> bool:
        at = _last_user_text(body.messages)
        return at is not None and at + 1 < len(body.messages)

    def link(self, body: Any) -> str | None:
        return getattr(body, "previous_response_id", "") or None


class XaiChoices(XaiChat):
    """The same for requests with `n` above 1: of several answers the first."""

    name: ClassVar[str] = "xai, several answers"

    def _outputs(self, event: Any) -> Sequence[Any]:
        return [output for output in event.outputs if output.index == 0]


def _copy(body: Any) -> Any:
    new = type(body)()
    new.CopyFrom(body)
    return new


def _replace(repeated: Any, items: Sequence[Any]) -> None:
    del repeated[:]
    repeated.extend(items)


def _message(body: Any, role: int, text: str) -> Any:
    """A message of the request's own kind."""
    made = type(body)().messages.add(role=role)
    made.content.add(text=text)
    return made


def _text(message: Any) -> str:
    return " ".join(part.text for part in message.content if part.text)


def _leading(messages: Any) -> int:
    """How many system messages stand first."""
    return next(
        (i for i, m in enumerate(messages) if m.role not in (_SYSTEM, _DEVELOPER)), len(messages)
    )


def _last_user_text(messages: Any) -> int | None:
    return last_question(messages, _sort)


def _sort(message: Any) -> Sort:
    if message.role != _USER:
        return "assistant" if message.role == _ASSISTANT else "other"
    return "text" if _text(message).strip() else "silent"


def _said(messages: Any) -> list[Message]:
    """What both said, also where it holds no text (a step with tools)."""
    return [
        Message("user" if m.role == _USER else "assistant", _text(m))
        for m in messages
        if m.role in (_USER, _ASSISTANT)
    ]
