"""What tests of programs on memori-core need: fakes, a provider of models, and suites to subclass.

Importing this package loads nothing; the suites need pytest and hypothesis on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memori_core.testing.embedders import EmbedderConformance, FakeEmbedder
    from memori_core.testing.extractors import ExtractorConformance
    from memori_core.testing.facts import fact_record
    from memori_core.testing.prompts import facts_in
    from memori_core.testing.provider_server import ProviderServer, Reply
    from memori_core.testing.stores import StoreConformance

__all__ = [
    "EmbedderConformance",
    "ExtractorConformance",
    "FakeEmbedder",
    "ProviderServer",
    "Reply",
    "StoreConformance",
    "fact_record",
    "facts_in",
]

_MODULES = {
    "EmbedderConformance": "embedders",
    "ExtractorConformance": "extractors",
    "FakeEmbedder": "embedders",
    "ProviderServer": "provider_server",
    "Reply": "provider_server",
    "StoreConformance": "stores",
    "fact_record": "facts",
    "facts_in": "prompts",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
