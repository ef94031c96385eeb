"""Take secrets and people out of a text before anything else looks at it.

    redactor = Redactor()
    clean = redactor.value(json.loads(line))
    redactor.counts                             # Counter({'email': 2, 'github-token': 1})

What goes: credentials by their form (`redact_patterns`), private keys, values that a secret-like
name, a header or a URL marks as secret, e-mail addresses, home folders and the account names in
them. In their place stand `<redacted:github-token>`, `<email>`, `~` and `<user>`. Redacting twice
changes nothing more. Nothing is sent or checked anywhere; every step is linear in the text.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .keys import private_keys
from .named import kind_of_named, named_secrets, other_secrets
from .patterns import PATTERNS, Pattern, Span, secret_span
from .people import (
    dashed_home_folders,
    email_addresses,
    home_folders,
    is_distinctive,
    names_expression,
)

_MAX_ROUNDS = 10
_SHORT = 80
_DUMMY_TOKEN = re.compile(r"EXAMPLE|example|[xX]{4}|\*{3}|(.)\1{9}|\.\.\.|your|YOUR")
_FLAG = re.compile(r"--?[\w-]{1,60}\Z")


def redact(text: str, *, home_names: frozenset[str] = frozenset()) -> tuple[str, Counter[str]]:
    """Return `text` without its secrets, and how many of each kind were taken out.

    `home_names` are account names to remove as words besides those that home folders show.
    """
    redactor = Redactor(home_names=home_names)
    return redactor.text(text), redactor.counts


class Redactor:
    """Redacts the texts of one run; an account name learnt in one is removed in the later ones.

    `counts` holds the number of replacements by kind.
    """

    def __init__(self, *, home_names: frozenset[str] = frozenset()) -> None:
        self.counts: Counter[str] = Counter()
        self._names: frozenset[str] = frozenset()
        self._words: re.Pattern[str] | None = None
        self._clean: set[str] = set()
        self._add_names(home_names)

    def learn(self, text: str) -> None:
        """Note the account names that the home folders in `text` show, without redacting it."""
        found = [
            home.name
            for home in home_folders(text)
            if text[home.span.end : home.span.end + 1] in ("/", "\\")
        ]
        self._add_names(found)

    def text(self, text: str) -> str:
        """Return `text` without its secrets."""
        self.learn(text)
        return self._without_secrets(text)

    def _without_secrets(self, text: str) -> str:
        if len(text) < 4 or (len(text) <= _SHORT and text in self._clean):
            return text
        before = text
        # A replacement can lay bare what it hid from the rules, so a changed text is read again.
        for _ in range(_MAX_ROUNDS):
            changed = self._once(text)
            if changed == text:
                break
            text = changed
        if text is before and len(text) <= _SHORT:
            self._clean.add(text)  # keys and labels of JSON come again and again
        return text

    def value(self, value: Any) -> Any:
        """Return a decoded JSON value with every string in it redacted, keys too.

        A string whose key is secret-like counts as assigned to it, as does one that follows
        `--password` in a list. Mappings become dicts, and any depth is allowed.
        """
        for text in _strings(value):
            self.learn(text)
        root: list[Any] = [value]
        places: list[tuple[Any, Any]] = [(root, 0)]
        while places:
            holder, place = places.pop()
            item = holder[place]
            if isinstance(item, str):
                holder[place] = self._placed(holder, place, item)
            elif isinstance(item, Mapping):
                holder[place] = self._keyed(item)
                places.extend((holder[place], key) for key in reversed(holder[place]))
            elif isinstance(item, list | tuple):
                holder[place] = list(item)
                places.extend((holder[place], index) for index in range(len(item)))
        return root[0]

    def _placed(self, holder: Any, place: Any, text: str) -> str:
        """Redact a string that stands in a container, with regard to the name it stands under."""
        name = ""
        if isinstance(holder, dict):
            name = str(place)
            if place == "value":
                name = str(holder.get("name") or holder.get("key") or name)
        elif place and isinstance(holder[place - 1], str) and _FLAG.match(holder[place - 1]):
            name = holder[place - 1]
        kind = kind_of_named(name, text) if name and len(text) <= 4000 else ""
        if not kind:
            return self._without_secrets(text)
        self.counts[kind] += 1
        return f"<redacted:{kind}>"

    def _keyed(self, mapping: Mapping[Any, Any]) -> dict[Any, Any]:
        """Copy a mapping with redacted keys, two keys that become the same kept apart."""
        copy: dict[Any, Any] = {}
        for key, item in mapping.items():
            name = self._without_secrets(key) if isinstance(key, str) else key
            while name in copy:
                name = f"{name}'"
            copy[name] = item
        return copy

    def _add_names(self, names: Iterable[str]) -> None:
        new = frozenset(name for name in names if is_distinctive(name)) - self._names
        if new:
            self._names |= new
            self._words = names_expression(self._names)
            self._clean.clear()

    def _once(self, text: str) -> str:
        text = self._replaced(text, private_keys(text))
        for pattern in PATTERNS:
            for needle in pattern.needles:
                if needle in text:
                    text = self._replaced(text, _by_form(text, pattern))
                    break
        text = self._replaced(text, other_secrets(text))
        text = self._replaced(text, named_secrets(text))
        if "@" in text:
            text = self._replaced(text, email_addresses(text))
        text = self._replaced(text, (home.span for home in home_folders(text)))
        text = self._replaced(text, dashed_home_folders(text, self._names))
        if self._words:
            text, number = self._words.subn("<user>", text)
            self.counts.update({"user": number} if number else {})
        return text

    def _replaced(self, text: str, spans: Iterable[Span]) -> str:
        pieces: list[str] = []
        end = 0
        for span in sorted(spans):
            if span.start >= end:
                pieces += (text[end : span.start], span.text)
                end = span.end
                self.counts[span.kind] += 1
        return "".join([*pieces, text[end:]]) if pieces else text


def _by_form(text: str, pattern: Pattern) -> Iterator[Span]:
    group = "secret" if "secret" in pattern.form.groupindex else 0
    for match in pattern.form.finditer(text):
        token = match[group]
        if not _DUMMY_TOKEN.search(token) and (pattern.holds is None or pattern.holds(token)):
            yield secret_span(match.start(group), match.end(group), pattern.kind)


def _strings(value: Any) -> Iterator[str]:
    """Yield every string of a JSON value, keys included, in no set order."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            stack.extend(item.keys())
            stack.extend(item.values())
        elif isinstance(item, list | tuple):
            stack.extend(item)
