"""A cautious guess at the domain of a run where neither its file nor the user names one.

Wrong is worse than nothing: a memory's domains decide what it is offered for.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from .record import RunRecord
from .shell.programs import names
from .steps.phases import is_test_file

REPO_BUGFIX: Final = "repo-bugfix"
FEATURE_DEV: Final = "feature-dev"
WEB_DEV: Final = "web-dev"
DATA_ANALYSIS: Final = "data-analysis"
TERMINAL: Final = "terminal-devops"
SECURITY: Final = "security"
BUILD: Final = "build-packaging"
RESEARCH: Final = "ml-research"
DOCS: Final = "docs"

DOMAINS: Final = (
    REPO_BUGFIX, FEATURE_DEV, WEB_DEV, DATA_ANALYSIS, TERMINAL, SECURITY, BUILD, RESEARCH, DOCS,
)  # fmt: skip
"""Every name that `domain_of` gives."""

_TASK_CHARS: Final = 4000
_REPORT_WORDS: Final = 25
"""Words that a report of a fault has at least; shorter ones are requests. Chosen by us."""

_BENCHMARK: Final = re.compile(r"[\w.-]+__[\w.-]+-\d+\Z")
_CHALLENGE: Final = re.compile(
    r"\b(?:ctf|capture the flag|included in (?:the|this) challenge)\b"
    r"|\bchallenge\b.{0,400}\b(?:flag|server|files?|decrypt\w*|exploit)\b"
    r"|\b(?:decrypt|exploit|crack|reverse[- ]engineer)\b"
    r".{0,200}\b(?:flag|message|password|binary)\b",
    re.IGNORECASE | re.DOTALL,
)
_DATA: Final = re.compile(
    r"\b(?:sql|sqlite3?|mysql|postgres\w*|snowflake|bigquery|duckdb)\b"
    r".{0,600}\b(?:quer\w+|table|rows?|records?|database)\b"
    r"|\b(?:csv|data ?frame|spreadsheet|xlsx|parquet)\b"
    r".{0,600}\b(?:plot|average|mean|sum|count|column|rows?|group|correlat\w+|analy\w+|report)\b",
    re.IGNORECASE | re.DOTALL,
)
_DATA_FILE: Final = re.compile(
    r"\.(?:db|csv|sqlite3?|parquet|xlsx|tsv)\b|\bdatabase\b", re.IGNORECASE
)
_WEB: Final = re.compile(
    r"\b(?:react|next\.?js|vue(?:\.?js)?|svelte|angular|tailwind|css|html|front-?end"
    r"|web ?(?:site|page|app)|landing page|dark mode|browser|dom|ui|sidebar|navbar)\b",
    re.IGNORECASE,
)
_RESEARCH: Final = re.compile(
    r"\b(?:train(?:ing|ed)?|fine-?tun\w+|epochs?|gpus?|checkpoints?|neural|transformer|loss|accuracy"
    r"|benchmark|arxiv|latex|paper|experiment|ablation|baseline|hyperparameters?)\b",
    re.IGNORECASE,
)
_TERMINAL: Final = re.compile(
    r"\b(?:linux|ubuntu|debian|operating system|nginx|apache|systemd|systemctl|cron(?:tab)?"
    r"|docker(?:-compose)?|kubernetes|kubectl|ssh|daemon|log ?rotat\w+|disk (?:space|usage)"
    r"|port \d+|file permissions?|lock ?file|the directory \W?/)\b|/etc\b",
    re.IGNORECASE,
)
_PACKAGING: Final = re.compile(
    r"\b(?:releas(?:e|es|ing)|publish(?:ing)?|packag(?:e|ing)|build(?:s|ing)?|compil\w+|bundle"
    r"|ci|workflows?|pipeline|code signing|notari[sz]ation|makefile|cmake|dependenc\w+"
    r"|lock file)\b",
    re.IGNORECASE,
)
_FAULT: Final = re.compile(
    r"(?i)\b(?:bugs?|errors?|exceptions?|traceback|fail(?:s|ed|ing)|broken|incorrect(?:ly)?|crash\w*"
    r"|regression|wrong(?:ly)?|unexpected(?:ly)?|segfaults?|does(?:n't| not)|do(?:n't| not)|should"
    r"|ignores?|raises?|expected|instead|disappears?|loses?|lost|cannot|can't|never|points to"
    r"|too)\b"
)
_ADVICE: Final = re.compile(
    r"\A\W*(?:you are|for the|in the|i think|we should|what|why|how)\b", re.I
)
"""Openings of roles, remarks and questions, which are no reports."""

_BUILDING: Final = re.compile(
    r"\A\W*(?:(?:please|can you|could you|i want to|i want you to|we should|let's|help me|now)\s+)*"
    r"(?:add|implement|create|build|support|refactor|introduce|extend|integrate|make|write|move"
    r"|rename|replace|update|develop|migrate|carry out)\b",
    re.IGNORECASE,
)
_WEB_FILES: Final = names(".tsx .jsx .vue .svelte .css .scss .sass .less .html .astro")
_CODE_FILES: Final = names(
    ".py .go .rs .java .kt .c .cc .cpp .h .hpp .cs .rb .php .swift .scala .ex .exs .hs .ml .lua "
    ".js .mjs .cjs .ts .zig .dart .pl .pony .jl .r .clj .erl"
)
_DOC_FILES: Final = names(".md .mdx .rst .txt .adoc")
_PAPER_FILES: Final = names(".tex .bib .ipynb")
_BUILD_NAMES: Final = names(
    "Makefile CMakeLists.txt Dockerfile Containerfile package.json pyproject.toml setup.py "
    "setup.cfg Cargo.toml go.mod pom.xml build.gradle .goreleaser.yaml .goreleaser.yml tox.ini "
    "MANIFEST.in bun.lock pnpm-lock.yaml"
)
_TEMPORARY: Final = re.compile(
    r"(?i)\A(?:/tmp|/var|/private|~[/\\]\.)|[/\\](?:te?mp|scratchpad)[/\\]"
)


def domain_of(run: RunRecord) -> str:
    """The domain that a run's words, programs and changed files speak for; empty when unsure.

    Source: `python bench/domains.py`.
    """
    task = run.trajectory.task[:_TASK_CHARS]
    if _BENCHMARK.fullmatch(run.trajectory.task_id):
        return REPO_BUGFIX
    written = _written(run)
    there = [f for f in written if f not in run.own_files]
    code = [f for f in there if _suffix(f) in _CODE_FILES | _WEB_FILES and not is_test_file(f)]
    if not code and _CHALLENGE.search(task):
        return SECURITY
    return (
        _by_files(task, written)
        or _by_words(run, task, written)
        or _by_change(task, code, [f for f in written if _suffix(f) in _CODE_FILES])
    )


def _by_files(task: str, written: Sequence[str]) -> str:
    """What most of the changed files are, where the task speaks of the same."""
    if not written:
        return ""
    half = len(written) / 2
    if sum(_suffix(f) in _WEB_FILES for f in written) >= half:
        return WEB_DEV
    if sum(_builds(f) for f in written) >= half and _PACKAGING.search(task):
        return BUILD
    if sum(_suffix(f) in _PAPER_FILES for f in written) >= half and _hits(_RESEARCH, task) >= 2:
        return RESEARCH
    return ""


def _by_words(run: RunRecord, task: str, written: Sequence[str]) -> str:
    """What the task is about, where no source code was changed."""
    code = [f for f in written if _suffix(f) in _CODE_FILES | _WEB_FILES]
    if _hits(_WEB, task) >= 2 and any(_suffix(f) in _WEB_FILES | {".ts", ".js"} for f in code):
        return WEB_DEV
    if code or not run.steps:
        return ""
    if _DATA.search(task):
        return DATA_ANALYSIS
    if _hits(_RESEARCH, task) >= 3:
        return RESEARCH
    if _TERMINAL.search(task) and not written and all(s.kind != "read" for s in run.steps):
        return TERMINAL
    return ""


def _by_change(task: str, changed: Sequence[str], code: Sequence[str]) -> str:
    """A repair where a report led to a change of source, a feature where one was asked for."""
    if not code:
        return ""
    building = bool(_BUILDING.match(task))
    reported = _hits(_FAULT, task) >= 2 and not _ADVICE.match(task)
    if changed and reported and not building and len(task.split()) >= _REPORT_WORDS:
        return REPO_BUGFIX
    return FEATURE_DEV if building and not (_WEB.search(task) or _DATA_FILE.search(task)) else ""


def _written(run: RunRecord) -> list[str]:
    """The files that a run wrote, temporary ones left out, each once and in order."""
    steps = [s for s in run.steps if s.phase not in ("undo", "vcs", "install")]
    found = dict.fromkeys(f for s in steps for f in (*s.edits, *s.creates))
    return [f for f in found if not _TEMPORARY.search(f)]


def _hits(pattern: re.Pattern[str], text: str) -> int:
    """How many different words of a pattern a text holds."""
    return len({match.lower() for match in pattern.findall(text)})


def _suffix(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).suffix.lower()


def _builds(path: str) -> bool:
    plain = path.replace("\\", "/")
    name = plain.rpartition("/")[2]
    return ".github/workflows/" in plain or name in _BUILD_NAMES or name.startswith(".goreleaser")
