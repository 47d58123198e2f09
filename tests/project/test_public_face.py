"""The public face: what `from memori_core import …` offers. Adding a name is a decision."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

import memori_core

# THE LIST. Changing it changes what users may rely on: say so in CHANGELOG.md.
FACE = [
    # the facade
    "Memori",
    "ScopedMemory",
    "Scope",
    # what goes in and comes back
    "NewFact",
    "Fact",
    "RecalledFact",
    "Recall",
    "context_block",
    # retrieval
    "HybridRetriever",
    "Fusion",
    "rank",
    # stores
    "Store",
    "InMemoryStore",
    "SQLiteStore",
    # embedders
    "Embedder",
    "EmbedderProfile",
    "make_embedder",
    # errors and version
    "MemoriError",
    "__version__",
]


def test_the_face_is_the_list():
    assert sorted(memori_core.__all__) == sorted(FACE)


@pytest.mark.parametrize("name", FACE)
def test_each_name_can_be_imported_and_is_listed_by_dir(name: str):
    assert getattr(memori_core, name) is not None
    assert name in dir(memori_core)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="NoSuchName"):
        getattr(memori_core, "NoSuchName")  # noqa: B009 (a checker would refuse the plain access)


@pytest.mark.parametrize("name", [name for name in FACE if not name.startswith("__")])
def test_each_name_has_a_docstring_of_its_own(name: str):
    doc = getattr(memori_core, name).__doc__
    assert doc
    assert not doc.startswith(f"{name}(")  # what `dataclass` writes where there is none


@pytest.mark.parametrize(
    "name", ["Memori", "ScopedMemory", "Scope", "HybridRetriever", "SQLiteStore", "Embedder"]
)
def test_the_main_names_show_a_runnable_example(name: str):
    assert "```python" in (inspect.getdoc(getattr(memori_core, name)) or "")


def public_dataclasses() -> list[type[Any]]:
    values = [getattr(memori_core, name) for name in FACE]
    return [v for v in values if inspect.isclass(v) and dataclasses.is_dataclass(v)]


def test_public_dataclasses_are_frozen_with_slots_and_named_arguments():
    for cls in public_dataclasses():
        params: Any = getattr(cls, "__dataclass_params__")  # noqa: B009 (untyped attribute)
        assert params.frozen, cls
        assert "__slots__" in cls.__dict__, cls
        positional = [f.name for f in dataclasses.fields(cls) if f.init and not f.kw_only]
        assert len(positional) <= 1, f"{cls.__name__} takes {positional} by position"


def test_values_of_the_models_module_cannot_be_changed():
    from memori_core import models

    for cls in vars(models).values():
        if inspect.isclass(cls) and dataclasses.is_dataclass(cls) and cls.__name__[0] != "_":
            params: Any = getattr(cls, "__dataclass_params__")  # noqa: B009 (untyped attribute)
            assert params.frozen, cls
            assert "__slots__" in cls.__dict__, cls
