"""Secrets that are known by the name they are given: assignments, flags, headers, URLs, netrc.

A random-looking string alone is no secret: hashes and ids look the same. It becomes one by
standing where a password, token or key is assigned. Names of counts, types and limits
(`max_tokens`, `token_url`), code (`token = tokenizer.next()`) and placeholders are left alone.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator

from .patterns import Span, has_digit_and_letter, is_basic_pair, secret_span

_KEYWORD = (
    r"(?P<word>passw(?:or)?d|passphrase|pgpass|pwd|secret|token|credentials?|authorization"
    r"|(?:api|access|auth|private|encryption|signing|master|account|license|service|storage"
    r"|shared|session|admin|deploy|app|client|jwt|hmac|webhook)[_ -]?key|_auth(?![a-z])"
    r"|sessionid|sessid|connect\.sid)"
)
_NAME = re.compile(
    _KEYWORD + r"(?P<tail>[a-z0-9_.-]{0,30})(?P<close>[\]\"'`\\)]{0,6})"
    r"(?P<sep>[ \t]{0,20}(?::[ \t]{0,4}[a-z_][a-z_\[\]|.]{0,30}[ \t]{0,3}=(?=[ \t]{0,3}[bu]?['\"])"
    r"|:=|=>|[=!]=|=|:|,)[ \t]{0,20}|>|[ \t]{1,4}(?:is[ \t])?)"
)
_KEY = re.compile(_KEYWORD + r"(?P<tail>[a-z0-9_.-]{0,30})\Z")
_GATES = ("passw", "secret", "token", "key", "pwd", "auth", "passphrase", "pgpass", "credential")
_SESSION_GATES = ("sessid", "sessionid", "connect.sid")

_HARMLESS_HEAD = re.compile(
    r"(?:max|min|num|count|total|next|prev|previous|page|eos|bos|pad|unk|sep|cls|mask|special|stop"
    r"|start|end|current|cancel(?:lation)?|continuation|sync|forgot|reset|change|check|valid(?:ate)?"
    r"|hash|make|has|is|no|show|hide|verify|input|output|prompt|completion|cached|public|cache"
    r"|public_?key|primary|foreign|syntax|lexer|parse[rd]?|with|without|per|of|for|the|a|unset|get)[_.-]?\Z"
)
_HARMLESS_TAIL = re.compile(
    r"s\Z|[_.-]?(?:s|i[sz]\w*|counts?|types?|ids?|ur[il]s?|endpoints?|usage|limits?"
    r"|names?|expir\w*|files?|paths?|fields?|len(?:gth)?|budget|index|list|size|ttl|arn|reset|valid\w*"
    r"|policy|required|prompt|min\w*|max\w*|hint|label|help|class|cls|errors?|regexp?|pattern|format"
    r"|manager|provider|generat\w*|store|cache|scopes?|version|headers?|param\w*|config\w*"
    r"|hash(?:ers?)?|source|change|rotation|strength|input|form|view|kind|ref|refs|mode|level|at|by"
    r"|in|is|has|stdin|are|set|get|env|text|info|data|match|based|auth|authentication|\d*[.]?py)\Z"
)
_JUDGED = 200  # characters of a value that are looked at to tell a secret from a word
_LITERAL = frozenset({"password", "passwd", "passphrase", "pgpass", "pwd"})

_DUMMY = re.compile(
    r"pass(?:word|wd|phrase)?|secret|token|credential|test(?:ing|er)?|example|sample|dummy|fake|mock"
    r"|placeholder|change|replace|insert|redacted|removed|hidden|masked|your|here|this|not|real|some"
    r"|my|the|and|user(?:name)?|admin|root|guest|login|default|demo|foo|bar|baz|qux|abc(?:def)?|asdf"
    r"|qwerty|letmein|welcome|postgres|mysql|redis|none|null|nil|undefined|true|false|string|value"
    r"|api|key|required|optional|invalid|wrong|correct|valid|new|old|empty|missing|bytes|object"
    r"|insecure|django|local|dev(?:elopment)?|prod(?:uction)?|unsafe|super|only|for|me|it|x{2,}|\*+"
    r"|sha\d*|md5|utf-?\d*|base64|hex|hmac|aes\d*|[hre]s\d{3}|oauth\d?|http|x86|amz|content|header"
    r"|0?1234?5?6?7?8?9?0?"
)
_PLACEHOLDER = re.compile(
    r"\(|\$[A-Za-z_]\w*\Z|\$[{(]|\{\{|\{[\w.:]*\}\Z|%\(|%\w+%\Z|%[sdr]\Z|<|\*{3,}|[.…]+\Z|\[|x{3,}\Z"
    r"|(.)\1*\Z|\w+://|~?/[\w.-]+(?:/|\Z)|~\\|[A-Za-z]:\\|\.{1,2}/|(?:str|int|bytes|bool|any|optional)\b"
    r"|(?:os|process|env|self|args|config|settings|secrets|request|this|props|ctx|cls)[.\[]",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(r"\$\{|\{\{|\.\.\Z|\.{3}|…")
_DOTTED = re.compile(r"[A-Za-z_]+(?:[./][A-Za-z_]\w*)+\Z")
_TYPE = re.compile(r"[a-z_]\w{0,30}\.[A-Z][A-Za-z]+\d{0,5}[A-Za-z]+\Z")
_SNAKE = re.compile(r"[A-Za-z]+\d?(?:_[A-Za-z]+\d?)+\Z")
_CONSTANT = re.compile(r"[A-Z]+(?:_[A-Z]+)+\Z")
_SPECIAL = re.compile(r"[\d!@#$%^*+~?]")


def named_secrets(text: str) -> Iterator[Span]:
    """Yield the values of secret-like names, from left to right, without overlap."""
    lower = _lower(text)
    if not any(gate in lower for gate in _GATES + _SESSION_GATES):
        return
    end = 0
    for match in _NAME.finditer(lower):
        if match.start() < end:
            continue
        found = _value(text, match)
        if found is not None:
            end = found.end
            yield found


def kind_of_named(name: str, value: str) -> str:
    """Return the kind of secret that `value` is when `name` is its key; empty where it is none."""
    match = _KEY.search(name.lower())
    if not match or "sess" in match["word"] or _is_harmless(name[: match.start()].lower(), match):
        return ""  # the ids by which harnesses know their sessions are no credentials
    if _letters(value) == _letters(name) or not _is_secret(match["word"], value):
        return ""
    return _kind(match["word"])


def _lower(text: str) -> str:
    """Lower-case A to Z only, so that positions stay those of `text`."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_ASCII_LOWER)


_ASCII_LOWER = {ord("A") + i: ord("a") + i for i in range(26)}


def _value(text: str, match: re.Match[str]) -> Span | None:
    """Return the span of the value that follows a secret-like name, if it is a secret."""
    head, before = _head(text, match.start())
    name = head + text[match.start() : match.end("tail")]
    mark = match["sep"].strip(" \t")
    if mark.startswith(":") and mark.endswith("="):
        mark = "="  # `:=`, or a type between name and value
    if _is_harmless(head.lower(), match) or not _assigns(match, mark, head, before):
        return None
    environment = _is_environment(match, name, before)
    start, end, quoted = _extent(text, match.end(), environment)
    after = text[end : end + 1]
    if (mark == "," and not quoted) or (mark == ">" and after != "<"):
        return None
    if not quoted and (after in ("(", "[", "{") or mark in ("==", "!=")):
        return None  # code: a call, an index, a comparison of two variables
    value = text[start:end]
    if _letters(value) == _letters(name) or not _is_secret(
        match["word"],
        value,
        quoted=quoted or environment or mark == ">",
        strict=mark in (",", "==", "!="),
    ):
        return None
    return secret_span(start, end, _kind(match["word"]))


def _assigns(match: re.Match[str], mark: str, head: str, before: str) -> bool:
    """Say whether what stands between the name and what follows makes the one the other's value."""
    closed = match["close"]
    if "sess" in match["word"]:
        return mark == "="
    if ")" in closed:
        return mark == ":"  # not `f("token") == "x"`
    if mark == ",":
        return bool(closed)  # f("token", "x")
    if mark == ">":
        return before == "<"  # <token>x</token>
    return mark != "" or head.startswith("--")  # --token x


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text[:_JUDGED].lower())


def _head(text: str, start: int) -> tuple[str, str]:
    """Return the part of the name left of `start` (60 characters at most) and what precedes it."""
    left = start
    while left > 0 and start - left < 60 and (text[left - 1].isalnum() or text[left - 1] in "_.$-"):
        left -= 1
    head = text[left:start]
    before = text[left - 1 : left]
    if before == "\\" and head[:1] in ("n", "r", "t"):
        return head[1:], "\n"
    return head, before


def _is_harmless(head: str, match: re.Match[str]) -> bool:
    word, tail = match["word"], match["tail"]
    if word == "_auth" and (tail or head):
        return True
    if tail and word.startswith("credential"):
        return True
    return bool(_HARMLESS_HEAD.search(head[-16:]) or _HARMLESS_TAIL.match(tail))


def _is_environment(match: re.Match[str], name: str, before: str) -> bool:
    """Say whether the assignment is a line `NAME=value` of a shell, .env or properties file."""
    if match["sep"] != "=" or match["close"]:
        return False
    return before in ("", "\n") or (before in (" ", "\t", '"', "'") and name.isupper())


_OPEN = re.compile(r"[bBuU]?(?P<slashes>\\{0,7})(?P<quote>[\"'`])")
_BARE = re.compile(r"[^\s\"'`,;<>(){}\[\]|\\&]{1,1000}")
_LINE = re.compile(r"[^\s\"'`\\]{1,1000}")


def _extent(text: str, start: int, environment: bool) -> tuple[int, int, bool]:
    """Return start and end of the value at `start`, and whether it is quoted."""
    opening = _OPEN.match(text, start)
    if not opening:
        bare = (_LINE if environment else _BARE).match(text, start)
        end = bare.end() if bare else start
        if end - start > 1 and text[end - 1] in ".:" and not environment:
            end -= 1
        return start, end, False
    mark = opening["slashes"] + opening["quote"]
    first = opening.end()
    end = text.find(mark, first, first + 1000)
    while not opening["slashes"] and end > first and text[end - 1] == "\\":
        end = text.find(mark, end + 1, first + 1000)
    line_end = text.find("\n", first, first + 1000)
    if end < 0 or 0 <= line_end < end:
        torn = _LINE.match(text, first)
        return first, torn.end() if torn else first, True
    return first, end, True


def _is_secret(word: str, value: str, *, quoted: bool = True, strict: bool = False) -> bool:
    value = value[:_JUDGED]
    if len(value) < 4 or _PLACEHOLDER.match(value) or _LEFT_OUT.search(value):
        return False
    if word in _LITERAL:
        return _is_drawn(value, 8) if strict else _is_password(word, value, quoted=quoted)
    if word == "authorization":
        return False
    return _is_drawn(value, 8 if quoted else 16)


def _is_password(word: str, value: str, *, quoted: bool) -> bool:
    """Say whether a value given to a password is meant: no dummy, no code, no sentence."""
    if _is_dummy(value) or _DOTTED.match(value) or _CONSTANT.match(value):
        return False
    if _SNAKE.match(value) and not quoted:
        return False
    if re.search(r"\s", value) and word != "passphrase":
        return False
    if value.isalpha() and (not quoted or len(value) < 6):
        return False
    return quoted or bool(_SPECIAL.search(value) and re.search(r"[A-Za-z]", value))


def _is_dummy(value: str) -> bool:
    rest = _DUMMY.sub("", value.lower())
    return sum(character.isalnum() for character in rest) < 4


def _is_drawn(value: str, shortest: int) -> bool:
    """Say whether a value looks drawn at random rather than written: long, mixed, no words."""
    if len(value) < shortest or re.search(r"\s", value) or _is_dummy(value):
        return False
    if not has_digit_and_letter(value) or _DOTTED.match(value) or _TYPE.match(value):
        return False
    pieces = re.split(r"[-_./:@]", value)
    drawn = (p for p in pieces if len(p) >= 6 and has_digit_and_letter(p) and not _is_dummy(p))
    return any(drawn) and _entropy(value) >= 2.8


def _entropy(value: str) -> float:
    """Return the Shannon entropy of the characters of `value` in bits each."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _kind(word: str) -> str:
    if word in _LITERAL:
        return "password"
    if word.startswith("credential") or word == "_auth":
        return "credential"
    if "sess" in word or word == "connect.sid":
        return "session"
    return word if word in ("secret", "token") else "key"


# --- other places that name a secret ------------------------------------------------------------

_AUTHORIZATION = re.compile(
    r"(?i)authorization[\"'\\\]]{0,6}[ \t]{0,3}[:=,][ \t]{0,3}[\"'\\]{0,6}"
    r"(?P<scheme>(?:bearer|basic|token|apikey|digest|negotiate)[ \t]{1,3})?"
    r"(?P<secret>[^\s\"'\\,;<>`(){}\[\]]{8,8000})"
)
_BEARER = re.compile(r"(?i)\bbearer[ \t]{1,3}(?P<secret>[A-Za-z0-9._~+/=-]{16,8000})")
_COOKIE = re.compile(
    r"(?i)\b(?:set-)?cookie[\"'\\\]]{0,6}[ \t]{0,3}[:=,][ \t]{0,3}[\"'\\]{0,6}"
    r"(?P<secret>[\w.-]{1,64}=[^;\s\"'\\,]{8,4096}"
    r"(?:;[ \t]?[\w.-]{1,64}=[^;\s\"'\\,]{0,4096}){0,50})"
)
_USERINFO = re.compile(
    r"://(?P<user>[^\s/:@\"'<>`\\]{0,128}):(?P<secret>[^\s/@\"'<>`\\]{1,256})@(?=[\w\[])"
)
_URL_TOKEN = re.compile(r"://(?P<secret>[A-Za-z0-9_-]{20,256})@(?=\w)")
_QUERY = re.compile(
    r"[?&](?:code|key|auth|apikey|access_token|id_token|jwt|session)=(?P<secret>[\w%.+~/-]{16,4000})"
)
_CURL_USER = re.compile(
    r"\bcurl\b[^\n]{0,300}?[ \t](?:-u|--user)[ \t=]{1,3}[\"']?"
    r"(?P<user>[^\s:\"'$]{1,64}):(?P<secret>[^\s\"'$]{1,200})"
)
_SSHPASS = re.compile(r"\bsshpass[ \t]{1,4}-p[ \t]{0,4}[\"']?(?P<secret>[^\s\"'$-][^\s\"']{2,100})")
_NETRC = re.compile(
    r"\bmachine(?:\s|\\n){1,8}\S{1,200}(?:\s|\\n){1,8}login(?:\s|\\n){1,8}\S{1,100}"
    r"(?:\s|\\n){1,8}password(?:\s|\\n){1,8}(?P<secret>[^\s\\\"'{}]{1,200})"
)
_PGPASS = re.compile(
    r"(?:^|(?<=\\n)|(?<=[\"']))[\w.*-]{1,100}:(?:54\d\d|6432|\*):[\w*-]{1,64}:[\w*-]{1,64}:"
    r"(?P<secret>[^\s\\\"']{3,200})",
    re.MULTILINE,
)


def other_secrets(text: str) -> Iterator[Span]:
    """Yield secrets in headers, cookies, URLs, `curl -u`, netrc and .pgpass lines; may overlap."""
    lower = _lower(text)
    if "authorization" in lower:
        yield from _spans(_AUTHORIZATION, text, "authorization", _is_authorization)
    if "bearer" in lower:
        yield from _spans(_BEARER, text, "authorization", lambda m: _is_drawn(m["secret"], 16))
    if "cookie" in lower:
        yield from _spans(_COOKIE, text, "cookie", lambda m: has_digit_and_letter(m["secret"]))
    if "://" in text:
        if "@" in text:
            yield from _spans(_USERINFO, text, "password", _is_userinfo)
            yield from _spans(_URL_TOKEN, text, "token", lambda m: _is_drawn(m["secret"], 20))
        yield from _spans(_QUERY, text, "token", lambda m: _is_drawn(m["secret"], 16))
    if "curl" in text:
        yield from _spans(_CURL_USER, text, "password", _is_userinfo)
    if "sshpass" in text:
        yield from _spans(_SSHPASS, text, "password", lambda m: _is_secret("pwd", m["secret"]))
    if "machine" in text:
        yield from _spans(_NETRC, text, "password", lambda m: not _is_dummy(m["secret"]))
    if ":54" in text or ":*:" in text or ":6432" in text:
        yield from _spans(_PGPASS, text, "password", lambda m: not _is_dummy(m["secret"]))


def _spans(
    form: re.Pattern[str],
    text: str,
    kind: str,
    holds: Callable[[re.Match[str]], bool] | None = None,
) -> Iterator[Span]:
    for match in form.finditer(text):
        if holds is None or holds(match):
            yield secret_span(match.start("secret"), match.end("secret"), kind)


def _is_authorization(match: re.Match[str]) -> bool:
    value = match["secret"]
    if _PLACEHOLDER.match(value) or _DOTTED.match(value) or _is_dummy(value):
        return False
    if match["scheme"]:
        return has_digit_and_letter(value) or is_basic_pair(value)
    return _is_drawn(value, 16)


def _is_userinfo(match: re.Match[str]) -> bool:
    """In a URL even a short password is meant; only variables and the words themselves are not."""
    value = match["secret"]
    if value.isdigit() or value == match["user"] or (len(value) > 1 and _PLACEHOLDER.match(value)):
        return False
    return any(character.isalnum() for character in _DUMMY.sub("", value.lower()))
