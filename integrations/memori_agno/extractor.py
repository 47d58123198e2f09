"""Facts by a model of Agno's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agno.models.base import Model
from agno.models.message import Message
from agno.models.utils import get_model

from memori_core.errors import ConfigError
from memori_core.hooks import LLMExtractor, handled


class AgnoModelExtractor(LLMExtractor):
    """Facts as an Agno model finds them, checked against what the user said.

    The model is called in the background, in worker threads. A client of it that is registered
    with `memori.llm` leaves these calls alone.

    ```python
    from memori_agno import AgnoModelExtractor
    from memori_agno.testing import FakeModel
    from memori_core import Memori

    model = FakeModel(answer=lambda messages: '{"facts": ["User is allergic to peanuts."]}')
    memori = Memori(":memory:", embedder=None, extractor=AgnoModelExtractor(model))
    alice = memori.scoped("alice")
    alice.capture("I'm allergic to peanuts.")
    memori.flush()
    print([fact.content for fact in alice.list()])
    #> ['User is allergic to peanuts.']
    ```

    Args:
        model: The model, or its name as Agno takes it ("openai:gpt-5.4").
        indexes_messages: Whether messages are searched beside the facts.

    Raises:
        ConfigError: It is no model of Agno's.
    """

    def __init__(self, model: Model | str, *, indexes_messages: bool = False) -> None:
        try:
            asked = get_model(model)
        except ValueError as e:
            raise ConfigError(f"`model` must be a model of Agno's, got {model!r}: {e}") from e
        if asked is None:
            raise ConfigError("`model` must be a model of Agno's, got None.")

        def complete(messages: Sequence[Mapping[str, Any]]) -> str | None:
            given = [Message(role=m["role"], content=m["content"]) for m in messages]
            with handled():
                response = asked.response(given)  # pyright: ignore[reportUnknownMemberType] (a bare dict)
            return None if response.content is None else str(response.content)

        super().__init__(complete, name=f"agno:{asked.id}", indexes_messages=indexes_messages)
