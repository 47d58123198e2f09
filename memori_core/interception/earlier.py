"""Which earlier messages of a conversation go along with a request. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memori_core.conversation import Message
from memori_core.interception.host import History
from memori_core.models import Scope

AUTO_MESSAGES: Final = 20
"""Ten rounds: what people take up again with "and the other one?"."""
MAX_CHARS: Final = 12_000
"""About 3,000 tokens, so that a long conversation cannot crowd out the question."""


def wanted(setting: History, scope: Scope, sent: Sequence[Message]) -> int:
    """How many earlier messages may be added to a request.

    Args:
        setting: See `Settings.history`.
        scope: Whose call it is.
        sent: What the caller sent of the conversation before the new text.
    """
    if setting is False:
        return 0
    if setting == "auto":  # a caller who sends the conversation, or names none, has decided
        return AUTO_MESSAGES if scope.session_id is not None and not sent else 0
    return int(setting)


def missing(stored: Sequence[Message], sent: Sequence[Message], *, limit: int) -> list[Message]:
    """Those stored messages that the caller did not send, as whole rounds, oldest first.

    A round is what a user said and the answer to it. Rounds keep the order of roles that strict
    chat templates ask for, and hold no tool calls that would need their results.

    Args:
        stored: The conversation as it is stored, oldest first.
        sent: What the caller sent of it.
        limit: At most so many messages.
    """
    known = {(message.role, message.content.strip()) for message in sent}
    rounds: list[tuple[Message, Message]] = []
    asked: Message | None = None
    for message in stored:
        if message.role == "user":
            asked = message
        elif message.role == "assistant" and asked is not None:
            rounds.append((asked, message))
            asked = None
    kept: list[Message] = []
    room = MAX_CHARS
    for question, answer in reversed(rounds):
        if ("user", question.content.strip()) in known:
            continue
        room -= len(question.content) + len(answer.content)
        if room < 0 or len(kept) + 2 > limit:
            break
        kept[:0] = [question, answer]
    return kept
