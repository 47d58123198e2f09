"""From messages that are put to turns that are captured."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence

from llama_index.core.base.llms.types import ChatMessage

from memori_core import Scope
from memori_core.hooks import Hooks, uuid7
from memori_llamaindex._messages import answer_of, is_user, message_id, text_of, turn, unanswered


class Turns:
    """Hands each turn over once: the user's words at once, and again with the answer to them."""

    def __init__(self) -> None:
        self.turn_id: str | None = None
        """The turn that waits for its answer."""
        self.said: dict[str, str] = {}
        """The ids of the user's messages of this history, with a short hash of each text."""
        self._question: ChatMessage | None = None
        self._lock = threading.Lock()  # chat engines put streamed answers from threads

    def begin_anew(self) -> None:
        """Wait for no answer: another history."""
        with self._lock:
            self.turn_id = self._question = None
            self.said = {}

    def seen(self, shown: Sequence[ChatMessage]) -> set[str]:
        """The ids of the messages that are among those shown."""
        texts = {_short(message) for message in shown if is_user(message)}
        return {id for id, text in tuple(self.said.items()) if text in texts}

    def lacks_question(self, messages: Sequence[ChatMessage]) -> bool:
        """Whether an answer is put whose question stands in the history only."""
        first = next((m for m in messages if is_user(m) or answer_of(m)), None)
        return first is not None and not is_user(first) and self._question is None

    def take(
        self,
        messages: Sequence[ChatMessage],
        history: Sequence[ChatMessage],
        *,
        hooks: Hooks,
        scope: Scope,
    ) -> None:
        """Capture what was said.

        Args:
            messages: What is put.
            history: What was put before, where it `lacks_question`.
            hooks: The memory.
            scope: Whose turn it is.
        """

        def submit() -> None:
            turn_id = self.turn_id or uuid7()
            if question is not None:
                self.said[message_id(turn_id)] = _short(question)
            hooks.submit(
                turn(question, "\n".join(answers), turn_id=turn_id),
                scope=scope,
                turn_id=turn_id,
                status="complete" if answers else "partial",
            )

        with self._lock:
            question, answers, new = self._question or unanswered(history), list[str](), False
            for message in messages:
                if is_user(message):
                    if new or answers:
                        submit()
                    question, answers, new = message.model_copy(deep=True), [], True
                    self.turn_id = uuid7()
                elif answer := answer_of(message):
                    answers.append(answer)
            if not new and not answers:
                return
            submit()
            if answers:
                self.turn_id = self._question = None
            else:
                self._question = question


def _short(message: ChatMessage) -> str:
    text = text_of(message).encode("utf-8", "replace")
    return hashlib.blake2b(text, digest_size=6).hexdigest()
