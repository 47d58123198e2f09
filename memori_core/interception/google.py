"""google-genai: the four methods that every request of a client passes through.

They lie above the SDK's retries and above its HTTP stacks (httpx, httpx2, aiohttp, requests), and
the client's `models`, `chats` and `aio` share the one object that has them. Not covered: `live`
(a websocket), `batches`, and `client.interactions`, which has an HTTP client of its own.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, ClassVar, Final

from memori_core.errors import UnsupportedClientError
from memori_core.interception.interceptor import Interceptor
from memori_core.interception.kind import ClientKind
from memori_core.interception.shadowing import Shadow, comes_from, shadow_of
from memori_core.interception.wire.base import WireFormat
from memori_core.interception.wire.gemini import GeminiContent, GemmaContent

_METHODS: Final = ("request", "request_streamed", "async_request", "async_request_streamed")
_GENERATE: Final = (":generateContent", ":streamGenerateContent")
_GEMINI: Final = GeminiContent()
_GEMMA: Final = GemmaContent()


class GoogleGenAI(ClientKind):
    """`genai.Client`, and its `aio`."""

    name: ClassVar[str] = "Google GenAI (google.genai.Client)"

    def matches(self, client: Any) -> bool:
        return comes_from(client, "google.genai", "Client", "AsyncClient")

    def installed(self, client: Any) -> Interceptor | None:
        shadow = shadow_of(getattr(client, "_api_client", None))
        return None if shadow is None else shadow.interceptor

    def install(self, client: Any, interceptor: Interceptor) -> None:
        api = getattr(client, "_api_client", None)
        if not all(callable(getattr(api, name, None)) for name in _METHODS):
            raise UnsupportedClientError(
                "this version of google-genai is not known: its client has no "
                f"`_api_client` with {', '.join(_METHODS)}, as version 3.6 has."
            )
        shadow = Shadow(interceptor)
        shadow.put(api, _functions(api, shadow))

    def remove(self, client: Any) -> None:
        api: Any = client._api_client  # noqa: SLF001 (the SDK has no public place above its retries)
        if shadow := shadow_of(api):
            shadow.undo(api)


def _wire(path: Any) -> WireFormat | None:
    """The format of a request to this path; None for what is no chat."""
    address = str(path).partition("?")[0]
    if not address.endswith(_GENERATE):
        return None
    return _GEMMA if "gemma" in address else _GEMINI


def _functions(api: Any, shadow: Shadow) -> dict[str, Callable[..., Any]]:
    """What stands in for the four methods. `rest` is the options of the one request."""
    request, streamed = api.request, api.request_streamed
    async_request, async_streamed = api.async_request, api.async_request_streamed

    def send(method: Any, path: Any, body: Any, *rest: Any, **named: Any) -> Any:
        wire = _wire(path)
        call = shadow.begin(wire, body) if wire else None
        response = request(method, path, call.body if call else body, *rest, **named)
        if call:
            call.finish(_payloads([getattr(response, "body", None)]))
        return response

    def stream(method: Any, path: Any, body: Any, *rest: Any, **named: Any) -> Iterator[Any]:
        wire = _wire(path)
        call = shadow.begin(wire, body) if wire else None
        chunks = streamed(method, path, call.body if call else body, *rest, **named)
        if call is None:
            yield from chunks
            return
        seen: list[Any] = []
        try:
            for chunk in chunks:
                seen.append(getattr(chunk, "body", None))
                yield chunk
        except Exception:  # whatever broke it, the caller gets it
            if not seen:  # refused, not broken off: there is no turn
                call = None
            raise
        finally:
            if call:
                call.finish(_payloads(seen))

    async def asend(method: Any, path: Any, body: Any, *rest: Any, **named: Any) -> Any:
        wire = _wire(path)
        call = await shadow.abegin(wire, body) if wire else None
        response = await async_request(method, path, call.body if call else body, *rest, **named)
        if call:
            call.finish(_payloads([getattr(response, "body", None)]))
        return response

    async def astream(method: Any, path: Any, body: Any, *rest: Any, **named: Any) -> Any:
        wire = _wire(path)
        call = await shadow.abegin(wire, body) if wire else None
        chunks = await async_streamed(method, path, call.body if call else body, *rest, **named)
        if call is None:
            return chunks

        async def tee() -> AsyncIterator[Any]:
            seen: list[Any] = []
            ended = call
            try:
                async for chunk in chunks:
                    seen.append(getattr(chunk, "body", None))
                    yield chunk
            except Exception:  # whatever broke it, the caller gets it
                ended = call if seen else None
                raise
            finally:
                if ended:
                    ended.finish(_payloads(seen))

        return tee()

    return dict(zip(_METHODS, (send, stream, asend, astream), strict=True))


def _payloads(bodies: list[Any]) -> Iterator[Any]:
    """The responses as dictionaries; read when the capture thread gets to it."""
    return (json.loads(body) for body in bodies if body)


KINDS: Final = (GoogleGenAI(),)
