"""Standing in for attributes of an object of the user's, and taking it back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Self, cast

from memori_core.interception.call import Call
from memori_core.interception.interceptor import Interceptor
from memori_core.interception.wire.base import WireFormat

_NOTE: Final = "_memori_registered"
_ABSENT: Final = object()


class Shadow:
    """One object's registration: our functions in its attributes, and what was there before.

    Kept on the object itself. Functions of ours ask it what to do, so that copies of them that
    outlive the registration (in a copied object, in a name bound earlier) go back to doing nothing.
    """

    def __init__(self, interceptor: Interceptor) -> None:
        self.interceptor = interceptor
        self._ours: dict[str, Any] = {}
        self._before: dict[str, Any] = {}

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def put(self, target: Any, functions: Mapping[str, Callable[..., Any]]) -> None:
        """Put functions in place of the object's own."""
        own = cast("dict[str, Any]", vars(target))
        for name, function in functions.items():
            self._before[name] = own.get(name, _ABSENT)
            self._ours[name] = function
            setattr(target, name, function)
        setattr(target, _NOTE, self)

    def undo(self, target: Any) -> None:
        """Put back what was there. What others have wrapped around ours since stays, and does
        nothing more."""
        own = cast("dict[str, Any]", vars(target))
        for name, before in self._before.items():
            if own.get(name) is not self._ours[name]:
                continue
            if before is _ABSENT:
                delattr(target, name)
            else:
                setattr(target, name, before)
        delattr(target, _NOTE)

    def begin(self, wire: WireFormat, body: Any) -> Call | None:
        """What to send instead of the body; None to leave the call alone."""
        return self.interceptor.begin(wire, body)

    async def abegin(self, wire: WireFormat, body: Any) -> Call | None:
        """`begin` without blocking the event loop."""
        return await self.interceptor.abegin(wire, body)


def shadow_of(target: Any) -> Shadow | None:
    """The registration of an object, if it has one."""
    found = getattr(target, _NOTE, None)
    return found if isinstance(found, Shadow) else None


def comes_from(client: Any, package: str, *names: str) -> bool:
    """Whether the object's class is, or is made from, one of these names in a package."""
    return any(
        cls.__name__ in names and (cls.__module__ + ".").startswith(package + ".")
        for cls in type(client).__mro__
    )
