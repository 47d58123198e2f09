"""Every example in README, docs and docstrings runs, and prints what it says.

A block that cannot run says why, and one that goes on from the block above says so:

    ```python {run="no: needs an API key"}
    ```python {continues="yes"}

Printed lines are written as `#> …`; `--update-examples` fills them in.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from pytest_examples import CodeExample, EvalExample, find_examples

ROOT = Path(__file__).parents[2]
SETTINGS = {"run", "continues"}


def found() -> list[CodeExample]:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs" / "pages").rglob("*.md")]
    sources = [*(ROOT / "memori_core").rglob("*.py"), *(ROOT / "integrations").rglob("*.py")]
    return list(find_examples(*sorted(pages + sources)))


def chains() -> list[list[CodeExample]]:
    """Each block with the blocks that it goes on from, first to last."""
    result: list[list[CodeExample]] = []
    for _, page in groupby(found(), key=lambda example: example.path):
        before: list[CodeExample] = []
        for example in page:
            goes_on = example.prefix_settings().get("continues") == "yes"
            before = [*before, example] if goes_on else [example]
            result.append(before)
    return result


def place(chain: list[CodeExample]) -> str:
    return f"{chain[-1].path.relative_to(ROOT)}:{chain[-1].start_line}"


@pytest.mark.parametrize("chain", chains(), ids=place)
def test_example(
    chain: list[CodeExample],
    eval_example: EvalExample,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    settings = chain[-1].prefix_settings()
    assert set(settings) <= SETTINGS, f"unknown settings {settings}"
    if "run" in settings:
        answer, _, reason = settings["run"].partition(": ")
        assert answer == "no", 'write {run="no: why"}'
        assert len(reason.split()) > 1, "a block that does not run says why"
        pytest.skip(reason)

    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("MEMORI_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # put back afterwards
    eval_example.set_config(line_length=100, quotes="either")
    last = eval_example.run_print_check
    if eval_example.update_examples:
        last = eval_example.run_print_update
    names: dict[str, Any] = {}
    problem = None
    try:
        for example in chain[:-1]:
            names = eval_example.run(example, module_globals=names)
        last(chain[-1], module_globals=names)
    # Not left to pytest: 9.2 ends with an internal error on the traceback that pytest-examples
    # 0.0.18 makes up (its code object has no positions). Can go when either is fixed.
    except (Exception, pytest.fail.Exception) as e:  # noqa: BLE001 (an example may raise anything)
        problem = f"{where(e, chain[-1])}: {type(e).__name__}: {e}"
    if problem:
        pytest.fail(problem, pytrace=False)


def test_what_does_not_run_here_runs_in_the_test_that_it_names_or_is_listed():
    """A block says where it is run; what is run nowhere is written down here."""
    untested: set[str] = set()
    for chain in chains():
        name = chain[-1].path.relative_to(ROOT).as_posix()
        reason = chain[-1].prefix_settings().get("run", "")
        named = re.search(r"tests/[\w/.]*\w", reason)
        texts = [path.read_text(encoding="utf-8") for path in runners(named[0])] if named else []
        if reason and not any(chain[-1].path.name in text for text in texts):
            untested.add(name)
    assert untested == {
        "CONTRIBUTING.md",  # the outline of a test module
        "README.zh-CN.md",  # its code is that of README.md, as a test below says
        "docs/pages/tutorials/moving.md",  # Mem0's own program, with the reader's configuration
    }


def runners(place: str) -> list[Path]:
    path = ROOT / place
    return sorted(path.glob("test_*.py")) if path.is_dir() else [path]


def where(error: BaseException, example: CodeExample) -> str:
    lines = [
        lineno
        for frame, lineno in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == str(example.path)
    ]
    return f"{example.path.relative_to(ROOT)}:{lines[-1] if lines else example.start_line}"


def test_the_readme_has_an_example_that_runs():
    blocks = [chain[-1] for chain in chains() if chain[-1].path.name == "README.md"]
    assert any("run" not in block.prefix_settings() for block in blocks)


def test_the_readmes_of_both_languages_have_the_same_code():
    english, chinese = (
        re.findall(
            r"^```.*?^```$", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        )
        for name in ("README.md", "README.zh-CN.md")
    )
    assert english == chinese


def test_links_between_pages_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs" / "pages").rglob("*.md")]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not target.startswith("mailto:"):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_in_the_nav():
    nav = (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8")
    pages = ROOT / "docs" / "pages"
    missing = [
        str(page.relative_to(pages))
        for page in pages.rglob("*.md")
        if f" {page.relative_to(pages).as_posix()}\n" not in nav + "\n"
    ]
    assert missing == []
