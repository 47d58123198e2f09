"""How long texts are for a model: word pieces of all-MiniLM-L6-v2's tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from memori_core._extras import load_extra
from memori_core.embedding.sentence_transformers import MINILM, find_model
from memori_core.errors import MissingExtraError


def count_word_pieces(texts: Sequence[str]) -> list[int]:
    """The number of word pieces of each text, without the marks around it.

    Raises:
        MissingExtraError: The tokenizer is not on this machine.
    """
    encoded = _tokenizer().encode_batch(list(texts), add_special_tokens=False)
    return [len(one.ids) for one in encoded]


@cache
def _tokenizer() -> Any:
    feature, extra = "counting word pieces", "offline"
    tokenizers = load_extra("tokenizers", feature=feature, package="tokenizers", extra=extra)
    folder = find_model(MINILM)
    if folder is None or not (folder / "tokenizer.json").is_file():
        raise MissingExtraError(feature, package=MINILM, extra=extra)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
