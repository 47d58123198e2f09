"""How an integration makes sure, once, that its framework is there and new enough."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from memori_core.errors import MissingExtraError


def require_framework(
    integration: str, *, module: str, package: str, floor: tuple[int, ...], extra: str
) -> str:
    """The installed version of a framework.

    pip holds a framework to the floor of an extra only when it came through the extra, so the
    floor is looked at again here.

    Args:
        integration: The package that asks, for the message.
        module: The framework's top-level module.
        package: Its distribution.
        floor: The oldest release that has the hooks we use.
        extra: The extra of memori-core that brings it.

    Raises:
        MissingExtraError: It is missing or too old; the message is the pip line that fixes it.
    """
    wanted = f"{package}>={'.'.join(map(str, floor))}"
    try:
        found = version(package)
    except PackageNotFoundError as e:
        raise MissingExtraError(integration, package=wanted, extra=extra) from e
    if find_spec(module) is None:
        raise MissingExtraError(integration, package=wanted, extra=extra)
    if release(found) < floor:
        raise MissingExtraError(integration, package=f"{wanted}, not {found}", extra=extra)
    return found


def release(text: str) -> tuple[int, ...]:
    """The leading numbers of a version: `"1.8.0rc1"` gives `(1, 8)`."""
    numbers: list[int] = []
    for part in text.split("."):
        if not part.isdecimal():
            break
        numbers.append(int(part))
    return tuple(numbers)
