"""A real model for the end of the demo."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from memori_core._extras import require_extra
from memori_core._http_endpoint import API_KEY_VARIABLE, HttpEndpoint
from memori_core._retries import Backoff
from memori_core.config import env
from memori_core.errors import MemoriError

OPENAI_URL: Final = "https://api.openai.com/v1"

Ask = Callable[[list[dict[str, str]]], str]
"""Messages in, the text of the model's answer out."""


def chat_model(base_url: str, model: str) -> Ask:
    """A model of an OpenAI-compatible server.

    Raises:
        MissingExtraError: httpx is not installed.
        ConfigError: `base_url` is no http(s) URL.
    """
    require_extra("httpx", feature="memori demo --base-url", package="httpx", extra="http")
    endpoint = HttpEndpoint(
        base_url,
        "/chat/completions",
        api_key=env(API_KEY_VARIABLE),
        timeout_s=120.0,
        backoff=Backoff(max_retries=1, first_s=1.0),
        error=MemoriError,
        logger=logging.getLogger(__name__),
        task="demo",
    )

    def ask(messages: list[dict[str, str]]) -> str:
        try:
            response = endpoint.post({"model": model, "messages": messages})
        finally:
            endpoint.close()
        if not response.is_success:
            raise endpoint.refusal(response)
        try:
            return str(response.json()["choices"][0]["message"]["content"])
        except (ValueError, KeyError, IndexError, TypeError) as e:
            raise MemoriError(
                f"{endpoint.shown_url} answered without a message: {endpoint.head(response)}"
            ) from e

    return ask
