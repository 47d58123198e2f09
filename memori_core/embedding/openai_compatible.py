"""Any server that answers `POST {base_url}/embeddings` as OpenAI does."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

import numpy.typing as npt

from memori_core import config
from memori_core._extras import require_extra
from memori_core._http_endpoint import API_KEY_VARIABLE, HttpEndpoint, endpoint_urls
from memori_core._retries import Backoff
from memori_core.embedding._batched import BatchedEmbedder
from memori_core.embedding._windows import token_windows
from memori_core.embedding.base import EmbedderProfile
from memori_core.errors import ConfigError, EmbeddingError

if TYPE_CHECKING:
    import httpx

logger = logging.getLogger(__name__)

_PATH = "/embeddings"


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
        self._endpoint = HttpEndpoint(
            base_url,
            _PATH,
            api_key=api_key or config.env(API_KEY_VARIABLE),
            timeout_s=timeout_s,
            backoff=Backoff(max_retries=max_retries, first_s=backoff_s),
            error=EmbeddingError,
            logger=logger,
            task="embedding",
        )
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
        self._window_chars = window_chars

    def profile(self) -> EmbedderProfile | None:
        """None: measured once from the cohort and kept in the store."""
        return None

    def close(self) -> None:
        """Close the connections. The next call opens new ones."""
        self._endpoint.close()

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
        response = self._endpoint.post(body)
        if not response.is_success:
            raise self._endpoint.refusal(response)
        return _vectors(self._parsed(response), count=len(texts), url=self._endpoint.shown_url)

    def _parsed(self, response: httpx.Response) -> object:
        try:
            return response.json()
        except ValueError as e:
            raise EmbeddingError(
                f"{self._endpoint.shown_url} answered with something that is no JSON: "
                f"{self._endpoint.head(response)}"
            ) from e


def from_url(url: str) -> OpenAICompatibleEmbedder:
    """The embedder that `"http://host:port/v1#model-name"` stands for.

    Raises:
        ConfigError: There is no model name after `#`.
    """
    base_url, _, model = url.partition("#")
    if not model:
        shown_url = endpoint_urls(base_url, _PATH)[1]
        raise ConfigError(
            f"`embedder={shown_url!r}` does not say which model to use: write it "
            'after a #, for example "http://localhost:11434/v1#nomic-embed-text".'
        )
    return OpenAICompatibleEmbedder(base_url, model)


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
