"""From what a model replied to an `Extraction`. Pure functions that take any text.

Models wrap JSON in talk and fences, break off, give lists where objects were asked for, and put
null, NaN or half characters anywhere. What can be read is read, the rest is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import cast

from memori_core.augmentation._reply_json import Parsed, json_values
from memori_core.conversation import ExtractedFact, Extraction, Message, Triple
from memori_core.models import Kind, unique_key
from memori_core.rendering import MAX_FACT_CHARS, one_line

MAX_FACTS = 200
"""Facts read from one reply; more is not what a turn can say."""

MAX_SUMMARY_CHARS = 2_000
_MAX_PARTS = 20  # dates, triples and ends of one fact
_MAX_NAME_CHARS = 200

_FACTS = ("facts", "memory", "memories")
_CONTENT = ("content", "text", "fact", "memory")
_KNOWN = {*_FACTS, *_CONTENT, "forget", "attributes", "summary"}
_KINDS: Mapping[str, Kind] = {"preference": "preference", "identity": "identity", "plan": "plan"}
_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T.*)?", re.DOTALL)


def parse_extraction(reply: str, messages: Sequence[Message]) -> Extraction:
    """What can be read of a reply; an empty extraction where nothing can. Never raises.

    ```python
    from memori_core.augmentation.parsing import parse_extraction
    from memori_core.conversation import Message

    reply = 'Sure! {"facts": [{"content": "User likes tea.", "message": 1}, {"content": "Us'
    print(parse_extraction(reply, [Message("user", "I like tea.")]).facts[0].content)
    #> User likes tea.
    ```
    """
    return read_reply(reply, messages) or Extraction()


def read_reply(reply: str, messages: Sequence[Message]) -> Extraction | None:
    """The same, but None where the reply holds no JSON with facts, so that it can be asked again.

    Args:
        reply: What the model said.
        messages: The messages it was shown. A fact whose `message` is no user message of them
            is taken to come from the last user message.
    """
    for value in json_values(reply):
        root = _root(value)
        if root is not None:
            return _extraction(root, messages)
    return None


def speaker_of(source: int, messages: Sequence[Message]) -> str | None:
    """The name under which a message was said, as it can be stored; None if it has none."""
    name = messages[source].name if source < len(messages) else None
    return _text(name, limit=_MAX_NAME_CHARS) or None


def _root(value: Parsed) -> dict[str, object] | None:
    """The object with the facts: as asked for, nested by one, a bare list or a bare fact."""
    if isinstance(value, list):
        has_items = any(isinstance(item, str | dict) for item in value)
        return {"facts": value} if has_items or not value else None
    nested = [cast("dict[str, object]", v) for v in value.values() if isinstance(v, dict)]
    if not _KNOWN.intersection(value):
        # {"entity": {"facts": …}, "conversation": {"summary": …}}, {"result": {"facts": …}}
        merged = {key: v for part in nested for key, v in part.items() if key in _KNOWN}
        return merged if merged or not value else None
    if any(key in value for key in _FACTS):
        # {"facts": null} says no more than no JSON at all.
        return value if any(value.get(key) is not None for key in _FACTS) else None
    return {"facts": [value]} if any(key in value for key in _CONTENT) else value


def _extraction(root: dict[str, object], messages: Sequence[Message]) -> Extraction:
    given: object = next((root[key] for key in _FACTS if root.get(key) is not None), None)
    facts: dict[bytes, ExtractedFact] = {}
    for item in _items(given):
        fact = _fact(item, messages)
        if fact is not None:
            facts.setdefault(unique_key(fact.content), fact)
        if len(facts) == MAX_FACTS:
            break
    return Extraction(
        facts=tuple(facts.values()),
        forget=_texts(root.get("forget")),
        attributes=_texts(root.get("attributes")),
        summary=_text(root.get("summary"), limit=MAX_SUMMARY_CHARS) or None,
    )


def _fact(item: object, messages: Sequence[Message]) -> ExtractedFact | None:
    fields: dict[str, object]
    fields = cast("dict[str, object]", item) if isinstance(item, dict) else {"content": item}
    texts = (_text(fields.get(key), limit=MAX_FACT_CHARS) for key in _CONTENT)
    content = next((text for text in texts if text), "")
    if not any(c.isalnum() for c in content):
        return None
    source = _source(fields.get("message"), messages)
    return ExtractedFact(
        content,
        kind=_kind(fields.get("kind")),
        pinned=fields.get("pinned") in (True, "true", "True"),
        dates=tuple(_dates(fields.get("dates"))),
        triples=tuple(_triples(fields.get("triples"))),
        ends=tuple(_triples(fields.get("ends"))),
        speaker=speaker_of(source, messages),
        message=source,
    )


def _kind(value: object) -> Kind:
    return _KINDS.get(value, "fact") if isinstance(value, str) else "fact"


def _source(number: object, messages: Sequence[Message]) -> int:
    if isinstance(number, str) and number.strip().isdecimal() and len(number) < 10:
        number = int(number)
    if (
        isinstance(number, int)
        and 1 <= number <= len(messages)
        and messages[number - 1].role == "user"
    ):
        return number - 1
    return max((i for i, message in enumerate(messages) if message.role == "user"), default=0)


def _dates(value: object) -> Iterator[str]:
    """ISO days, months and years that exist."""
    for text in _texts(value)[:_MAX_PARTS]:
        match = _ISO.fullmatch(text)
        if match is None:
            continue
        year, month, day = (int(part) if part else 1 for part in match.groups())
        try:
            date(year, month, day)
        except ValueError:
            continue
        yield text.partition("T")[0]


def _triples(value: object) -> Iterator[Triple]:
    for item in _items(value)[:_MAX_PARTS]:
        if isinstance(item, dict):
            fields = cast("dict[str, object]", item)
            parts = [fields.get(key) for key in ("subject", "predicate", "object")]
        else:
            parts = _items(item)
        if len(parts) != 3:
            continue
        subject, predicate, object_ = (_text(_name(part), limit=_MAX_NAME_CHARS) for part in parts)
        predicate = re.sub(r"[\s-]+", "_", predicate.casefold())
        if subject and predicate and object_:
            yield Triple(subject, predicate, object_)


def _name(value: object) -> object:
    """The name in `{"name": …, "type": …}`; anything else as it is."""
    return cast("dict[str, object]", value).get("name") if isinstance(value, dict) else value


def _items(value: object) -> list[object]:
    """A list as it is; one thing as a list of it; null as none."""
    if value is None:
        return []
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _texts(value: object) -> tuple[str, ...]:
    texts = (_text(item, limit=MAX_FACT_CHARS) for item in _items(value)[:MAX_FACTS])
    return _distinct(text for text in texts if text)


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _text(value: object, *, limit: int) -> str:
    """Text as one line that every store takes; empty for anything else, and for what is too long.

    A pair of surrogates becomes the character that it stands for, half a pair a replacement.
    """
    if not isinstance(value, str) or len(value) > limit:
        return ""
    whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return one_line(whole)
