"""Anthropic's clients for AWS, which sign their requests: memory comes in as middleware before.

A transport would change the body behind the signature, and AWS would answer 403.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from memori_core.errors import UnsupportedClientError
from memori_core.interception.attempt import Attempt
from memori_core.interception.call import Call
from memori_core.interception.decoding import events_in
from memori_core.interception.http_transports import is_async, listen, package_of
from memori_core.interception.interceptor import Interceptor
from memori_core.interception.kind import ClientKind
from memori_core.interception.wire.paths import wire_for

_SIGNING: Final = ("Bedrock", "AWS")


class _Middleware:
    """Ours among the client's middleware: a callable, as the SDK wants it."""

    def __init__(self, interceptor: Interceptor) -> None:
        self.interceptor = interceptor

    def __call__(self, request: Any, call_next: Callable[[Any], Any]) -> Any:
        work = _preparation(request)
        call = self.interceptor.run(work) if work else None
        result = call_next(request if call is None else _rebuilt(request, call))
        return result if call is None else _watched(result, call)


class _AsyncMiddleware(_Middleware):
    async def __call__(self, request: Any, call_next: Callable[[Any], Any]) -> Any:
        work = _preparation(request)
        call = await self.interceptor.arun(work) if work else None
        result = await call_next(request if call is None else _rebuilt(request, call))
        return result if call is None else _watched(result, call)


class AnthropicAWS(ClientKind):
    """AnthropicBedrock and its relatives. Copies made with `with_options` keep memory, but for
    `with_options(middleware=...)`, which replaces it."""

    name: ClassVar[str] = "AnthropicBedrock"

    def matches(self, client: Any) -> bool:
        return any(
            base.__module__.partition(".")[0] == "anthropic"
            and any(word in base.__name__ for word in _SIGNING)
            for base in type(client).__mro__
        )

    def installed(self, client: Any) -> Interceptor | None:
        ours = [m for m in getattr(client, "_middleware", ()) if isinstance(m, _Middleware)]
        return ours[0].interceptor if ours else None

    def install(self, client: Any, interceptor: Interceptor) -> None:
        if not hasattr(client, "_middleware") or not hasattr(client, "_build_middleware_chain"):
            raise UnsupportedClientError(
                f"this version of anthropic has no middleware, which {type(client).__name__} needs "
                "for memory. pip install -U anthropic"
            )
        asynchronous = is_async(client._client)  # noqa: SLF001 (says which flavour it is)
        ours = (_AsyncMiddleware if asynchronous else _Middleware)(interceptor)
        _set(client, (*client._middleware, ours))  # noqa: SLF001 (there is no public way in place)

    def remove(self, client: Any) -> None:
        kept = tuple(m for m in client._middleware if not isinstance(m, _Middleware))  # noqa: SLF001
        _set(client, kept)


KINDS: Final[tuple[ClientKind, ...]] = (AnthropicAWS(),)


def _set(client: Any, middleware: tuple[Any, ...]) -> None:
    client._middleware = middleware  # noqa: SLF001 (its public way makes another client)
    client._middleware_chain = client._build_middleware_chain()  # noqa: SLF001


def _preparation(request: Any) -> Callable[[Attempt], Call | None] | None:
    path = str(request.url).partition("?")[0]
    wire = wire_for(path)
    if wire is None or request.method.lower() != "post":
        return None
    body: Any = request.json
    again = bool(getattr(request, "retries_taken", 0))
    return lambda attempt: (
        attempt.prepare(wire, body, again=again) if isinstance(body, dict) else None
    )


def _rebuilt(request: Any, call: Call) -> Any:
    return request.copy(body=call.body) if call.changed else request


def _watched(result: Any, call: Call) -> Any:
    response = result.http_response
    if response.status_code != 200:  # a failed attempt; the SDK may try again
        return result
    if response.is_stream_consumed:  # not streamed: the SDK has read and decompressed it
        kind = response.headers.get("content-type", "")
        call.finish(events_in([response.content], content_type=kind, encoding=""))
    else:
        listen(response, call, module=package_of(response))
    return result
