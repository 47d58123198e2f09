"""A model that answers from a script: for tests and examples without a network."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from agno.models.base import Model
from agno.models.message import Message
from agno.models.response import ModelResponse

Answer: TypeAlias = str | Sequence[tuple[str, dict[str, Any]]] | Exception
"""A text, tool calls as (name, arguments), or an error to raise."""


@dataclass
class FakeModel(Model):
    """Answers what a function says, in `run`, `arun` and both streams. It remembers its requests.

    ```python
    from agno.agent import Agent
    from memori_agno.testing import FakeModel

    agent = Agent(model=FakeModel(answer=lambda messages: f"You said: {messages[-1].content}"))
    print(agent.run("Hello").content)
    #> You said: Hello
    ```

    Args:
        answer: Takes the messages of a request and gives the answer.
        delay_s: How long a request takes; in a stream, each word of the answer.
    """

    id: str = "fake"
    name: str | None = "Fake"
    provider: str | None = "Fake"
    answer: Callable[[list[Message]], Answer] = lambda _: "ok"
    delay_s: float = 0.0
    requests: list[list[Message]] = field(default_factory=list[list[Message]])
    """The messages of every request so far."""
    tool_names: list[list[str]] = field(default_factory=list[list[str]])
    """The names of the tools that every request offered."""

    def invoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Answer in one piece."""
        if self.delay_s:
            time.sleep(self.delay_s)
        return self._respond(*args, **kwargs)

    async def ainvoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Answer in one piece."""
        await asyncio.sleep(self.delay_s)
        return self._respond(*args, **kwargs)

    def invoke_stream(self, *args: Any, **kwargs: Any) -> Iterator[ModelResponse]:
        """Answer word by word."""
        for piece in _pieces(self._respond(*args, **kwargs)):
            if self.delay_s:
                time.sleep(self.delay_s)
            yield piece

    async def ainvoke_stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ModelResponse]:
        """Answer word by word."""
        for piece in _pieces(self._respond(*args, **kwargs)):
            await asyncio.sleep(self.delay_s)
            yield piece

    def _respond(
        self, messages: list[Message], tools: list[dict[str, Any]] | None = None, **_: Any
    ) -> ModelResponse:
        self.requests.append([message.model_copy() for message in messages])
        self.tool_names.append([tool["function"]["name"] for tool in tools or ()])
        answer = self.answer(messages)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return ModelResponse(role="assistant", content=answer)
        calls = [
            {
                "id": f"call_{len(self.requests)}_{number}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for number, (name, arguments) in enumerate(answer)
        ]
        return ModelResponse(role="assistant", tool_calls=calls)

    def _parse_provider_response(self, response: Any, **_: Any) -> ModelResponse:
        return response

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        return response

    def __deepcopy__(self, memo: Any) -> FakeModel:
        return self  # its copies' requests are its own


def _pieces(response: ModelResponse) -> Iterator[ModelResponse]:
    if response.tool_calls:
        yield response
        return
    words = str(response.content).split(" ")
    for number, word in enumerate(words):
        end = "" if number == len(words) - 1 else " "
        yield ModelResponse(role="assistant", content=word + end)
