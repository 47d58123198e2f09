"""Every public verb and its async twin take the same arguments and give the same thing."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from memori_core import Embedder, HybridRetriever, Memori, ScopedMemory, Store

CLASSES: list[type[Any]] = [Memori, ScopedMemory, Store, Embedder, HybridRetriever]

# What issue 2 names: each has a twin on the facade, and on the handle where it is there.
VERBS = (
    "remember",
    "remember_many",
    "recall",
    "get",
    "list",
    "update",
    "pin",
    "unpin",
    "forget",
    "erase",
    "export",
    "stats",
    "close",
)


def methods(cls: type[Any]) -> Iterator[tuple[str, Any]]:
    for name, value in inspect.getmembers_static(cls):
        if not name.startswith("_") and inspect.isfunction(value):
            yield name, value


def twins() -> list[tuple[type[Any], str]]:
    """Each (class, `averb`): a public coroutine function whose name starts with `a`."""
    return [
        (cls, name)
        for cls in CLASSES
        for name, value in methods(cls)
        if name.startswith("a") and inspect.iscoroutinefunction(value)
    ]


def shape(function: Any) -> list[tuple[str, Any, Any, Any]]:
    return [
        (p.name, p.kind, p.default, p.annotation)
        for p in inspect.signature(function).parameters.values()
    ]


@pytest.mark.parametrize(("cls", "name"), twins())
def test_a_twin_has_the_signature_of_its_verb(cls: type[Any], name: str):
    twin, verb = getattr(cls, name), getattr(cls, name[1:], None)
    assert verb is not None, f"{cls.__name__}.{name} has no verb `{name[1:]}`"
    assert shape(twin) == shape(verb)
    returned = inspect.signature(twin).return_annotation
    assert returned == inspect.signature(verb).return_annotation


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_of_the_facade_has_a_twin(verb: str):
    assert inspect.iscoroutinefunction(getattr(Memori, f"a{verb}"))
    if hasattr(ScopedMemory, verb):
        assert inspect.iscoroutinefunction(getattr(ScopedMemory, f"a{verb}"))


@pytest.mark.parametrize(
    ("cls", "verbs"),
    [(Embedder, ("embed_query", "embed_documents")), (HybridRetriever, ("recall",))],
)
def test_each_verb_of_the_parts_has_a_twin(cls: type[Any], verbs: tuple[str, ...]):
    for verb in verbs:
        if hasattr(cls, verb):
            assert inspect.iscoroutinefunction(getattr(cls, f"a{verb}"))


@pytest.mark.parametrize("cls", CLASSES)
def test_every_coroutine_is_a_twin(cls: type[Any]):
    """No second vocabulary: no `recall_async`, no coroutine without a synchronous verb."""
    for name, value in methods(cls):
        if inspect.iscoroutinefunction(value):
            assert name.startswith("a"), f"{cls.__name__}.{name}"
            assert hasattr(cls, name[1:]), f"{cls.__name__}.{name}"


@pytest.mark.parametrize("cls", [Memori, ScopedMemory])
def test_parameters_after_the_first_are_named(cls: type[Any]):
    for name, value in methods(cls):
        positional = [
            p.name
            for p in inspect.signature(value).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name != "self"
        ]
        assert len(positional) <= 1, f"{cls.__name__}.{name} takes {positional} by position"
