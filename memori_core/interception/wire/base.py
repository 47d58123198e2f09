"""What every request format can: find the question, place the block, read the answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from memori_core.conversation import Message
from memori_core.interception.host import Place


@dataclass(slots=True)
class Answer:
    """What a model answered: filled from one whole payload, or event by event."""

    text: str = ""
    refusal: str = ""
    calls: list[str] = field(default_factory=list[str])
    """The names of the tools it calls. Such an answer is a step on the way, not the answer."""
    complete: bool = False
    """Whether the protocol's end mark was seen. Not set for what was broken off."""
    unfinished: bool = False
    """Whether the same turn goes on in another request (`pause_turn`, queued in the background)."""
    id: str | None = None
    """The provider's id of the answer, where later requests refer to it."""
    conversation_id: str | None = None
    """The provider's id of the conversation, where later requests refer to it."""


class WireFormat(ABC):
    """One request format. Objects hold no state.

    Bodies and events are what the format has: JSON dictionaries, SDK objects, protocol buffers.
    They are the caller's, and never changed.
    """

    name: ClassVar[str]

    @abstractmethod
    def query(self, body: Any) -> str:
        """The last text the user wrote, `""` without one.

        Parts are joined by a space. Tool results, images and other roles are passed over.
        """

    @abstractmethod
    def inject(self, body: Any, block: str, *, place: Place) -> Any:
        """A new body with the block in it; what is not changed may be shared with the old one.

        `place="system"` extends the system prompt behind what the caller has there (never a second
        system message); `"user"` puts the block before the last user text.
        """

    @abstractmethod
    def read(self, answer: Answer, event: Any) -> None:
        """Add one whole payload, or one event of a stream, to the answer."""

    def add_history(self, body: Any, history: Sequence[Message]) -> Any:
        """A new body with earlier messages before the caller's first one; the same body where the
        format has no place for them. `history` is whole pairs of user and assistant texts."""
        return body

    def sent_before(self, body: Any) -> Sequence[Message] | None:
        """What the caller sent of the conversation before the last user text: texts of user and
        assistant, oldest first. None where earlier messages can not be told or not be added (the
        provider keeps the conversation itself)."""
        return None

    def is_tool_round(self, body: Any) -> bool:
        """Whether something follows the last user text: an earlier request began the turn."""
        return False

    def link(self, body: Any) -> str | None:
        """The id of the earlier answer that this request goes on from, if it holds one."""
        return None

    def accepts(self, body: Any) -> bool:
        """Whether this request can be given memory at all. False leaves it alone."""
        return True
