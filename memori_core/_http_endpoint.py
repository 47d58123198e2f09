"""One path of one server that takes JSON: where it is, and asking it again when it stumbles."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from memori_core._retries import Backoff
from memori_core.errors import ConfigError, MemoriError

if TYPE_CHECKING:
    import httpx

API_KEY_VARIABLE = "OPENAI_API_KEY"
_RETRIED_STATUS = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_BODY_HEAD_CHARS = 300
_SECRETS = re.compile(r"(?<=//)[^/]*@|[?#].*", re.DOTALL)  # user name and password, the query


class HttpEndpoint:
    """Safe to use from many threads. Connections are opened on first use and kept.

    Args:
        base_url: What the user wrote, for example `"http://localhost:11434/v1"`.
        path: What follows it, for example `"/embeddings"`; the user may have written it too.
        api_key: Sent as bearer token, and hidden in messages.
        timeout_s: For connecting and for each answer, in seconds.
        backoff: How often to ask again, and when.
        error: What to raise where the server fails.
        logger: Of the module that asks.
        task: What the log calls it.

    Raises:
        ConfigError: `base_url` is no http(s) URL.
    """

    def __init__(
        self,
        base_url: str,
        path: str,
        *,
        api_key: str | None,
        timeout_s: float,
        backoff: Backoff,
        error: type[MemoriError],
        logger: logging.Logger,
        task: str,
    ) -> None:
        self._url, self.shown_url = endpoint_urls(base_url, path)
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._backoff = backoff
        self._error = error
        self._logger = logger
        self._task = task
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def post(self, body: Mapping[str, object]) -> httpx.Response:
        """The server's answer, whatever its status, after as many tries as are allowed.

        Raises:
            MemoriError: The server could not be reached; of the type given as `error`.
        """
        import httpx

        for pause_s in self._backoff.pauses():
            try:
                response = self._connected().post(self._url, json=body)
            except httpx.TransportError as e:
                if pause_s is None:
                    raise self._error(self._hidden(f"{self.shown_url}: {e!r}")) from e
                self._logger.info("%s: %s, trying again", self._task, type(e).__name__)
                self._backoff.wait(pause_s)
                continue
            if pause_s is None or response.status_code not in _RETRIED_STATUS:
                return response
            self._logger.info("%s: status %d, trying again", self._task, response.status_code)
            self._backoff.wait(pause_s, retry_after=response.headers.get("retry-after"))
        raise AssertionError("the last try returns or raises")

    def refusal(self, response: httpx.Response) -> MemoriError:
        """What to raise for an answer that is no success."""
        return self._error(
            f"{self.shown_url} answered {response.status_code}: {self.head(response)}"
        )

    def head(self, response: httpx.Response) -> str:
        """How the body begins, for messages."""
        return self._hidden(response.text[:_BODY_HEAD_CHARS])

    def close(self) -> None:
        """Close the connections. The next call opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _connected(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
                self._client = httpx.Client(headers=headers, timeout=self._timeout_s)
            return self._client

    def _hidden(self, text: str) -> str:
        """The text without the key, which some servers repeat in their errors."""
        return text.replace(self._api_key, "***") if self._api_key else text


def endpoint_urls(base_url: str, path: str) -> tuple[str, str]:
    """Where to post, and the same without user name, password and query, for messages.

    Raises:
        ConfigError: `base_url` is no http(s) URL.
    """
    try:
        parts = urlsplit(base_url)
        _ = parts.port  # a port that is no number is only noticed here
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        shown = _SECRETS.sub("", base_url)
        raise ConfigError(
            f"`base_url` must be an http(s) URL like http://localhost:11434/v1, not {shown!r}."
        )
    full_path = parts.path.rstrip("/").removesuffix(path) + path
    shown_host = parts.netloc.rpartition("@")[2]
    return (
        urlunsplit((parts.scheme, parts.netloc, full_path, parts.query, "")),
        urlunsplit((parts.scheme, shown_host, full_path, "", "")),
    )
