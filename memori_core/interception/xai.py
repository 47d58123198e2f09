"""xai-sdk: the calls of the gRPC stub that all chats of a client share.

Chats that were made before registering hold the same stub, so they are served, too. gRPC's own
retries lie below it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, ClassVar, Final

from memori_core.errors import UnsupportedClientError
from memori_core.interception.call import Call
from memori_core.interception.interceptor import Interceptor
from memori_core.interception.kind import ClientKind
from memori_core.interception.shadowing import Shadow, comes_from, shadow_of
from memori_core.interception.wire.base import WireFormat
from memori_core.interception.wire.xai import XaiChat, XaiChoices
from memori_core.interception.xai_streams import AsyncChunks, Chunks

_CALLS: Final = (
    "GetCompletion",
    "GetCompletionChunk",
    "StartDeferredCompletion",
    "GetDeferredCompletion",
)
_ONE: Final = XaiChat()
_SEVERAL: Final = XaiChoices()
_DONE: Final = 1
"""`DeferredStatus.DONE`"""
_MAX_DEFERRED: Final = 1_000


class XaiSdk(ClientKind):
    """`xai_sdk.Client` and `xai_sdk.AsyncClient`."""

    name: ClassVar[str] = "xAI (xai_sdk.Client, AsyncClient)"

    def matches(self, client: Any) -> bool:
        return comes_from(client, "xai_sdk", "Client", "AsyncClient") and hasattr(client, "chat")

    def installed(self, client: Any) -> Interceptor | None:
        shadow = shadow_of(_stub(client))
        return None if shadow is None else shadow.interceptor

    def install(self, client: Any, interceptor: Interceptor) -> None:
        stub = _stub(client)
        if not all(callable(getattr(stub, name, None)) for name in _CALLS):
            raise UnsupportedClientError(
                "this version of xai-sdk is not known: its client has no `chat._stub` with "
                f"{', '.join(_CALLS)}, as version 1.21 has."
            )
        shadow = Shadow(interceptor)
        is_async = comes_from(client, "xai_sdk.aio", "Client", "AsyncClient")
        shadow.put(stub, (_async_functions if is_async else _functions)(stub, shadow))

    def remove(self, client: Any) -> None:
        stub = _stub(client)
        if shadow := shadow_of(stub):
            shadow.undo(stub)


def _stub(client: Any) -> Any:
    return getattr(getattr(client, "chat", None), "_stub", None)


def _wire(request: Any) -> WireFormat:
    return _SEVERAL if (getattr(request, "n", None) or 1) > 1 else _ONE


class _Deferred:
    """Calls whose answers are fetched later, by the id the server gave them."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, Call] = OrderedDict()

    def keep(self, started: Any, call: Call | None) -> None:
        answer_id = getattr(started, "request_id", None)
        if call and answer_id:
            self._calls[answer_id] = call
            if len(self._calls) > _MAX_DEFERRED:
                self._calls.popitem(last=False)

    def fetched(self, request: Any, response: Any) -> None:
        if getattr(response, "status", None) == _DONE:
            call = self._calls.pop(request.request_id, None)
            if call:
                call.finish([response.response])


def _functions(stub: Any, shadow: Shadow) -> dict[str, Callable[..., Any]]:
    get, get_chunks, start, fetch = (getattr(stub, name) for name in _CALLS)
    deferred = _Deferred()

    def completion(request: Any, *args: Any, **kwargs: Any) -> Any:
        call = shadow.begin(_wire(request), request)
        response = get(call.body if call else request, *args, **kwargs)
        if call:
            call.finish([response])
        return response

    def chunks(request: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        call = shadow.begin(_wire(request), request)
        stream = get_chunks(call.body if call else request, *args, **kwargs)
        return Chunks(stream, call) if call else stream

    def started(request: Any, *args: Any, **kwargs: Any) -> Any:
        call = shadow.begin(_wire(request), request)
        response = start(call.body if call else request, *args, **kwargs)
        deferred.keep(response, call)
        return response

    def fetched(request: Any, *args: Any, **kwargs: Any) -> Any:
        response = fetch(request, *args, **kwargs)
        deferred.fetched(request, response)
        return response

    return dict(zip(_CALLS, (completion, chunks, started, fetched), strict=True))


def _async_functions(stub: Any, shadow: Shadow) -> dict[str, Callable[..., Any]]:
    """The same; the SDK only awaits the calls, and goes through the chunks with `async for`."""
    get, get_chunks, start, fetch = (getattr(stub, name) for name in _CALLS)
    deferred = _Deferred()

    async def completion(request: Any, *args: Any, **kwargs: Any) -> Any:
        call = await shadow.abegin(_wire(request), request)
        response = await get(call.body if call else request, *args, **kwargs)
        if call:
            call.finish([response])
        return response

    def chunks(request: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        async def begin() -> tuple[Any, Call | None]:
            call = await shadow.abegin(_wire(request), request)
            return get_chunks(call.body if call else request, *args, **kwargs), call

        return AsyncChunks(begin)

    async def started(request: Any, *args: Any, **kwargs: Any) -> Any:
        call = await shadow.abegin(_wire(request), request)
        response = await start(call.body if call else request, *args, **kwargs)
        deferred.keep(response, call)
        return response

    async def fetched(request: Any, *args: Any, **kwargs: Any) -> Any:
        response = await fetch(request, *args, **kwargs)
        deferred.fetched(request, response)
        return response

    return dict(zip(_CALLS, (completion, chunks, started, fetched), strict=True))


KINDS: Final = (XaiSdk(),)
