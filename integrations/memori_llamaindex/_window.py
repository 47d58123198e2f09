"""How much of a conversation is shown to the model. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, cast

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.utils import (
    get_tokenizer,  # pyright: ignore[reportUnknownVariableType] (it gives a bare List)
)

DEFAULT_TOKEN_LIMIT: Final = 21_000
"""What LlamaIndex's own `Memory` keeps by default: 0.7 of 30,000 tokens."""

_OTHER_TOKENS: Final = {"document": 2048}
_MEDIA_TOKENS: Final = 256
"""Estimates of LlamaIndex's own `Memory` for what is no text."""


@lru_cache(maxsize=4096)
def count_tokens(text: str) -> int:
    """How many tokens a text has, by LlamaIndex's tokenizer."""
    tokenize = cast("Callable[[str], list[int]]", get_tokenizer())
    return len(tokenize(text))


def tokens_of(message: ChatMessage) -> int:
    """About how many tokens a message takes."""
    tokens = count_tokens(str(message.additional_kwargs)) if message.additional_kwargs else 0
    for block in message.blocks:
        if isinstance(block, TextBlock):
            tokens += count_tokens(block.text)
        elif isinstance(block, ToolCallBlock):
            tokens += count_tokens(f"{block.tool_name} {block.tool_kwargs}")
        else:
            tokens += _OTHER_TOKENS.get(block.block_type, _MEDIA_TOKENS)
    return tokens


def window(
    messages: Sequence[ChatMessage],
    limit: int,
    *,
    tokens: Callable[[ChatMessage], int] = tokens_of,
) -> list[ChatMessage]:
    """The last whole turns within a number of tokens, behind the system messages at the start.

    A turn begins with what the user said, so no tool result is parted from its call. The last
    turn is there whatever its length.
    """
    head = 0
    while head < len(messages) and messages[head].role == MessageRole.SYSTEM:
        head += 1
    room = limit - sum(tokens(message) for message in messages[:head])
    starts = [i for i in range(head, len(messages)) if messages[i].role == MessageRole.USER]
    if not starts or starts[0] != head:
        starts.insert(0, head)
    kept, end = starts[-1], len(messages)
    for start in reversed(starts):
        room -= sum(tokens(message) for message in messages[start:end])
        if room < 0:
            break
        kept = end = start
    return [*messages[:head], *messages[kept:]]
