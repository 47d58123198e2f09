"""What several folders of core tests share."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""


class Asked(NamedTuple):
    """A request as the server got it."""

    path: str
    authorization: str | None
    body: Any


class LoopbackServer(ThreadingHTTPServer):
    """A real HTTP server on this machine. Keeps what it was asked.

    It answers with its `answers`, one per request, each an answer or a function of the body that
    makes one; after that with `usual`.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.usual: Callable[[Any], Answer] = lambda _: (200, {}, b"{}")
        self.answers: list[Answer | Callable[[Any], Answer]] = []
        self.requests: list[Asked] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def bodies(self) -> list[Any]:
        return [asked.body for asked in self.requests]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LoopbackServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(Asked(self.path, self.headers["Authorization"], body))
        answer = self.server.answers.pop(0) if self.server.answers else self.server.usual
        status, headers, content = answer(body) if callable(answer) else answer
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:  # the client gave up
            self.close_connection = True

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def loopback() -> Iterator[LoopbackServer]:
    """A server whose `usual` answer is an empty object."""
    with LoopbackServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
