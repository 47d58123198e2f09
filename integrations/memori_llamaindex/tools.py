"""Memory as tools that an agent calls when it sees fit."""

# No `from __future__ import annotations`: LlamaIndex reads them to make the tools' schemas.

from collections.abc import Callable, Sequence
from typing import ClassVar

from llama_index.core.tools.tool_spec.base import SPEC_FUNCTION_TYPE, BaseToolSpec

from memori_core import Memori, Recall, ScopedMemory
from memori_core.errors import ConfigError
from memori_core.hooks import Hooks, OnError, escape
from memori_llamaindex._identity import Identity

_UNAVAILABLE = "Memory is not available now."
_NOTHING = "Nothing is remembered about this."


class MemoriToolSpec(BaseToolSpec):
    """Three tools: `recall_memory`, `remember` and `forget`, each with its async twin.

    ```python
    from memori_core import InMemoryStore, Memori
    from memori_llamaindex import MemoriToolSpec

    memori = Memori(InMemoryStore(), embedder=None)
    tools = MemoriToolSpec(memori, entity_id="alice").to_tool_list()
    print([tool.metadata.name for tool in tools])
    #> ['recall_memory', 'remember', 'forget']
    print(tools[1].call(fact="User lives in Porto."))
    #> Remembered.
    ```

    Whose memory it is stands in no parameter that a model could fill in.

    Args:
        memori: Where facts are kept.
        entity_id: Whose memory; None for the one that `memori.attribution(...)` names.
        process_id: The agent or program that remembers.
        similarity_top_k: At most so many facts are recalled.
        on_error: What to do with a failure of memory: `"log"` and tell the model, or `"raise"`.

    Raises:
        ConfigError: An argument cannot be right.
        ScopeError: An id is blank or no text.
    """

    spec_functions: ClassVar[list[SPEC_FUNCTION_TYPE]] = [  # pyright: ignore[reportIncompatibleVariableOverride] (a constant here)
        ("recall_memory", "arecall_memory"),
        ("remember", "aremember"),
        ("forget", "aforget"),
    ]

    def __init__(
        self,
        memori: Memori,
        *,
        entity_id: str | None = None,
        process_id: str | None = None,
        similarity_top_k: int = 5,
        on_error: OnError = "log",
    ) -> None:
        if similarity_top_k < 0:
            raise ConfigError(f"`similarity_top_k` must be 0 or more, got {similarity_top_k!r}.")
        self._hooks = Hooks(memori, on_error=on_error)
        self._identity = Identity(self._hooks, entity_id, process_id)
        self._limit = similarity_top_k
        self._strict = on_error == "raise"

    def recall_memory(self, query: str) -> str:
        """Search what is remembered about the user from earlier conversations.

        Returns one fact per line, with its id in brackets.

        Args:
            query (str): What to look for, as a question or a few words.
        """
        scope = self._identity.scope()
        if scope is None:
            return _UNAVAILABLE
        return _listed(self._hooks.recall(query, scope=scope, limit=self._limit))

    async def arecall_memory(self, query: str) -> str:
        """`recall_memory` without blocking the event loop."""
        scope = self._identity.scope()
        if scope is None:
            return _UNAVAILABLE
        return _listed(await self._hooks.arecall(query, scope=scope, limit=self._limit))

    def remember(self, fact: str) -> str:
        """Remember one fact about the user for later conversations.

        Args:
            fact (str): One sentence that can stand alone, for example "User lives in Porto."
        """
        memory = self._memory()
        if memory is None:
            return _UNAVAILABLE
        doing = _remember(memory, fact, strict=self._strict)
        return self._hooks.attempt("remember", doing, otherwise=_UNAVAILABLE)

    async def aremember(self, fact: str) -> str:
        """`remember` without blocking the event loop."""
        memory = self._memory()
        if memory is None:
            return _UNAVAILABLE
        doing = _remember(memory, fact, strict=self._strict)
        return await self._hooks.aattempt("remember", doing, otherwise=_UNAVAILABLE)

    def forget(self, fact_id: str) -> str:
        """Forget one fact for good, when the user asks for it.

        Args:
            fact_id (str): The id in brackets that recall_memory shows in front of the fact.
        """
        memory = self._memory()
        if memory is None:
            return _UNAVAILABLE
        return self._hooks.attempt("forget", _forget(memory, fact_id), otherwise=_UNAVAILABLE)

    async def aforget(self, fact_id: str) -> str:
        """`forget` without blocking the event loop."""
        memory = self._memory()
        if memory is None:
            return _UNAVAILABLE
        doing = _forget(memory, fact_id)
        return await self._hooks.aattempt("forget", doing, otherwise=_UNAVAILABLE)

    def _memory(self) -> ScopedMemory | None:
        scope = self._identity.scope()
        return None if scope is None else self._hooks.scoped(scope)


def _listed(found: Recall) -> str:
    if found.reason in ("error", "timeout"):
        return _UNAVAILABLE
    facts = {fact.id: fact for fact in (*found.pinned, *(item.fact for item in found))}
    lines: Sequence[str] = [
        f"[{id}] {escape(fact.content)} (stated at {fact.said_at:%Y-%m-%d})"
        for id, fact in facts.items()
    ]
    return "\n".join(lines) or _NOTHING


def _remember(memory: ScopedMemory, fact: str, *, strict: bool) -> Callable[[], str]:
    def remember() -> str:
        try:
            memory.remember(fact)
        except ConfigError as e:  # the model's mistake: it can put it right
            if strict:
                raise
            return f"Not remembered: {e}"
        return "Remembered."

    return remember


def _forget(memory: ScopedMemory, fact_id: str) -> Callable[[], str]:
    def forget() -> str:
        if memory.forget(fact_id.strip(" []")):
            return "Forgotten."
        return "There is no fact with this id. Look it up with recall_memory."

    return forget
