"""How one provider's replies look, and how events are put on the wire."""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memori_core.testing._provider_replies import Payload, Reply

AWS_STREAM = "application/vnd.amazon.eventstream"


@dataclass(frozen=True, slots=True)
class Format:
    """One provider's way."""

    path: re.Pattern[str]
    payload: Callable[[Reply, str], Payload]
    events: Callable[[Reply, str], Iterable[Payload]]
    frame: Callable[[Payload], bytes]
    content_type: str = "text/event-stream"
    last: bytes = b""
    streams: Callable[[Payload, str], bool] = lambda body, _path: bool(body.get("stream"))


def data(event: Payload) -> bytes:
    """A server-sent event."""
    return f"data: {json.dumps(event)}\n\n".encode()


def named(event: Payload) -> bytes:
    """A server-sent event with the name that is its type."""
    return f"event: {event['type']}\n".encode() + data(event)


def line(event: Payload) -> bytes:
    """A line of JSON."""
    return json.dumps(event).encode() + b"\n"


def aws_event(event: Payload) -> bytes:
    """A dictionary with one key, the name of the event."""
    ((name, inner),) = event.items()
    return _aws_message(name, json.dumps(inner).encode())


def aws_chunk(event: Payload) -> bytes:
    """An event of another provider, packed for AWS."""
    inner = base64.b64encode(json.dumps(event).encode()).decode()
    return _aws_message("chunk", json.dumps({"bytes": inner}).encode())


def _aws_message(name: str, payload: bytes) -> bytes:
    """One message of `application/vnd.amazon.eventstream`: lengths, headers, payload, checksums."""
    headers = {
        ":message-type": "event",
        ":event-type": name,
        ":content-type": "application/json",
    }
    head = b"".join(
        bytes([len(name)])
        + name.encode()
        + b"\x07"
        + struct.pack(">H", len(value))
        + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    message = prelude + struct.pack(">I", binascii.crc32(prelude)) + head + payload
    return message + struct.pack(">I", binascii.crc32(message))
