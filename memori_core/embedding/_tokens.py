"""Counting tokens with a tokenizer of transformers, which has no useful static types."""

from __future__ import annotations

from typing import Any


def special_tokens(tokenizer: Any) -> int:
    """How many tokens the model wants around every text."""
    count = tokenizer.num_special_tokens_to_add
    try:
        return int(count())
    except TypeError:  # a tokenizer of the package tokenizers, which static models have
        return int(count(False))


def token_starts(tokenizer: Any, text: str) -> list[int]:
    """Where each token begins, ascending character positions."""
    if not text:
        return []
    if not getattr(tokenizer, "is_fast", False):
        # No positions to be had. A token is at least a character, so this cuts too early at worst.
        return list(range(len(text)))
    encoded = tokenizer(
        text,
        add_special_tokens=False,
        truncation=False,
        padding=False,
        return_offsets_mapping=True,
        verbose=False,
    )
    return [int(start) for start, _ in encoded["offset_mapping"]]
