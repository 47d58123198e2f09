"""From what the user writes after `extractor=` to an extractor."""

from __future__ import annotations

from typing import Literal

from memori_core.augmentation.base import Extractor
from memori_core.errors import ConfigError


def make_extractor(
    spec: Extractor | Literal["rules"] | None, *, indexes_messages: bool | None = None
) -> Extractor | None:
    """The extractor that is meant.

    Args:
        spec: An extractor, or what to call it.
        indexes_messages: Whether messages are recalled beside facts, None for as the extractor
            says. Where they are not, the rules keep statements too, or they would be lost.

    Raises:
        ConfigError: It is neither an extractor, nor `"rules"`, nor None.
    """
    if spec is None or isinstance(spec, Extractor):
        return spec
    if spec != "rules":
        raise ConfigError(
            f'`extractor` is "rules", an Extractor or None, got {spec!r}. A model is wrapped by '
            "LLMExtractor(complete)."
        )
    from memori_core.augmentation.rules import RuleExtractor

    return RuleExtractor(statements=indexes_messages is False)
