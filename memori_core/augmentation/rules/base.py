"""What passes between the engine of the rule extractor and its languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal, Protocol, TypeAlias

from memori_core.conversation import Triple
from memori_core.models import Kind

Code: TypeAlias = Literal["en", "zh"]

MAX_FACTS = 500
"""Facts of one message at most: a message that says more is not one that a person wrote."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One sentence about the user, before its dates are resolved."""

    content: str
    _: KW_ONLY
    kind: Kind = "fact"
    pinned: bool = False
    triples: tuple[Triple, ...] = ()
    ends: tuple[Triple, ...] = ()
    """Statements that the sentence ends ("moved from Porto": lives_in Porto)."""


@dataclass(frozen=True, slots=True)
class Forget:
    """An order to forget something."""

    text: str
    """What is to be forgotten, told about the user: "User's birthday"."""


@dataclass(frozen=True, slots=True)
class Material:
    """From here on the message is material of a task ("translate: ..."): nothing more is read."""


Finding: TypeAlias = Draft | Forget | Material


class Language(Protocol):
    """Rules that find what a text says about its writer."""

    @property
    def code(self) -> Code: ...

    def drafts(
        self, text: str, *, subject: str | None, statements: bool
    ) -> Iterator[Draft | Forget | Material]:
        """What a text says, in order. Raises for no text.

        Args:
            text: A message, or a part of it in this language, without code, quoted lines and our
                own block.
            subject: Whom "I" stands for; None for the user ("User", "用户").
            statements: Whether sentences that are no facts come too, as drafts of kind
                `statement`.
        """
        ...
