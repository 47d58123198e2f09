"""One recall a turn, however often a memory is asked."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.base.llms.types import ChatMessage

from memori_core import Recall
from memori_llamaindex._messages import answer_to, asked, text_of, unanswered


class TurnRecall:
    """What was recalled for the turn that goes on.

    `asks` and `asks_put` say for what to recall now, if anything; `keep` takes what was found.
    """

    def __init__(self) -> None:
        self.found: Recall | None = None
        """What was recalled last; None for nothing."""
        self._query = ""
        self._ahead = False  # whether it was for a message that is not put yet

    def forget(self) -> None:
        """Begin anew: another history."""
        self.found, self._query, self._ahead = None, "", False

    def keep(self, found: Recall | None) -> None:
        """Take what was found."""
        self.found = found

    def asks(self, history: Sequence[ChatMessage], given: str | ChatMessage | None) -> str | None:
        """For what to recall when the memory is read; None where that is known.

        Args:
            history: The messages so far.
            given: What the user says now, where the caller knows it: in the history already (an
                agent between rounds of tools) or not yet (a context chat engine).
        """
        text = text_of(given) if isinstance(given, ChatMessage) else (given or "").strip()
        waiting = unanswered(history)
        ahead = bool(text) and (waiting is None or text_of(waiting) != text)
        if not text:
            place = asked(history)
            text = "" if place is None else text_of(history[place])
        return self._unless_known(text, ahead=ahead)

    def asks_put(self, messages: Sequence[ChatMessage]) -> str | None:
        """For what to recall when messages are put; None where nothing is asked or it is known."""
        place = asked(messages)
        if place is None or answer_to(messages, place):
            return None
        text = text_of(messages[place])
        if self._ahead and text == self._query:  # recalled for already
            self._ahead = False
            return None
        self.forget()
        return self._unless_known(text, ahead=False)

    def _unless_known(self, text: str, *, ahead: bool) -> str | None:
        if text == self._query and (self._ahead or not ahead):
            return None
        self.found, self._query, self._ahead = None, text, ahead
        return text or None
