"""Anthropic's `pause_turn`: one answer in several requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.interception import Llm
from memori_core.testing import ProviderServer, Reply

anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")

USER = {"role": "user", "content": "Which tea do I like?"}
ASK = {"model": "m", "max_tokens": 9}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}


def message(stop: str, *content: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(content),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def events(said: str, stop: str) -> Sequence[dict[str, Any]]:
    begun = message(stop) | {"stop_reason": None}
    return [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": text("")},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": said},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]


@pytest.fixture
def client(server: ProviderServer, llm: Llm[Memori]):
    with anthropic.Anthropic(api_key="x", base_url=server.url) as client:
        llm.register(client, scope=Scope("alice"), on_error="raise")
        yield client


def test_a_paused_turn_is_kept_whole(client: Any, server: ProviderServer, said: Any):
    server.script(
        Reply(payload=message("pause_turn", text("I searched. "), SEARCH)),
        Reply(payload=message("pause_turn", text("I searched more. "))),
        Reply(payload=message("end_turn", text("You like green tea."))),
    )
    messages = [USER]
    for _ in range(3):
        answer = client.messages.create(**ASK, messages=messages)
        messages = [*messages, {"role": "assistant", "content": answer.content}]
    whole = "I searched. I searched more. You like green tea."
    assert said() == [("user", USER["content"]), ("assistant", whole)]
    assert [request.text.count("<memori_context>") for request in server.requests] == [1, 1, 1]


def test_a_paused_stream_is_kept_whole(client: Any, server: ProviderServer, said: Any):
    server.script(
        Reply(events=events("I searched. ", "pause_turn")),
        Reply(events=events("You like green tea.", "end_turn")),
    )
    messages = [USER]
    for _ in range(2):
        with client.messages.stream(**ASK, messages=messages) as stream:
            answer = stream.get_final_message()
        messages = [*messages, {"role": "assistant", "content": answer.content}]
    assert said() == [("user", USER["content"]), ("assistant", "I searched. You like green tea.")]


def test_a_turn_that_stays_paused_keeps_what_was_said(
    client: Any, server: ProviderServer, memori: Memori, llm: Llm[Memori]
):
    server.script(Reply(payload=message("pause_turn", text("I searched."))))
    client.messages.create(**ASK, messages=[USER])
    assert llm.close(5)
    stored = memori.scoped("alice").messages()
    assert [m.message.content for m in stored] == [USER["content"], "I searched."]


def test_the_question_asked_anew_does_not_go_on_from_the_paused_answer(
    client: Any, server: ProviderServer, said: Any
):
    server.script(
        Reply(payload=message("pause_turn", text("I searched."))),
        Reply(payload=message("end_turn", text("You like green tea."))),
    )
    for _ in range(2):
        client.messages.create(**ASK, messages=[USER])
    assert said() == [("user", USER["content"]), ("assistant", "You like green tea.")]


def test_what_is_said_before_calling_a_tool_is_not_the_answer(
    client: Any, server: ProviderServer, said: Any
):
    tool = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
    server.script(
        Reply(payload=message("tool_use", text("Let me look."), tool)),
        Reply(payload=message("end_turn", text("You like green tea."))),
    )
    answer = client.messages.create(**ASK, messages=[USER])
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "green"}
    client.messages.create(
        **ASK,
        messages=[
            USER,
            {"role": "assistant", "content": answer.content},
            {"role": "user", "content": [result]},
        ],
    )
    assert said() == [("user", USER["content"]), ("assistant", "You like green tea.")]
