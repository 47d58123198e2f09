"""A chat model behind any server that answers `POST {base_url}/chat/completions` as OpenAI does."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from memori_core import config
from memori_core._extras import require_extra
from memori_core._http_endpoint import API_KEY_VARIABLE, HttpEndpoint
from memori_core._retries import Backoff
from memori_core.augmentation.prompts import ChatMessage
from memori_core.errors import ConfigError, ExtractionError
from memori_core.models import JSONValue

if TYPE_CHECKING:
    import httpx

logger = logging.getLogger(__name__)

_REFUSED_STATUS = frozenset({400, 422})

# What makes answers steadier, and what some servers or models refuse.
_WISHES: Mapping[str, JSONValue] = {"response_format": {"type": "json_object"}, "temperature": 0}


def openai_compatible(
    base_url: str,
    model: str,
    *,
    api_key: str | None = None,
    timeout_s: float = 60.0,
    max_retries: int = 2,
    backoff_s: float = 0.5,
    options: Mapping[str, JSONValue] | None = None,
) -> ChatEndpoint:
    """A `complete` for `LLMExtractor`: OpenAI, vLLM, Ollama, llama.cpp, DeepSeek, Qwen, …

    Args:
        base_url: For example `"https://api.openai.com/v1"` or `"http://localhost:11434/v1"`.
        model: The model as the server calls it.
        api_key: Sent as bearer token. Default: the environment's `OPENAI_API_KEY`, if it is set.
        timeout_s: For connecting and for each answer, in seconds.
        max_retries: Tries after the first, at least 0; after timeouts, lost connections and the
            statuses 408, 409, 429 and 5xx.
        backoff_s: Pause before the first retry, in seconds. It doubles, up to 30 s.
        options: More fields of the request, for example `{"max_tokens": 2000}`. JSON mode and a
            temperature of 0 are asked for anyway, unless the server refuses them.

    Raises:
        MissingExtraError: httpx is not installed.
        ConfigError: `base_url` is no http(s) URL, `model` is empty or a number is out of range.

    Example:
        ```python
        from memori_core.augmentation.llm import LLMExtractor
        from memori_core.augmentation.openai_compatible import openai_compatible

        extractor = LLMExtractor(openai_compatible("http://localhost:11434/v1", "qwen3:8b"))
        print(extractor.stats()["calls"])
        #> 0
        ```
    """
    require_extra("httpx", feature="openai_compatible", package="httpx", extra="http")
    if not model:
        raise ConfigError("`model` must name a model of the server; it is empty.")
    if timeout_s <= 0:
        raise ConfigError(f"`timeout_s` must be positive, not {timeout_s}.")
    return ChatEndpoint(
        base_url,
        body={"model": model, **(options or {})},
        api_key=api_key or config.env(API_KEY_VARIABLE),
        timeout_s=timeout_s,
        backoff=Backoff(max_retries=max_retries, first_s=backoff_s),
    )


class ChatEndpoint:
    """One model of one server. Call it with messages; safe to call from many threads."""

    def __init__(
        self,
        base_url: str,
        *,
        body: Mapping[str, JSONValue],
        api_key: str | None,
        timeout_s: float,
        backoff: Backoff,
    ) -> None:
        self._endpoint = HttpEndpoint(
            base_url,
            "/chat/completions",
            api_key=api_key,
            timeout_s=timeout_s,
            backoff=backoff,
            error=ExtractionError,
            logger=logger,
            task="extraction",
        )
        self._body = dict(body)
        self._wishes = {key: value for key, value in _WISHES.items() if key not in body}
        self._lock = threading.Lock()
        self._counts = Counter({"prompt_tokens": 0, "completion_tokens": 0})

    def __call__(self, messages: list[ChatMessage]) -> str:
        """The text of the model's answer; empty where it gave none.

        Raises:
            ExtractionError: The server could not be reached, refused, or answered something else.
        """
        body: dict[str, object] = {**self._body, "messages": messages}
        response = self._endpoint.post({**body, **self._wishes})
        if self._wishes and response.status_code in _REFUSED_STATUS:
            response = self._endpoint.post(body)
            if response.is_success:
                logger.info("extraction: the server takes no JSON mode, asking without it")
                self._wishes = {}
        if not response.is_success:
            raise self._endpoint.refusal(response)
        return self._answer(response)

    def stats(self) -> Mapping[str, int]:
        """Tokens since the start, as the server counted them: `prompt_tokens` and
        `completion_tokens`."""
        with self._lock:
            return dict(self._counts)

    def close(self) -> None:
        """Close the connections. The next call opens new ones."""
        self._endpoint.close()

    def _answer(self, response: httpx.Response) -> str:
        try:
            answer: object = response.json()
            fields = cast("dict[str, object]", answer)
            choices = cast("list[dict[str, dict[str, object]]]", fields["choices"])
            content = choices[0]["message"].get("content")
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as e:
            raise ExtractionError(
                f"{self._endpoint.shown_url} answered without a message under `choices`: "
                f"{self._endpoint.head(response)}"
            ) from e
        self._count(fields.get("usage"))
        return content if isinstance(content, str) else ""

    def _count(self, usage: object) -> None:
        if not isinstance(usage, dict):
            return
        counted = cast("dict[str, object]", usage)
        with self._lock:
            for name in self._counts:
                if isinstance(number := counted.get(name), int):
                    self._counts[name] += number
