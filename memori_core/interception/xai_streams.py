"""Seeing the chunks of a gRPC stream; everything else about it (`cancel`, `code`) is its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Self

from memori_core.interception.call import Call


class Chunks(Iterator[Any]):
    """A stream of chunks, seen as they pass."""

    def __init__(self, stream: Any, call: Call) -> None:
        self._stream = stream
        self._chunks = _pass_on(stream, call)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_stream"), name)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return next(self._chunks)


def _pass_on(stream: Any, call: Call) -> Iterator[Any]:
    seen: list[Any] = []
    refused = False
    try:
        for chunk in stream:
            seen.append(chunk)
            yield chunk
    except Exception:  # whatever broke it, the caller gets it
        refused = not seen  # an error before the first chunk: there is no turn
        raise
    finally:
        if not refused:
            call.finish(seen)


class AsyncChunks(AsyncIterator[Any]):
    """The same for asyncio. The request is sent when the first chunk is asked for."""

    def __init__(self, begin: Callable[[], Awaitable[tuple[Any, Call | None]]]) -> None:
        self._stream: Any = None
        self._chunks = self._pass_on(begin)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_stream"), name)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        return await anext(self._chunks)

    async def _pass_on(
        self, begin: Callable[[], Awaitable[tuple[Any, Call | None]]]
    ) -> AsyncIterator[Any]:
        self._stream, call = await begin()
        seen: list[Any] = []
        try:
            async for chunk in self._stream:
                seen.append(chunk)
                yield chunk
        except Exception:  # whatever broke it, the caller gets it
            call = call if seen else None  # an error before the first chunk: there is no turn
            raise
        finally:
            if call:
                call.finish(seen)
