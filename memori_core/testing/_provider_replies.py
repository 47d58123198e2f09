"""What a provider on this machine answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answers to one request."""

    text: str = "Hello"
    _: KW_ONLY
    calls: Sequence[str] = ()
    """Names of tools that the model calls, with empty arguments."""
    refusal: str | None = None
    status: int = 200
    """Anything else is an error of the provider."""
    delay_s: float = 0.0
    """Wait before answering."""
    pause_s: float = 0.0
    """Wait between the first event of a stream and the others."""
    cut_after: int | None = None
    """Break the connection after so many events of a stream."""
    encoding: str = ""
    """`gzip`, to send it compressed."""
    pieces: int = 2
    """In how many pieces a stream gives the text."""
    thinking: str = ""
    """What the model thought before: it is not part of the answer."""
    events: Sequence[Payload] | None = None
    """The events of a stream, in place of those made from the text."""
    payload: Payload | None = None
    """The whole answer, in place of the one made from the text."""

    def parts(self) -> list[str]:
        """The text in pieces."""
        size = max(1, -(-len(self.text) // self.pieces))
        return [self.text[i : i + size] for i in range(0, len(self.text), size)]
