"""Data sets in the formats they are published in, as facts and questions."""

from memori_core.evaluation.datasets.base import Collection, Dataset, Question
from memori_core.evaluation.datasets.cranfield import load_cranfield
from memori_core.evaluation.datasets.locomo import UNITS, Unit, load_conversations, load_locomo
from memori_core.evaluation.datasets.reading import load_reading
from memori_core.evaluation.datasets.relevance import (
    CHINESE_SET,
    Group,
    Probe,
    ProbeStore,
    from_conversations,
    load_relevance,
)

__all__ = [
    "CHINESE_SET",
    "UNITS",
    "Collection",
    "Dataset",
    "Group",
    "Probe",
    "ProbeStore",
    "Question",
    "Unit",
    "from_conversations",
    "load_conversations",
    "load_cranfield",
    "load_locomo",
    "load_reading",
    "load_relevance",
]
