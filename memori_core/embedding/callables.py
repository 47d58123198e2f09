"""An embedder made of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, cast

import numpy.typing as npt

from memori_core.embedding._batched import BatchedEmbedder
from memori_core.embedding.base import EmbedderProfile
from memori_core.errors import ConfigError, EmbeddingError, MemoriError

EmbedFunction: TypeAlias = Callable[[list[str]], npt.ArrayLike | Sequence[npt.ArrayLike]]
"""Takes texts and gives one vector for each, of any length but zero."""

_AS_THEY_ARE: Final = EmbedderProfile()


class CallableEmbedder(BatchedEmbedder):
    """An embedder made of a function from texts to vectors.

    The function is called from many threads. Its vectors are checked and scaled to unit length.

    Args:
        function: Takes a list of 1 to `batch_size` texts, gives as many vectors.
        name: Stored beside every vector. Default: module and qualified name of the function. Give
            a new one when the function changes what it computes.
        batch_size: Texts per call at most.
        query_function: The same for questions; None where they are embedded like texts.
        profile: How cosines are to be read: as they are, unless another is given. None has it
            estimated once, from about 300 sentences that are embedded, and kept in the store.

    Raises:
        ConfigError: A function is a coroutine function.

    Example:
        ```python
        from memori_core.embedding import CallableEmbedder

        def letters(texts: list[str]) -> list[list[int]]:
            return [[text.count(letter) for letter in "aeiou"] for text in texts]

        embedder = CallableEmbedder(letters, name="vowels")
        print(embedder.embed_query("banana").tolist())
        #> [1.0, 0.0, 0.0, 0.0, 0.0]
        ```
    """

    def __init__(
        self,
        function: EmbedFunction,
        *,
        name: str | None = None,
        batch_size: int = 256,
        query_function: EmbedFunction | None = None,
        profile: EmbedderProfile | None = _AS_THEY_ARE,
    ) -> None:
        for given in (function, query_function):
            if inspect.iscoroutinefunction(given):
                raise ConfigError(
                    f"`{_qualified_name(given)}` is a coroutine function; the core is synchronous "
                    "and needs a plain one. It is run in a worker thread."
                )
        super().__init__(name or _qualified_name(function), batch_size=batch_size)
        self._function = function
        self._query_function = query_function or function
        self._profile = profile

    def profile(self) -> EmbedderProfile | None:
        """See `Embedder.profile`."""
        return self._profile

    def _encode(self, texts: list[str], is_query: bool, /) -> npt.ArrayLike:
        function = self._query_function if is_query else self._function
        try:
            return cast(npt.ArrayLike, function(texts))
        except MemoriError:
            raise
        except Exception as e:  # the user's function may raise anything
            raise EmbeddingError(f"`{self.name}` failed on {len(texts)} texts: {e!r}") from e


def _qualified_name(function: object) -> str:
    """Module and qualified name of a function; of its class where it is an object."""
    named = function if hasattr(function, "__qualname__") else type(function)
    module: str = getattr(named, "__module__", None) or "unknown"
    name: str = getattr(named, "__qualname__", "callable")
    return f"{module}.{name}"
