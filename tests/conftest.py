"""What every test runs under: no network, no model hub, readable assertions in shipped suites."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest

# Before anything imports it, so that a failing conformance test shows its values.
pytest.register_assert_rewrite("memori_core.testing")

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that leaves this machine is a failed test."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        if self.family in (socket.AF_INET, socket.AF_INET6) and host not in (
            "127.0.0.1",
            "::1",
            "localhost",
        ):
            pytest.fail(f"a test tried to reach {address!r}; no test uses the network")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
