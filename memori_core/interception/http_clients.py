"""Registered copies of httpx clients, and the SDKs that hold one.

The HTTP client that an SDK holds is often shared: all LangChain models with one base URL hold the
same, and a caller's `http_client=` may serve several SDKs. So it is never changed. The SDK client's
reference to it is replaced by a shallow copy on the same pool, with our transport in it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from memori_core.errors import UnsupportedClientError
from memori_core.interception.http_transports import package_of, wrapped
from memori_core.interception.interceptor import Interceptor
from memori_core.interception.kind import ClientKind

Place = tuple[Any, str]
"""An object, and the name of its attribute that holds an httpx client."""


class RegisteredCopy:
    """Marks the copies. `memori_original` is what they were made of: it keeps the pool open."""

    memori_original: Any
    memori_interceptor: Interceptor

    def __del__(self) -> None:
        """Nothing: the SDKs' subclasses close their pool here, but it belongs to the original."""


def registered_copy(original: Any, interceptor: Interceptor) -> Any:
    """The same HTTP client with memory: same pool, cookies, headers, hooks and methods."""
    module = package_of(original)
    assert module is not None
    copy = object.__new__(_copy_class(original.__class__))
    copy.__dict__.update(original.__dict__)
    inner = original._transport  # noqa: SLF001 (httpx has no public way to it)
    copy._transport = wrapped(inner, interceptor, module=module)
    copy._mounts = {  # proxies
        pattern: mounted and wrapped(mounted, interceptor, module=module)
        for pattern, mounted in original._mounts.items()  # noqa: SLF001
    }
    copy.memori_original = original
    copy.memori_interceptor = interceptor
    return copy


@cache
def _copy_class(kind: type) -> Any:
    return type(kind.__name__, (RegisteredCopy, kind), {})


class HttpKind(ClientKind):
    """Clients of an SDK that sends its requests through httpx or httpx2."""

    package: ClassVar[str]
    """The SDK's top-level module."""

    def places(self, client: Any) -> list[Place]:
        """Where the client keeps its HTTP clients.

        Raises:
            AttributeError: It is no client.
        """
        return [(client, "_client")]

    def refusal(self, client: Any) -> str | None:
        """Why this client cannot be served; None when it can."""
        return None

    def matches(self, client: Any) -> bool:
        if all(base.__module__.partition(".")[0] != self.package for base in type(client).__mro__):
            return False
        try:
            return any(package_of(getattr(*place)) for place in self.places(client))
        except AttributeError:
            return False

    def installed(self, client: Any) -> Interceptor | None:
        for owner, attribute in self.places(client):
            held = getattr(owner, attribute)
            if isinstance(held, RegisteredCopy):
                return held.memori_interceptor
        return None

    def install(self, client: Any, interceptor: Interceptor) -> None:
        reason = self.refusal(client)
        if reason is not None:
            raise UnsupportedClientError(reason)
        for owner, attribute in self.places(client):
            held = getattr(owner, attribute)
            if package_of(held) is not None:
                setattr(owner, attribute, registered_copy(held, interceptor))

    def remove(self, client: Any) -> None:
        for owner, attribute in self.places(client):
            held = getattr(owner, attribute)
            if isinstance(held, RegisteredCopy):
                setattr(owner, attribute, held.memori_original)
