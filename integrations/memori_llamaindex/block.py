"""Recalled facts as a block of LlamaIndex's own `Memory`."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any, Final, Literal

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory import BaseMemoryBlock

from memori_core import Memori, Scope
from memori_core.errors import ConfigError
from memori_core.hooks import Hooks, OnError
from memori_llamaindex._identity import Identity
from memori_llamaindex._messages import (
    answer_to,
    asked,
    block_of,
    is_user,
    message_id,
    text_of,
    turn,
    turn_id_of,
)
from memori_llamaindex._window import count_tokens

_KEPT: Final = 1024
_KEPT_S: Final = 300.0
"""So long, and for so many turns, what was recalled for a turn serves its further rounds."""

_RECENT_TURNS: Final = 2
"""The turn that goes on, and the one before: its answer may be seen only now."""


class MemoriMemoryBlock(BaseMemoryBlock[str]):
    """What is known of a user, as a block of `llama_index.core.memory.Memory`.

    ```python
    import asyncio

    from llama_index.core.llms import ChatMessage
    from memori_core import InMemoryStore, Memori
    from memori_llamaindex import MemoriMemoryBlock

    memori = Memori(InMemoryStore(), embedder=None)
    memori.scoped("alice").remember("User is allergic to peanuts.", said_at="2026-05-01")
    block = MemoriMemoryBlock(memori, entity_id="alice")
    # Memory.from_defaults(memory_blocks=[block]), and here what that does with it:
    text = asyncio.run(block.aget([ChatMessage("Do peanuts suit me?")]))
    print(text.splitlines()[2])
    #> - User is allergic to peanuts. Stated at 2026-05-01
    ```

    `Memory` gives messages to a block (`_aput`) only when its queue overflows, at 21,000 tokens by
    default: in most conversations never. So this block captures what it sees when it is read: the
    user's words at once, and the answer at the next reading (an agent reads once more at its end;
    a chat engine with the next message, so the last answer of a conversation is not captured).
    `capture="flushed"` leaves it to the overflow. `MemoriMemory` captures everything.

    It keeps nothing of a session but what was recalled for the turn that goes on, so one block may
    serve many users at once: without `entity_id` it asks for the one that
    `memori.attribution(...)` names. It never raises.

    Args:
        memori: Where facts are kept.
        entity_id: Whose memory; None for the one that is named when it is called, also by
            `memory.aget(entity_id=...)`.
        process_id: The agent or program that remembers.
        name: The name of the block, one of a kind among those of a `Memory`.
        description: As for every block.
        priority: 0 is never cut; of the others the lowest is cut first.
        similarity_top_k: At most so many facts.
        capture: `"seen"` or `"flushed"`, see above.
        on_error: What to do with a failure of memory: `"log"` or `"raise"`.

    Raises:
        ConfigError: An argument cannot be right.
        ScopeError: An id is blank or no text.
    """

    memori: Memori = Field(exclude=True, repr=False)
    entity_id: str | None = None
    process_id: str | None = None
    similarity_top_k: int = 5
    capture: Literal["seen", "flushed"] = "seen"
    on_error: OnError = "log"

    _hooks: Hooks = PrivateAttr()
    _identity: Identity = PrivateAttr()
    _recalled: _Recent = PrivateAttr()

    def __init__(
        self,
        memori: Memori,
        *,
        entity_id: str | None = None,
        process_id: str | None = None,
        name: str = "memori",
        description: str | None = "What is known of the user from earlier conversations.",
        priority: int = 1,
        similarity_top_k: int = 5,
        capture: Literal["seen", "flushed"] = "seen",
        on_error: OnError = "log",
        **kwargs: Any,
    ) -> None:
        hooks = Hooks(memori, on_error=on_error)
        if similarity_top_k < 0:
            raise ConfigError(f"`similarity_top_k` must be 0 or more, got {similarity_top_k!r}.")
        if capture not in ("seen", "flushed"):
            raise ConfigError(f'`capture` is "seen" or "flushed", got {capture!r}.')
        fields: dict[str, Any] = {
            "memori": memori,
            "entity_id": entity_id,
            "process_id": process_id,
            "similarity_top_k": similarity_top_k,
            "capture": capture,
            "on_error": on_error,
            **kwargs,
        }
        super().__init__(name=name, description=description, priority=priority, **fields)
        self._hooks = hooks
        self._identity = Identity(hooks, entity_id, process_id)
        self._recalled = _Recent()

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        said = _without_echo(messages or [])
        place = asked(said)
        scope = self._identity.scope(block_kwargs)
        if place is None or scope is None:
            return ""
        key = (scope, turn_id_of(said, place, session=scope.session_id or ""))
        block = self._recalled.get(key)
        if block is None:
            found = await self._hooks.arecall(
                text_of(said[place]), scope=scope, limit=self.similarity_top_k
            )
            block = block_of(found, self.memori, shown=said, seen=_ids(said, scope))
            self._recalled.put(key, block)
        if answer_to(said, place):
            self._recalled.drop(key)  # the turn is over; the same words later are another
        if self.capture == "seen":
            self._take(said, scope)
        return block

    async def _aput(self, messages: list[ChatMessage]) -> None:
        session_id = next(
            (id for m in messages if (id := m.additional_kwargs.get("session_id"))), None
        )
        scope = self._identity.scope({"session_id": session_id})
        if scope is not None and self.capture == "flushed":
            self._take(messages, scope, recent=len(messages))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Without its last facts, which bear least on the question; None where no fact is left."""
        if not content:
            return None
        lines = content.splitlines()
        first = next((i for i, line in enumerate(lines) if line.startswith("- ")), len(lines))
        last = len(lines) - 1  # the closing tag
        saved = 0
        while saved < tokens_to_truncate and last > first:
            last -= 1
            saved += count_tokens(lines[last] + "\n")
        return "\n".join([*lines[:last], lines[-1]]) if last > first else None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> MemoriMemoryBlock:
        """A block of the same memory."""
        return self.model_copy()

    def _take(
        self, messages: Sequence[ChatMessage], scope: Scope, *, recent: int = _RECENT_TURNS
    ) -> None:
        """Capture the last turns that are seen; those that are stored already stay as they are."""
        end, turns = len(messages), list[tuple[int, int]]()
        while len(turns) < recent and (place := asked(messages[:end])) is not None:
            turns.insert(0, (place, end))
            end = place
        for place, end in turns:
            answer = answer_to(messages[:end], place)
            turn_id = turn_id_of(messages, place, session=scope.session_id or "")
            self._hooks.submit(
                turn(messages[place], answer, turn_id=turn_id),
                scope=scope,
                turn_id=turn_id,
                status="complete" if answer else "partial",
            )


def _ids(messages: Sequence[ChatMessage], scope: Scope) -> set[str]:
    """The ids under which the user's words are captured."""
    return {
        message_id(turn_id_of(messages, place, session=scope.session_id or ""))
        for place, message in enumerate(messages)
        if is_user(message)
    }


def _without_echo(messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
    """Without the user's last message at the end once more.

    `Memory.aget(input=...)` appends its input, and agents give it in each round of tools what is
    in the history already.
    """
    place = asked(messages[:-1])
    if place is None or asked(messages) != len(messages) - 1 or answer_to(messages[:-1], place):
        return messages
    same = text_of(messages[place]) == text_of(messages[-1])
    return messages[:-1] if same else messages


class _Recent:
    """What was recalled for the turns that go on, for a while. Safe in every thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._blocks: OrderedDict[tuple[Scope, str], tuple[float, str]] = OrderedDict()

    def get(self, key: tuple[Scope, str]) -> str | None:
        with self._lock:
            since, block = self._blocks.get(key, (0.0, ""))
            return block if key in self._blocks and time.monotonic() - since < _KEPT_S else None

    def put(self, key: tuple[Scope, str], block: str) -> None:
        with self._lock:
            self._blocks[key] = (time.monotonic(), block)
            self._blocks.move_to_end(key)
            while len(self._blocks) > _KEPT:
                self._blocks.popitem(last=False)

    def drop(self, key: tuple[Scope, str]) -> None:
        with self._lock:
            self._blocks.pop(key, None)
