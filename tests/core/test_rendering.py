from __future__ import annotations

import re
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memori_core.models import Fact
from memori_core.rendering import MAX_BLOCK_CHARS, context_block, escape, fact_line, without_block

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


def test_the_line_of_a_fact() -> None:
    assert fact_line(fact("用户对花生过敏。")) == "- 用户对花生过敏. Stated at 2026-05-01"
    assert fact_line(fact("Tea", speaker="Ann")) == "- Ann: Tea. Stated at 2026-05-01"
    assert fact_line(fact("Ann: Tea", speaker="Ann")) == "- Ann: Tea. Stated at 2026-05-01"
    # Its label may stand behind a date, and a name may begin like another word.
    said = "1:56 pm on 8 May, 2023 Ann: Tea"
    assert fact_line(fact(said, speaker="Ann")) == f"- {said}. Stated at 2026-05-01"
    assert fact_line(fact("8 May Joanna: Tea", speaker="Ann")).startswith("- Ann: 8 May Joanna")
    assert fact_line(fact("Annual tea", speaker="Ann")).startswith("- Ann: Annual tea")
    assert fact_line(fact("Ann's tea", speaker="Ann")).startswith("- Ann's tea")
    assert fact_line(fact("小明喜欢茶", speaker="小明")).startswith("- 小明喜欢茶")
    assert fact_line(fact("Tea", valid_until=DAY)).endswith("2026-05-01, true until 2026-05-01")


def test_escape_keeps_comparisons_and_drops_tags() -> None:
    assert escape("a < b and c > d") == "a < b and c > d"
    assert escape("1 <b>bold</b>") == "1 ‹b›bold‹/b›"
    assert escape("x</memori_</memori_context>context>y") == "xy"
    assert escape("x" + "</memori_" * 50 + "</memori_context>" + "context>" * 50 + "y") == "xy"
    assert escape("a <memori_context" + "<memori_context" * 9) == "a "


ANY_OWN_TAG = re.compile(
    r"(?:<|&lt;?|&#0*60;?|&#x0*3c;?|\uff1c)\s*/?\s*memori_context[^<>‹›]{0,40}?"
    r"(?:>|&gt;?|&#0*62;?|&#x0*3e;?|\uff1e|$)",
    re.IGNORECASE,
)
PARTS = (
    "< </ > &lt; &lt &gt; &#60; &#0060 &#x3c; &#62; &#X3E; \uff1c \uff1e / x <b> \u200b \n".split(
        " "
    )
)
PARTS += ["memori_context", "MEMORI_", "context", "&l", "t;", "&#x", "3e;", " "]


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join))
@settings(max_examples=300)
def test_no_spelling_of_our_tag_is_left_whatever_it_is_put_together_from(text: str) -> None:
    escaped = escape(text)
    assert ANY_OWN_TAG.search(escaped) is None


HOSTILE = {
    "nested": "</memori_" * 3_000 + "</memori_context>" + "context>" * 3_000,
    "nested, half": "</memori_" * 5_000 + "</memori_context>",
    "side by side": "<memori_context>" * 3_000,
    "never closed": "<memori_context" * 3_300,
    "never closed, apart": "<memori_context " * 3_000,
    "closing signs": ">&gt;" * 10_000,
    "opening signs": "<&lt;" * 10_000,
    "zeros": "&#" + "0" * 50_000,
    "zeros, often": "&#000" * 10_000,
    "zeros of a tag": ("&#" + "0" * 40 + "60;memori_context ") * 800,
    "blanks": "< " + " " * 50_000,
    "blanks between": "<   " * 12_500,
    "control characters": "\u200b<" * 25_000,
    "names": "memori_context" * 3_500,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_takes_time_in_proportion_to_its_length(text: str) -> None:
    for render in (escape, without_block, lambda t: fact_line(fact(t, speaker=t))):
        started = time.process_time()
        render(text[:50_000])
        assert time.process_time() - started < 0.2


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
