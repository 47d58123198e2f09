"""The provider on this machine, by itself."""

from __future__ import annotations

import json
import socket
import threading
import time

import pytest

from memori_core.testing import ProviderServer, Reply

ASK = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": "Hi"}]})


def test_it_can_be_closed_without_having_been_started():
    server = ProviderServer()
    closing = threading.Thread(target=server.close, daemon=True)
    closing.start()
    closing.join(5)
    assert not closing.is_alive()


def test_it_can_be_closed_twice():
    with ProviderServer() as server:
        server.close()


def test_clients_that_go_away_make_no_noise(capfd: pytest.CaptureFixture[str]):
    with ProviderServer(Reply("Hello " * 200_000, pieces=400)) as server:
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as to:
                head = f"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {len(ASK)}\r\n\r\n"
                to.sendall((head + ASK).encode())
                to.recv(100)
                # reset, not closed: the next send or receive of the server fails
                to.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        time.sleep(0.3)
    assert capfd.readouterr().err == ""


def test_a_hundred_clients_can_come_at_once():
    """With the usual backlog of 5 the kernel drops the others, who come back a second later."""
    server, clients = ProviderServer(), []  # not started: nobody is let in, all have to queue
    port = int(server.url.rpartition(":")[2])
    try:
        clients += [socket.create_connection(("127.0.0.1", port), 5) for _ in range(100)]
    finally:
        for client in clients:
            client.close()
        server.close()
    assert len(clients) == 100
