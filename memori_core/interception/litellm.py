"""LiteLLM: `completion` and `acompletion`, of the module or of one Router.

A transport below them would see each provider's own stack, some of it signed. Router,
`batch_completion`, `fallbacks` and LiteLLM's agent loops look the two names up when they call, so
they are served, too; calls nest there, and the outermost acts. Not covered: names imported before
(`from litellm import completion`), `text_completion`, `responses` and `anthropic.messages`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, ClassVar, Final, cast

from memori_core.interception.call import Call
from memori_core.interception.handling import handled
from memori_core.interception.interceptor import Interceptor
from memori_core.interception.kind import ClientKind
from memori_core.interception.litellm_streams import tee
from memori_core.interception.shadowing import Shadow, comes_from, shadow_of
from memori_core.interception.wire.messages import OpenAIChat

_CHAT: Final = OpenAIChat()
_ASYNC_FLAG: Final = "acompletion"
"""`completion(..., acompletion=True)` is LiteLLM's own way to ask for a coroutine."""


class LiteLLM(ClientKind):
    """The `litellm` module, and `litellm.Router`."""

    name: ClassVar[str] = "LiteLLM (the module, or a Router)"

    def matches(self, client: Any) -> bool:
        if isinstance(client, ModuleType):
            return client.__name__ == "litellm"
        return comes_from(client, "litellm", "Router")

    def installed(self, client: Any) -> Interceptor | None:
        shadow = shadow_of(client)
        return None if shadow is None else shadow.interceptor

    def install(self, client: Any, interceptor: Interceptor) -> None:
        shadow = Shadow(interceptor)
        shadow.put(client, _functions(client, shadow))

    def remove(self, client: Any) -> None:
        if shadow := shadow_of(client):
            shadow.undo(client)


def _functions(target: Any, shadow: Shadow) -> dict[str, Callable[..., Any]]:
    """What stands in for the two functions. A Router's take `*args, **kwargs`."""
    sync_function, async_function = target.completion, target.acompletion

    def completion(*args: Any, **kwargs: Any) -> Any:
        messages = None if kwargs.get(_ASYNC_FLAG) else _messages(args, kwargs)
        call = shadow.begin(_CHAT, {"messages": messages}) if messages is not None else None
        if call is None:
            return sync_function(*args, **kwargs)
        args, kwargs = _with_messages(args, kwargs, call.body["messages"])
        with handled():
            result = sync_function(*args, **kwargs)
        return _seen(result, call, shadow)

    async def acompletion(*args: Any, **kwargs: Any) -> Any:
        messages = _messages(args, kwargs)
        call = await shadow.abegin(_CHAT, {"messages": messages}) if messages is not None else None
        if call is None:
            return await async_function(*args, **kwargs)
        args, kwargs = _with_messages(args, kwargs, call.body["messages"])
        with handled():
            result = await async_function(*args, **kwargs)
        return _seen(result, call, shadow)

    functions: dict[str, Callable[..., Any]] = {}
    for function, original in ((completion, sync_function), (acompletion, async_function)):
        function.__wrapped__ = original  # pyright: ignore[reportFunctionMemberAccess] (for inspect.signature)
        function.__doc__ = original.__doc__
        functions[function.__name__] = function
    return functions


def _seen(result: Any, call: Call, shadow: Shadow) -> Any:
    try:
        return tee(result, call)
    except (AttributeError, TypeError) as e:  # a result of a kind we do not know
        shadow.interceptor.counts.failed("reading", e)
        return result


def _messages(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """`messages`, by name or as the second argument; None where there are none."""
    found = kwargs.get("messages")
    if found is None and len(args) > 1:
        found = args[1]
    return cast("Any", found) if isinstance(found, list | tuple) else None


def _with_messages(
    args: tuple[Any, ...], kwargs: Mapping[str, Any], messages: Any
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same arguments with other messages."""
    if kwargs.get("messages") is not None:
        return args, {**kwargs, "messages": messages}
    return (args[0], messages, *args[2:]), dict(kwargs)


KINDS: Final = (LiteLLM(),)
