from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def temporary_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def conversation() -> Path:
    """Two short made-up sessions in LoCoMo's form."""
    sample: dict[str, Any] = {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a beagle named Rex."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Lovely! I am painting a lighthouse."},
            ],
            "session_2_date_time": "2:00 pm on 9 June, 2023",
            "session_2": [
                {"speaker": "Bo", "dia_id": "D2:1", "text": "My gallery show opens in Lisbon."},
            ],
        },
        "qa": [
            {"question": "What beagle did Ann adopt?", "evidence": ["D1:1"], "category": 4},
            {"question": "Where does Bo's gallery show open?", "evidence": ["D2:1"], "category": 4},
            {"question": "Which planet is largest?", "evidence": ["D1:2"], "category": 4},
        ],
        "observation": {},
    }
    path = Path("conversations.json")
    path.write_text(json.dumps([sample]), encoding="utf-8")
    return path


@pytest.mark.parametrize("embedder", ["static", "none"])
def test_the_story_shows_each_part(run: Run, temporary_folder: Path, embedder: str):
    shown = run("demo", "--embedder", embedder).stdout
    parts = [line for line in shown.splitlines() if line[:2] in {f"{i}." for i in range(1, 8)}]
    assert len(parts) == 7
    # Pinned facts, in both languages; a history; the file opened again.
    assert "| - I'm allergic to peanuts. Stated at" in shown
    assert "| - 我对花生过敏. Stated at" in shown
    assert "I live in Porto with my wife Inês." in shown.split("6. ")[1]
    assert "10 facts of 2 people" in shown
    assert "I live in Lisbon since the move." in shown.split("7. ")[1]
    assert list(temporary_folder.iterdir()) == []


@pytest.mark.parametrize("embedder", ["static", "none"])
def test_the_story_recalls_nothing_where_nothing_fits(run: Run, embedder: str):
    shown = run("demo", "--embedder", embedder).stdout
    nothing, apart = shown.split("\n3. ")[1].split("\n4. ")
    assert nothing.count("nothing: ") == 3
    assert apart.split("\n5. ")[0].count("nothing: ") == 1


def test_the_story_with_the_default_embedder_answers_by_meaning(run: Run):
    recalls = run("demo").stdout.split("\n2. ")[1].split("\n3. ")[0]
    lines = [line.strip() for line in recalls.splitlines()]
    for question, first in [
        ("alice: What instrument do I play?", "· I play the cello in an amateur orchestra."),
        ("alice: What is my job?", "· I work as a nurse at the children's hospital."),
        ("alice: code K-4711", "· The alarm code of the garage is K-4711."),
        ("王芳: 我的猫叫什么名字？", "· 我的猫叫豆豆，今年三岁。"),
        ("王芳: 我在哪里工作？", "· 我住在杭州，在一家书店工作。"),
    ]:
        assert lines[lines.index(question) + 1] == first


def test_a_real_conversation_marks_its_evidence(run: Run, conversation: Path):
    shown = run("demo", "--data", str(conversation), "--embedder", "none").stdout
    assert "3 turns of 2 sessions" in shown
    assert "✓ 1:56 pm on 8 May, 2023 Ann: I adopted a beagle named Rex." in shown
    assert "+ speaker" in shown  # conversation mode is on: the question names Ann
    assert "2 of 3 questions found a turn that answers them" in shown
    assert "<memori_context>" in shown
    # The turn says who speaks; its line does not say it once more.
    assert "| - 1:56 pm on 8 May, 2023 Ann: I adopted a beagle named Rex. Stated at" in shown


def test_some_of_its_questions(run: Run, conversation: Path):
    args = ("demo", "--data", str(conversation), "--embedder", "none", "--sample", "conv-1")
    shown = run(*args, "--questions", "1").stdout
    assert "1 of 1 questions" in shown


def test_other_data_and_other_samples_are_refused(run: Run, conversation: Path):
    args = ("demo", "--embedder", "none", "--data")
    assert "conv-1" in run(*args, str(conversation), "--sample", "conv-9", code=2).stderr
    Path("other.json").write_text("[1]", encoding="utf-8")
    assert "other.json" in run(*args, "other.json", code=2).stderr
    run(*args, "missing.json", code=2)
