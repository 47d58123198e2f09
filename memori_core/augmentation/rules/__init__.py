"""Facts by rules, without a model."""

from memori_core.augmentation.rules.engine import RuleExtractor

__all__ = ["RuleExtractor"]
