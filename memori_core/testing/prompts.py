"""What a model is told: for fake models that answer from their prompt."""

from __future__ import annotations

from memori_core.rendering import TAG


def facts_in(prompt: str) -> list[str]:
    """The lines of the context blocks in a prompt, without their dashes.

    ```python
    from memori_core import Memori
    from memori_core.testing import facts_in

    with Memori(":memory:", embedder=None) as memori:
        alice = memori.scoped("alice")
        alice.remember("User likes tea.", said_at="2026-05-01")
        print(facts_in(alice.recall("Which tea do I like?").context))
        #> ['User likes tea. Stated at 2026-05-01']
    ```
    """
    lines = [line.strip() for line in prompt.replace("\\n", "\n").splitlines()]
    inside = False
    found: list[str] = []
    for line in lines:
        if f"<{TAG}>" in line:
            inside = True
        elif f"</{TAG}>" in line:
            inside = False
        elif inside and line.startswith("- "):
            found.append(line[2:])
    return found
