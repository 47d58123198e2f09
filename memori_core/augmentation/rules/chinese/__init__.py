"""Chinese: what a text says about its writer, by rules."""

from memori_core.augmentation.rules.chinese.language import Chinese

__all__ = ["Chinese"]
