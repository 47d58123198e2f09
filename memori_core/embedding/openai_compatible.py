"""Any server that answers `POST {base_url}/embeddings` as OpenAI does."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit, urlunsplit

import numpy.typing as npt

from memori_core import config
from memori_core._extras import load_extra, require_extra
from memori_core.embedding._batched import BatchedEmbedder
from memori_core.embedding._retries import Backoff
from memori_core.embedding._windows import token_windows
from memori_core.embedding.base import EmbedderProfile
from memori_core.errors import ConfigError, EmbeddingError

if TYPE_CHECKING:
    import httpx

logger = logging.getLogger(__name__)

API_KEY_VARIABLE = "OPENAI_API_KEY"
_RETRIED_STATUS = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_BODY_HEAD_CHARS = 300


class OpenAICompatibleEmbedder(BatchedEmbedder):
    """A model behind OpenAI's embeddings endpoint: OpenAI, vLLM, Ollama, llama.cpp, TEI, …

    Timeouts, lost connections and the statuses 408, 409, 429 and 5xx are tried again, after the
    time that `Retry-After` names or a doubling pause, `max_retries` times. Long texts are cut into
    windows of `window_chars` characters whose vectors are averaged.

    Args:
        base_url: For example `"https://api.openai.com/v1"` or `"http://localhost:11434/v1"`.
        model: The model as the server calls it.
        api_key: Sent as bearer token. Default: the environment's `OPENAI_API_KEY`, if it is set.
        dimensions: Ask for shortened vectors, where the server can.
        timeout_s: For connecting and for each answer, in seconds.
        max_retries: Tries after the first, at least 0.
        backoff_s: Pause before the first retry, in seconds. It doubles, up to 30 s.
        batch_size: Texts per request.
        window_chars: Characters per window. OpenAI takes 8,192 tokens per text; 6,000 characters
            of any script stay below.
        query_prefix: Put before every question, for models trained with one.
        passage_prefix: Put before every text to be stored.
        multilingual: Whether the model reads more than English. Most hosted models do.

    Raises:
        MissingExtraError: httpx is not installed.
        ConfigError: `base_url` is no http(s) URL, `model` is empty or a number is out of range.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        dimensions: int | None = None,
        timeout_s: float = 30.0,
        max_retries: int = 3,
        backoff_s: float = 0.5,
        batch_size: int = 64,
        window_chars: int = 6_000,
        query_prefix: str = "",
        passage_prefix: str = "",
        multilingual: bool = True,
    ) -> None:
        require_extra("httpx", feature="OpenAICompatibleEmbedder", package="httpx", extra="http")
        self._url, self._shown_url = _endpoint(base_url)
        if not model:
            raise ConfigError("`model` must name a model of the server; it is empty.")
        if dimensions is not None and dimensions < 1:
            raise ConfigError(f"`dimensions` must be at least 1, not {dimensions}.")
        if timeout_s <= 0:
            raise ConfigError(f"`timeout_s` must be positive, not {timeout_s}.")
        if window_chars < 1:
            raise ConfigError(f"`window_chars` must be at least 1, not {window_chars}.")
        super().__init__(
            model if dimensions is None else f"{model}/{dimensions}",
            query_prefix=query_prefix,
            passage_prefix=passage_prefix,
            batch_size=batch_size,
            dim=dimensions,
        )
        self.multilingual = multilingual
        self._model = model
        self._dimensions = dimensions
        self._api_key = api_key or config.env(API_KEY_VARIABLE)
        self._timeout_s = timeout_s
        self._window_chars = window_chars
        self._backoff = Backoff(max_retries=max_retries, first_s=backoff_s)
        self._client: httpx.Client | None = None
        self._client_lock = threading.Lock()

    def profile(self) -> EmbedderProfile | None:
        """None: measured once from the cohort and kept in the store."""
        return None

    def close(self) -> None:
        """Close the connections. The next call opens new ones."""
        with self._client_lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _windows(self, text: str, _prefix: str, /) -> list[str]:
        return token_windows(text, range(len(text)), size=self._window_chars)

    def _encode(self, texts: list[str], _is_query: bool, /) -> npt.ArrayLike:
        body: dict[str, object] = {
            "model": self._model,
            "input": texts,
            "encoding_format": "float",
        }
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        return _vectors(self._post(body), count=len(texts), url=self._shown_url)

    def _post(self, body: dict[str, object]) -> object:
        """The parsed answer of the server, after as many tries as are allowed."""
        import httpx

        for pause_s in self._backoff.pauses():
            try:
                response = self._connected().post(self._url, json=body)
            except httpx.TransportError as e:
                if pause_s is None:
                    raise EmbeddingError(self._hidden(f"{self._shown_url}: {e!r}")) from e
                logger.info("embedding: %s, trying again", type(e).__name__)
                self._backoff.wait(pause_s)
                continue
            if response.is_success:
                return self._parsed(response)
            if pause_s is None or response.status_code not in _RETRIED_STATUS:
                raise EmbeddingError(self._refusal(response))
            logger.info("embedding: status %d, trying again", response.status_code)
            self._backoff.wait(pause_s, retry_after=response.headers.get("retry-after"))
        raise AssertionError("the last try returns or raises")

    def _connected(self) -> httpx.Client:
        with self._client_lock:
            if self._client is None:
                httpx = load_extra(
                    "httpx", feature="OpenAICompatibleEmbedder", package="httpx", extra="http"
                )
                headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
                client: httpx.Client = httpx.Client(headers=headers, timeout=self._timeout_s)
                self._client = client
            return self._client

    def _parsed(self, response: httpx.Response) -> object:
        try:
            return response.json()
        except ValueError as e:
            raise EmbeddingError(
                f"{self._shown_url} answered with something that is no JSON: "
                f"{self._hidden(response.text[:_BODY_HEAD_CHARS])}"
            ) from e

    def _refusal(self, response: httpx.Response) -> str:
        head = self._hidden(response.text[:_BODY_HEAD_CHARS])
        return f"{self._shown_url} answered {response.status_code}: {head}"

    def _hidden(self, text: str) -> str:
        """The text without the key, which some servers repeat in their errors."""
        return text.replace(self._api_key, "***") if self._api_key else text


def from_url(url: str) -> OpenAICompatibleEmbedder:
    """The embedder that `"http://host:port/v1#model-name"` stands for.

    Raises:
        ConfigError: There is no model name after `#`.
    """
    base_url, _, model = url.partition("#")
    if not model:
        raise ConfigError(
            f"`embedder={_endpoint(base_url)[1]!r}` does not say which model to use: write it "
            'after a #, for example "http://localhost:11434/v1#nomic-embed-text".'
        )
    return OpenAICompatibleEmbedder(base_url, model)


def _endpoint(base_url: str) -> tuple[str, str]:
    """Where to post, and the same without user name, password and query, for messages."""
    parts = urlsplit(base_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError(
            f"`base_url` must be an http(s) URL like http://localhost:11434/v1, not {base_url!r}."
        )
    path = parts.path.rstrip("/").removesuffix("/embeddings") + "/embeddings"
    shown_host = parts.netloc.rpartition("@")[2]
    return (
        urlunsplit((parts.scheme, parts.netloc, path, parts.query, "")),
        urlunsplit((parts.scheme, shown_host, path, "", "")),
    )


def _vectors(answer: object, *, count: int, url: str) -> list[Any]:
    """The vectors of an answer, in the order of the texts."""
    data = cast("dict[str, object]", answer).get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise EmbeddingError(f"{url} answered without a list under `data`.")
    items = cast("list[Any]", data)
    if len(items) != count:
        raise EmbeddingError(f"{url} gave {len(items)} vectors for {count} texts.")
    try:
        vectors = {int(item.get("index", i)): item["embedding"] for i, item in enumerate(items)}
        return [vectors[i] for i in range(count)]
    except (AttributeError, KeyError, TypeError, ValueError) as e:
        raise EmbeddingError(
            f"{url} gave vectors whose `index` or `embedding` is missing or wrong: {e!r}"
        ) from e
