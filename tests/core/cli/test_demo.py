from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from memori_core.testing import ProviderServer

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
    captured, changed, pinned = (shown.split(f"\n{n}. ")[1] for n in (1, 5, 6))
    assert "alice: User is allergic to peanuts.  [pinned]" in captured
    assert "王芳: 用户住在杭州。" in captured
    assert "until 2026-03-10: User lives in Porto." in changed
    assert "| - User is allergic to peanuts. Stated at 2026-01-05" in pinned
    assert "| - 用户对花生过敏. Stated at 2026-01-07" in pinned
    assert list(temporary_folder.iterdir()) == []


def test_the_story_asks_the_frameworks_that_are_installed(run: Run):
    shown = run("demo", "--embedder", "none").stdout.split("\n7. ")[1]
    installed = {point.name for point in entry_points(group="memori_core.demo")}
    assert installed == {"agno", "langchain", "llama-index", "pydantic-ai"}
    for name in installed:
        told, others = shown.split(f"{name}, alice: ")[1].splitlines()[1:3]
        assert "User is allergic to peanuts" in told
        assert others.strip() == "and bob is told: nothing"


def test_the_story_names_the_extra_of_a_framework_that_is_not_installed(
    run: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "memori_agno._demo", None)
    shown = run("demo", "--embedder", "none").stdout
    assert 'agno is not installed: pip install "memori-core[agno]"' in shown


def test_a_real_model_answers_at_the_end(run: Run):
    with ProviderServer() as server:
        server.script("Rice cakes.")
        args = ("--base-url", server.openai_url, "--model", "m")
        shown = run("demo", "--embedder", "none", *args).stdout
    assert "Rice cakes." in shown.split("\n8. ")[1]
    (request,) = server.requests
    assert "allergic to peanuts" in request.body["messages"][0]["content"]


def test_a_model_without_a_server_and_a_server_without_a_model_are_refused(run: Run):
    assert "--model" in run("demo", "--base-url", "http://localhost:1", code=2).stderr
    assert "OPENAI_API_KEY" in run("demo", "--model", "m", code=2).stderr
    told = run("demo", "--embedder", "none", "--base-url", "nowhere", "--model", "m", code=2)
    assert "base_url" in told.stderr


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
        ("alice: What instrument do I play?", "· User plays the cello in an amateur orchestra."),
        ("alice: What is my job?", "· User works as a nurse."),
        ("alice: code K-4711", "· The alarm code of the garage is K-4711."),
        ("王芳: 我的猫叫什么名字？", "· 用户的猫叫豆豆。"),
        ("王芳: 我在哪里工作？", "· 用户在一家书店工作。"),
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
