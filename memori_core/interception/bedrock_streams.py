"""Seeing the answers of Bedrock pass, in botocore's own objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

from memori_core.interception.call import Call

Unwrap = Callable[[Mapping[str, Any]], Iterator[Any]]
"""The events of a format in one event of the service."""


def tee_events(stream: Any, call: Call, unwrap: Unwrap) -> None:
    """Have the events of an `EventStream` seen. The caller keeps the stream itself.

    They are kept as they came, and decoded when the capture thread gets to them.
    """
    events, close = stream._event_generator, stream.close  # noqa: SLF001 (botocore's stream has no hook)
    seen: list[Any] = []

    def tee() -> Iterator[Any]:
        refused = False
        try:
            for event in events:
                seen.append(event)
                if event.headers.get(":message-type") != "event":
                    finish()  # an error: botocore raises it for this event, and asks for no more
                yield event
        except Exception:  # whatever broke it, the caller gets it
            refused = not seen
            raise
        finally:
            if not refused:
                finish()

    def finish() -> None:
        call.finish(_decoded(stream, seen, unwrap))

    def close_and_finish() -> None:
        close()
        finish()

    stream._event_generator = tee()  # noqa: SLF001
    stream.close = close_and_finish


def _decoded(stream: Any, events: list[Any], unwrap: Unwrap) -> Iterator[Any]:
    for event in events:
        response = event.to_response_dict()
        if response["status_code"] == 200:  # else an error that ends the stream
            parsed = stream._parser.parse(response, stream._output_shape)  # noqa: SLF001
            yield from unwrap(parsed)


class TeeBody:
    """Stands in for the response under a `StreamingBody`, and keeps what is read from it."""

    def __init__(self, raw: Any, call: Call) -> None:
        self._raw = raw
        self._call = call
        self._seen: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_raw"), name)

    def read(self, amt: int | None = None, *args: Any, **kwargs: Any) -> bytes:
        part = self._raw.read(amt, *args, **kwargs)
        return self._kept(part, ended=amt is None or (not part and amt != 0))

    def readinto(self, buffer: Any) -> int:
        count = self._raw.readinto(buffer)
        self._kept(bytes(buffer[:count]), ended=not count)
        return count

    def readline(self, *args: Any) -> bytes:
        line = self._raw.readline(*args)
        return self._kept(line, ended=not line)

    def readlines(self, *args: Any) -> list[bytes]:
        lines = self._raw.readlines(*args)
        self._kept(b"".join(lines), ended=True)
        return lines

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[bytes]:
        for part in self._raw.stream(*args, **kwargs):
            yield self._kept(part, ended=False)
        self._finish()

    def __iter__(self) -> Iterator[bytes]:
        for line in self._raw:
            yield self._kept(line, ended=False)
        self._finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._raw.close()
        self._finish()

    def __del__(self) -> None:
        self._finish()  # only puts into a queue

    def _kept(self, part: bytes, *, ended: bool) -> bytes:
        self._seen.append(part)
        if ended:
            self._finish()
        return part

    def _finish(self) -> None:
        self._call.finish(_payload(self._seen))


def _payload(parts: list[bytes]) -> Iterator[Any]:
    """The one payload, or nothing where it was not read to its end."""
    try:
        yield json.loads(b"".join(parts))
    except ValueError:
        return
