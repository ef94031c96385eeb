"""Which files a call reads and writes, as far as its words, its here-doc or its script say."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from .programs import names

Words = Sequence[str]
Files = tuple[list[str], list[str]]

_PATH = r"""(?P<quote>['"`])(?P<path>[^'"`\n]{1,300})(?P=quote)"""
_MODE = r"""(?:\s{0,20},\s{0,20}(?:mode\s{0,9}=\s{0,9})?['"](?P<mode>[rwxabtU+]{1,4})['"])?"""
_OPEN = re.compile(
    rf"\bopen\(\s{{0,99}}(?:[rRbBuUfF]{{0,2}}{_PATH}|(?P<name>[A-Za-z_]\w{{0,80}})){_MODE}"
)
_PATH_CALL = re.compile(
    rf"(?:\bPath\(\s{{0,99}}{_PATH}\s{{0,99}}\)|\b(?P<name>[A-Za-z_]\w{{0,80}}))"
    r"\.(?P<verb>(?:read|write)_(?:text|bytes))\("
)
_SCRIPT_WRITE = re.compile(
    rf"\b(?:(?:fs\.|fsp\.)?(?:writeFile|appendFile)(?:Sync)?|File\.write)\(\s{{0,99}}{_PATH}"
)
_ASSIGN = re.compile(
    rf"^[ \t]{{0,40}}(?P<name>[A-Za-z_]\w{{0,80}})[ \t]{{0,9}}=[ \t]{{0,9}}"
    rf"(?:(?:pathlib\.)?Path\([ \t]{{0,9}})?{_PATH}",
    re.MULTILINE,
)
_PATCH_TARGET = re.compile(
    r"^(?:\+\+\+ (?:b/)?(?P<diff>[^\s]{1,300})"
    r"|\*\*\* (?:(?:Add|Update) File|Move to): (?P<envelope>[^\n]{1,300}))",
    re.MULTILINE,
)
_SED_IN_PLACE = re.compile(r"-(?:[nErsuz]*i|-in-place)")
_PERL_IN_PLACE = re.compile(r"-[pnlawe0]*i")


def script_files(source: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the literal paths that a script's source text opens for reading and for writing.

    Knows Python's `open`, `read_text` and `write_text` (a path may also stand in a variable that
    is assigned a literal) and the usual calls of Node and Ruby. The source is searched, never run.
    """
    named = {match["name"]: match["path"] for match in _ASSIGN.finditer(source)}
    found: list[tuple[int, bool, str]] = []
    for match in _OPEN.finditer(source):
        path = match["path"] or named.get(match["name"] or "", "")
        found.append((match.start(), bool(set(match["mode"] or "r") & set("wxa+")), path))
    for match in _PATH_CALL.finditer(source):
        path = match["path"] or named.get(match["name"] or "", "")
        found.append((match.start(), match["verb"].startswith("write"), path))
    found += [(match.start(), True, match["path"]) for match in _SCRIPT_WRITE.finditer(source)]
    found.sort()
    reads = dict.fromkeys(path for _, written, path in found if path and not written)
    writes = dict.fromkeys(path for _, written, path in found if path and written)
    return tuple(reads), tuple(writes)


def files_of(program: str, args: Words, heredoc: str) -> Files:
    """Return what a call reads and writes by itself, its redirects not counted."""
    tool = program.rpartition("/")[2]
    if tool in _RULES:
        return _RULES[tool](args, heredoc)
    if re.match(r"(?:python|pypy|node|ruby|ipython)[\d.]*\Z", tool):
        return _interpreter(args, heredoc)
    return [], []


def _operands(args: Words, valued: frozenset[str] = frozenset()) -> list[str]:
    """Return the words that are neither options nor values of options."""
    found: list[str] = []
    index = 0
    while index < len(args):
        word = args[index]
        if word == "--":
            return found + list(args[index + 1 :])
        if word in valued:
            index += 1
        elif not word.startswith("-") or word == "-":
            found.append(word)
        index += 1
    return found


def _reader(valued: str = "") -> Callable[[Words, str], Files]:
    options = names(valued)
    return lambda args, heredoc: (_operands(args, options), [])


_GREP_VALUED = names(
    "-e -f -A -B -C -m -d -D -g -t -T -M -j --glob --type --include --exclude --max-count "
    "--exclude-dir --regexp --file --after-context --before-context --context"
)


def _grep(args: Words, heredoc: str) -> Files:
    operands = _operands(args, _GREP_VALUED)
    explicit = any(arg.startswith(("-e", "--regexp", "-f", "--file")) for arg in args)
    return (operands if explicit else operands[1:]), []


def _sed(args: Words, heredoc: str) -> Files:
    in_place = any(_SED_IN_PLACE.match(arg) for arg in args)
    operands = [word for word in _operands(args, frozenset({"-e", "-f", "-l"})) if word]
    if not any(arg in ("-e", "-f") or arg.startswith(("--expr", "--file")) for arg in args):
        operands = operands[1:]
    return ([], operands) if in_place else (operands, [])


def _perl(args: Words, heredoc: str) -> Files:
    in_place = any(_PERL_IN_PLACE.match(arg) for arg in args)
    operands = [word for word in _operands(args) if word]
    return ([], operands[1:]) if in_place else ([], [])


def _awk(args: Words, heredoc: str) -> Files:
    operands = _operands(args, frozenset({"-F", "-v", "-f"}))
    return (operands if "-f" in args else operands[1:]), []


def _copy(args: Words, heredoc: str) -> Files:
    valued = frozenset({"-t", "--target-directory", "-m", "-o", "-g", "-S"})
    operands = _operands(args, valued)
    folder = ""
    for option, value in pairwise(args):
        if option in ("-t", "--target-directory"):
            folder = value.rstrip("/") + "/"
    if not folder:
        if len(operands) < 2:
            return operands, []
        *operands, target = operands
        if len(operands) == 1 and not target.endswith("/"):
            return operands, [target]
        folder = target.rstrip("/") + "/"
    return operands, [folder + source.rstrip("/").rpartition("/")[2] for source in operands]


def _link(args: Words, heredoc: str) -> Files:
    operands = _operands(args)
    return [], operands[1:2]


def _tee(args: Words, heredoc: str) -> Files:
    return [], _operands(args)


def _ed(args: Words, heredoc: str) -> Files:
    operands = _operands(args, frozenset({"-p", "-c"}))
    return operands, operands


def _dd(args: Words, heredoc: str) -> Files:
    return (
        [arg[3:] for arg in args if arg.startswith("if=")],
        [arg[3:] for arg in args if arg.startswith("of=")],
    )


def _download(args: Words, heredoc: str) -> Files:
    named = {"-o", "-O", "--output", "--output-document"}
    pairs = pairwise(args)
    targets = [value for option, value in pairs if option in named]
    return [], [value for value in targets if not value.startswith(("-", "http"))]


def _patch(args: Words, heredoc: str) -> Files:
    operands = _operands(args, frozenset({"-i", "-o", "-d", "-D", "--input"}))
    inputs = [v for o, v in pairwise(args) if o in ("-i", "--input")]
    return inputs + operands[1:], operands[:1] or patched_files(heredoc)


def _apply_patch(args: Words, heredoc: str) -> Files:
    return [], patched_files(heredoc or "\n".join(args))


def _git(args: Words, heredoc: str) -> Files:
    operands = _operands(args, frozenset({"-C", "-c", "-p", "--directory", "--exclude"}))
    if operands[:1] in (["apply"], ["am"]):
        return operands[1:], patched_files(heredoc)
    if operands[:1] == ["mv"] and len(operands) == 3:
        return operands[1:2], operands[2:]
    return [], []


def _interpreter(args: Words, heredoc: str) -> Files:
    source = heredoc
    for option, value in pairwise(args):
        if option in ("-c", "-e", "-p", "--eval"):
            source = value
            break
    reads, writes = script_files(source) if source else ((), ())
    return list(reads), list(writes)


def patched_files(patch: str) -> list[str]:
    """Return the files that a unified diff or an `apply_patch` envelope changes or adds."""
    found = [match["diff"] or match["envelope"].strip() for match in _PATCH_TARGET.finditer(patch)]
    return list(dict.fromkeys(path for path in found if path != "/dev/null"))


_RULES: dict[str, Callable[[Words, str], Files]] = {
    **dict.fromkeys(
        names("cat less more bat nl tac od xxd strings wc jq diff cmp file"), _reader()
    ),
    **dict.fromkeys(("head", "tail"), _reader("-n -c --lines --bytes")),
    **dict.fromkeys(names("grep egrep fgrep zgrep rg ag ack"), _grep),
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    **dict.fromkeys(("cp", "mv", "install"), _copy),
    **dict.fromkeys(("curl", "wget"), _download),
    **dict.fromkeys(("touch", "tee", "truncate"), _tee),
    "ln": _link,
    "dd": _dd,
    **dict.fromkeys(("ed", "ex"), _ed),
    "perl": _perl,
    "patch": _patch,
    "apply_patch": _apply_patch,
    "applypatch": _apply_patch,
    "git": _git,
}
