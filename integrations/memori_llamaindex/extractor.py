"""Facts by any language model of LlamaIndex."""

from __future__ import annotations

from typing import Any, Literal

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import BaseModel, Field
from llama_index.core.llms import LLM

from memori_core.errors import ConfigError
from memori_core.hooks import LLMExtractor, handled


class ExtractedItem(BaseModel):
    """One fact about the user."""

    content: str = Field(description="One sentence that stands alone.")
    kind: Literal["fact", "preference", "identity", "plan"] = "fact"
    pinned: bool = False
    dates: list[str] = Field(default_factory=list)
    triples: list[list[str]] = Field(default_factory=list[list[str]])
    ends: list[list[str]] = Field(default_factory=list[list[str]])
    message: int = Field(default=0, description="The n of the user line that says it.")


class ExtractedMemory(BaseModel):
    """What should be remembered of a conversation."""

    facts: list[ExtractedItem] = Field(default_factory=list[ExtractedItem])
    forget: list[str] = Field(default_factory=list)
    attributes: list[str] = Field(default_factory=list)
    summary: str | None = None


class LlamaIndexExtractor(LLMExtractor):
    """Facts as a model of LlamaIndex finds them, checked against what the user said.

    A model that calls functions is asked for the structure by `structured_predict`, and in words
    where that fails; any other is asked in words. The calls are left alone by registered clients.

    ```python
    from llama_index.core.llms import MockLLM
    from memori_core import InMemoryStore, Memori
    from memori_llamaindex import LlamaIndexExtractor

    extractor = LlamaIndexExtractor(MockLLM())  # your model
    memori = Memori(InMemoryStore(), embedder=None, extractor=extractor)
    print(extractor.name)
    #> llama-index/MockLLM
    ```

    Args:
        llm: The model.
        structured: Whether it is asked for the structure; None for what its metadata says.
        indexes_messages: Whether messages are searched beside the facts.

    Raises:
        ConfigError: It is no model.
    """

    def __init__(
        self, llm: LLM, *, structured: bool | None = None, indexes_messages: bool = False
    ) -> None:
        if not isinstance(llm, LLM):  # pyright: ignore[reportUnnecessaryIsInstance] (callers without a checker)
            raise ConfigError(f"`llm` must be an LLM of LlamaIndex, got {llm!r}.")
        self._llm = llm
        self._structured = (
            llm.metadata.is_function_calling_model if structured is None else structured
        )
        super().__init__(
            self._answer,
            name=f"llama-index/{type(llm).__name__}",
            indexes_messages=indexes_messages,
        )

    def _answer(self, messages: list[dict[str, str]]) -> str | None:
        asked = [ChatMessage(role=m["role"], content=m["content"]) for m in messages]
        with handled():
            if self._structured:
                answer = self._predicted(asked)
                if answer is not None:
                    return answer
            return self._llm.chat(asked).message.content

    def _predicted(self, messages: list[ChatMessage]) -> str | None:
        """The structure as JSON; None where the model gave none."""
        try:
            answer: Any = self._llm.as_structured_llm(ExtractedMemory).chat(messages)
        except (TypeError, ValueError):  # no tool call, or one that does not fit
            return None
        return answer.message.content
