"""Facts of conversations by an agent with a structured output."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pydantic import BaseModel, Field
from pydantic_ai import Agent
from pydantic_ai.models import KnownModelName, Model
from pydantic_ai.settings import ModelSettings

from memori_core.hooks import LLMExtractor, handled


class FoundFact(BaseModel):
    """One thing to remember about the user."""

    content: str = Field(description="One sentence that stands alone.")
    kind: Literal["fact", "preference", "identity", "plan"] = "fact"
    pinned: bool = Field(default=False, description="Whether it must never be missed.")
    dates: list[str] = Field(default_factory=list, description="ISO days, months or years.")
    triples: list[list[str]] = Field(
        default_factory=list[list[str]], description="[subject, predicate, object]"
    )
    ends: list[list[str]] = Field(
        default_factory=list[list[str]], description="Triples that no longer hold."
    )
    message: int = Field(default=0, description="The n of the user line that says it.")


class Findings(BaseModel):
    """What is to be remembered of a conversation."""

    facts: list[FoundFact] = Field(default_factory=list[FoundFact])
    forget: list[str] = Field(default_factory=list, description="What the user wants forgotten.")
    attributes: list[str] = Field(default_factory=list)
    summary: str | None = None


NAME: Final = "memori-extractor"


class AgentExtractor(LLMExtractor):
    """Has an agent with a structured output find the facts.

    Every fact is checked against what the user said. A client of the model that is registered
    with memori is left alone. Costs are counted: `requests`, `input_tokens`, `output_tokens`.

    ```python
    from memori_core import InMemoryStore, Memori
    from memori_pydantic_ai import AgentExtractor
    from pydantic_ai.models.test import TestModel

    found = {"facts": [{"content": "User is allergic to peanuts.", "pinned": True}]}
    extractor = AgentExtractor(TestModel(custom_output_args=found))
    memori = Memori(InMemoryStore(), embedder=None, extractor=extractor)
    alice = memori.scoped("alice")
    alice.capture("Peanuts? I am allergic.")
    memori.flush()
    print([fact.content for fact in alice.list()])
    #> ['User is allergic to peanuts.']
    ```

    Args:
        model: A model or its name. Give it one of its own: it is called from worker threads, on
            an event loop of its own.
        model_settings: For example a temperature.
        retries: How often the model may try again to give an output of the right form.
        indexes_messages: Whether messages are searched beside the facts.
    """

    def __init__(
        self,
        model: Model | KnownModelName | str,
        *,
        model_settings: ModelSettings | None = None,
        retries: int = 2,
        indexes_messages: bool = False,
    ) -> None:
        complete = _Complete(
            Agent(
                model,
                output_type=Findings,
                name=NAME,
                model_settings=model_settings,
                retries=retries,
            )
        )
        super().__init__(complete, name=NAME, indexes_messages=indexes_messages)


class _Complete:
    """An agent as a function from chat messages to JSON."""

    def __init__(self, agent: Agent[object, Findings]) -> None:
        self._agent = agent
        self._counts: Counter[str] = Counter(requests=0, input_tokens=0, output_tokens=0)
        self._lock = threading.Lock()

    async def __call__(self, messages: Sequence[Mapping[str, str]]) -> str:
        instructions, *said = [message["content"] for message in messages]
        with handled():
            result = await self._agent.run("\n\n".join(said), instructions=instructions)
        usage = result.usage
        with self._lock:
            self._counts["requests"] += usage.requests
            self._counts["input_tokens"] += usage.input_tokens
            self._counts["output_tokens"] += usage.output_tokens
        return result.output.model_dump_json()

    def stats(self) -> Mapping[str, int]:
        with self._lock:
            return dict(self._counts)
