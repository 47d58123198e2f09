"""The interface of everything that makes facts of conversations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime

from memori_core._threads import run_sync
from memori_core.conversation import Extraction, Message


class Extractor(ABC):
    """Makes facts of messages. Safe to call from many threads; keeps no state between calls."""

    name: str
    indexes_messages: bool = True
    """Whether messages should be searched beside the facts, since some say what no fact holds."""

    @abstractmethod
    def extract(
        self, messages: Sequence[Message], *, said_at: datetime, summary: str | None = None
    ) -> Extraction:
        """What these messages amount to.

        Args:
            messages: One turn, oldest first. Only `user` messages make facts; the rest is context.
            said_at: When they were said (aware, UTC), where a message has no time of its own.
            summary: The conversation before them, if it has a summary.

        Raises:
            ExtractionError: Nothing could be made of them this time. The turn is kept and tried
                again.
        """

    def stats(self) -> Mapping[str, int]:
        """Counts since the start, for example calls and tokens of a model."""
        return {}

    async def aextract(
        self, messages: Sequence[Message], *, said_at: datetime, summary: str | None = None
    ) -> Extraction:
        """`extract` without blocking the event loop."""
        return await run_sync(self.extract, messages, said_at=said_at, summary=summary)
