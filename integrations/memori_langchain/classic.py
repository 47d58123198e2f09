"""Memory for the chains of `langchain-classic`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, PrivateAttr

from memori_core import Memori, Scope
from memori_core.errors import ConfigError, MissingExtraError
from memori_core.hooks import Hooks, Message, OnError

try:
    from langchain_classic.base_memory import BaseMemory
except ImportError as e:
    raise MissingExtraError("MemoriMemory", package="langchain-classic", extra="classic") from e


class MemoriMemory(BaseMemory):
    """Recall before a chain runs, capture after it, for programs that are still on chains.

    LangChain advises against chains for new programs: use `MemoriMiddleware`.

    Raises:
        ConfigError: (when the chain runs) Several inputs, and `input_key` names none of them.
    """

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    memori: Memori = Field(exclude=True, repr=False)
    """The memory."""
    entity_id: str
    """Whose."""
    session_id: str | None = None
    """The conversation."""
    memory_key: str = "memories"
    """The name under which the prompt is given the context block."""
    input_key: str | None = None
    """Which input is what the user said, where there are several."""
    output_key: str | None = None
    """Which output is the answer, where there are several."""
    k: int = Field(default=5, ge=0)
    """How many facts at most."""
    strictness: float = Field(default=1.0, ge=0)
    """Scales the cut below which nothing is recalled; 0 switches it off."""
    on_error: OnError = "log"
    """What to do when memory fails: `"log"` and go on without, or `"raise"`, for tests."""
    _hooks: Hooks = PrivateAttr()

    def model_post_init(self, _: Any, /) -> None:
        """Refuse what is no id at once."""
        self._hooks = Hooks(self.memori, on_error=self.on_error)
        _ = self._scope

    @property
    def _scope(self) -> Scope:
        return Scope(self.entity_id, session_id=self.session_id)

    @property
    def memory_variables(self) -> list[str]:
        """The one variable that this memory fills in."""
        return [self.memory_key]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """What is remembered that bears on the input, as the context block."""
        query = self._question(inputs)
        found = self._hooks.recall(
            query, scope=self._scope, limit=self.k, strictness=self.strictness
        )
        return {self.memory_key: found.context}

    async def aload_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """`load_memory_variables` without blocking the event loop."""
        query = self._question(inputs)
        found = await self._hooks.arecall(
            query, scope=self._scope, limit=self.k, strictness=self.strictness
        )
        return {self.memory_key: found.context}

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        """Capture the turn. Nothing waits: a thread of the memory stores it."""
        answer = _one(outputs, self.output_key, (), name="output_key")
        turn = [Message("user", self._question(inputs)), Message("assistant", answer)]
        self._hooks.submit(turn, scope=self._scope)

    async def asave_context(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        """`save_context` for async chains."""
        self.save_context(inputs, outputs)

    def clear(self) -> None:
        """Nothing: this memory outlives conversations. `memori.scoped(id).erase()` removes it."""

    async def aclear(self) -> None:
        """Nothing, as `clear`."""

    def _question(self, inputs: Mapping[str, Any]) -> str:
        return _one(inputs, self.input_key, (self.memory_key, "stop"), name="input_key")


def _one(values: Mapping[str, Any], key: str | None, others: tuple[str, ...], *, name: str) -> str:
    if key is None:
        keys = [k for k in values if k not in others]
        if len(keys) != 1:
            raise ConfigError(f"`{name}` must say which of {sorted(keys)} to remember.")
        key = keys[0]
    if key not in values:
        raise ConfigError(f"`{name}` is {key!r}, but there are only {sorted(values)}.")
    return str(values[key])
