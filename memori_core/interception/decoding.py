"""From the bytes of an HTTP response to events, as far as they go."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any


def events_in(parts: Sequence[bytes], *, content_type: str, encoding: str) -> Iterator[Any]:
    """The JSON values of a response: one, or one for each event of a stream.

    A body that was cut off gives what came whole before the cut.

    Args:
        parts: The bytes as they came over the wire.
        content_type: The response's header.
        encoding: The response's header: how the bytes are compressed.
    """
    body = decompressed(b"".join(parts), encoding.strip().lower())
    if "event-stream" in content_type:
        yield from _values(_event_data(body))
    elif "ndjson" in content_type or "jsonl" in content_type:
        yield from _values(body.splitlines())
    elif "amazon.eventstream" in content_type:
        yield from _values(_aws_frames(body))
    else:
        yield from _values([body])


def decompressed(raw: bytes, encoding: str) -> bytes:
    """As much as there is.

    Raises:
        ValueError: The encoding is not one that the clients offer.
    """
    match encoding:
        case "" | "identity":
            return raw
        case "gzip":
            return zlib.decompressobj(47).decompress(raw)
        case "deflate":
            try:
                return zlib.decompressobj().decompress(raw)
            except zlib.error:  # some servers leave the header out
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(raw)
        case "br":
            return _brotli().Decompressor().process(raw)
        case "zstd":
            return _zstd(raw)
        case _:
            raise ValueError(f"the response is encoded as {encoding!r}, which we cannot read")


def _brotli() -> Any:
    try:
        return import_module("brotli")
    except ImportError:
        return import_module("brotlicffi")


def _zstd(raw: bytes) -> bytes:
    # httpx2 uses compression.zstd or backports.zstd, httpx uses zstandard: one of them is there.
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name).ZstdDecompressor().decompress(raw)
        except ImportError:
            continue
    return import_module("zstandard").ZstdDecompressor().decompressobj().decompress(raw)


def _event_data(body: bytes) -> Iterator[bytes]:
    """The data of server-sent events; several data lines of one event are one text."""
    data: list[bytes] = []
    for line in [*body.splitlines(), b""]:
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []


def _aws_frames(body: bytes) -> Iterator[bytes]:
    """The payloads of AWS event frames; a frame that was cut off is not there."""
    buffer: Any = import_module("botocore.eventstream").EventStreamBuffer()
    buffer.add_data(body)
    for frame in buffer:
        wrapped = json.loads(frame.payload).get("bytes")
        if wrapped:
            yield base64.b64decode(wrapped)


def _values(texts: Sequence[bytes] | Iterator[bytes]) -> Iterator[Any]:
    for text in texts:
        try:
            value = json.loads(text)
        except ValueError:  # `[DONE]`, or the last piece of a stream that was cut off
            continue
        if isinstance(value, dict):
            yield value
