"""Dates in texts: `resolve_dates`."""

from memori_core.augmentation.rules.dates.resolving import resolve_dates

__all__ = ["resolve_dates"]
