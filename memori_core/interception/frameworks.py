"""The SDK clients inside the model objects of agent frameworks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from memori_core.errors import UnsupportedClientError

_PLUGINS: Final[Mapping[str, str]] = {
    "langchain": "memori_langchain",
    "llama_index": "memori_llamaindex",
    "pydantic_ai": "memori_pydantic_ai",
    "agno": "memori_agno",
}


def inner_clients(model: Any) -> list[Any]:
    """The clients that a model object calls, sync and async; empty for what is no such object.

    Raises:
        UnsupportedClientError: It is one, but there is no client in it that lasts. The message
            names our plugin for the framework.
    """
    framework = framework_of(model)
    if framework is None:
        return []
    try:
        found = [client for client in _READERS[framework](model) if client is not None]
    except AttributeError:
        found = []
    if not found:
        raise UnsupportedClientError(
            f"{type(model).__name__} holds no client that lasts, so `register` cannot reach it. "
            f"Use our plugin for the framework: {_PLUGINS[framework]}."
        )
    return found


def framework_of(model: Any) -> str | None:
    """The framework a model object is of, by the modules of its classes."""
    for base in type(model).__mro__:
        package = base.__module__.partition(".")[0]
        for framework in _PLUGINS:
            if package == framework or package.startswith(f"{framework}_"):
                return framework
    return None


def _langchain(model: Any) -> Iterable[Any]:
    for name in ("root_client", "root_async_client"):  # ChatOpenAI and its relatives
        yield getattr(model, name, None)
    if not hasattr(model, "root_client"):
        for name in ("_client", "_async_client", "client", "async_client"):
            yield getattr(model, name, None)


def _llama_index(model: Any) -> Iterable[Any]:
    if not getattr(model, "reuse_client", True):
        return  # every call makes a new client
    if hasattr(model, "_get_client"):  # made late, and kept
        yield model._get_client()  # noqa: SLF001 (there is no public way)
        yield model._get_aclient()  # noqa: SLF001
        return
    for name in ("_client", "_aclient", "client"):
        yield getattr(model, name, None)


def _pydantic_ai(model: Any) -> Iterable[Any]:
    for inner in getattr(model, "models", None) or ():  # FallbackModel
        yield from _pydantic_ai(inner)
    wrapped = getattr(model, "wrapped", None)
    if wrapped is not None:
        yield from _pydantic_ai(wrapped)
    yield getattr(model, "client", None)


def _agno(model: Any) -> Iterable[Any]:
    for name in ("get_client", "get_async_client"):  # they make it and keep it
        make = getattr(model, name, None)
        yield make() if callable(make) else None


_READERS: Final[Mapping[str, Callable[[Any], Iterable[Any]]]] = {
    "langchain": _langchain,
    "llama_index": _llama_index,
    "pydantic_ai": _pydantic_ai,
    "agno": _agno,
}
