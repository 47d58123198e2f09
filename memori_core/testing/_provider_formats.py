"""How providers say one reply: as JSON, and as the events of a stream."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from memori_core.testing._provider_clouds import CLOUD_FORMATS
from memori_core.testing._provider_framing import AWS_STREAM, Format, aws_chunk, data, line, named
from memori_core.testing._provider_replies import Payload, Reply


def _chat(id: str, kind: str, **choice: Any) -> Payload:
    return {
        "id": id,
        "object": kind,
        "created": 1,
        "model": "test",
        "choices": [{"index": 0, "finish_reason": None, **choice}],
    }


def _tool_calls(reply: Reply) -> list[Payload]:
    return [
        {
            "index": n,
            "id": f"call_{n}",
            "type": "function",
            "function": {"name": name, "arguments": "{}"},
        }
        for n, name in enumerate(reply.calls)
    ]


def _chat_payload(reply: Reply, id: str) -> Payload:
    message: Payload = {"role": "assistant", "content": reply.text}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.refusal is not None:
        message |= {"content": None, "refusal": reply.refusal}
    if reply.calls:
        message |= {"content": None, "tool_calls": _tool_calls(reply)}
    finish = "tool_calls" if reply.calls else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {**_chat(id, "chat.completion", message=message, finish_reason=finish), "usage": usage}


def _chat_events(reply: Reply, id: str) -> Iterable[Payload]:
    kind = "chat.completion.chunk"
    yield _chat(id, kind, delta={"role": "assistant", "content": ""})
    if reply.calls:
        yield _chat(id, kind, delta={"tool_calls": _tool_calls(reply)})
        yield _chat(id, kind, delta={}, finish_reason="tool_calls")
        return
    for part in reply.parts():
        yield _chat(id, kind, delta={"content": part})
    yield _chat(id, kind, delta={}, finish_reason="stop")


def _response(reply: Reply, id: str, *, status: str = "completed", empty: bool = False) -> Payload:
    content: Payload = {"type": "output_text", "text": reply.text, "annotations": []}
    if reply.refusal is not None:
        content = {"type": "refusal", "refusal": reply.refusal}
    message: Payload = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [content],
    }
    calls = [
        {
            "type": "function_call",
            "id": f"fc_{n}",
            "call_id": f"call_{n}",
            "name": name,
            "arguments": "{}",
            "status": "completed",
        }
        for n, name in enumerate(reply.calls)
    ]
    return {
        "id": id,
        "object": "response",
        "created_at": 1,
        "model": "test",
        "status": status,
        "output": [] if empty else calls or [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _response_events(reply: Reply, id: str) -> Iterable[Payload]:
    waiting = _response(reply, id, status="in_progress", empty=True)
    item = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    message: Payload = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "in_progress",
        "content": [],
    }
    events: list[Payload] = [{"type": "response.created", "response": waiting}]
    if not reply.calls:
        part: Payload = {"type": "output_text", "text": "", "annotations": []}
        events += [
            {"type": "response.output_item.added", "output_index": 0, "item": message},
            {"type": "response.content_part.added", **item, "part": part},
        ]
        events += [
            {"type": "response.output_text.delta", **item, "delta": text, "logprobs": []}
            for text in reply.parts()
        ]
    events.append({"type": "response.completed", "response": _response(reply, id)})
    return [{**event, "sequence_number": n} for n, event in enumerate(events)]


def _anthropic_message(id: str, content: list[Payload], stop: str | None) -> Payload:
    return {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": "test",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _anthropic_blocks(reply: Reply) -> list[Payload]:
    blocks: list[Payload] = []
    if reply.thinking:
        blocks.append({"type": "thinking", "thinking": reply.thinking, "signature": "s"})
    if reply.text and not reply.calls:
        blocks.append({"type": "text", "text": reply.text})
    return blocks + [
        {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": {}}
        for n, name in enumerate(reply.calls)
    ]


def _anthropic_payload(reply: Reply, id: str) -> Payload:
    stop = "tool_use" if reply.calls else "end_turn"
    return _anthropic_message(id, _anthropic_blocks(reply), stop)


def _anthropic_events(reply: Reply, id: str) -> Iterable[Payload]:
    yield {"type": "message_start", "message": _anthropic_message(id, [], None)}
    yield {"type": "ping"}
    for n, block in enumerate(_anthropic_blocks(reply)):
        deltas: list[Payload] = []
        start = dict(block)
        if block["type"] == "text":
            start = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": text} for text in reply.parts()]
        elif block["type"] == "thinking":
            start = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": reply.thinking}]
        yield {"type": "content_block_start", "index": n, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": n, "delta": delta}
        yield {"type": "content_block_stop", "index": n}
    stop = "tool_use" if reply.calls else "end_turn"
    delta = {"stop_reason": stop, "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _ollama_payload(reply: Reply, _id: str) -> Payload:
    message: Payload = {"role": "assistant", "content": "" if reply.calls else reply.text}
    if reply.calls:
        message["tool_calls"] = [
            {"function": {"name": name, "arguments": {}}} for name in reply.calls
        ]
    return {"model": "test", "message": message, "done": True, "done_reason": "stop"}


def _ollama_events(reply: Reply, id: str) -> Iterable[Payload]:
    for part in () if reply.calls else reply.parts():
        message = {"role": "assistant", "content": part}
        yield {"model": "test", "message": message, "done": False}
    whole = _ollama_payload(reply, id)
    yield {**whole, "message": {**whole["message"], "content": ""}}


def _generate_payload(reply: Reply, _id: str) -> Payload:
    return {"model": "test", "response": reply.text, "done": True}


def _generate_events(reply: Reply, _id: str) -> Iterable[Payload]:
    for part in reply.parts():
        yield {"model": "test", "response": part, "done": False}
    yield {"model": "test", "response": "", "done": True}


def _cohere_payload(reply: Reply, id: str) -> Payload:
    message: Payload = {"role": "assistant", "content": [{"type": "text", "text": reply.text}]}
    if reply.calls:
        message = {"role": "assistant", "tool_calls": _tool_calls(reply)}
    return {
        "id": id,
        "finish_reason": "TOOL_CALL" if reply.calls else "COMPLETE",
        "message": message,
    }


def _cohere_events(reply: Reply, id: str) -> Iterable[Payload]:
    yield {"type": "message-start", "id": id, "delta": {"message": {"role": "assistant"}}}
    for n, call in enumerate(_tool_calls(reply)):
        delta = {"message": {"tool_calls": call}}
        yield {"type": "tool-call-start", "index": n, "delta": delta}
    for part in () if reply.calls else reply.parts():
        delta = {"message": {"content": {"text": part}}}
        yield {"type": "content-delta", "index": 0, "delta": delta}
    reason = "TOOL_CALL" if reply.calls else "COMPLETE"
    yield {"type": "message-end", "delta": {"finish_reason": reason}}


FORMATS: Final = (
    Format(
        re.compile(r"/chat/completions$"),
        _chat_payload,
        _chat_events,
        data,
        last=b"data: [DONE]\n\n",
    ),
    Format(re.compile(r"/responses$"), _response, _response_events, named),
    Format(
        re.compile(r"/v1/messages$|:(?:raw|streamRaw)Predict$"),
        _anthropic_payload,
        _anthropic_events,
        named,
        streams=lambda body, path: bool(body.get("stream")) or "streamRaw" in path,
    ),
    Format(
        re.compile(r"/model/[^/]+/invoke(?:-with-response-stream)?$"),
        _anthropic_payload,
        _anthropic_events,
        aws_chunk,
        AWS_STREAM,
        streams=lambda _body, path: path.endswith("stream"),
    ),
    Format(
        re.compile(r"/api/chat$"), _ollama_payload, _ollama_events, line, "application/x-ndjson"
    ),
    Format(
        re.compile(r"/api/generate$"),
        _generate_payload,
        _generate_events,
        line,
        "application/x-ndjson",
    ),
    Format(re.compile(r"/v2/chat$"), _cohere_payload, _cohere_events, data),
    *CLOUD_FORMATS,
)


def queued(id: str) -> Payload:
    """What the Responses API answers to a request that is worked on in the background."""
    return _response(Reply(), id, status="queued", empty=True)


def fetched(reply: Reply, id: str) -> Payload:
    """The answer of the Responses API when it is fetched later."""
    return _response(reply, id)
