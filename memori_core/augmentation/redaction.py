"""Secrets taken out of texts before anything is stored. Pure functions, linear in the text."""

from __future__ import annotations

import re
from typing import Protocol

from memori_core.augmentation._card_numbers import card_spans


class Redactor(Protocol):
    """Any function that gives back a text without what must not be stored."""

    def __call__(self, text: str, /) -> str: ...


def redact(text: str, /) -> str:
    """The text with secrets replaced by what they were, for example `[redacted: api key]`.

    Private keys, JSON web tokens, keys with a known prefix, passwords in URLs, values that are
    assigned to a password, secret, token or API key, and card numbers. Texts that only speak of
    such things stay as they are. Redacting twice changes nothing more.

    ```python
    from memori_core.augmentation.redaction import redact

    print(redact("The db is postgres://app:hunter22@db.local/main, api_key='9f8e7d6c5b'."))
    #> The db is postgres://app:[redacted: password]@db.local/main, api_key='[redacted: api key]'.
    print(redact("The token limit is 8192."))
    #> The token limit is 8192.
    ```
    """
    for pattern, label in _SECRETS:
        text = pattern.sub(f"[redacted: {label}]", text)
    text = _URL_PASSWORD.sub(_without_url_password, text)
    text = _ASSIGNMENT.sub(_without_value, text)
    return _without_cards(text)


_EDGE = r"(?<![A-Za-z0-9_-])"  # secrets begin at an edge; starting only there keeps this linear

_SECRETS = (
    (
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            # Something like a key must follow, for a text may speak of the line.
            r"(?=(?:[^-]|-(?!----)){0,400}?[A-Za-z0-9+/=]{32})"
            r"(?:[^-]|-(?!----))*+(?:-----END [A-Z0-9 ]{1,60}-----)?"
        ),
        "private key",
    ),
    (
        re.compile(_EDGE + r"eyJ[A-Za-z0-9_-]{6,}+\.[A-Za-z0-9_-]{6,}+(?:\.[A-Za-z0-9_-]*+)?"),
        "token",
    ),
    (
        re.compile(
            _EDGE + r"(?:"
            # With a digit: "sk-learn-compatible" is none.
            r"sk-(?=[A-Za-z_-]*+\d)[A-Za-z0-9_-]{12,}+"
            r"|(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{12,}+"
            r"|gh[pousr]_[A-Za-z0-9]{16,}+"
            r"|github_pat_[A-Za-z0-9_]{20,}+"
            r"|glpat-[A-Za-z0-9_-]{12,}+"
            r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"
            r"|xox[a-z]-[A-Za-z0-9-]{10,}+"
            r"|AIza[A-Za-z0-9_-]{30,}+"
            r"|hf_[A-Za-z0-9]{16,}+"
            r"|npm_[A-Za-z0-9]{30,}+"
            r")"
        ),
        "api key",
    ),
    (
        re.compile(r"(?<=\bBearer )(?=[A-Za-z._~+/-]*+\d)[A-Za-z0-9._~+/-]{16,}+=*"),
        "token",
    ),
)

_URL_PASSWORD = re.compile(r"(?<=://)(?P<user>[^\s/:@\"'<>]{0,80}+):(?P<value>[^\s/\"'<>]{1,256})@")

_LABELS = {
    "password": "password|passwd|passphrase|passcode|(?<![a-z])pwd|密码|密碼|口令",
    "api key": r"api[_ -]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key|密钥|密鑰",
    "secret": r"secret(?:[_-]?(?:access[_-]?)?key)?",
    "token": "token|令牌",
}
_KEY = "|".join(f"(?P<{label.replace(' ', '_')}>{words})" for label, words in _LABELS.items())
_VALUE = (
    r"""(?:(?P<quote>\\?["'`])(?P<quoted>[^"'`\\\n]{6,}+)(?P=quote)"""
    r"""|(?P<bare>[^\s"'`\\,;，。；]{6,}+))"""
)
_ASSIGNMENT = re.compile(
    rf"(?:{_KEY})"
    r"""(?:["'`*\\]{0,4}\s{0,8}(?:[:：]\s{0,4}(?:str|string|bytes|SecretStr)\s{0,4}=|[:：]=?|=[=>]?)"""
    r"""\*{0,2}\s{0,8}|\s{1,8}is:?\s{1,8}|\s{0,8}[是为為]\s{0,8}|(?<=--password)\s{1,8}"""
    r"""|(?<=--token)\s{1,8}|(?<=--secret)\s{1,8}|(?<=--api-key)\s{1,8})""" + _VALUE,
    re.IGNORECASE,
)

_SIGN = re.compile(r"[\d!@#$%^&*+=~?|]")
_SIGN_IN_QUOTES = re.compile(r"[\d!@#$%^&*+=~?|._/-]")
_NO_SECRET = re.compile(
    r"\[redacted.*"
    r"|[A-Za-z_.]+[(\[].*"  # environ["…"], get_token(…), Optional[str]
    r"|(?:process\.env|self|settings|config|env)\.[\w.]+"
    r"|\$\(.*|\$?\{.*|\$[A-Z_][A-Z0-9_]*|%[A-Za-z_]+%?|<.*>?"  # placeholders of every template
    r"|[*x.•]+"
    r"|(?:https?:/|\.{0,2}|~)/.*"  # where it is kept
    r"|\d{4}-\d{2}-\d{2}.*"
    r"|\d+(?:-[a-z]+)+"  # "12-character"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    re.IGNORECASE | re.DOTALL,
)
# Amounts and names: "token: 100000", "token: ERC-20". A password may look like that.
_NO_KEY = re.compile(r"[\d.:/_-]+|[A-Za-z]{2,5}-\d{1,4}")
_SENTENCE_END = ".?!…)]}>"


def _without_url_password(match: re.Match[str]) -> str:
    if _NO_SECRET.fullmatch(match["value"]):
        return match.group()
    return f"{match['user']}:[redacted: password]@"


def _without_value(match: re.Match[str]) -> str:
    group = "quoted" if match["quoted"] is not None else "bare"
    label = next(label for label in _LABELS if match[label.replace(" ", "_")] is not None)
    value, sign = match[group], _SIGN_IN_QUOTES
    if group == "bare":
        value, sign = _bare(value), _SIGN
    core = value.rstrip("!")
    if (
        len(core) < 6
        or not sign.search(core)
        or _NO_SECRET.fullmatch(value)
        or (label != "password" and _NO_KEY.fullmatch(value))
        or (group == "quoted" and " " in value.strip() and label != "password")
    ):
        return match.group()
    before = match.group()[: match.start(group) - match.start()]
    after = match.group()[match.start(group) - match.start() + len(value) :]
    return f"{before}[redacted: {label}]{after}"


def _bare(value: str) -> str:
    """A value without the end of the sentence or of the bracket it stands in."""
    bare = value.rstrip(_SENTENCE_END)
    # "hunter2!" may well end so; a bracket that was opened inside belongs to it.
    return value[: len(bare) + 1] if value[len(bare) :][:1] == "!" else bare


def _without_cards(text: str) -> str:
    parts: list[str] = []
    done = 0
    for start, end in card_spans(text):
        parts += [text[done:start], "[redacted: card number]"]
        done = end
    return "".join([*parts, text[done:]])
