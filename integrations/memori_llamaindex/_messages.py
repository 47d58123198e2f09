"""Chat messages of LlamaIndex: what of them is said, and what only passes through."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from llama_index.core.base.llms.types import (
    ChatMessage,
    MessageRole,
    TextBlock,
    ToolCallBlock,
)

from memori_core import Memori, Recall
from memori_core.hooks import TAG, without_block

Said: TypeAlias = dict[str, Any]
"""A message as `Hooks.submit` takes it."""

EMPTY_BLOCK: Final = f"<{TAG}></{TAG}>"
"""Says to a registered client that this call has its memory already: there was nothing."""


def text_of(message: ChatMessage) -> str:
    """The text of a message, without our own block."""
    return without_block(message.content or "").strip()


def is_user(message: ChatMessage) -> bool:
    """Whether the user said it."""
    return message.role == MessageRole.USER


def answer_of(message: ChatMessage) -> str:
    """What an assistant's message says to the user; empty for a step on the way to the answer.

    Steps are tool calls, and the thoughts, actions and observations of a ReAct agent.
    """
    if message.role != MessageRole.ASSISTANT or _calls_tools(message):
        return ""
    text = text_of(message)
    if not text.startswith("Thought:"):
        return text
    last = text.rpartition("\nThought:")[2] if "\nThought:" in text else text
    return last.partition("\nAnswer:")[2].strip()


def _calls_tools(message: ChatMessage) -> bool:
    calls = any(isinstance(block, ToolCallBlock) for block in message.blocks)
    return calls or bool(message.additional_kwargs.get("tool_calls"))


def asked(messages: Sequence[ChatMessage]) -> int | None:
    """The place of the last thing the user said."""
    return next((i for i in range(len(messages) - 1, -1, -1) if is_user(messages[i])), None)


def answer_to(messages: Sequence[ChatMessage], place: int) -> str:
    """The assistant's answer to what stands at a place; empty while there is none."""
    answers = [answer_of(message) for message in messages[place + 1 :]]
    return "\n".join(answer for answer in answers if answer)


def unanswered(messages: Sequence[ChatMessage]) -> ChatMessage | None:
    """The user's last message, unless there is an answer to it."""
    place = asked(messages)
    return None if place is None or answer_to(messages, place) else messages[place]


def turn(message: ChatMessage | None, answer: str, *, turn_id: str) -> list[Said]:
    """What of a turn is captured: the user's words, and the answer where there is one."""
    said: list[Said] = []
    if message is not None:
        parts = [
            {"type": block.block_type, "text": getattr(block, "text", "")}
            for block in message.blocks
        ]
        said.append({"role": "user", "content": parts, "id": message_id(turn_id)})
    if answer:
        said.append({"role": "assistant", "content": answer})
    return said


def message_id(turn_id: str) -> str:
    """The id of the user's words of a turn: facts made of them name it as their source."""
    return f"{turn_id}-said"


def turn_id_of(messages: Sequence[ChatMessage], place: int, *, session: str) -> str:
    """The id of the turn that begins at a place, for those who keep no state of their own.

    The same words after the same answer in the same session are the same turn.
    """
    before = next((text_of(m) for m in reversed(messages[:place]) if text_of(m)), "")
    key = json.dumps([session, before, text_of(messages[place])])
    return "li-" + hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=16).hexdigest()


def cleaned(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Deep copies without our own block: what may be kept as history."""
    return [
        copy
        for message in messages
        if (copy := _cleaned(message.model_copy(deep=True))).blocks or not message.blocks
    ]


def _cleaned(message: ChatMessage) -> ChatMessage:
    if TAG in (message.content or ""):
        for block in message.blocks:
            if isinstance(block, TextBlock):
                block.text = without_block(block.text).strip()
        message.blocks = [b for b in message.blocks if not isinstance(b, TextBlock) or b.text]
    return message


def with_block(messages: Sequence[ChatMessage], block: str, *, place: str) -> list[ChatMessage]:
    """The messages with our block in them, once. They are changed, so they must be copies.

    Args:
        messages: The history as the model will see it.
        block: The block; empty for none.
        place: `"user"` for in front of the last thing the user said, `"system"` for behind the
            first system message. Where there is no such message, one is made.
    """
    found = list(messages)  # line feeds below: many models' classes join the parts with nothing
    if not block:
        return found
    if place == "system":
        prompt = next((m for m in found if m.role == MessageRole.SYSTEM), None)
        if prompt is None:
            return [ChatMessage(role=MessageRole.SYSTEM, content=block), *found]
        prompt.blocks = [*prompt.blocks, TextBlock(text=f"\n{block}")]
        return found
    at = asked(found)
    if at is None:
        found.append(ChatMessage(role=MessageRole.USER, content=block))
    else:
        found[at].blocks = [TextBlock(text=f"{block}\n"), *found[at].blocks]
    return found


def block_of(
    found: Recall | None, memori: Memori, *, shown: Sequence[ChatMessage], seen: Collection[str]
) -> str:
    """What is placed in a request: the recalled block.

    What the model sees anyway is left out, unless it is pinned. Where nothing is left and a client
    of the same memory may be called beneath, there is an empty block: it says that memory is taken
    care of, so that nothing is recalled or captured twice.

    Args:
        found: What was recalled.
        memori: The memory.
        shown: The messages that the model sees.
        seen: The ids under which they were captured, as far as known.
    """
    if found is not None:
        texts = {text_of(message) for message in shown if is_user(message)}
        facts = tuple(
            item
            for item in found
            if item.fact.source_message_id not in seen
            and not (item.fact.kind == "message" and item.content.strip() in texts)
        )
        if context := replace(found, facts=facts).context:
            return context
    return EMPTY_BLOCK if memori.doctor().clients else ""
