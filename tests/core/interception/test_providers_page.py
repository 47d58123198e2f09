"""The snippets of docs/pages/providers.md run where their SDK is installed."""

from __future__ import annotations

import gc
import re
import sys
from functools import partial
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "pages" / "providers.md"
BLOCK = re.compile(r"```python \{run=\"no: needs ([\w.]+);.*?\}\n(.*?)```", re.DOTALL)
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
