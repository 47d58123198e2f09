"""The SDKs on httpx and httpx2, and where their clients keep the HTTP client."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from memori_core.interception.http_clients import HttpKind, Place
from memori_core.interception.kind import ClientKind


class OpenAI(HttpKind):
    """OpenAI, AzureOpenAI, and everything compatible that is reached by `base_url`."""

    name: ClassVar[str] = "OpenAI, AzureOpenAI and any OpenAI-compatible `base_url`"
    package: ClassVar[str] = "openai"

    def refusal(self, client: Any) -> str | None:
        signs = "Bedrock" in type(client).__name__ or getattr(client, "_provider", None) is not None
        if not signs:
            return None
        return (
            "this OpenAI client signs its requests for AWS, behind the place where memory could "
            "still be added. Use boto3's bedrock-runtime client or AnthropicBedrock, which can be "
            "registered, or memori.recall(...) and memori.capture(...) around your call."
        )


class Anthropic(HttpKind):
    """Anthropic, AnthropicVertex and others that sign nothing."""

    name: ClassVar[str] = "Anthropic, AnthropicVertex"
    package: ClassVar[str] = "anthropic"


class Groq(HttpKind):
    """Groq."""

    name: ClassVar[str] = "Groq"
    package: ClassVar[str] = "groq"


class Together(HttpKind):
    """Together AI."""

    name: ClassVar[str] = "Together"
    package: ClassVar[str] = "together"


class Mistral(HttpKind):
    """Mistral: one object for sync and async."""

    name: ClassVar[str] = "Mistral"
    package: ClassVar[str] = "mistralai"

    def places(self, client: Any) -> list[Place]:
        settings = client.sdk_configuration
        return [(settings, "client"), (settings, "async_client")]


class Cohere(HttpKind):
    """Cohere, API version 2."""

    name: ClassVar[str] = "Cohere (ClientV2)"
    package: ClassVar[str] = "cohere"

    def places(self, client: Any) -> list[Place]:
        return [(client._client_wrapper.httpx_client, "httpx_client")]  # noqa: SLF001 (its only one)


class Ollama(HttpKind):
    """`ollama.Client` and `ollama.AsyncClient`."""

    name: ClassVar[str] = "ollama (Client, AsyncClient, the module)"
    package: ClassVar[str] = "ollama"


KINDS: Final[tuple[ClientKind, ...]] = (
    OpenAI(),
    Anthropic(),
    Groq(),
    Together(),
    Mistral(),
    Cohere(),
    Ollama(),
)
