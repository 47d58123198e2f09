"""`/api/generate` of Ollama: one prompt, one answer."""

from __future__ import annotations

from typing import Any, ClassVar

from memori_core.interception.host import Place
from memori_core.interception.wire import texts
from memori_core.interception.wire.base import Answer, WireFormat


class OllamaGenerate(WireFormat):
    """`prompt` and `system`. Requests with `raw` or a code `suffix` bring their own template."""

    name: ClassVar[str] = "ollama_generate"

    def accepts(self, body: Any) -> bool:
        return isinstance(body.get("prompt"), str) and not (body.get("raw") or body.get("suffix"))

    def query(self, body: Any) -> str:
        return body["prompt"]

    def inject(self, body: Any, block: str, *, place: Place) -> Any:
        if place == "user":
            return {**body, "prompt": f"{block}\n\n{body['prompt']}"}
        return {**body, "system": texts.joined(body.get("system"), block)}

    def read(self, answer: Answer, event: Any) -> None:
        answer.text += event.get("response") or ""
        answer.complete = answer.complete or bool(event.get("done"))
