"""The snippets of docs/pages/providers.md run where their SDK is installed."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from memori_core import Memori
from memori_core.interception import Llm

PAGE = Path(__file__).parents[3] / "docs" / "pages" / "providers.md"
BLOCK = re.compile(r"```python \{run=\"no: needs (\w+);.*?\}\n(.*?)```", re.DOTALL)
SNIPPETS = BLOCK.findall(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("sdk", "code"), SNIPPETS, ids=[sdk for sdk, _ in SNIPPETS])
def test_snippet(
    sdk: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    pytest.importorskip(sdk, reason=f"{sdk} is not installed")
    if not hasattr(Memori, "llm"):
        wired: Any = cached_property(Llm)
        wired.__set_name__(Memori, "llm")
        monkeypatch.setattr(Memori, "llm", wired, raising=False)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(PAGE), "exec", dont_inherit=True), {"__name__": "__page__"})
    expected = [line.strip()[3:] for line in code.splitlines() if line.strip().startswith("#> ")]
    assert capsys.readouterr().out.splitlines() == expected
