"""The rules on messages by people who had not read them (three sets of 60, one of 40).

First runs, before anybody had looked at a result: everyday .969 precision / .912 recall, hard
.811 / .571 (dictation, corrections, long rambling messages), mixed .785 / .630, fourth .844 / .711
(quotations, things taken back, appositions; written before its author saw the rules, run once,
after they were widened for these on the other sets; the rules before that gave .765 / .684). All
sets have been looked at since, so what stands here guards against falling back; it says little
about the next stranger. Of the fourth one rule came, on tense ("I've got an exam on Friday").
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import ModuleType

import pytest

from memori_core.augmentation.rules import RuleExtractor
from memori_core.conversation import Message

HERE = Path(__file__).parent
SCORER = Path(__file__).parents[4] / "shared" / "fixtures" / "score_extraction.py"
pytestmark = [
    pytest.mark.skipif(not SCORER.exists(), reason="the scorer is not beside the repository"),
    # The scorer, which is not ours, leaves its file to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_extraction_blind", SCORER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def score(scorer: ModuleType, name: str) -> Mapping[str, float]:
    extractor = RuleExtractor()

    def extract(text: str, role: str, speaker: str | None, at: datetime) -> list[object]:
        message = Message(role, text, name=speaker)  # type: ignore[arg-type] (roles of the file)
        return [
            (
                fact.content,
                list(fact.dates),
                fact.pinned,
                [(t.subject, t.predicate, t.object) for t in fact.triples],
            )
            for fact in extractor.extract([message], said_at=at).facts
        ]

    return scorer.score(HERE / name, extract)


@pytest.mark.parametrize(
    ("name", "precision", "recall", "false_pins"),
    [
        ("blind_everyday.json", 0.98, 0.98, 1),
        ("blind_hard.json", 0.97, 0.91, 1),
        # Its labels leave a diet and a dislike unpinned, which the product pins.
        ("blind_mixed.json", 0.96, 0.91, 3),
        ("blind_fourth.json", 0.84, 0.71, 1),  # as in its first run
    ],
)
def test_strangers_messages(
    scorer: ModuleType, name: str, precision: float, recall: float, false_pins: int
) -> None:
    found = score(scorer, name)
    assert found["precision"] >= precision
    assert found["recall"] >= recall
    assert found["pin_false"] <= false_pins
