"""Seeing what LiteLLM answers, while the caller gets the very object that LiteLLM made."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from typing import Any, Final, cast

from memori_core.interception.call import Call
from memori_core.interception.handling import handled

_SEEN: Final = "_memori_seen"


class _Seen:
    """The chunks of one stream so far, and the call they answer."""

    __slots__ = ("_call", "_chunks")

    def __init__(self, call: Call) -> None:
        self._call: Call | None = call
        self._chunks: list[Any] = []

    def add(self, chunk: Any) -> None:
        self._chunks.append(chunk)

    def failed(self, error: BaseException) -> None:
        """The stream gave an error: its end, or a failure."""
        ended = isinstance(error, StopIteration | StopAsyncIteration)
        if ended or self._chunks or not isinstance(error, Exception):
            self.end()
        else:  # refused, not broken off: there is no turn
            self._call = None

    def end(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call.finish(self._chunks)


def tee(result: Any, call: Call) -> Any:
    """What the caller gets: the result itself. Its answer goes to the call when it is complete."""
    if isinstance(result, Generator):
        return _tee_generator(cast("Generator[Any, None, None]", result), _Seen(call))
    if isinstance(result, AsyncGenerator):
        return _tee_async_generator(cast("AsyncGenerator[Any, None]", result), _Seen(call))
    if hasattr(result, "__next__") or hasattr(result, "__anext__"):
        setattr(result, _SEEN, _Seen(call))
        result.__class__ = _teeing(cast("Any", type(result)))
    elif hasattr(result, "choices"):
        call.finish([result])
    return result


@functools.cache
def _teeing(base: Any) -> type[Any]:
    """A class of the same name whose streams are seen; `isinstance` holds as before."""

    class Teeing(base):
        def __next__(self) -> Any:
            seen: _Seen = getattr(self, _SEEN)
            try:
                with handled():  # a fallback in the middle is a call inside this one
                    chunk: Any = base.__next__(self)
            except BaseException as e:
                seen.failed(e)
                raise
            seen.add(chunk)
            return chunk

        async def __anext__(self) -> Any:
            seen: _Seen = getattr(self, _SEEN)
            try:
                with handled():
                    chunk: Any = await base.__anext__(self)
            except BaseException as e:
                seen.failed(e)
                raise
            seen.add(chunk)
            return chunk

        def close(self) -> Any:
            getattr(self, _SEEN).end()
            return base.close(self)

        async def aclose(self) -> Any:
            getattr(self, _SEEN).end()
            return await base.aclose(self)

        def __del__(self) -> None:
            getattr(self, _SEEN).end()  # only puts into a queue
            if hasattr(base, "__del__"):
                base.__del__(self)

    Teeing.__name__, Teeing.__qualname__ = base.__name__, base.__qualname__
    Teeing.__module__, Teeing.__doc__ = base.__module__, base.__doc__
    return Teeing


def _tee_generator(chunks: Generator[Any, None, None], seen: _Seen) -> Iterator[Any]:
    try:
        for chunk in chunks:
            seen.add(chunk)
            yield chunk
    except Exception as e:  # whatever broke it, the caller gets it
        seen.failed(e)
        raise
    finally:
        chunks.close()
        seen.end()


async def _tee_async_generator(
    chunks: AsyncGenerator[Any, None], seen: _Seen
) -> AsyncIterator[Any]:
    try:
        async for chunk in chunks:
            seen.add(chunk)
            yield chunk
    except Exception as e:  # whatever broke it, the caller gets it
        seen.failed(e)
        raise
    finally:
        await chunks.aclose()
        seen.end()
