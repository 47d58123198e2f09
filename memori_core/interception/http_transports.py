"""Transports for httpx and httpx2 that give requests memory, and streams that listen along.

The two packages have the same classes under two names. What we add is written once, as mixins, and
joined with the classes of the package that the client is of.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final

from memori_core.interception.call import Call
from memori_core.interception.http_requests import (
    MAX_ANSWER,
    asks,
    preparation,
    rebuilt,
    watcher,
)
from memori_core.interception.interceptor import Interceptor

PACKAGES: Final = ("httpx2", "httpx")


class _Tee:
    """Keeps the bytes that pass, and hands them over once: at the end, or where it was cut."""

    def __init__(self, inner: Any, finish: Callable[[list[bytes]], None]) -> None:
        self._inner = inner
        self._parts: list[bytes] = []
        self._size = 0
        self._finish: Callable[[list[bytes]], None] | None = finish

    def _keep(self, part: bytes) -> None:
        if self._size < MAX_ANSWER:
            self._size += len(part)
            self._parts.append(part)

    def _end(self) -> None:
        finish, self._finish = self._finish, None
        if finish is not None:
            finish(self._parts)

    def __del__(self) -> None:  # dropped, not closed
        self._end()


class _SyncTee(_Tee):
    def __iter__(self) -> Iterator[bytes]:
        try:
            for part in self._inner:
                self._keep(part)
                yield part
        finally:
            self._end()

    def close(self) -> None:
        try:
            self._inner.close()
        finally:
            self._end()


class _AsyncTee(_Tee):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._inner:
                self._keep(part)
                yield part
        finally:
            self._end()

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()
        finally:
            self._end()


class _Transport:
    """What both flavours hold."""

    module: ModuleType

    def __init__(self, inner: Any, interceptor: Interceptor) -> None:
        self.inner = inner
        self.interceptor = interceptor

    def _watched(self, call: Call, response: Any) -> Any:
        if response.status_code == 200:  # else a failed attempt; the SDK may try again
            listen(response, call, module=self.module)
        return response


class _SyncTransport(_Transport):
    def handle_request(self, request: Any) -> Any:
        if not asks(request):
            return self.inner.handle_request(request)
        request.read()
        call = self.interceptor.run(preparation(request))
        if call is None:
            return self.inner.handle_request(request)
        response = self.inner.handle_request(rebuilt(self.module, request, call))
        return self._watched(call, response)

    def close(self) -> None:
        self.inner.close()


class _AsyncTransport(_Transport):
    async def handle_async_request(self, request: Any) -> Any:
        if not asks(request):
            return await self.inner.handle_async_request(request)
        await request.aread()
        call = await self.interceptor.arun(preparation(request))
        if call is None:
            return await self.inner.handle_async_request(request)
        response = await self.inner.handle_async_request(rebuilt(self.module, request, call))
        return self._watched(call, response)

    async def aclose(self) -> None:
        await self.inner.aclose()


def package_of(value: Any) -> ModuleType | None:
    """The package that an HTTP client, transport or response is of; None for anything else.

    Packages that nobody imported are not imported either: no object can be of theirs.
    """
    for name in PACKAGES:
        module: Any = sys.modules.get(name)
        if module is not None and isinstance(
            value,
            module.Client
            | module.AsyncClient
            | module.BaseTransport
            | module.AsyncBaseTransport
            | module.Response,
        ):
            return module
    return None


def is_async(client: Any) -> bool:
    """Whether an HTTP client is an asynchronous one."""
    module: Any = package_of(client)
    return module is not None and isinstance(client, module.AsyncClient)


def wrapped(inner: Any, interceptor: Interceptor, *, module: Any) -> Any:
    """A transport around another, of the same flavour."""
    classes = _classes(module)
    asynchronous = isinstance(inner, module.AsyncBaseTransport)
    kind = classes.async_transport if asynchronous else classes.transport
    return kind(inner, interceptor)


def listen(response: Any, call: Call, *, module: Any) -> None:
    """Have the call finished with the bytes of a response that has not been read."""
    classes = _classes(module)
    asynchronous = isinstance(response.stream, module.AsyncByteStream)
    kind = classes.async_stream if asynchronous else classes.stream
    response.stream = kind(response.stream, watcher(call, response))


@dataclass(frozen=True, slots=True)
class _Classes:
    transport: Any
    async_transport: Any
    stream: Any
    async_stream: Any


@cache
def _classes(module: Any) -> _Classes:
    """What we add, joined with the classes of one package."""
    extra = {"module": module}
    return _Classes(
        type("MemoriTransport", (_SyncTransport, module.BaseTransport), extra),
        type("MemoriAsyncTransport", (_AsyncTransport, module.AsyncBaseTransport), extra),
        type("MemoriStream", (_SyncTee, module.SyncByteStream), {}),
        type("MemoriAsyncStream", (_AsyncTee, module.AsyncByteStream), {}),
    )
