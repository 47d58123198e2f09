"""AWS Bedrock through boto3: two events of the client, before the request is signed.

`before-parameter-build` sees the call's own parameters, once per call; `after-call` sees the
parsed response, and finds the call in the same `context`. botocore's retries lie between them. Not
covered: aiobotocore, the bidirectional stream, and bodies of `invoke_model` in other formats than
Anthropic's; these are left alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, cast

from memori_core.errors import UnsupportedClientError
from memori_core.interception.bedrock_streams import TeeBody, tee_events
from memori_core.interception.call import Call
from memori_core.interception.interceptor import Attempt, Interceptor
from memori_core.interception.kind import ClientKind
from memori_core.interception.wire.anthropic import AnthropicMessages
from memori_core.interception.wire.bedrock import BedrockConverse

_BEFORE: Final = "before-parameter-build.bedrock-runtime"
_AFTER: Final = "after-call.bedrock-runtime"
_BEFORE_ID: Final = "memori-before"
_AFTER_ID: Final = "memori-after"  # one id is one handler, whatever the event
_NOTE: Final = "_memori_registered"
_CALL: Final = "memori_call"

_CONVERSE: Final = BedrockConverse()
_ANTHROPIC: Final = AnthropicMessages()


class Bedrock(ClientKind):
    """`boto3.client("bedrock-runtime")`."""

    name: ClassVar[str] = 'AWS Bedrock (boto3.client("bedrock-runtime"))'

    def matches(self, client: Any) -> bool:
        return any(
            cls.__module__ == "botocore.client" and cls.__name__ == "BaseClient"
            for cls in type(client).__mro__
        ) and (_service(client) == "bedrock-runtime")

    def installed(self, client: Any) -> Interceptor | None:
        handlers = _handlers(client)
        return None if handlers is None else handlers.interceptor

    def install(self, client: Any, interceptor: Interceptor) -> None:
        if any(cls.__module__.startswith("aiobotocore") for cls in type(client).__mro__):
            raise UnsupportedClientError(
                "clients of aiobotocore are not supported. Use boto3, or recall and capture "
                "yourself: memori.arecall(...) before the call, memori.acapture(...) after it."
            )
        handlers = _Handlers(interceptor)
        client.meta.events.register_last(_BEFORE, handlers.before, unique_id=_BEFORE_ID)
        client.meta.events.register_first(_AFTER, handlers.after, unique_id=_AFTER_ID)
        setattr(client, _NOTE, handlers)

    def remove(self, client: Any) -> None:
        if handlers := _handlers(client):
            client.meta.events.unregister(_BEFORE, handlers.before, unique_id=_BEFORE_ID)
            client.meta.events.unregister(_AFTER, handlers.after, unique_id=_AFTER_ID)
            delattr(client, _NOTE)


def _handlers(client: Any) -> _Handlers | None:
    found = getattr(client, _NOTE, None)
    return found if isinstance(found, _Handlers) else None


def _service(client: Any) -> str:
    model = getattr(getattr(client, "meta", None), "service_model", None)
    return str(getattr(model, "service_name", ""))


class _Handlers:
    """What one client's events call."""

    def __init__(self, interceptor: Interceptor) -> None:
        self.interceptor = interceptor

    def before(self, params: dict[str, Any], model: Any, context: dict[str, Any], **_: Any) -> None:
        """Get memory into the call's own parameters; nested ones are the caller's."""
        if model.name in ("Converse", "ConverseStream"):
            call = self.interceptor.begin(_CONVERSE, params)
            changes: Mapping[str, Any] = call.body if call and call.changed else {}
        elif model.name in ("InvokeModel", "InvokeModelWithResponseStream"):
            body: Any = params.get("body")
            call = self.interceptor.run(lambda attempt: _invocation(attempt, body))
            changes = {"body": _json(call.body)} if call and call.changed else {}
        else:
            return
        if call:
            params.update(changes)
            context[_CALL] = call

    def after(
        self,
        http_response: Any,
        parsed: dict[str, Any],
        model: Any,
        context: dict[str, Any],
        **_: Any,
    ) -> None:
        """Hand over the answer, or watch it pass."""
        call: Call | None = context.pop(_CALL, None)
        if call is None or http_response.status_code >= 300:
            return
        try:
            self._watch(model.name, parsed, call)
        except (AttributeError, KeyError) as e:  # a botocore that we do not know
            self.interceptor.counts.failed("reading", e)

    def _watch(self, operation: str, parsed: dict[str, Any], call: Call) -> None:
        match operation:
            case "Converse":
                call.finish([parsed])
            case "ConverseStream":
                tee_events(parsed["stream"], call, _same)
            case "InvokeModelWithResponseStream":
                tee_events(parsed["body"], call, _chunk)
            case _:
                body = parsed["body"]
                body._raw_stream = TeeBody(body._raw_stream, call)  # noqa: SLF001 (`with body as f` hands that one out)


def _invocation(attempt: Attempt, body: Any) -> Call | None:
    """The call for a body of `invoke_model`; None for a file, and for formats we do not know."""
    if not isinstance(body, str | bytes | bytearray):
        return None
    try:
        read: Any = json.loads(body)
    except ValueError:
        return None
    if not isinstance(read, dict) or "anthropic_version" not in read:
        return None
    return attempt.prepare(_ANTHROPIC, cast("dict[str, Any]", read))


def _json(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def _same(event: Mapping[str, Any]) -> Iterator[Any]:
    yield event


def _chunk(event: Mapping[str, Any]) -> Iterator[Any]:
    """The event of the model inside one of Bedrock."""
    if "chunk" in event:
        yield json.loads(event["chunk"]["bytes"])


KINDS: Final = (Bedrock(),)
