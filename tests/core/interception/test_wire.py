"""Request formats and answers by themselves: shapes that are hard to bring about with an SDK."""

from __future__ import annotations

import copy
import gzip
import json
import types
import zlib
from typing import Any

import pytest

from memori_core.conversation import Message
from memori_core.interception.decoding import decompressed, events_in
from memori_core.interception.wire.anthropic import AnthropicMessages
from memori_core.interception.wire.base import Answer, WireFormat
from memori_core.interception.wire.bedrock import BedrockConverse
from memori_core.interception.wire.gemini import GeminiContent
from memori_core.interception.wire.messages import CohereChat, OllamaChat, OpenAIChat
from memori_core.interception.wire.ollama_generate import OllamaGenerate
from memori_core.interception.wire.openai_responses import OpenAIResponses
from memori_core.interception.wire.paths import response_id, wire_for
from memori_core.interception.wire.texts import last_user
from memori_core.interception.wire.xai import XaiChat

BLOCK = "<memori_context>\n- Likes tea\n</memori_context>"
USER = {"role": "user", "content": "Hi"}


def read(wire: WireFormat, *events: Any) -> Answer:
    answer = Answer()
    for event in events:
        wire.read(answer, event)
    return answer


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/chat/completions", "openai_chat"),
        ("/openai/deployments/gpt/chat/completions", "openai_chat"),
        ("/v1/responses", "openai_responses"),
        ("/v1/messages", "anthropic"),
        ("/anthropic/v1/messages", "anthropic"),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/c:rawPredict", "anthropic"),
        ("/model/anthropic.claude/invoke-with-response-stream", "anthropic"),
        ("/api/chat", "ollama_chat"),
        ("/api/generate", "ollama_generate"),
        ("/v2/chat", "cohere"),
        ("/v1/threads/t/messages", None),
        ("/v1/messages/count_tokens", None),
        ("/v1/messages/batches", None),
        ("/v1/completions", None),
        ("/v1/responses/compact", None),
        ("/v1/embeddings", None),
        ("/v1/chat", None),
    ],
)
def test_paths(path: str, name: str | None):
    wire = wire_for(path)
    assert (wire.name if wire else None) == name


def test_the_id_of_a_response_that_is_fetched():
    assert response_id("/v1/responses/resp_1") == "resp_1"
    assert response_id("/v1/responses") is None
    assert response_id("/v1/responses/resp_1/cancel") is None


TEXT = {"role": "user", "content": "Who am I?"}
ANSWER = {"role": "assistant", "content": "Bob."}
IMAGE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:..."}}]}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
RESULT = {"role": "tool", "content": "a picture follows", "tool_call_id": "1"}
RESULT_PART = {"role": "user", "content": [{"type": "tool_result", "content": "5"}]}


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        ([TEXT], 0),
        ([TEXT, ANSWER], 0),
        ([TEXT, IMAGE], 0),
        ([IMAGE, TEXT], 1),
        ([IMAGE], None),
        ([TEXT, ANSWER, IMAGE], None),
        ([TEXT, ANSWER, IMAGE, IMAGE], None),
        ([TEXT, ANSWER, IMAGE, TEXT], 3),
        ([TEXT, CALL, RESULT, IMAGE], 0),
        ([TEXT, CALL, RESULT_PART], 0),
        ([TEXT, CALL, RESULT_PART, IMAGE], 0),
        ([RESULT], None),
    ],
)
def test_an_image_after_an_answer_is_not_the_question_before_it(messages: Any, place: int | None):
    assert last_user(messages) == place


def test_an_image_after_an_answer_in_the_other_formats():
    image = {"inlineData": {"mimeType": "image/png", "data": ""}}
    said = [
        {"role": "user", "parts": [{"text": "Who am I?"}]},
        {"role": "model", "parts": [{"text": "Bob."}]},
    ]
    new = {"role": "user", "parts": [image]}
    results = {"role": "user", "parts": [{"functionResponse": {"name": "f"}}]}
    assert GeminiContent().query({"contents": [*said, new]}) == ""
    assert GeminiContent().query({"contents": [said[0], new]}) == "Who am I?"
    assert GeminiContent().query({"contents": [*said, results]}) == "Who am I?"
    assert GeminiContent().query({"contents": [*said, {**results, "role": "function"}, new]})
    asked = {"role": "user", "content": [{"text": "Who am I?"}]}
    answer = {"role": "assistant", "content": [{"text": "Bob."}]}
    shown = {"role": "user", "content": [{"image": {"format": "png"}}]}
    result = {"role": "user", "content": [{"toolResult": {"toolUseId": "1"}}]}
    assert BedrockConverse().query({"messages": [asked, answer, shown]}) == ""
    assert BedrockConverse().query({"messages": [asked, shown]}) == "Who am I?"
    assert BedrockConverse().query({"messages": [asked, answer, result]}) == "Who am I?"


def test_an_image_after_an_answer_in_protocol_buffers():
    chat = pytest.importorskip("xai_sdk.chat", reason="xai-sdk is not installed")
    pb2 = pytest.importorskip("xai_sdk.proto").chat_pb2
    text, answer = chat.user("Who am I?"), chat.assistant("Bob.")
    shown, result = chat.user(chat.image("https://a.b/c.png")), chat.tool_result("5")
    for messages, query in (
        ([text, answer, shown], ""),
        ([text, shown], "Who am I?"),
        ([text, answer, result], "Who am I?"),
    ):
        assert XaiChat().query(pb2.GetCompletionsRequest(messages=messages)) == query


BODIES: list[tuple[WireFormat, dict[str, Any]]] = [
    (OpenAIChat(), {"messages": [{"role": "system", "content": "S"}, USER]}),
    (OpenAIChat(), {"messages": [USER]}),
    (OpenAIResponses(), {"input": "Hi", "instructions": "S"}),
    (OpenAIResponses(), {"input": [{"type": "message", **USER}]}),
    (AnthropicMessages(), {"messages": [USER], "system": "S"}),
    (AnthropicMessages(), {"messages": [USER], "system": [{"type": "text", "text": "S"}]}),
    (OllamaChat(), {"messages": [USER]}),
    (OllamaGenerate(), {"prompt": "Hi", "system": "S"}),
    (CohereChat(), {"messages": [USER]}),
]


@pytest.mark.parametrize("place", ["system", "user"])
@pytest.mark.parametrize(("wire", "body"), BODIES)
def test_nothing_of_the_body_is_changed(wire: WireFormat, body: dict[str, Any], place: Any):
    before = copy.deepcopy(body)
    assert wire.accepts(body)
    assert wire.query(body) == "Hi"
    new = wire.add_history(body, [Message("user", "A"), Message("assistant", "B")])
    new = wire.inject(new, BLOCK, place=place)
    assert body == before
    assert json.dumps(new).count("<memori_context>") == 1
    assert wire.query(new).endswith("Hi")


@pytest.mark.parametrize(("wire", "body"), BODIES)
def test_the_users_place_leaves_the_system_prompt(wire: WireFormat, body: dict[str, Any]):
    new = wire.inject(body, BLOCK, place="user")
    for name in ("system", "instructions"):
        assert new.get(name) == body.get(name)


@pytest.mark.parametrize(
    "body", [{}, {"messages": []}, {"messages": "Hi"}, {"messages": None}], ids=str
)
def test_a_body_without_messages_is_left_alone(body: dict[str, Any]):
    assert not OpenAIChat().accepts(body)
    assert not AnthropicMessages().accepts(body)


def test_prompts_with_their_own_template_are_left_alone():
    assert not OllamaGenerate().accepts({"prompt": "x", "raw": True})
    assert not OllamaGenerate().accepts({"prompt": "def f():", "suffix": "return"})


def test_b61_tool_results_in_the_users_role_are_passed_over():
    result = {"type": "tool_result", "tool_use_id": "t", "content": "500 lines"}
    body = {
        "messages": [
            {"role": "user", "content": "Where do I work?"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f"}]},
            {"role": "user", "content": [result]},
        ]
    }
    wire = AnthropicMessages()
    assert wire.query(body) == "Where do I work?"
    assert wire.is_tool_round(body)
    assert list(wire.sent_before(body) or ()) == []


def test_d20_messages_can_be_objects():
    objects = [
        types.SimpleNamespace(role="system", content="S"),
        types.SimpleNamespace(role="user", content="Hi"),
    ]
    body = {"messages": objects}
    wire = OpenAIChat()
    assert wire.query(body) == "Hi"
    new = wire.inject(body, BLOCK, place="system")
    assert new["messages"][0]["content"] == f"S\n\n{BLOCK}"
    assert objects[0].content == "S"


def test_mistrals_thinking_is_not_the_answer():
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "Hi"},
    ]
    event = {"choices": [{"index": 0, "message": {"content": content}, "finish_reason": "stop"}]}
    assert read(OpenAIChat(), event).text == "Hi"


def test_calls_of_tools_are_seen_in_every_format():
    function = {"name": "f", "arguments": "{}"}
    calls = [{"index": 0, "function": function}]
    chat = {"choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": None}]}
    older = {"choices": [{"message": {"function_call": function}, "finish_reason": "stop"}]}
    start = {"type": "tool-call-start", "delta": {"message": {"tool_calls": calls[0]}}}
    custom = {"object": "response", "output": [{"type": "custom_tool_call", "name": "f"}]}
    block = {"type": "content_block_start", "content_block": {"type": "tool_use", "name": "f"}}
    for wire, event in [
        (OpenAIChat(), chat),
        (OpenAIChat(), older),
        (OllamaChat(), {"message": {"tool_calls": [{"function": function}]}, "done": True}),
        (CohereChat(), start),
        (CohereChat(), {"message": {"tool_calls": calls}, "finish_reason": "TOOL_CALL"}),
        (OpenAIResponses(), custom),
        (AnthropicMessages(), block),
    ]:
        assert read(wire, event).calls == ["f"]


def test_a_turn_that_pauses_goes_on():
    message = {"type": "message", "content": [], "stop_reason": "pause_turn"}
    assert read(AnthropicMessages(), message).unfinished
    delta = {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}}
    assert read(AnthropicMessages(), delta).unfinished


def test_an_error_where_the_end_should_be_is_no_end():
    started = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hel"}}
    answer = read(AnthropicMessages(), started, {"type": "error", "error": {}})
    assert (answer.text, answer.complete) == ("Hel", False)


def test_responses_name_their_conversation():
    response = {"object": "response", "id": "r", "conversation": {"id": "c"}, "output": []}
    answer = read(OpenAIResponses(), response)
    assert (answer.id, answer.conversation_id) == ("r", "c")
    assert OpenAIResponses().link({"input": [], "conversation": "c"}) == "c"
    assert OpenAIResponses().link({"input": [], "conversation": {"id": "c"}}) == "c"


# --------------------------------------------------------------------------- the bytes


def events(raw: bytes, kind: str = "text/event-stream", encoding: str = "") -> list[Any]:
    return list(events_in([raw], content_type=kind, encoding=encoding))


def test_lines_of_server_sent_events():
    raw = b': hello\r\nevent: x\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata:{"b": 2}\n\ndata: [DONE]\n\n'
    assert events(raw) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("cut", [0, 5, 12, 20, 40])
def test_a_cut_stream_gives_what_came_whole(cut: int):
    raw = b'data: {"a": 1}\n\ndata: {"b": 2}\n\n'
    got = events(raw[:cut])
    assert got == [{"a": 1}, {"b": 2}][: len(got)]
    packer = zlib.compressobj(wbits=31)
    packed = packer.compress(raw) + packer.flush()
    assert events(packed[: max(cut, 0)], encoding="gzip") == events(
        decompressed(packed[:cut], "gzip")
    )


def test_encodings():
    raw = b'{"a": 1}'
    kind = "application/json"
    assert events(gzip.compress(raw), kind, "gzip") == [{"a": 1}]
    assert events(zlib.compress(raw), kind, "deflate") == [{"a": 1}]
    bare = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    assert events(bare.compress(raw) + bare.flush(), kind, " Deflate ") == [{"a": 1}]
    with pytest.raises(ValueError, match="rot13"):
        events(raw, kind, "rot13")


def test_encodings_of_optional_packages():
    brotli = pytest.importorskip("brotli", reason="brotli is not installed")
    assert decompressed(brotli.compress(b"x" * 99), "br") == b"x" * 99


def test_lines_of_json():
    assert events(b'{"a": 1}\n{"b": 2}\n{"c"', "application/x-ndjson") == [{"a": 1}, {"b": 2}]
