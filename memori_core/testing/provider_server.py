"""A model provider on this machine, for tests with real SDKs: no key, no network, no model."""

from __future__ import annotations

import gzip
import json
import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from memori_core.testing._provider_formats import FORMATS, fetched, queued
from memori_core.testing._provider_framing import Format
from memori_core.testing._provider_replies import Reply

Answering = Callable[[Mapping[str, Any]], "str | Reply"]


@dataclass(frozen=True, slots=True)
class Received:
    """A request as the server got it."""

    path: str
    _: KW_ONLY
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        """The body as JSON."""
        return json.loads(self.raw)

    @property
    def text(self) -> str:
        """The body as text."""
        return self.raw.decode()


class ProviderServer:
    """Speaks the formats of OpenAI (chat completions, responses), Anthropic, Gemini, Ollama, Cohere
    and Bedrock (Converse, Anthropic's).

    ```python
    import json
    from urllib.request import Request, urlopen

    from memori_core.testing import ProviderServer

    with ProviderServer("Hi there.") as server:
        ask = {"model": "any", "messages": [{"role": "user", "content": "Hello"}]}
        with urlopen(Request(f"{server.url}/v1/chat/completions", json.dumps(ask).encode())) as got:
            print(json.load(got)["choices"][0]["message"]["content"])
            #> Hi there.
        print(server.requests[0].body["messages"][0]["content"])
        #> Hello
    ```

    Args:
        answer: What it answers: a text, a `Reply`, or a function of the request's body.
    """

    def __init__(self, answer: str | Reply | Answering = "Hello") -> None:
        self._answer = answer
        self._scripted: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._waiting: dict[str, Reply] = {}
        self._ids = 0
        self.requests: list[Received] = []
        """Every request so far."""
        self._server = _Server(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def url(self) -> str:
        """Its address: `base_url` for Anthropic, Cohere and Gemini, `host` for Ollama."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def openai_url(self) -> str:
        """`base_url` for OpenAI and what is compatible with it."""
        return f"{self.url}/v1"

    @property
    def last(self) -> Received:
        """The last request."""
        return self.requests[-1]

    def script(self, *replies: str | Reply) -> None:
        """Answer the next requests with these, one each, before it answers as usual again."""
        self._scripted.extend(Reply(r) if isinstance(r, str) else r for r in replies)

    def close(self) -> None:
        """Stop, also what was never started."""
        if self._thread.is_alive():
            self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def receive(self, request: Received) -> tuple[Reply, str]:
        """Keep a request, and say what is answered to it, with an id."""
        with self._lock:
            self.requests.append(request)
            self._ids += 1
            id = f"id_{self._ids}"
            scripted = self._scripted.popleft() if self._scripted else None
        reply = scripted or self._answer
        if callable(reply):
            reply = reply(request.body)
        return (Reply(reply) if isinstance(reply, str) else reply), id

    def keep(self, reply: Reply, id: str) -> None:
        """Keep a reply that is fetched later."""
        self._waiting[id] = reply

    def kept(self, id: str) -> Reply:
        """A reply that was kept."""
        return self._waiting.get(id, Reply())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # with 5, the sixth of many at once waits a second for the kernel

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # clients may go away
            super().handle_error(request, client_address)


def _handler_of(provider: ProviderServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        server_of = provider

    return Handler


class _Handler(BaseHTTPRequestHandler):
    server_of: ProviderServer
    protocol_version = "HTTP/1.1"
    # Two sends per response and Nagle's algorithm would cost 40 ms a call.
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (its name in http.server)
        """Nothing: tests are quiet."""

    def do_GET(self) -> None:
        id = self.path.rpartition("/")[2].partition("?")[0]
        self._send_json(fetched(self.server_of.kept(id), id))

    def do_POST(self) -> None:
        raw = self._read()
        request = Received(self.path, headers=dict(self.headers.items()), raw=raw)
        reply, id = self.server_of.receive(request)
        time.sleep(reply.delay_s)
        path = self.path.partition("?")[0]
        spoken = next((f for f in FORMATS if f.path.search(path)), None)
        if reply.status in (307, 308):
            self._send_redirect(reply.status)
        elif spoken is None or reply.status != 200:
            status = 404 if spoken is None else reply.status
            self._send_json({"error": {"message": "scripted", "type": "error"}}, status=status)
        elif request.body.get("background"):
            self.server_of.keep(reply, id)
            self._send_json(queued(id))
        elif spoken.streams(request.body, path):
            self._send_events(spoken, reply, id)
        else:
            self._send_json(reply.payload or spoken.payload(reply, id), encoding=reply.encoding)

    def _read(self) -> bytes:
        if self.headers.get("transfer-encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", "0")))
        raw = b""
        while size := int(self.rfile.readline(), 16):
            raw += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return raw

    def _send_redirect(self, status: int) -> None:
        self.send_response(status)
        self.send_header("location", self.path)
        self.send_header("content-length", "0")
        self.end_headers()

    def _send_json(self, value: Any, *, status: int = 200, encoding: str = "") -> None:
        raw = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("x-request-id", "req_1")
        if encoding == "gzip":
            raw = gzip.compress(raw)
            self.send_header("content-encoding", encoding)
        if status != 200:
            self.send_header("retry-after-ms", "1")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _send_events(self, spoken: Format, reply: Reply, id: str) -> None:
        self.send_response(200)
        self.send_header("content-type", spoken.content_type)
        self.send_header("transfer-encoding", "chunked")
        self.send_header("x-request-id", "req_1")
        packer = zlib.compressobj(wbits=31) if reply.encoding == "gzip" else None
        if packer:
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        try:
            for n, raw in enumerate(_framed(spoken, reply, id)):
                if n == reply.cut_after:
                    self.close_connection = True
                    return
                if packer:
                    raw = packer.compress(raw) + packer.flush(zlib.Z_SYNC_FLUSH)
                self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
                self.wfile.flush()
                if n == 1:
                    time.sleep(reply.pause_s)
            self.wfile.write(b"0\r\n\r\n")
        except OSError:  # the client went away
            self.close_connection = True


def _framed(spoken: Format, reply: Reply, id: str) -> Iterable[bytes]:
    for event in reply.events if reply.events is not None else spoken.events(reply, id):
        yield spoken.frame(event)
    if spoken.last:
        yield spoken.last
