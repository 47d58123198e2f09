"""Formats that put the system prompt first among the messages: OpenAI chat and its relatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from memori_core.conversation import Message
from memori_core.interception.host import Place
from memori_core.interception.wire import texts
from memori_core.interception.wire.base import Answer, WireFormat

INSTRUCTIONS: Final = frozenset({"system", "developer"})


class MessagesFormat(WireFormat):
    """`messages` with roles; what stands at their head as `system` or `developer` is the prompt.

    An existing prompt is extended. A second system message is never added: strict chat templates
    answer 400 to one that is not the first message (vllm-project/vllm#41114).
    """

    def accepts(self, body: Any) -> bool:
        return bool(texts.items(texts.field(body, "messages")))

    def query(self, body: Any) -> str:
        messages = _messages(body)
        place = texts.last_user(messages)
        return "" if place is None else texts.text_of(texts.field(messages[place], "content"))

    def inject(self, body: Any, block: str, *, place: Place) -> Any:
        messages = _messages(body)
        at = texts.last_user(messages)
        if place == "user" and at is not None:
            content = texts.before_text(texts.field(messages[at], "content"), block)
        else:
            at = _head(messages) - 1
            if at < 0:
                return {**body, "messages": [{"role": "system", "content": block}, *messages]}
            content = texts.field(messages[at], "content")
            if isinstance(content, list | tuple):
                content = [*texts.items(content), {"type": "text", "text": block}]
            else:
                content = texts.joined(content, block)
        message = texts.with_content(messages[at], content)
        return {**body, "messages": texts.replaced(messages, at, message)}

    def add_history(self, body: Any, history: Sequence[Message]) -> Any:
        messages = _messages(body)
        head = _head(messages)
        return {**body, "messages": [*messages[:head], *texts.plain(history), *messages[head:]]}

    def sent_before(self, body: Any) -> Sequence[Message] | None:
        messages = _messages(body)
        return texts.said(messages[: texts.last_user(messages)])

    def is_tool_round(self, body: Any) -> bool:
        messages = _messages(body)
        place = texts.last_user(messages)
        return place is not None and place < len(messages) - 1


def _messages(body: Any) -> Sequence[Any]:
    return texts.items(texts.field(body, "messages"))


def _head(messages: Sequence[Any]) -> int:
    """How many messages at the beginning are the system prompt."""
    for place, message in enumerate(messages):
        if texts.role_of(message) not in INSTRUCTIONS:
            return place
    return len(messages)


class OpenAIChat(MessagesFormat):
    """`/chat/completions`, of OpenAI and everything compatible with it."""

    name: ClassVar[str] = "openai_chat"

    def read(self, answer: Answer, event: Any) -> None:
        for choice in texts.items(texts.field(event, "choices")):  # the usage chunk has none
            if texts.field(choice, "index"):
                continue  # of several choices the first is the answer
            part = texts.field(choice, "message") or texts.field(choice, "delta")
            content = texts.field(part, "content")  # Mistral: a list with thinking in it
            answer.text += texts.text_of(content, separator="")
            answer.refusal += texts.field(part, "refusal") or ""
            calls = [*texts.items(texts.field(part, "tool_calls"))]
            functions = [texts.field(call, "function") for call in calls]
            functions.append(texts.field(part, "function_call"))  # the older form
            answer.calls += [n for f in functions if f and (n := texts.field(f, "name"))]
            answer.complete = answer.complete or texts.field(choice, "finish_reason") is not None


class OllamaChat(MessagesFormat):
    """`/api/chat` of Ollama."""

    name: ClassVar[str] = "ollama_chat"

    def read(self, answer: Answer, event: Any) -> None:
        message = texts.field(event, "message")
        answer.text += texts.field(message, "content") or ""
        for call in texts.items(texts.field(message, "tool_calls")):
            answer.calls.append(texts.field(texts.field(call, "function"), "name") or "")
        answer.complete = answer.complete or bool(texts.field(event, "done"))


class CohereChat(MessagesFormat):
    """`/v2/chat` of Cohere."""

    name: ClassVar[str] = "cohere"

    def read(self, answer: Answer, event: Any) -> None:
        match event.get("type"):
            case None:  # a whole payload
                message = texts.inside(event, "message")
                answer.text += texts.text_of(message.get("content"), separator="")
                answer.calls += _called(message.get("tool_calls"))
                answer.complete = event.get("finish_reason") is not None
            case "content-delta":
                message = texts.inside(texts.inside(event, "delta"), "message")
                answer.text += texts.inside(message, "content").get("text") or ""
            case "tool-call-start":
                message = texts.inside(texts.inside(event, "delta"), "message")
                answer.calls += _called([message.get("tool_calls")])
            case "message-end":
                answer.complete = texts.inside(event, "delta").get("finish_reason") != "ERROR"
            case _:
                pass


def _called(calls: Any) -> list[str]:
    """The names of the tools in a list of calls."""
    return [texts.inside(call, "function").get("name") or "" for call in texts.items(calls)]
