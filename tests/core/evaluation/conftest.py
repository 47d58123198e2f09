"""Invented data in the formats of the published sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memori_core.evaluation.datasets.cranfield import DOCUMENTS, JUDGEMENTS, QUESTIONS


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the vectors of the user."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MEMORI_CACHE_DIR", str(folder))
    return folder


def turn(number: str, speaker: str, text: str, **more: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": number, "text": text, **more}


def sample(name: str, first: str, second: str) -> dict[str, Any]:
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": first,
            "speaker_b": second,
            "session_2_date_time": "9:05 am on 3 June, 2022",
            "session_2": [
                turn("D2:1", first, "My kiln broke again."),
                turn("D2:2", second, "Oh no!", blip_caption="a cracked clay bowl"),
            ],
            "session_1_date_time": "12:30 am on 1 June, 2022",
            "session_1": [
                turn("D1:1", first, f"I am {first} and I sell pottery."),
                turn("D1:2", second, f"{second} keeps bees near Szeged."),
                turn("D1:3", first, "Ha!"),
            ],
            "session_3_date_time": "9:05 am on 5 June, 2022",  # without turns
        },
        "observation": {
            "session_1_observation": {
                first: [[f"{first} sells pottery.", "D1:1"]],
                second: [[f"{second} keeps bees.", ["D1:2", "D2:2"]]],
            },
            "session_2_observation": {first: [[f"{first}'s kiln broke.", "D2:1"]]},
        },
        "qa": [
            {"question": f"What does {first} sell?", "evidence": ["D1:1"], "category": 4},
            {"question": "Who has bees?", "evidence": ["D1:02; D2:2"], "category": 1},
            {"question": "When did the kiln break?", "evidence": ["D:2:1"], "category": 2},
            {"question": "Adversarial?", "evidence": ["D1:1"], "category": 5},
            {"question": "No evidence?", "evidence": [], "category": 3},
            {"question": "Malformed?", "evidence": ["D"], "category": 3},
        ],
    }


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    path = tmp_path / "talks.json"
    samples = [sample("talk-1", "Ilka", "Bela"), sample("talk-2", "Oda", "Finn")]
    path.write_text(json.dumps(samples), encoding="utf-8")
    return path


@pytest.fixture
def reading(tmp_path: Path) -> Path:
    path = tmp_path / "pages.json"
    paragraphs = [
        {
            "context": "The lighthouse of Varn was built by a baker.",
            "qas": [
                {"question": "Who built the lighthouse?"},
                {"question": "Why?", "is_impossible": True},
            ],
        },
        {
            "context": "Moss tea is brewed for nine minutes.",
            "qas": [{"question": "How long is moss tea brewed?", "is_impossible": False}],
        },
    ]
    content = {"data": [{"title": "Odd facts", "paragraphs": paragraphs}]}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def cranfield(tmp_path: Path) -> Path:
    folder = tmp_path / "abstracts"
    folder.mkdir()
    (folder / DOCUMENTS).write_text(
        ".I 1\n.T\nkites in\nrain .\n.A\nb. wind\n.B\n1950\n.W\na wet kite\nsinks .\n"
        ".I 2\n.T\npaper boats .\n.A\n.B\n.W\nfolded boats float .\n"
        ".I 3\n.T\n.A\n.B\n.W\n",
        encoding="utf-8",
    )
    (folder / QUESTIONS).write_text(
        ".I 007\n.W\nwhy does a kite\nsink .\n.I 009\n.W\ndo boats float .\n", encoding="utf-8"
    )
    (folder / JUDGEMENTS).write_text("1 1 2\n1 2 -1\n2 2 1 \n2 3 3\n", encoding="utf-8")
    return folder


@pytest.fixture
def short_facts(tmp_path: Path) -> Path:
    path = tmp_path / "short.json"
    store = {
        "facts": ["User keeps a tame heron.", "User repairs clocks."],
        "relevant": [{"query": "Which clocks does the user repair?", "fact": 1}],
        "unrelated": ["How deep is the sea?"],
        "absent": ["What is my shoe size?"],
    }
    content = {"stores": {"one": store}, "chit_chat": ["thanks!", "hello"]}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
