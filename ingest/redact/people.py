"""What tells who worked: e-mail addresses, home folders, and the account names in them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .patterns import Span


class Home(NamedTuple):
    """A home folder in a text and the account name it shows."""

    span: Span
    name: str


# --- e-mail addresses ---------------------------------------------------------------------------

_DOMAIN = re.compile(r"@(?P<domain>[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,6})")
_USERINFO = re.compile(r"://(?:[^\s/@:]{0,128}:)?\Z")
_LOCAL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._%+-]{0,62}[A-Za-z0-9_+-])?\Z")
_TOP_LEVELS_TEXT = (
    "com org net edu gov mil int info biz name pro dev app xyz online site tech store cloud email "
    "world live studio agency design digital systems solutions team tools software engineering "
    "network media club shop blog page wiki space fun top icu community foundation science "
    "academy university institute school health law consulting services group company ventures "
    "capital finance email codes zone works world earth example test invalid local"
)
_TOP_LEVELS = frozenset(_TOP_LEVELS_TEXT.split())
# Two letters are a country, unless source files end like that.
_FILE_ENDINGS_TEXT = "py js ts md rb go cs kt hs vb el so rs sh ps cc mm tf db gz xz"
_FILE_ENDINGS = frozenset(_FILE_ENDINGS_TEXT.split())


def email_addresses(text: str) -> Iterator[Span]:
    """Yield each e-mail address.

    No addresses are decorators (`@pytest.fixture`), versions (`left-pad@1.3.0`), file names
    (`icon@2x.png`), matrix products (`a@b.shape`), and remotes (`git@github.com:x/y.git`,
    `host` in `ssh://me@host.org`).
    """
    position = text.find("@")
    while position >= 0:
        found = _address(text, position)
        if found:
            yield found
        position = text.find("@", position + 1)


def _address(text: str, at: int) -> Span | None:
    match = _DOMAIN.match(text, at)
    if not match:
        return None
    domain = match["domain"].lower().rstrip("-")
    top = domain.rpartition(".")[2]
    if re.match(r"v?\d+\.\d", domain) or not (
        top in _TOP_LEVELS or (len(top) == 2 and top.isalpha() and top not in _FILE_ENDINGS)
    ):
        return None
    left = at
    while left > 0 and at - left < 64 and (text[left - 1].isalnum() or text[left - 1] in "._%+-"):
        left -= 1
    if text[left - 1 : left] == "\\" and text[left : left + 1] in ("n", "r", "t"):
        left += 1
    while left < at and not (text[left].isascii() and text[left].isalnum()):
        left += 1
    if left == at or not _LOCAL.match(text[left:at]) or text[left:at] in ("git", "hg", "svn"):
        return None
    end = match.start("domain") + len(domain)
    is_remote = text[end : end + 1] == ":" and re.match(r"[\w~/.-]", text[end + 1 : end + 2])
    if is_remote or _USERINFO.search(text, max(0, left - 140), left):
        return None
    return Span(left, end, "email", "<email>")


# --- home folders -------------------------------------------------------------------------------

_ACCOUNT = r"(?P<name>[A-Za-z0-9_](?:[\w.@-]{0,62}[\w-])?)"
_UNIX = re.compile(
    r"(?:(?<![\w.~)\]}*/\\$@%+-])|(?<=://)|(?<=\\[nrt])|(?<=\dm)|(?<=\s-[IL])|(?<=%3A%2F%2F))"
    r"(?:/mnt/[a-z]|/[a-z]|/var|/host|/private)?/(?:home|Users)/" + _ACCOUNT
)
_ENCODED = re.compile(r"%2F(?:home|Users)%2F(?P<name>[A-Za-z0-9_][\w.-]{0,62})")
_WINDOWS = re.compile(
    r"(?<![A-Za-z])[A-Za-z]:(?P<slash>\\{1,8}|/)[Uu]sers(?:\\{1,8}|/)"
    r"(?P<name>[\w](?:[\w.@~-]{0,62}[\w-])?(?: [\w.-]{1,30}(?=\\|/| [\w.-]{1,30}[\\/])){0,2})"
)
# Claude Code names the folder of a project after its path: -Users-bob-code-x, C--Users-bob-x.
_DASHED = re.compile(
    r"(?:(?<![\w-])|(?<=\\[nrt]))(?:[A-Za-z]-)?-(?P<root>Users|home)-(?P<name>[A-Za-z0-9_]{1,63})"
)
_NO_ACCOUNTS_TEXT = "shared public default linuxbrew all"
_NO_ACCOUNTS = frozenset(_NO_ACCOUNTS_TEXT.split())

# Account names that are also words, or that every container has: the path goes, the word stays.
_COMMON_TEXT = (
    "user users admin administrator root runner runneradmin ubuntu debian fedora centos vagrant "
    "node app dev devel developer test tester testing testuser build builder ci jenkins travis "
    "circleci docker container git github gitlab code coder codespace vscode work worker "
    "workspace project projects home public shared default guest username someone anonymous agent "
    "claude codex openai openhands ec2-user pi jovyan python java ruby rust go data main master "
    "local server service system sandbox example demo temp tmp opc azureuser oracle postgres "
    "mysql www nobody daemon index dashboard login logout profile about settings page account "
    "accounts search help static assets images docs blog news contact register signup api web "
    "site list detail edit create new old delete update view views files file path paths name "
    "names me you we they will mark bill art max grant chase rich frank joy hope dean case link "
    "may june april august dawn grace faith pat rob sue drew jack rose ray guy gene miles carter "
    "mason cooper hunter parker taylor the and for not are but all any can had her was one our "
    "out day get has him his how man now see two way who did its let put say she too use that "
    "with have this from been some time very when come here just like long make many more only "
    "over such take than them well were what your into also back then down even must last left "
    "right most need next same still while high low start end run set key value type class object "
    "string number true false null none base core common debug dist lib bin src pkg cmd env etc "
    "opt var usr media mnt proc sys dir folder repo repos source target output input log logs "
    "cache config conf package packages module modules plugin plugins tool tools script scripts "
    "model models train error errors stepladder sphinx django flask sympy pandas numpy scipy "
    "pytest requests astropy matplotlib seaborn xarray pylint sklearn spark hadoop kafka elastic "
    "grafana jupyter conda anaconda airflow odoo frappe bench rails deploy deployer gitea gerrit "
    "hudson teamcity bamboo buildkite buildbot drone steam redis mongo nginx apache tomcat solr "
    "superset dagster prefect swe sweagent mlflow ollama hermes hdfs hive flink zookeeper consul "
    "vault minio rabbitmq celery gunicorn uwsgi httpd mail ftp ssh backup monitor ansible puppet "
    "chef terraform packer nomad kube kubernetes rancher podman nix nixos arch alpine linux"
)
_COMMON = frozenset(_COMMON_TEXT.split())


def home_folders(text: str) -> Iterator[Home]:
    """Yield the home folders named in a text; each form from left to right."""
    if "/home/" in text or "/Users/" in text:
        for match in _UNIX.finditer(text):
            if match["name"].lower() not in _NO_ACCOUNTS:
                yield _home(match)
    if "%2F" in text:
        for match in _ENCODED.finditer(text):
            yield _home(match)
    if "sers" in text and ":" in text:
        for match in _WINDOWS.finditer(text):
            if match["name"].lower() not in _NO_ACCOUNTS:
                yield _home(match)


def _home(match: re.Match[str]) -> Home:
    return Home(Span(match.start(), match.end(), "home", "~"), match["name"])


def dashed_home_folders(text: str, names: frozenset[str]) -> Iterator[Span]:
    """Yield home folders in dashed form; `names` are account names that may hold a dash or dot."""
    if "-Users-" not in text and "-home-" not in text:
        return
    dashed = sorted((re.sub(r"[^A-Za-z0-9]", "-", name) for name in names), key=len, reverse=True)
    for match in _DASHED.finditer(text):
        start = match.start("name")
        name = next((n for n in dashed if _is_at(text, start, n)), "")
        if not name and match["root"] == "home" and text[match.start() - 1 : match.start()] != "/":
            continue
        end = start + len(name) if name else match.end()
        yield Span(match.start(), end, "home", "-~")


def _is_at(text: str, start: int, name: str) -> bool:
    after = text[start + len(name) : start + len(name) + 1]
    return text.startswith(name, start) and not after.isalnum()


def is_distinctive(name: str) -> bool:
    """Say whether an account name may be replaced as a word: long enough and no common word."""
    return len(name) >= 3 and name.lower() not in _COMMON and not name.isdigit()


def names_expression(names: frozenset[str]) -> re.Pattern[str] | None:
    """Return an expression for any of `names` as a whole word, or None for no names."""
    if not names:
        return None
    alternatives = "|".join(re.escape(name) for name in sorted(names, key=lambda n: (-len(n), n)))
    return re.compile(rf"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))(?:{alternatives})(?![A-Za-z0-9_])")
