"""HTTP requests that ask a model: which those are, and the same request with another body."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from memori_core.interception.attempt import Attempt
from memori_core.interception.call import Call
from memori_core.interception.decoding import events_in
from memori_core.interception.wire.base import WireFormat
from memori_core.interception.wire.paths import RESPONSES, response_id, wire_for

MAX_REQUEST: Final = 16 * 2**20
"""Larger requests are left alone: reading and writing them anew would take tenths of a second."""
MAX_ANSWER: Final = 8 * 2**20
"""So much of an answer is looked at."""


def asks(request: Any) -> bool:
    """Whether a request may be given memory, as far as one can see without its body."""
    if request.method == "GET":
        return response_id(request.url.path) is not None
    if request.method != "POST" or wire_for(request.url.path) is None:
        return False
    headers = request.headers
    return (
        "json" in headers.get("content-type", "")
        and "content-encoding" not in headers
        and not headers.get("authorization", "").startswith("AWS4-")  # signed over its body
    )


def preparation(request: Any) -> Callable[[Attempt], Call | None]:
    """The work on a request that was read: a call whose body is bytes, or None to send as is."""
    if request.method == "GET":
        answer_id = response_id(request.url.path) or ""
        return lambda attempt: attempt.resume(RESPONSES, answer_id)
    wire = wire_for(request.url.path)
    assert wire is not None
    content: bytes = request.content
    again = request.headers.get("x-stainless-retry-count", "0") != "0"
    return lambda attempt: _prepare(attempt, wire, content, again=again)


def _prepare(attempt: Attempt, wire: WireFormat, content: bytes, *, again: bool) -> Call | None:
    if len(content) > MAX_REQUEST:
        attempt.leave_alone()
        return None
    try:
        body = json.loads(content)
    except ValueError:
        return None
    if not isinstance(body, dict):
        return None
    call = attempt.prepare(wire, body, again=again)
    if call is not None and call.changed:
        # as the SDKs do it
        text = json.dumps(call.body, ensure_ascii=False, separators=(",", ":"))
        call.body = text.encode()
    return call


def rebuilt(module: ModuleType, request: Any, call: Call) -> Any:
    """The request with the call's body; the very same object if nothing changed."""
    if not call.changed:
        return request
    headers = [
        (name, value)
        for name, value in request.headers.multi_items()
        if name.lower() not in ("content-length", "transfer-encoding")
    ]
    return module.Request(
        request.method,
        request.url,
        headers=headers,
        content=call.body,
        extensions=request.extensions,  # the timeouts are in there
    )


def watcher(call: Call, response: Any) -> Callable[[list[bytes]], None]:
    """What to hand the bytes of the answer to. It reads nothing, so it may run in `__del__`."""
    content_type = response.headers.get("content-type", "")
    encoding = response.headers.get("content-encoding", "")

    def finish(parts: list[bytes]) -> None:
        call.finish(events_in(parts, content_type=content_type, encoding=encoding))

    return finish
