"""The rules of the project that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path
    for folder in ("memori_core", "integrations")
    for path in (ROOT / folder).rglob("*.py")
    if "__pycache__" not in path.parts
)
TALKATIVE = ("memori_core/cli", "memori_core/testing")
LONGEST = 350
LARGEST = 1_000_000

# The data sets that the figures are measured on belong to others, and are never committed.
DATA_SETS = re.compile(
    r"(^|/)(locomo10?|cmrc2018|jsquad|xquad|squad|cran(field)?)([._-][^/]*)?"
    r"\.(json|jsonl|csv|tsv|txt|gz|zip|qry|1400)$"
)


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def tracked() -> list[str]:
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        pytest.skip("not a git repository")
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_a_library_does_not_print(path: Path):
    if place(path).startswith(TALKATIVE):
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [node.lineno for name, node in calls(tree) if name == "print"] == []


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_b80_nothing_that_is_read_back_can_run_code(path: Path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    for name, node in calls(tree):
        assert name not in ("eval", "exec", "os.system", "torch.load"), f"line {node.lineno}"
        for keyword in node.keywords:
            value = keyword.value
            on = isinstance(value, ast.Constant) and value.value is True
            assert not (on and keyword.arg in ("shell", "allow_pickle")), f"line {node.lineno}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        roots = {name.split(".")[0] for name in names}
        assert roots.isdisjoint({"pickle", "joblib", "dill", "cloudpickle", "shelve", "marshal"})


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_a_broad_except_says_why(path: Path):
    """On its own line. Cleaning up (`except BaseException`) and raising on needs no words."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = ast.unparse(node.type) if node.type else "BaseException"
        raises_on = any(isinstance(inner, ast.Raise) and inner.exc is None for inner in node.body)
        if re.search(r"\bException\b", caught) or ("BaseException" in caught and not raises_on):
            comment = re.sub(r"noqa: [A-Z0-9, ]+", "", lines[node.lineno - 1].partition("#")[2])
            assert len(comment.split()) >= 2, f"line {node.lineno}: say why it is so broad"


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_a_file_has_one_subject(path: Path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST, f"{lines} lines: split it by subject"


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_the_environment_is_read_in_one_place(path: Path):
    if place(path) == "memori_core/config.py":
        return
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"\bos\.(?:environb?|getenv)\b|from os import .*\benviron", text) == []


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_a_module_says_what_it_is_for(path: Path):
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text)), "no module docstring"


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_loggers_are_named_and_have_no_handlers(path: Path):
    if place(path).startswith(TALKATIVE):
        return
    text = path.read_text(encoding="utf-8")
    for call in re.findall(r"getLogger\(([^)]*)\)", text):
        assert call == "__name__"
    assert not re.search(r"\.(addHandler|setLevel|basicConfig)\(", text)


def test_no_data_set_is_committed():
    names = tracked()
    assert [name for name in names if DATA_SETS.search(name.lower())] == []
    heavy = [name for name in names if (ROOT / name).stat().st_size > LARGEST]
    assert heavy == [], "keep large files out of the repository"


def test_there_is_no_init_under_tests():
    """A test folder named like a package, with an `__init__.py`, would shadow that package."""
    assert [place(path) for path in (ROOT / "tests").rglob("__init__.py")] == []


def test_the_changelog_speaks_of_this_version_and_of_what_comes():
    from memori_core._version import __version__

    headings = re.findall(
        r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert headings[0] == "Unreleased"
    assert any(heading.split()[0] == __version__ for heading in headings)


def test_notebooks_are_committed_without_outputs():
    import json

    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        if ".ipynb_checkpoints" in path.parts:
            continue
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), path
