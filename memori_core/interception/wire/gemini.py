"""Gemini's `generateContent`: the dictionaries that google-genai makes of every caller's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, cast

from memori_core.conversation import Message
from memori_core.interception.host import Place
from memori_core.interception.wire.base import Answer, WireFormat
from memori_core.interception.wire.texts import Sort, last_question

Dict = Mapping[str, Any]  # Any: JSON

_UNFINISHED = "CONTINUATION"
"""The SDK asks for the rest by itself, in a request with `continuationToken`."""


class GeminiContent(WireFormat):
    """`contents`, `systemInstruction`, `candidates`; the same on Vertex AI."""

    name: ClassVar[str] = "gemini"

    def accepts(self, body: Any) -> bool:
        """Not beside cached content, where the API refuses a system instruction, and only for text:
        models that draw or speak refuse one too."""
        if "cachedContent" in body:
            return False
        config = cast("Dict", body.get("generationConfig") or {})
        modalities = cast("Sequence[str]", config.get("responseModalities") or ("TEXT",))
        return all(modality.upper() == "TEXT" for modality in modalities)

    def query(self, body: Any) -> str:
        at = _last_user_text(_contents(body))
        return "" if at is None else _text(_contents(body)[at])

    def inject(self, body: Any, block: str, *, place: Place) -> Any:
        if place == "user":
            return _before_user_text(body, block)
        old = cast("Dict", body.get("systemInstruction") or {})
        parts = [*(old.get("parts") or ()), {"text": block}]
        return {**body, "systemInstruction": {"role": "user", **old, "parts": parts}}

    def read(self, answer: Answer, event: Any) -> None:
        answer.id = event.get("responseId") or answer.id
        feedback = cast("Dict", event.get("promptFeedback") or {})
        if blocked := feedback.get("blockReason"):
            answer.refusal, answer.complete = str(blocked), True
        for candidate in (event.get("candidates") or ())[:1]:  # of several the first
            for part in _parts(candidate.get("content") or {}):
                if call := part.get("functionCall"):
                    answer.calls.append(str(call.get("name") or ""))
            answer.text += _text(candidate.get("content") or {}, between="")
            reason = candidate.get("finishReason")
            if candidate.get("continuationToken"):  # a stream that breaks off now is taken up again
                answer.unfinished = True
            if reason:
                answer.complete = True
                answer.unfinished = reason == _UNFINISHED

    def add_history(self, body: Any, history: Sequence[Message]) -> Any:
        earlier = [
            {"role": "user" if m.role == "user" else "model", "parts": [{"text": m.content}]}
            for m in history
        ]
        return {**body, "contents": [*earlier, *_contents(body)]}

    def sent_before(self, body: Any) -> Sequence[Message] | None:
        contents = _contents(body)
        return _said(contents[: _last_user_text(contents) or 0])

    def is_tool_round(self, body: Any) -> bool:
        contents = _contents(body)
        at = _last_user_text(contents)
        return "continuationToken" in body or (at is not None and at + 1 < len(contents))


class GemmaContent(GeminiContent):
    """The same for models without a system instruction: the block goes before the user's text.

    Gemma answers 400 "Developer instruction is not enabled" (0xPlaygrounds/rig#788).
    """

    name: ClassVar[str] = "gemini without a system instruction"

    def inject(self, body: Any, block: str, *, place: Place) -> Any:
        return super().inject(body, block, place="user")


def _contents(body: Dict) -> Sequence[Dict]:
    return cast("Sequence[Dict]", body.get("contents") or ())


def _parts(content: Dict) -> Sequence[Dict]:
    return cast("Sequence[Dict]", content.get("parts") or ())


def _is_text(part: Dict) -> bool:
    """Whether it is text that was said; thought summaries are not."""
    return bool(part.get("text")) and not part.get("thought")


def _text(content: Dict, *, between: str = " ") -> str:
    return between.join(part["text"] for part in _parts(content) if _is_text(part))


def _role(content: Dict) -> Literal["user", "assistant"]:
    return "user" if content.get("role", "user") == "user" else "assistant"


def _last_user_text(contents: Sequence[Dict]) -> int | None:
    return last_question(contents, _sort)


def _sort(content: Dict) -> Sort:
    role = content.get("role", "user")
    if role != "user":
        return "assistant" if role == "model" else "other"
    if _text(content).strip():
        return "text"
    answers = any("functionResponse" in part for part in _parts(content))
    return "other" if answers else "silent"


def _said(contents: Sequence[Dict]) -> list[Message]:
    """What both said, also where it holds no text (a step with tools)."""
    return [Message(_role(content), _text(content)) for content in contents]


def _before_user_text(body: Dict, block: str) -> Dict:
    contents = [*_contents(body)]
    at = _last_user_text(contents)
    if at is None:
        return body
    parts = _parts(contents[at])
    first = next(i for i, part in enumerate(parts) if _is_text(part))
    contents[at] = {**contents[at], "parts": [*parts[:first], {"text": block}, *parts[first:]]}
    return {**body, "contents": contents}
