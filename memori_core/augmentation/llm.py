"""Facts by a language model: whatever can answer a list of chat messages."""

from __future__ import annotations

import inspect
import logging
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias, cast

from memori_core._threads import run_sync
from memori_core.augmentation._private_loop import PrivateLoop
from memori_core.augmentation.base import Extractor
from memori_core.augmentation.checking import checked
from memori_core.augmentation.parsing import read_reply
from memori_core.augmentation.prompts import (
    ChatMessage,
    extraction_prompt,
    repair_prompt,
)
from memori_core.conversation import Extraction, Message
from memori_core.errors import ExtractionError
from memori_core.rendering import without_block

logger = logging.getLogger(__name__)

Complete: TypeAlias = Callable[[list[ChatMessage]], str | None | Awaitable[str | None]]
"""Any chat model: messages with `role` and `content` in, the text of the answer out."""

_COUNTS = ("calls", "repairs", "unparsable", "facts", "facts_rejected", "prompt_chars")


class LLMExtractor(Extractor):
    """Facts as a model finds them, checked against what the user said.

    The model sees numbered messages with role, name and day as JSON lines, without system and tool
    messages and without our own context block. Its answer is read tolerantly and, if it holds no
    JSON, asked for once more; if that is no better there are no facts, a warning and a count.
    Every fact must be made of words, names and numbers that a user message holds.

    Args:
        complete: Takes messages with `role` and `content`, gives the answer's text; sync or async.
            `openai_compatible` makes one for most servers. If it has a `stats()`, its counts
            appear among ours. Called from worker threads; an async one runs there on one private
            event loop, one call at a time, and in `aextract` on the caller's loop.
        name: What this extractor is called.
        indexes_messages: Whether messages are searched beside the facts. Off, since the model is
            trusted to miss little.

    Example:
        ```python
        from datetime import datetime, timezone

        from memori_core.augmentation.llm import LLMExtractor
        from memori_core.conversation import Message

        def complete(messages):
            return '{"facts": ["User is allergic to peanuts.", "User has a yacht."]}'

        extractor = LLMExtractor(complete)
        day = datetime(2026, 5, 1, tzinfo=timezone.utc)
        said = [Message("user", "I'm allergic to peanuts.")]
        print([fact.content for fact in extractor.extract(said, said_at=day).facts])
        #> ['User is allergic to peanuts.']
        print(extractor.stats()["facts_rejected"])
        #> 1
        ```
    """

    def __init__(
        self, complete: Complete, *, name: str = "llm", indexes_messages: bool = False
    ) -> None:
        self.name = name
        self.indexes_messages = indexes_messages
        self._complete = complete
        self._is_async = inspect.iscoroutinefunction(complete) or inspect.iscoroutinefunction(
            getattr(complete, "__call__", None)  # noqa: B004 (whether calling it gives a coroutine)
        )
        self._loop = PrivateLoop()
        self._counts: Counter[str] = Counter(dict.fromkeys(_COUNTS, 0))
        self._counts_lock = threading.Lock()

    def extract(
        self, messages: Sequence[Message], *, said_at: datetime, summary: str | None = None
    ) -> Extraction:
        """What these messages amount to, by one call of the model, or two.

        Raises:
            ExtractionError: The model could not be called. A bad answer does not raise.
        """
        dialogue = self._dialogue(messages, said_at=said_at, summary=summary)
        reply: str | None = None
        while True:
            try:
                prompt = next(dialogue) if reply is None else dialogue.send(reply)
            except StopIteration as done:
                return cast("Extraction", done.value)
            reply = self._ask(prompt)

    async def aextract(
        self, messages: Sequence[Message], *, said_at: datetime, summary: str | None = None
    ) -> Extraction:
        """`extract` without blocking the event loop; an async `complete` is awaited on it."""
        dialogue = self._dialogue(messages, said_at=said_at, summary=summary)
        reply: str | None = None
        while True:
            try:
                prompt = next(dialogue) if reply is None else dialogue.send(reply)
            except StopIteration as done:
                return cast("Extraction", done.value)
            reply = await self._aask(prompt)

    def stats(self) -> Mapping[str, int]:
        """Counts since the start, and those of `complete` if it keeps any (tokens, for example).

        `calls`, `repairs` (second calls), `unparsable` (conversations without a readable answer),
        `facts` (kept), `facts_rejected` (not supported by what was said), `prompt_chars`.
        """
        with self._counts_lock:
            counts = dict(self._counts)
        theirs = getattr(self._complete, "stats", None)
        return {**cast("Mapping[str, int]", theirs()), **counts} if callable(theirs) else counts

    def _dialogue(
        self, messages: Sequence[Message], *, said_at: datetime, summary: str | None
    ) -> Generator[list[ChatMessage], str, Extraction]:
        """The one course of events for both flavours: yields prompts, is sent the replies."""
        shown = [replace(message, content=without_block(message.content)) for message in messages]
        if not any(message.role == "user" and message.content.strip() for message in shown):
            return Extraction()
        prompt = extraction_prompt(shown, said_at=said_at, summary=summary)
        reply = yield self._counted(prompt)
        found = read_reply(reply, shown)
        if found is None:
            self._count(repairs=1)
            reply = yield self._counted(repair_prompt(prompt, reply))
            found = read_reply(reply, shown)
        if found is None:
            self._count(unparsable=1)
            logger.warning(
                "extractor %s: no JSON with facts in two replies (the last of %d characters); "
                "nothing is remembered of these %d messages",
                self.name,
                len(reply),
                len(messages),
            )
            return Extraction()
        kept = checked(found, shown, summary=summary)
        rejected = len(found.facts) - len(kept.facts)
        self._count(facts=len(kept.facts), facts_rejected=rejected)
        if rejected:
            logger.info("extractor %s: %d facts without support left out", self.name, rejected)
        return kept

    def _ask(self, prompt: list[ChatMessage]) -> str:
        try:
            reply = self._complete(prompt)
            if inspect.isawaitable(reply):
                reply = self._loop.run(reply)
        except ExtractionError:
            raise
        except Exception as e:  # whatever the model's own client raises when it fails
            raise self._failed(e) from e
        return self._text(reply)

    async def _aask(self, prompt: list[ChatMessage]) -> str:
        try:
            if self._is_async:
                reply = self._complete(prompt)
            else:
                reply = await run_sync(self._complete, prompt)
            if inspect.isawaitable(reply):
                reply = await reply
        except ExtractionError:
            raise
        except Exception as e:  # whatever the model's own client raises when it fails
            raise self._failed(e) from e
        return self._text(reply)

    def _failed(self, e: Exception) -> ExtractionError:
        return ExtractionError(f"extractor {self.name!r}: the model's call failed: {e!r}")

    def _text(self, reply: object) -> str:
        if reply is None:  # what clients give for a refusal or an empty answer
            return ""
        if not isinstance(reply, str):
            raise ExtractionError(
                f"`complete` must give the answer's text, got {type(reply).__name__}. "
                "Return its content, for example `response.choices[0].message.content`."
            )
        return reply

    def _counted(self, prompt: list[ChatMessage]) -> list[ChatMessage]:
        self._count(calls=1, prompt_chars=sum(len(message["content"]) for message in prompt))
        return prompt

    def _count(self, **counts: int) -> None:
        with self._counts_lock:
            self._counts.update(counts)
