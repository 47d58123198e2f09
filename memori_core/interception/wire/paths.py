"""Which request format a path speaks."""

from __future__ import annotations

import re
from typing import Final

from memori_core.interception.wire.anthropic import AnthropicMessages
from memori_core.interception.wire.base import WireFormat
from memori_core.interception.wire.messages import CohereChat, OllamaChat, OpenAIChat
from memori_core.interception.wire.ollama_generate import OllamaGenerate
from memori_core.interception.wire.openai_responses import OpenAIResponses

RESPONSES: Final = OpenAIResponses()

_PATHS: Final[tuple[tuple[re.Pattern[str], WireFormat], ...]] = (
    (re.compile(r"/chat/completions$"), OpenAIChat()),
    (re.compile(r"/responses$"), RESPONSES),
    (
        # `/v1/`: not the messages of OpenAI's threads. Then Vertex AI, then Bedrock.
        re.compile(
            r"/v1/messages$"
            r"|/publishers/anthropic/models/[^/]+:(?:raw|streamRaw)Predict$"
            r"|/model/[^/]+/invoke(?:-with-response-stream)?$"
        ),
        AnthropicMessages(),
    ),
    (re.compile(r"/api/chat$"), OllamaChat()),
    (re.compile(r"/api/generate$"), OllamaGenerate()),
    (re.compile(r"/v2/chat$"), CohereChat()),
)
_ONE_RESPONSE: Final = re.compile(r"/responses/([^/]+)$")


def wire_for(path: str) -> WireFormat | None:
    """The format of requests that are posted to this path; None for one we leave alone."""
    for pattern, wire in _PATHS:
        if pattern.search(path):
            return wire
    return None


def response_id(path: str) -> str | None:
    """The id in the path of a request that fetches one answer of the Responses API."""
    found = _ONE_RESPONSE.search(path)
    return found[1] if found else None
