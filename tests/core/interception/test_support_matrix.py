"""The table of docs/pages/providers.md says what the tests cover, and nothing else.

Most rows are made of the cases of test_matrix.py. The other clients have test files of their own:
for these, each style is listed with the words by which its file calls it.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
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


OTHERS: list[tuple[str, str, str, str, Mapping[str, str]]] = [
    (
        "anthropic", "AnthropicBedrock", "sync", "anthropic_aws",
        {
            "create": r"assert client\.messages\.create\(",
            "stream()": r"with client\.messages\.stream\(",
        },
    ),
    (
        "anthropic", "AsyncAnthropicBedrock", "async", "anthropic_aws",
        {"create": r"await client\.messages\.create\("},
    ),
    (
        "google-genai", "Client", "sync", "google",
        {
            "models.generate_content": r"client\.models\.generate_content\(",
            "models.generate_content_stream": r"client\.models\.generate_content_stream\(",
            "chats send_message": r"chat\.send_message\(",
            "chats send_message_stream": r"chat\.send_message_stream\(",
            "vertexai=True": r"vertexai=True",
        },
    ),
    (
        "google-genai", "Client.aio on aiohttp, httpx and httpx2", "async", "google",
        {
            "models.generate_content": r"await models\.generate_content\(",
            "models.generate_content_stream": r"await models\.generate_content_stream\(",
            "chats send_message": r"await client\.aio\.chats\.\S+\.send_message\(",
        },
    ),
    (
        "boto3", "bedrock-runtime", "sync", "bedrock",
        {
            "converse": r"client\.converse\(",
            "converse_stream": r"client\.converse_stream\(",
            "invoke_model": r"client\.invoke_model\(",
            "invoke_model_with_response_stream": r"client\.invoke_model_with_response_stream\(",
        },
    ),
    (
        "xai-sdk", "Client", "sync", "xai",
        {
            "sample": r"= early\.sample\(",
            "stream": r"in ask\(client\)\.stream\(",
            "parse": r"ask\(client\)\.parse\(",
            "sample_batch": r"ask\(client\)\.sample_batch\(",
            "defer": r"ask\(client\)\.defer\(",
        },
    ),
    (
        "xai-sdk", "AsyncClient", "async", "xai",
        {
            "sample": r"await early\.sample\(",
            "stream": r"async for _, chunk in early\.stream\(",
            "defer": r"await ask\(client\)\.defer\(",
        },
    ),
    (
        "litellm", "the module", "sync", "litellm",
        {
            "completion": r"litellm\.completion\(\*\*args\)",
            "stream=True": r"= litellm\.completion\(\*\*args, stream=True\)",
            "batch_completion": r"litellm\.batch_completion\(",
        },
    ),
    (
        "litellm", "the module", "async", "litellm",
        {
            "acompletion": r"await litellm\.acompletion\(\*\*args\)",
            "stream=True": r"await litellm\.acompletion\(\*\*args, stream=True\)",
        },
    ),
    (
        "litellm", "Router", "sync", "litellm",
        {
            "completion": r"router\.completion\(model=",
            "stream=True": r"router\.completion\(.*stream=True\)",
        },
    ),
    (
        "litellm", "Router", "async", "litellm",
        {
            "acompletion": r"await router\.acompletion\(model=",
            "stream=True": r"await router\.acompletion\(.*stream=True\)",
        },
    ),
]  # fmt: skip


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
    matrix = load("matrix")
    (mark,) = [m for m in matrix.test_every_style.pytestmark if m.name == "parametrize"]
    for case in mark.args[1]:
        client, _, style = case.style.partition(", ")
        flavour = "async" if inspect.iscoroutinefunction(case.ask) else "sync"
        yield Covered(case.sdk, client=client, flavour=flavour, style=style)
    for sdk, client, flavour, _, styles in OTHERS:
        for style in styles:
            yield Covered(sdk, client=client, flavour=flavour, style=style)


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


@pytest.mark.parametrize(("sdk", "client", "flavour", "file", "styles"), OTHERS)
def test_a_row_without_cases_has_its_calls_in_the_tests(
    sdk: str, client: str, flavour: str, file: str, styles: Mapping[str, str]
):
    text = (HERE / f"test_{file}.py").read_text(encoding="utf-8")
    assert sdk.partition("-")[0] in text
    missing = [style for style, words in styles.items() if not re.search(words, text)]
    assert missing == []
