"""The table of docs/pages/providers.md says what the tests cover, and nothing else.

It is made of the cases of test_matrix.py and test_matrix_clouds.py.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed")

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PAGE = ROOT / "docs" / "pages" / "providers.md"
BEGIN, END = "<!-- support matrix: begin -->", "<!-- support matrix: end -->"


class Covered(NamedTuple):
    """One call that is tested."""

    sdk: str
    client: str
    flavour: str
    style: str


def load(name: str) -> ModuleType:
    """A test module beside this one, under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"support_{name}", HERE / f"test_{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module


def covered() -> Iterator[Covered]:
    """Every call that a test makes, in the order of the tests."""
    for name in ("matrix", "matrix_clouds"):
        module = load(name)
        (mark,) = [m for m in module.test_every_style.pytestmark if m.name == "parametrize"]
        for case in mark.args[1]:
            client, _, style = case.style.partition(", ")
            flavour = "async" if inspect.iscoroutinefunction(case.ask) else "sync"
            yield Covered(case.sdk, client=client, flavour=flavour, style=style)


def table() -> str:
    """What the page should say, with the versions that the tests run with."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for call in covered():
        rows.setdefault((call.sdk, call.client, call.flavour), []).append(f"`{call.style}`")
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    versions = dict(re.findall(r"^([\w-]+)==(\S+)$", pins, re.MULTILINE))
    lines = ["| SDK | client | | calls |", "|---|---|---|---|"]
    lines += [
        f"| {sdk} {versions[sdk]} | {client} | {flavour} | {', '.join(styles)} |"
        for (sdk, client, flavour), styles in rows.items()
    ]
    return "\n".join(lines)


def test_the_page_has_the_table():
    """To renew it, put what `table()` gives between the two comments of the page."""
    page = PAGE.read_text(encoding="utf-8")
    assert page.partition(BEGIN)[2].partition(END)[0].strip() == table()
