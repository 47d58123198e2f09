"""The rule extractor on the development half of the gold set (reference/extraction.md §8)."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import ModuleType

import pytest

from memori_core.augmentation.rules import RuleExtractor
from memori_core.conversation import Message

FIXTURES = Path(__file__).parents[4] / "shared" / "fixtures"
GOLD = FIXTURES / "extraction_dev.json"
SCORER = FIXTURES / "score_extraction.py"
pytestmark = [
    pytest.mark.skipif(
        not (GOLD.exists() and SCORER.exists()), reason="the gold set is not beside the repository"
    ),
    # The scorer, which is not ours, leaves its file to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
pytest.importorskip("Stemmer")

Found = list[tuple[str, list[str], bool, list[tuple[str, str, str]]]]
EXTRACTOR = RuleExtractor()


def extract(text: str, role: str, name: str | None, at: datetime) -> Found:
    said = Message(role, text, name=name)  # type: ignore[arg-type]  # roles of the file
    return [
        (
            fact.content,
            list(fact.dates),
            fact.pinned,
            [(t.subject, t.predicate, t.object) for t in fact.triples],
        )
        for fact in EXTRACTOR.extract([said], said_at=at).facts
    ]


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_extraction", SCORER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def counts(
    scorer: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], dict[str, float]]:
    gold = json.loads(GOLD.read_text(encoding="utf-8"))

    def of(language: str) -> dict[str, float]:
        chosen = [m for m in gold["messages"] if language in ("all", m["lang"])]
        path = tmp_path_factory.mktemp("gold") / "gold.json"
        path.write_text(json.dumps({**gold, "messages": chosen}), encoding="utf-8")
        return scorer.score(path, extract)

    return of


@pytest.mark.parametrize("language", ["en", "all"])
def test_facts_are_found_and_right(
    language: str, counts: Callable[[str], dict[str, float]]
) -> None:
    found = counts(language)
    assert found["precision"] >= 0.97
    assert found["recall"] >= 0.93
    assert found["empty_hit"] == 0, "a message without facts gave one"


@pytest.mark.parametrize("language", ["en", "all"])
def test_health_is_pinned_and_triples_are_read(
    language: str, counts: Callable[[str], dict[str, float]]
) -> None:
    found = counts(language)
    assert found["pin_miss"] == 0
    assert found["triple_hit"] / (found["triple_hit"] + found["triple_miss"]) >= 0.85


def found_triples() -> list[list[str]]:
    """Every triple that the rules read in the gold set, with the id of its message."""
    gold = json.loads(GOLD.read_text(encoding="utf-8"))
    at = datetime.fromisoformat(gold["meta"]["said_at"])
    return [
        [message["id"], *triple]
        for message in gold["messages"]
        for *_, triples in extract(message["text"], message["role"], message.get("name"), at)
        for triple in triples
    ]


def test_the_triples_of_the_gold_set_are_those_that_a_person_has_checked() -> None:
    """All of them, also those that the gold does not name. Look at a new one before adding it."""
    checked = json.loads((Path(__file__).parent / "gold_triples.json").read_text(encoding="utf-8"))
    found = found_triples()
    assert [t for t in found if t not in checked] == [], "new: right or wrong?"
    assert [t for t in checked if t not in found] == [], "lost"
