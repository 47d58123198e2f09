"""From the words in which a memory was shown to the memory, for the tool that forgets."""

from __future__ import annotations

import re

from memori_core import Fact, ScopedMemory

SIMILAR = 3
CANDIDATES = 20

_DECORATION = re.compile(r"^[-\s]+|\.? Stated at \d{4}-\d\d-\d\d.*$")


def forget_said(memory: ScopedMemory, said: str) -> str:
    """Delete what says exactly this, and tell what was done.

    Args:
        memory: Whose.
        said: The text of the memory; the dash and the date of the context block may be there.
    """
    wanted = _plain(_DECORATION.sub("", said.strip()))
    found = [hit.fact for hit in memory.recall(said, limit=CANDIDATES, strictness=0)]
    found += [fact for fact in memory.list() if _plain(fact.content) == wanted]
    same = [fact for fact in found if wanted in (_plain(fact.content), _plain(_spoken(fact)))]
    if not same:
        similar = "; ".join(f'"{fact.content}"' for fact in found[:SIMILAR])
        hint = f" Similar: {similar}" if similar else ""
        return f"Nothing was forgotten: name it word for word.{hint}"
    # A message and the facts that were made of it are one memory.
    sources = {fact.source_message_id or fact.id for fact in same}
    made = [fact.id for fact in memory.list() if fact.source_message_id in sources]
    memory.forget({*(fact.id for fact in same), *made})
    return "Forgotten."


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .!?。！？")


def _spoken(fact: Fact) -> str:
    """As the context block shows a message."""
    return f"{fact.speaker or 'User'}: {fact.content}"
