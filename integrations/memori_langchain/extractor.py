"""Facts of conversations by one of LangChain's chat models."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import BaseModel, Field

from memori_core.errors import ConfigError
from memori_core.hooks import LLMExtractor, handled
from memori_langchain.callbacks import SKIP_TAG

CONFIG: Final[RunnableConfig] = {
    "run_name": "memori_extraction",
    "tags": ["nostream", SKIP_TAG],
    "callbacks": [],
}


class RememberedFact(BaseModel):
    """One thing to remember about the user."""

    content: str = Field(description="One sentence that stands alone.")
    kind: str = Field(default="fact", description="fact, preference, identity or plan.")
    pinned: bool = Field(default=False, description="Whether it must never be missed.")
    dates: list[str] = Field(default_factory=list)
    triples: list[list[str]] = Field(
        default_factory=list[list[str]], description="[subject, predicate, object]"
    )
    ends: list[list[str]] = Field(
        default_factory=list[list[str]], description="Triples that no longer hold."
    )
    message: int = Field(default=0, description="The n of the user line that says it.")


class Findings(BaseModel):
    """What should be remembered of a conversation."""

    facts: list[RememberedFact] = Field(default_factory=list[RememberedFact])
    forget: list[str] = Field(default_factory=list)
    attributes: list[str] = Field(default_factory=list)
    summary: str | None = None


class ChatModelExtractor(LLMExtractor):
    """Has a chat model find the facts, through structured output where the model offers it.

    Every fact is checked against what the user said. The calls carry no callbacks and are marked
    as handled, so a model that is registered with memori or has a handler of its own is left
    alone here.

    ```python
    from langchain_core.language_models import FakeListChatModel
    from memori_core import InMemoryStore, Memori
    from memori_langchain import ChatModelExtractor

    model = FakeListChatModel(responses=['{"facts": ["User is allergic to peanuts."]}'])
    memori = Memori(InMemoryStore(), embedder=None, extractor=ChatModelExtractor(model))
    alice = memori.scoped("alice")
    alice.capture("Peanuts? I am allergic.")
    memori.flush()
    print([fact.content for fact in alice.list()])
    #> ['User is allergic to peanuts.']
    ```

    Args:
        chat_model: The model. It is called from worker threads.
        name: What the extractor is called.
        indexes_messages: Whether messages are searched beside the facts.

    Raises:
        ConfigError: `chat_model` is no chat model of LangChain.
    """

    def __init__(
        self,
        chat_model: BaseChatModel,
        *,
        name: str = "chat_model",
        indexes_messages: bool = False,
    ) -> None:
        if not isinstance(chat_model, BaseChatModel):  # pyright: ignore[reportUnnecessaryIsInstance] (callers without a checker)
            raise ConfigError(f"`chat_model` must be a LangChain chat model, got {chat_model!r}.")
        super().__init__(_complete(chat_model), name=name, indexes_messages=indexes_messages)


def _complete(chat_model: BaseChatModel) -> Callable[[list[dict[str, str]]], str]:
    runnable: Runnable[Any, Any] = chat_model
    with suppress(NotImplementedError):  # a model without tools: the prompt asks for JSON anyhow
        # The schema, not the class: OpenAI's SDK raises for a reply that is not of the class.
        schema = Findings.model_json_schema()
        runnable = chat_model.with_structured_output(schema, include_raw=True)

    def complete(messages: list[dict[str, str]]) -> str:
        with handled():
            return _text(runnable.invoke(list(messages), CONFIG))

    return complete


def _text(reply: Any) -> str:
    if isinstance(reply, BaseMessage):
        return str(reply.text)
    parts = cast("Mapping[str, Any]", reply)
    if parts["parsed"] is not None:
        return json.dumps(parts["parsed"])
    return str(parts["raw"].text)  # read tolerantly, as a model's without structured output
