"""Tools with which a model searches memory, remembers and forgets by itself."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from memori_core import Memori, Recall, Scope
from memori_core.hooks import Hooks, OnError, Where
from memori_langchain._forgetting import forget_said
from memori_langchain._identity import Identity
from memori_langchain._tool import UNAVAILABLE, guarded, make_tool

NOTHING = "Nothing is remembered about that."


class RecallArguments(BaseModel):
    """What the model gives `recall_memory`."""

    query: str = Field(description="What to look for, in a few words or as a question.")


class RememberArguments(BaseModel):
    """What the model gives `remember`."""

    fact: str = Field(
        description='A sentence that can stand alone, for example "User is allergic to peanuts."'
    )


class ForgetArguments(BaseModel):
    """What the model gives `forget`."""

    fact: str = Field(description="What is remembered, word for word as it was shown.")


def create_recall_tool(
    memori: Memori,
    *,
    entity_id: str | None = None,
    entity_key: str = "user_id",
    session_key: str = "thread_id",
    process_id: str | None = None,
    k: int = 5,
    strictness: float = 1.0,
    where: Where | None = None,
    name: str = "recall_memory",
    on_error: OnError = "log",
) -> BaseTool:
    """A tool that searches what is remembered about the user.

    ```python
    from memori_core import InMemoryStore, Memori
    from memori_langchain import create_recall_tool

    memori = Memori(InMemoryStore(), embedder=None)
    memori.scoped("alice").remember("User is allergic to peanuts.")
    tool = create_recall_tool(memori, entity_id="alice")
    print(list(tool.args), tool.invoke({"query": "peanuts"}).splitlines()[2][:29])
    #> ['query'] - User is allergic to peanuts
    ```

    Args:
        memori: The memory.
        entity_id: Whose memory; None asks the run, in the order of `MemoriMiddleware`.
        entity_key: Under which name a run tells whose memory it is about.
        session_key: Under which name it tells the conversation.
        process_id: The agent's own id.
        k: How many facts are shown at most.
        strictness: Scales the cut below which nothing is recalled; 0 switches it off.
        where: Metadata that the facts must have.
        name: What the tool is called.
        on_error: When memory fails: `"log"` it and tell the model, or `"raise"`.
    """
    hooks = Hooks(memori, on_error=on_error)
    return recall_tool(
        hooks,
        _identity(memori, entity_id, entity_key, session_key, process_id),
        hooks.options(limit=k, strictness=strictness, where=where),
        name=name,
    )


def recall_tool(
    hooks: Hooks, identity: Identity, options: dict[str, Any], *, name: str = "recall_memory"
) -> BaseTool:
    """`create_recall_tool`, for a hook that has all it takes already."""

    def recall(query: str, scope: Scope) -> str:
        return _shown(hooks.recall(query, scope=scope, **options))

    async def arecall(query: str, scope: Scope) -> str:
        return _shown(await hooks.arecall(query, scope=scope, **options))

    return make_tool(
        hooks,
        identity,
        recall,
        arecall,
        name=name,
        arguments=RecallArguments,
        description=(
            "Search what is remembered about the user from earlier conversations: facts, tastes, "
            "plans."
        ),
    )


def create_remember_tool(
    memori: Memori,
    *,
    entity_id: str | None = None,
    entity_key: str = "user_id",
    session_key: str = "thread_id",
    process_id: str | None = None,
    name: str = "remember",
    on_error: OnError = "log",
) -> BaseTool:
    """A tool that stores one fact about the user. Its arguments are those of `create_recall_tool`.

    ```python
    from memori_core import InMemoryStore, Memori
    from memori_langchain import create_remember_tool

    memori = Memori(InMemoryStore(), embedder=None)
    tool = create_remember_tool(memori, entity_id="alice")
    print(tool.invoke({"fact": "User plays the cello."}))
    #> Remembered.
    ```
    """
    return remember_tool(
        Hooks(memori, on_error=on_error),
        _identity(memori, entity_id, entity_key, session_key, process_id),
        name=name,
    )


def remember_tool(hooks: Hooks, identity: Identity, *, name: str = "remember") -> BaseTool:
    """`create_remember_tool`, for a hook that has all it takes already."""

    def remember(fact: str, scope: Scope) -> str:
        if not fact.strip():
            return "There is nothing to remember: `fact` is empty."
        hooks.scoped(scope).remember(fact.strip())
        return "Remembered."

    return make_tool(
        hooks,
        identity,
        *guarded(hooks, "remember", remember),
        name=name,
        arguments=RememberArguments,
        description="Store one fact about the user for later conversations.",
    )


def create_forget_tool(
    memori: Memori,
    *,
    entity_id: str | None = None,
    entity_key: str = "user_id",
    session_key: str = "thread_id",
    process_id: str | None = None,
    name: str = "forget",
    on_error: OnError = "log",
) -> BaseTool:
    """A tool that deletes what is remembered, for good. The model has to name it word for word.

    Its arguments are those of `create_recall_tool`.

    ```python
    from memori_core import InMemoryStore, Memori
    from memori_langchain import create_forget_tool

    memori = Memori(InMemoryStore(), embedder=None)
    memori.scoped("alice").remember("User plays the cello.")
    tool = create_forget_tool(memori, entity_id="alice")
    print(tool.invoke({"fact": "cello"}))
    #> Nothing was forgotten: name it word for word. Similar: "User plays the cello."
    print(tool.invoke({"fact": "User plays the cello"}))
    #> Forgotten.
    ```
    """
    hooks = Hooks(memori, on_error=on_error)
    identity = _identity(memori, entity_id, entity_key, session_key, process_id)

    def forget(fact: str, scope: Scope) -> str:
        return forget_said(memori.scoped(scope.entity_id), fact)

    return make_tool(
        hooks,
        identity,
        *guarded(hooks, "forget", forget),
        name=name,
        arguments=ForgetArguments,
        description=(
            "Delete something that is remembered about the user, for good, when they ask for it."
        ),
    )


def _identity(
    memori: Memori,
    entity_id: str | None,
    entity_key: str,
    session_key: str,
    process_id: str | None,
) -> Identity:
    return Identity(
        memori=memori,
        entity_id=entity_id,
        entity_key=entity_key,
        session_key=session_key,
        process_id=process_id,
    )


def _shown(found: Recall) -> str:
    return UNAVAILABLE if found.reason in ("error", "timeout") else found.context or NOTHING
