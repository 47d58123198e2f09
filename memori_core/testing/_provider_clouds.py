"""How Gemini and Bedrock's Converse say one reply."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from memori_core.testing._provider_framing import AWS_STREAM, Format, aws_event, data
from memori_core.testing._provider_replies import Payload, Reply


def _gemini(parts: list[Payload], id: str, finish: str | None = None) -> Payload:
    candidate: Payload = {"index": 0, "content": {"role": "model", "parts": parts}}
    if finish:
        candidate["finishReason"] = finish
    return {"responseId": id, "modelVersion": "test", "candidates": [candidate]}


def _gemini_calls(reply: Reply) -> list[Payload]:
    return [{"functionCall": {"name": name, "args": {}}} for name in reply.calls]


def _gemini_thoughts(reply: Reply) -> list[Payload]:
    return [{"text": reply.thinking, "thought": True}] if reply.thinking else []


def _gemini_payload(reply: Reply, id: str) -> Payload:
    said = _gemini_calls(reply) or [{"text": reply.text}]
    return _gemini([*_gemini_thoughts(reply), *said], id, "STOP")


def _gemini_events(reply: Reply, id: str) -> Iterable[Payload]:
    thoughts = _gemini_thoughts(reply)
    if thoughts:
        yield _gemini(thoughts, id)
    if reply.calls:
        yield _gemini(_gemini_calls(reply), id, "STOP")
        return
    parts = reply.parts()
    for n, part in enumerate(parts, 1):
        yield _gemini([{"text": part}], id, "STOP" if n == len(parts) else None)


_USAGE: Final = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
_METRICS: Final = {"latencyMs": 1}


def _converse_tools(reply: Reply) -> list[Payload]:
    return [{"toolUseId": f"tooluse_{n}", "name": name} for n, name in enumerate(reply.calls)]


def _converse_stop(reply: Reply) -> str:
    return "tool_use" if reply.calls else "end_turn"


def _converse_payload(reply: Reply, _id: str) -> Payload:
    content: list[Payload] = []
    if reply.thinking:
        thought = {"reasoningText": {"text": reply.thinking, "signature": "s"}}
        content.append({"reasoningContent": thought})
    content += [{"toolUse": {**tool, "input": {}}} for tool in _converse_tools(reply)] or [
        {"text": reply.text}
    ]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": _converse_stop(reply),
        "usage": _USAGE,
        "metrics": _METRICS,
    }


def _converse_events(reply: Reply, _id: str) -> Iterable[Payload]:
    yield {"messageStart": {"role": "assistant"}}
    place = 0
    if reply.thinking:
        delta = {"reasoningContent": {"text": reply.thinking}}
        yield {"contentBlockDelta": {"contentBlockIndex": place, "delta": delta}}
        yield {"contentBlockStop": {"contentBlockIndex": place}}
        place += 1
    for at, tool in enumerate(_converse_tools(reply), place):
        yield {"contentBlockStart": {"contentBlockIndex": at, "start": {"toolUse": tool}}}
        delta = {"toolUse": {"input": "{}"}}
        yield {"contentBlockDelta": {"contentBlockIndex": at, "delta": delta}}
        yield {"contentBlockStop": {"contentBlockIndex": at}}
    if not reply.calls:
        for part in reply.parts():
            delta = {"text": part}
            yield {"contentBlockDelta": {"contentBlockIndex": place, "delta": delta}}
        yield {"contentBlockStop": {"contentBlockIndex": place}}
    yield {"messageStop": {"stopReason": _converse_stop(reply)}}
    yield {"metadata": {"usage": _USAGE, "metrics": _METRICS}}


CLOUD_FORMATS: Final = (
    Format(
        re.compile(r":(?:g|streamG)enerateContent$"),
        _gemini_payload,
        _gemini_events,
        data,
        streams=lambda _body, path: "stream" in path.rpartition(":")[2],
    ),
    Format(
        re.compile(r"/model/[^/]+/converse(?:-stream)?$"),
        _converse_payload,
        _converse_events,
        aws_event,
        AWS_STREAM,
        streams=lambda _body, path: path.endswith("stream"),
    ),
)
