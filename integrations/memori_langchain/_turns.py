"""What of a list of LangChain messages was said, and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from memori_core.hooks import Message, text_of


@dataclass(frozen=True, slots=True)
class Turn:
    """What a user said, and the answer to it."""

    messages: tuple[Message, ...]
    id: str | None
    """The same for the same turn, whoever saw it; None where LangChain gave no ids."""


def is_users(message: BaseMessage) -> bool:
    """Whether the user said this. What middlewares write in their name (a summary) is marked."""
    return isinstance(message, HumanMessage) and "lc_source" not in message.additional_kwargs


def question(messages: Sequence[BaseMessage]) -> str:
    """What the user said last, without images and files; empty if nothing."""
    at = _asked_at(messages)
    return "" if at < 0 else str(messages[at].text)


def is_answer(message: BaseMessage) -> bool:
    """Whether this is an answer rather than a round of tool calls."""
    return isinstance(message, AIMessage) and not message.tool_calls and bool(message.text.strip())


def last_turn(
    messages: Sequence[BaseMessage], *, session_id: str | None, with_answer: bool
) -> Turn | None:
    """The last turn: what the user said last, and what was answered.

    Where a run failed before it did anything, the user's words in it belong to this turn, too.
    """
    said = last_said(messages)
    if not said:
        return None
    turn = [Message("user", text_of(m.content), name=m.name) for m in said]
    if with_answer:
        after = messages[_asked_at(messages) + 1 :]
        answers = [message for message in after if is_answer(message)]
        turn += [Message("assistant", text_of(m.content)) for m in answers[-1:]]
    return Turn(tuple(turn), _turn_id(said[-1], session_id))


def last_said(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """What the user said last, and what they said before that was left unanswered."""
    asked = _asked_at(messages)
    before = next((i for i in reversed(range(asked)) if _ends_turn(messages[i])), -1)
    return [message for message in messages[before + 1 : asked + 1] if is_users(message)]


def _asked_at(messages: Sequence[BaseMessage]) -> int:
    return next((i for i in reversed(range(len(messages))) if is_users(messages[i])), -1)


def _ends_turn(message: BaseMessage) -> bool:
    """Whether what the user said before this was answered, or led to something."""
    if isinstance(message, AIMessage):
        return not message.tool_calls
    return isinstance(message, ToolMessage)


def _turn_id(message: BaseMessage, session_id: str | None) -> str | None:
    if message.id is None:
        return None
    # Ids that programs make themselves are often unique in their conversation only, if there.
    parts = (session_id or "", message.id, text_of(message.content))
    digest = blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16)
    return f"langchain-{digest.hexdigest()}"
