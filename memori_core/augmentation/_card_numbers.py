"""Numbers of payment cards in a text. Pure functions, linear."""

from __future__ import annotations

import re
from collections.abc import Iterator

_RUN = re.compile(r"(?<![A-Za-z0-9_.+/-])\d++(?:[ -]\d++)*+")
_GROUP = re.compile(r"\d+")

# How the digits of a card are grouped, in one piece or as they stand on the card.
_GROUPINGS = ((4, 4, 4, 4, 3), (4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 1), (6, 13))

# Networks by their first digits, with the lengths they give out.
_NETWORKS = (
    (re.compile(r"4"), (13, 16, 19)),  # Visa
    (re.compile(r"5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)"), (16,)),  # Mastercard
    (re.compile(r"3[47]"), (15,)),  # American Express
    (re.compile(r"6(?:011|4[4-9]|5)"), (16, 17, 18, 19)),  # Discover
    (re.compile(r"3(?:0|6|8|9)"), (14, 16, 17, 18, 19)),  # Diners
    (re.compile(r"35(?:2[89]|[3-8])"), (16, 17, 18, 19)),  # JCB
    (re.compile(r"62|81"), (16, 17, 18, 19)),  # UnionPay
    (re.compile(r"5(?:0|[6-8])|6(?:304|7)"), (13, 14, 15, 16, 17, 18, 19)),  # Maestro
)

# A number that says what it is: an order or a parcel may pass Luhn's check by chance, one in ten.
_OTHER_NUMBER = re.compile(
    r"(?:order|tracking|parcel|shipment|invoice|ticket|reference|ref|isbn|imei|订单|运单|快递|单)"
    r"\s*(?:number|no\.?|nr\.?|id|code|号码?|编号)?\s*(?:is|was|是|为)?\s*[#:：]*\s*$",
    re.IGNORECASE,
)
_LOOKBACK_CHARS = 40


def card_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where card numbers begin and end: 13 to 19 digits of a known network that pass Luhn."""
    for run in _RUN.finditer(text):
        before = text[max(0, run.start() - _LOOKBACK_CHARS) : run.start()]
        if run.end() - run.start() < 13 or _OTHER_NUMBER.search(before):
            continue
        groups = list(_GROUP.finditer(text, run.start(), run.end()))
        first = 0
        while first < len(groups):
            count = _card_groups([group.group() for group in groups[first : first + 5]])
            if count:
                yield groups[first].start(), groups[first + count - 1].end()
            first += count or 1


def _card_groups(groups: list[str]) -> int:
    """How many of these groups, from the first on, are one card number; 0 for none."""
    if _is_card(groups[0]):
        return 1
    sizes = tuple(len(group) for group in groups)
    for grouping in _GROUPINGS:
        count = len(grouping)
        if sizes[:count] == grouping and _is_card("".join(groups[:count])):
            return count
    return 0


def _is_card(digits: str) -> bool:
    return (
        any(len(digits) in sizes and first.match(digits) for first, sizes in _NETWORKS)
        and len(set(digits)) > 1
        and passes_luhn(digits)
    )


def passes_luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812-1)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
