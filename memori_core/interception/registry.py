"""Which clients can be registered, and how one is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from memori_core.errors import UnsupportedClientError
from memori_core.interception.frameworks import inner_clients
from memori_core.interception.kind import ClientKind

# Modules of ours, each with its `KINDS`. They import no SDK.
_MODULES: Final = ("anthropic_aws", "sdks", "google", "bedrock", "xai", "litellm")
_MANUAL: Final = (
    "Any other client works by hand:\n"
    "    block = memori.recall(question).context   # put it behind your system prompt\n"
    "    answer = ...                              # your call\n"
    '    memori.capture([{"role": "user", "content": question},\n'
    '                    {"role": "assistant", "content": answer}])'
)


@cache
def kinds() -> Sequence[ClientKind]:
    """Every kind of client that can be registered; the first that matches serves."""
    return [
        kind
        for name in _MODULES
        for kind in import_module(f"memori_core.interception.{name}").KINDS
    ]


def clients_of(value: Any) -> list[tuple[Any, ClientKind]]:
    """The clients behind what a user registered, each with its kind.

    Args:
        value: A client, a module of an SDK that has one, or a framework's model object.

    Raises:
        UnsupportedClientError: There is none that can be served.
    """
    value = _of_module(value)
    kind = _kind_of(value)
    if kind is not None:
        return [(value, kind)]
    found: list[tuple[Any, ClientKind]] = []
    for client in inner_clients(value):
        kind = _kind_of(client)
        if kind is not None:
            found.append((client, kind))
    if not found:
        raise UnsupportedClientError(_unknown(value))
    return found


def _kind_of(client: Any) -> ClientKind | None:
    return next((kind for kind in kinds() if kind.matches(client)), None)


def _of_module(value: Any) -> Any:
    """The client that the functions of a module use."""
    if isinstance(value, ModuleType):
        if value.__name__ == "ollama":
            return value.chat.__self__
        if value.__name__ == "openai":
            return value._load_client()  # noqa: SLF001 (made at the first use, then kept)
    return value


def _unknown(value: Any) -> str:
    kind: type = value.__class__
    names = "\n".join(f"  - {kind.name}" for kind in kinds())
    name = value.__name__ if isinstance(value, ModuleType) else f"{kind.__module__}.{kind.__name__}"
    return (
        f"`register` does not know {name}. It knows clients of\n{names}\n"
        "and the model objects of LangChain, LlamaIndex, Pydantic AI and Agno that hold one of "
        f"them.\n{_MANUAL}"
    )
