"""Facts and recalls as JSON."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from memori_core.models import Fact
from memori_core.results import Recall, RecalledFact

JSONObject = dict[str, Any]  # Any: JSON of the shapes below


def fact_json(fact: Fact) -> JSONObject:
    """Every field of a fact; times as ISO 8601 text."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in asdict(fact).items()
    }


def recall_json(recall: Recall) -> JSONObject:
    """What was found, why, and the context block."""
    rejected = recall.best_rejected
    return {
        "query": recall.query,
        "entity_id": None if recall.scope is None else recall.scope.entity_id,
        "reason": recall.reason,
        "policy": recall.policy,
        "searched": recall.searched,
        "without_vector": recall.without_vector,
        "cut": recall.cut,
        "gap": recall.gap,
        "facts": [_found_json(found) for found in recall],
        "pinned": [fact_json(fact) for fact in recall.pinned],
        "best_rejected": None if rejected is None else _found_json(rejected),
        "context": recall.context,
        "timings_ms": dict(recall.timings_ms),
    }


def _found_json(found: RecalledFact) -> JSONObject:
    return {
        "id": found.id,
        "content": found.content,
        "said_at": found.said_at.isoformat(),
        "rank_score": float(found.rank_score),
        "relevance": float(found.relevance),
        "dense_score": float(found.dense_score),
        "lexical_score": float(found.lexical_score),
        "entity_score": float(found.entity_score),
        "parts": {name: float(value) for name, value in found.parts.items()},
        "fact": fact_json(found.fact),
    }
