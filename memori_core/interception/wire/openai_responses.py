"""The Responses API of OpenAI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from memori_core.conversation import Message
from memori_core.interception.host import Place
from memori_core.interception.wire import texts
from memori_core.interception.wire.base import Answer, WireFormat

_CALLS: Final = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "computer_call",
        "mcp_approval_request",
    }
)
"""Items that the caller must answer. Others (web search, MCP) the provider works off itself."""
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})


class OpenAIResponses(WireFormat):
    """`/responses`: `input`, a text or items, and `instructions`."""

    name: ClassVar[str] = "openai_responses"

    def accepts(self, body: Any) -> bool:
        sent = body.get("input")
        return isinstance(sent, list | str) and isinstance(
            body.get("instructions"), str | type(None)
        )

    def query(self, body: Any) -> str:
        sent = _items(body)
        place = texts.last_user(sent)
        return "" if place is None else texts.text_of(texts.field(sent[place], "content"))

    def inject(self, body: Any, block: str, *, place: Place) -> Any:
        sent = _items(body)
        at = texts.last_user(sent)
        if place == "system" or at is None:
            return {**body, "instructions": texts.joined(body.get("instructions"), block)}
        content = texts.before_text(sent[at]["content"], block, kind="input_text")
        if isinstance(body["input"], str):
            return {**body, "input": content}
        message = texts.with_content(sent[at], content)
        return {**body, "input": texts.replaced(sent, at, message)}

    def add_history(self, body: Any, history: Sequence[Message]) -> Any:
        sent = _items(body)
        head = 0
        while head < len(sent) and texts.role_of(sent[head]) in ("system", "developer"):
            head += 1
        return {**body, "input": [*sent[:head], *texts.plain(history), *sent[head:]]}

    def sent_before(self, body: Any) -> Sequence[Message] | None:
        if body.get("previous_response_id") or body.get("conversation"):
            return None  # the provider keeps the conversation
        sent = _items(body)
        return texts.said(sent[: texts.last_user(sent)])

    def is_tool_round(self, body: Any) -> bool:
        sent = _items(body)
        place = texts.last_user(sent)
        return place is None or place < len(sent) - 1

    def link(self, body: Any) -> str | None:
        found = body.get("previous_response_id")
        if not found:  # rounds of tools in a conversation of the provider's
            found = texts.field(body.get("conversation"), "id") or body.get("conversation")
        return found if isinstance(found, str) else None

    def read(self, answer: Answer, event: Any) -> None:
        kind = event.get("type")
        if kind == "response.output_text.delta":
            answer.text += event.get("delta") or ""
        elif kind == "response.refusal.delta":
            answer.refusal += event.get("delta") or ""
        elif kind == "response.created":
            answer.id = event["response"].get("id")
        elif kind in _ENDS or event.get("object") == "response":
            _read_whole(answer, event.get("response") or event)


def _read_whole(answer: Answer, response: Any) -> None:
    """The last event holds everything: it is preferred to the pieces before it."""
    output = texts.items(response.get("output"))
    parts = [
        part
        for item in output
        if item.get("type") == "message"
        for part in texts.items(item.get("content"))
    ]
    text = "".join(p.get("text") or "" for p in parts if p.get("type") == "output_text")
    refusal = "".join(p.get("refusal") or "" for p in parts if p.get("type") == "refusal")
    answer.id = response.get("id")
    answer.conversation_id = texts.field(response.get("conversation"), "id")
    answer.text = text or answer.text
    answer.refusal = refusal or answer.refusal
    answer.calls = [str(i.get("name") or i["type"]) for i in output if i.get("type") in _CALLS]
    answer.complete = response.get("status") in ("completed", "incomplete")
    answer.unfinished = response.get("status") in ("queued", "in_progress")


def _items(body: Any) -> Sequence[Any]:
    sent = body.get("input")
    return [{"role": "user", "content": sent}] if isinstance(sent, str) else texts.items(sent)
