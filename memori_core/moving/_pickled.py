"""The data inside a pickle, read without running it."""

from __future__ import annotations

import pickletools
from typing import Any, Final, cast

UNREAD: Final = object()
"""Stands for an object that only running the pickle would make."""


def plain_data(pickled: bytes) -> Any:  # Any: whatever was pickled
    """The dicts, lists, texts and numbers of a pickle; objects are the dicts of their state.

    The opcodes are followed, no name in them is looked up, and nothing is called: a pickle that
    was made to do harm does none.

    Raises:
        ValueError: The bytes are no pickle, or one with opcodes that data does not need.
    """
    try:
        return _followed(pickled)
    except (IndexError, KeyError, TypeError, AttributeError, UnicodeDecodeError) as e:
        raise ValueError(f"a broken pickle: {e!r}") from e


def _followed(pickled: bytes) -> Any:
    stack: list[Any] = []
    outer: list[list[Any]] = []  # the stacks below the marks
    memo: dict[int, Any] = {}

    def since_mark() -> list[Any]:
        nonlocal stack
        items, stack = stack, outer.pop()
        return items

    for opcode, arg, _ in pickletools.genops(pickled):
        value: Any = arg
        match opcode.name:
            case "STOP":
                return stack.pop()
            case "PROTO" | "FRAME":
                pass
            case "MARK":
                outer.append(stack)
                stack = []
            case "MEMOIZE":
                memo[len(memo)] = stack[-1]
            case "PUT" | "BINPUT" | "LONG_BINPUT":
                memo[value] = stack[-1]
            case "GET" | "BINGET" | "LONG_BINGET":
                stack.append(memo[value])
            case "NONE":
                stack.append(None)
            case "NEWTRUE" | "NEWFALSE":
                stack.append(opcode.name == "NEWTRUE")
            case "EMPTY_DICT":
                stack.append({})
            case "EMPTY_LIST" | "EMPTY_SET":  # a set's members need not be compared
                stack.append([])
            case "EMPTY_TUPLE":
                stack.append(())
            case "TUPLE":
                stack.append(tuple(since_mark()))
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                count = int(opcode.name[-1])
                stack[-count:] = [tuple(stack[-count:])]
            case "SETITEM":
                _set_items(stack[-3], stack[-2:])
                del stack[-2:]
            case "SETITEMS":
                items = since_mark()
                _set_items(stack[-1], items)
            case "APPEND":
                item = stack.pop()
                _append(stack[-1], [item])
            case "APPENDS" | "ADDITEMS":
                items = since_mark()
                _append(stack[-1], items)
            case "GLOBAL":
                stack.append(UNREAD)
            case "STACK_GLOBAL" | "REDUCE":  # a name, or a call
                stack[-2:] = [UNREAD]
            case "NEWOBJ":
                stack[-2:] = [{}]
            case "NEWOBJ_EX":
                stack[-3:] = [{}]
            case "BUILD":
                state = stack.pop()
                if isinstance(state, dict) and isinstance(stack[-1], dict):
                    stack[-1] |= cast("dict[Any, Any]", state)
            case _ if value is not None and not opcode.stack_before:  # a text or a number
                stack.append(value)
            case other:
                raise ValueError(f"the opcode {other} in a pickle")
    raise ValueError("a pickle without an end")


def _set_items(target: Any, items: list[Any]) -> None:
    if target is not UNREAD:
        target.update(zip(items[::2], items[1::2], strict=True))


def _append(target: Any, items: list[Any]) -> None:
    if target is not UNREAD:
        target.extend(items)
