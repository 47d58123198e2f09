"""Capturing what models are asked and answer, without touching `memory=`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent, LLMChatStartEvent

from memori_core import Memori
from memori_core.hooks import TAG, Hooks, OnError, is_handled
from memori_llamaindex._identity import Identity
from memori_llamaindex._messages import answer_of, asked, text_of, turn, turn_id_of

_BY_THE_FRAMEWORK: Final = (
    "Observation:",
    "Error while parsing the output",
    "FAILURE: Your previous response was empty.",
)
"""How messages begin that a ReAct agent sends in the user's name."""


class MemoriEventHandler(BaseEventHandler):
    """Captures every chat of every model in the process whose user is named.

    ```python
    from llama_index.core.instrumentation import get_dispatcher
    from llama_index.core.llms import ChatMessage
    from llama_index.core.llms.mock import MockFunctionCallingLLM
    from memori_core import InMemoryStore, Memori
    from memori_llamaindex import MemoriEventHandler

    memori = Memori(InMemoryStore(), embedder=None)
    handler = MemoriEventHandler(memori)
    get_dispatcher().add_event_handler(handler)
    with memori.attribution("alice", session_id="s1"):
        MockFunctionCallingLLM().chat([ChatMessage("I live in Porto.")])
    memori.flush()
    print(len(memori.scoped("alice").messages()))
    #> 2
    get_dispatcher().event_handlers.remove(handler)
    ```

    The user is named by `instrument_tags({"entity_id": ..., "session_id": ...})`, else by
    `memori.attribution(...)`. It recalls nothing. A call that holds our block (of `MemoriMemory`
    or `MemoriMemoryBlock`) or is `handled()` is left alone. Use either this or
    `memori.llm.register` for a model, not both.

    Models that do not use LlamaIndex's decorators emit no events, so nothing of them is captured.

    Args:
        memori: Where facts are kept.
        process_id: The agent or program that remembers.
        on_error: What to do with a failure of memory. LlamaIndex swallows what a handler raises,
            so `"raise"` is for failures that `memori.flush()` raises.
    """

    _hooks: Hooks = PrivateAttr()
    _identity: Identity = PrivateAttr()

    def __init__(
        self, memori: Memori, *, process_id: str | None = None, on_error: OnError = "log"
    ) -> None:
        super().__init__()
        self._hooks = Hooks(memori, on_error=on_error)
        self._identity = Identity(self._hooks, None, process_id)

    @classmethod
    def class_name(cls) -> str:
        """The name of the handler."""
        return "MemoriEventHandler"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        """Capture the user's words when a model is asked, and the answer when it is there."""
        try:
            if isinstance(event, LLMChatStartEvent):
                self._take(event, event.messages, "")
            elif isinstance(event, LLMChatEndEvent) and event.response is not None:
                answer = answer_of(event.response.message)
                if answer:
                    self._take(event, event.messages, answer)
        except Exception as e:  # noqa: BLE001 (LlamaIndex would swallow it without a word)
            self._hooks.failed("capture", e)

    def _take(self, event: BaseEvent, sent: list[ChatMessage], answer: str) -> None:
        messages = [m for m in sent if not text_of(m).startswith(_BY_THE_FRAMEWORK)]
        place = asked(messages)
        if place is None or is_handled() or any(_holds_block(m) for m in messages):
            return
        tags = event.tags
        scope = self._identity.scope(tags)
        if scope is None:
            return
        # Nested calls (`achat` that calls `chat`) and rounds of tools are one turn: they have the
        # same words of the user after the same answer.
        session = scope.session_id or tags.get("llamaindex.run_id") or f"{datetime.now(UTC):%Y%m%d}"
        turn_id = turn_id_of(messages, place, session=str(session))
        self._hooks.submit(
            turn(messages[place], answer, turn_id=turn_id),
            scope=scope,
            turn_id=turn_id,
            status="complete" if answer else "partial",
        )


def _holds_block(message: ChatMessage) -> bool:
    return f"<{TAG}>" in (message.content or "")
