"""The snippets of docs/pages/providers.md run where their SDK is installed."""

from __future__ import annotations

import gc
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memori_core.testing import ProviderServer

PAGE = Path(__file__).parents[3] / "docs" / "pages" / "providers.md"
BLOCK = re.compile(r"```python \{run=\"no: needs ([\w.]+);.*?\}\n(.*?)```", re.DOTALL)
README = PAGE.parents[2] / "README.md"
README_BLOCK = re.compile(r"```python \{run=\"no: needs a provider;.*?\}\n(.*?)```", re.DOTALL)
SNIPPETS = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
NOISY = {"boto3", "google.genai", "litellm", "xai_sdk"}
QUIET = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.mark.parametrize(
    ("sdk", "code"),
    [
        pytest.param(sdk, code, id=sdk, marks=QUIET if sdk in NOISY else ())
        for sdk, code in SNIPPETS
    ],
)
def test_snippet(
    sdk: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
):
    module = pytest.importorskip(sdk, reason=f"{sdk} is not installed")
    if sdk == "xai_sdk":  # over gRPC, which `ProviderServer` does not speak
        address = request.getfixturevalue("grok").address
        client = partial(module.Client, api_key="x", api_host=address, use_insecure_channel=True)
        monkeypatch.setattr(module, "Client", client)
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it asks the network for it
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(PAGE), "exec", dont_inherit=True), {"__name__": "__page__"})
    if sdk == "litellm":
        sys.modules[sdk].in_memory_llm_clients_cache.flush_cache()
    gc.collect()  # here, where the warnings of what an SDK leaves open are ignored
    expected = [line.strip()[3:] for line in code.splitlines() if line.strip().startswith("#> ")]
    assert capsys.readouterr().out.splitlines() == expected


def test_the_client_of_the_readme(
    server: ProviderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("openai", reason="openai is not installed")
    (code,) = README_BLOCK.findall(README.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
    monkeypatch.setenv("MEMORI_EMBEDDER", "none")
    monkeypatch.delenv("MEMORI_DB", raising=False)
    names: dict[str, Any] = {"__name__": "__page__"}
    exec(compile(code, str(README), "exec", dont_inherit=True), names)
    with names["mem"] as mem, names["client"] as client:
        mem.scoped("user_123").remember("User likes green tea.")
        asked = {"role": "user", "content": "Which tea do I like?"}
        client.chat.completions.create(model="m", messages=[asked])
        assert "User likes green tea" in server.last.text
        assert mem.llm.drain(10)
        assert len(mem.scoped("user_123", process_id="support_agent").messages()) == 2
