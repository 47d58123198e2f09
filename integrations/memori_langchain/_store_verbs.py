"""The verbs of a LangGraph store, with namespaces that may hold dots."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from typing import Any, Literal, cast

from langgraph.store.base import (
    NOT_PROVIDED,
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    NamespacePath,
    NotProvided,
    PutOp,
    SearchItem,
    SearchOp,
)

from memori_langchain._namespaces import Namespace, check_labels, check_namespace


class StoreVerbs(BaseStore, ABC):
    """As `BaseStore` derives them from `batch`, but for one check.

    `BaseStore` refuses labels with a dot, since other stores join labels by dots, and so refuses
    e-mail addresses.
    """

    def get(
        self, namespace: Namespace, key: str, *, refresh_ttl: bool | None = None
    ) -> Item | None:
        """The item, or None."""
        return cast("Item | None", self.batch([_get(namespace, key)])[0])

    def search(
        self,
        namespace_prefix: Namespace,
        /,
        *,
        query: str | None = None,
        filter: dict[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
        refresh_ttl: bool | None = None,
    ) -> list[SearchItem]:
        """The items below a namespace: the best first with a `query`, else in stored order."""
        op = _search(namespace_prefix, query, filter, limit, offset)
        return cast("list[SearchItem]", self.batch([op])[0])

    def put(
        self,
        namespace: Namespace,
        key: str,
        value: Mapping[str, Any],
        index: Literal[False] | list[str] | None = None,
        *,
        ttl: float | None | NotProvided = NOT_PROVIDED,
    ) -> None:
        """Store an item, in place of one with the same key."""
        self.batch([_put(namespace, key, value, index, ttl)])

    def delete(self, namespace: Namespace, key: str) -> None:
        """Remove an item for good, if it is there."""
        self.batch([_delete(namespace, key)])

    def list_namespaces(
        self,
        *,
        prefix: NamespacePath | None = None,
        suffix: NamespacePath | None = None,
        max_depth: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Namespace]:
        """The namespaces that hold items, in order."""
        op = _list(prefix, suffix, max_depth, limit, offset)
        return cast("list[Namespace]", self.batch([op])[0])

    async def aget(
        self, namespace: Namespace, key: str, *, refresh_ttl: bool | None = None
    ) -> Item | None:
        """`get` without blocking the event loop."""
        return cast("Item | None", (await self.abatch([_get(namespace, key)]))[0])

    async def asearch(
        self,
        namespace_prefix: Namespace,
        /,
        *,
        query: str | None = None,
        filter: dict[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
        refresh_ttl: bool | None = None,
    ) -> list[SearchItem]:
        """`search` without blocking the event loop."""
        op = _search(namespace_prefix, query, filter, limit, offset)
        return cast("list[SearchItem]", (await self.abatch([op]))[0])

    async def aput(
        self,
        namespace: Namespace,
        key: str,
        value: Mapping[str, Any],
        index: Literal[False] | list[str] | None = None,
        *,
        ttl: float | None | NotProvided = NOT_PROVIDED,
    ) -> None:
        """`put` without blocking the event loop."""
        await self.abatch([_put(namespace, key, value, index, ttl)])

    async def adelete(self, namespace: Namespace, key: str) -> None:
        """`delete` without blocking the event loop."""
        await self.abatch([_delete(namespace, key)])

    async def alist_namespaces(
        self,
        *,
        prefix: NamespacePath | None = None,
        suffix: NamespacePath | None = None,
        max_depth: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Namespace]:
        """`list_namespaces` without blocking the event loop."""
        op = _list(prefix, suffix, max_depth, limit, offset)
        return cast("list[Namespace]", (await self.abatch([op]))[0])


def _get(namespace: Namespace, key: str) -> GetOp:
    check_labels(namespace)
    return GetOp(namespace, str(key))


def _search(
    prefix: Namespace, query: str | None, filter: dict[str, Any] | None, limit: int, offset: int
) -> SearchOp:
    check_labels(prefix)
    return SearchOp(prefix, filter=filter, limit=limit, offset=offset, query=query)


def _put(
    namespace: Namespace,
    key: str,
    value: Mapping[str, Any],
    index: Literal[False] | list[str] | None,
    ttl: float | None | NotProvided,
) -> PutOp:
    check_namespace(namespace)
    if ttl not in (NOT_PROVIDED, None):
        raise NotImplementedError("MemoriStore has no TTL: items stay until they are deleted.")
    return PutOp(namespace, str(key), value, index=index)


def _delete(namespace: Namespace, key: str) -> PutOp:
    check_labels(namespace)
    return PutOp(namespace, str(key), None)


def _list(
    prefix: NamespacePath | None,
    suffix: NamespacePath | None,
    max_depth: int | None,
    limit: int,
    offset: int,
) -> ListNamespacesOp:
    check_labels(prefix or ())
    check_labels(suffix or ())
    conditions: list[MatchCondition] = []
    if prefix:
        conditions.append(MatchCondition(match_type="prefix", path=prefix))
    if suffix:
        conditions.append(MatchCondition(match_type="suffix", path=suffix))
    return ListNamespacesOp(tuple(conditions) or None, max_depth, limit, offset)
