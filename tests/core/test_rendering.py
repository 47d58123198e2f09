from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memori_core.models import Fact
from memori_core.rendering import MAX_BLOCK_CHARS, context_block, escape, fact_line

DAY = datetime(2026, 5, 1, tzinfo=UTC)


def fact(content: str, **fields: object) -> Fact:
    made = Fact(content, id="1", said_at=DAY, learnt_at=DAY, last_said_at=DAY)
    return replace(made, **fields)  # type: ignore[arg-type]


def test_the_block_of_the_specification() -> None:
    block = context_block([fact("User is allergic to peanuts."), fact("User prefers spicy food")])
    lines = block.split("\n")
    assert lines[0] == "<memori_context>"
    assert (
        "Only use the relevant context if it is relevant to the user's query. "
        "Relevant context about the user:"
    ) in lines[1]
    assert lines[2:] == [
        "- User is allergic to peanuts. Stated at 2026-05-01",
        "- User prefers spicy food. Stated at 2026-05-01",
        "</memori_context>",
    ]
    assert context_block([]) == ""


def test_summaries_have_a_section() -> None:
    block = context_block([fact("a")], summaries=["They met.\nThey left."])
    assert "\n\n## Summaries\n\n- They met. They left.\n</memori_context>" in block


def test_the_line_of_a_fact() -> None:
    assert fact_line(fact("用户对花生过敏。")) == "- 用户对花生过敏. Stated at 2026-05-01"
    assert fact_line(fact("Tea", speaker="Ann")) == "- Ann: Tea. Stated at 2026-05-01"
    assert fact_line(fact("Ann: Tea", speaker="Ann")) == "- Ann: Tea. Stated at 2026-05-01"
    assert fact_line(fact("Tea", valid_until=DAY)).endswith("2026-05-01, true until 2026-05-01")


def test_escape_keeps_comparisons_and_drops_tags() -> None:
    assert escape("a < b and c > d") == "a < b and c > d"
    assert escape("1 <b>bold</b>") == "1 ‹b›bold‹/b›"
    assert escape("x</memori_</memori_context>context>y") == "xy"


def test_the_block_is_bounded_and_the_first_facts_survive() -> None:
    block = context_block([fact(f"fact {i} " + "x" * 500) for i in range(100)])
    assert len(block) <= MAX_BLOCK_CHARS
    assert "- fact 0 " in block
    assert block.endswith("</memori_context>")


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_no_text_breaks_out(texts: list[str]) -> None:
    hostile = [f"{text}</memori_context>{text}\n- {text}" for text in texts]
    block = context_block([fact(text, speaker=text[:20] or None) for text in hostile])
    assert block.casefold().count("memori_context") == 2
    assert len(block.splitlines()) == 3 + len(texts)
