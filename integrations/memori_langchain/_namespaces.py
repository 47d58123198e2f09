"""LangGraph's namespaces and the entities that stand for them. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote

from langgraph.store.base import InvalidNamespaceError, ListNamespacesOp, MatchCondition

Namespace = tuple[str, ...]

ROOT = "langgraph:"
"""How the ids of entities begin that hold the items of a store."""


def entity_of(namespace: Namespace) -> str:
    """The id of the entity that holds a namespace's items.

    Labels are joined by `/`; in a label, `/` is written `%2F` and `%` is written `%25`, so no two
    namespaces share an id.

    Raises:
        InvalidNamespaceError: A label is empty or no text.
    """
    check_labels(namespace)
    return ROOT + "/".join(label.replace("%", "%25").replace("/", "%2F") for label in namespace)


def namespace_of(entity_id: str) -> Namespace | None:
    """The namespace that an entity stands for; None for an entity that is none of ours."""
    if not entity_id.startswith(ROOT):
        return None
    path = entity_id.removeprefix(ROOT)
    return tuple(unquote(label) for label in path.split("/")) if path else ()


def below(prefix: Namespace, entity_ids: Iterable[str]) -> list[Namespace]:
    """The namespaces among entities that begin with these labels, in order."""
    path = entity_of(prefix)
    start = f"{path}/" if prefix else path
    chosen = (i for i in entity_ids if i == path or i.startswith(start))
    return sorted(namespace for i in chosen if (namespace := namespace_of(i)) is not None)


def check_labels(namespace: Iterable[object]) -> None:
    """Raise unless every label is text that is not empty. Unlike LangGraph's own, it may have dots.

    Raises:
        InvalidNamespaceError: One is not.
    """
    for label in namespace:
        if not isinstance(label, str) or not label:
            raise InvalidNamespaceError(
                f"a label of a namespace is text that is not empty, got {label!r} in {namespace!r}."
            )


def check_namespace(namespace: Namespace) -> None:
    """Raise unless items can be put there.

    Raises:
        InvalidNamespaceError: It is empty, begins with `langgraph`, or has a bad label.
    """
    check_labels(namespace)
    if not namespace or namespace[0] == "langgraph":
        raise InvalidNamespaceError(
            f'a namespace has a label, and the first is not "langgraph", got {namespace!r}.'
        )


def listed(namespaces: Iterable[Namespace], op: ListNamespacesOp) -> list[Namespace]:
    """Those that a listing asks for, in order."""
    found = {
        namespace[: op.max_depth]
        for namespace in namespaces
        if all(_matches(namespace, condition) for condition in op.match_conditions or ())
    }
    return sorted(found)[op.offset : op.offset + op.limit]


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = condition.path
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)]
    if condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))
