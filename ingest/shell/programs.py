"""What is known about single programs: wrappers, names, sub-commands, and which of them run code.

Everything here is a table or a small function over decoded words; `ingest.shell` does the parsing.
The option tables hold only options that take a separate value, because those are the ones that
make the next word look like a sub-command. Source: the programs' own manual pages.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Words = Sequence[str]

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w{0,127})=(.*)\Z", re.DOTALL)
_WINDOWS_SUFFIX = re.compile(r"\.(?:exe|cmd|bat|com)\Z", re.IGNORECASE)
_SUBCOMMAND = re.compile(r":?[A-Za-z@][\w:.@+-]{0,63}\Z")
_INSTALLED = re.compile(
    r"(?:\A|/)(?:\.?v?env[\w.-]{0,20}/(?:bin|Scripts)|node_modules/\.bin|vendor/bin)/[^/]+\Z"
)
_BUILTIN_NAMES = frozenset({"test", "true", "false", "time", "echo", "cd", "set", "exec", "kill"})


def names(text: str) -> frozenset[str]:
    """Return the words of `text` as a set, so that tables stay readable."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A program that runs the program named after it.

    `valued` are its options that take a separate value, `operands` the plain words before the
    wrapped program. `kept` says that it chooses the environment (npx, poetry run), so that the
    call cannot be repeated without it; such a wrapper is recorded, sudo or timeout are not.
    """

    valued: frozenset[str] = frozenset()
    operands: int = 0
    kept: bool = False


WRAPPERS: Mapping[str, Wrapper] = {
    "sudo": Wrapper(names("-u -g -h -p -C -r -t -U -R -D --user --group --host --prompt --chdir")),
    "doas": Wrapper(names("-u -C")),
    "env": Wrapper(names("-u -C --unset --chdir")),
    "cross-env": Wrapper(),
    "timeout": Wrapper(names("-s -k --signal --kill-after"), operands=1),
    "gtimeout": Wrapper(names("-s -k --signal --kill-after"), operands=1),
    "nice": Wrapper(names("-n --adjustment")),
    "ionice": Wrapper(names("-c -n --class --classdata")),
    "taskset": Wrapper(operands=1),
    "flock": Wrapper(names("-w -E --timeout --conflict-exit-code"), operands=1),
    "time": Wrapper(names("-f -o --format --output")),
    "nohup": Wrapper(),
    "setsid": Wrapper(),
    "command": Wrapper(),
    "builtin": Wrapper(),
    "exec": Wrapper(names("-a")),
    "coproc": Wrapper(),
    "rtk": Wrapper(),
    "wsl": Wrapper(names("-d -u --distribution --user --cd")),
    "stdbuf": Wrapper(names("-i -o -e --input --output --error")),
    "unbuffer": Wrapper(),
    "winpty": Wrapper(),
    "caffeinate": Wrapper(names("-t -w")),
    "xvfb-run": Wrapper(names("-e -f -n -p -s -w --error-file --server-num --server-args")),
    "xargs": Wrapper(names("-I -n -P -L -d -s -E -a --max-args --max-procs --replace --delimiter")),
    "npx": Wrapper(names("-p --package"), kept=True),
    "pnpx": Wrapper(names("-p --package"), kept=True),
    "bunx": Wrapper(names("-p --package"), kept=True),
    "uvx": Wrapper(names("--from --with --python -p --index --index-url"), kept=True),
}

_UV_RUN = names(
    "--with --with-editable --with-requirements --python -p --extra --group --only-group "
    "--no-group --project --directory --env-file --package --index --index-url"
)
# Keyed by tool and sub-command: `poetry run pytest`.
RUNNERS: Mapping[tuple[str, str], Wrapper] = {
    ("uv", "run"): Wrapper(_UV_RUN, kept=True),
    ("poetry", "run"): Wrapper(kept=True),
    ("pipenv", "run"): Wrapper(kept=True),
    ("pdm", "run"): Wrapper(names("-p --project"), kept=True),
    ("hatch", "run"): Wrapper(kept=True),
    ("rye", "run"): Wrapper(kept=True),
    ("pixi", "run"): Wrapper(names("-e --environment --manifest-path"), kept=True),
    ("pipx", "run"): Wrapper(names("--spec --python"), kept=True),
    ("conda", "run"): Wrapper(names("-n -p --name --prefix --cwd"), kept=True),
    ("mamba", "run"): Wrapper(names("-n -p --name --prefix --cwd"), kept=True),
    ("micromamba", "run"): Wrapper(names("-n -p --name --prefix --cwd"), kept=True),
    ("bundle", "exec"): Wrapper(kept=True),
    ("npm", "exec"): Wrapper(names("--package -p"), kept=True),
    ("pnpm", "exec"): Wrapper(kept=True),
    ("pnpm", "dlx"): Wrapper(names("--package"), kept=True),
    ("yarn", "exec"): Wrapper(kept=True),
    ("yarn", "dlx"): Wrapper(names("-p --package"), kept=True),
    ("bun", "x"): Wrapper(kept=True),
    ("mise", "exec"): Wrapper(kept=True),
    ("rbenv", "exec"): Wrapper(kept=True),
    ("pyenv", "exec"): Wrapper(kept=True),
    ("asdf", "exec"): Wrapper(kept=True),
    ("composer", "exec"): Wrapper(kept=True),
    ("direnv", "exec"): Wrapper(operands=1, kept=True),
    ("fvm", "spawn"): Wrapper(operands=1, kept=True),
}

_KUBE = names("-n --namespace --context --kubeconfig --cluster -s")
_PNPM = names("--filter -F -C --dir --prefix")
# Tools whose first word that is no option names what they do.
SUBCOMMAND_TOOLS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        names(
            "pip pip3 poetry conda mamba micromamba pixi pipenv pdm rye hatch pipx gh glab hub "
            "apt apt-get brew dnf yum apk snap winget choco terraform tofu dotnet mvn mvnw "
            "gradle gradlew bundle gem rails rake composer artisan deno bun turbo nx lerna just "
            "task mise asdf nvm rustup pyenv rbenv swift flutter dart mix rebar3 lein sbt bazel "
            "zig stack cabal opam dune nix helm gcloud az heroku fly flyctl vercel netlify "
            "systemctl launchctl svn hg jj gt pre-commit ruff coverage django-admin flask alembic "
            "podman vagrant tmux ollama meson invoke inv ninja claude codex gitlab-runner "
            "elixir-ls supabase wrangler prisma cdk pulumi direnv fvm apptainer"
        ),
        frozenset[str](),
    ),
    "git": names("-C -c --git-dir --work-tree --namespace --exec-path"),
    "npm": names("--prefix -C -w --workspace --registry --loglevel"),
    "pnpm": _PNPM,
    "yarn": names("--cwd workspace"),
    "cargo": names("--config --color -Z -C --manifest-path"),
    "go": names("-C"),
    "docker": names("-H --host -c --context --config -l --log-level"),
    "docker-compose": names("-f --file -p --project-name --profile --env-file"),
    "kubectl": _KUBE,
    "helm": _KUBE,
    "uv": names("--project --directory --python -p --config-file --cache-dir"),
    "poetry": names("-C --directory -P --project"),
    "make": names("-C -f -I -o -W --directory --file"),
    "gmake": names("-C -f -I -o -W --directory --file"),
    "gh": names("-R --repo"),
    "apt": names("-o -t -c"),
    "apt-get": names("-o -t -c"),
    "aws": names("--profile --region --output --endpoint-url --query"),
    "mvn": names("-pl -f -P -s -T --projects --file --settings"),
    "gradle": names("-p -b -c -I --project-dir --init-script"),
    "bundle": names("--gemfile"),
    "ninja": names("-C -f -j -k -l"),
    "just": names("-f --justfile -d --working-directory"),
    "turbo": names("--filter -F --cwd"),
    "ruff": names("--config"),
    "tmux": names("-L -S -f"),
    "bun": names("--cwd --filter -F"),
    "flask": names("--app -A -e --env-file"),
}

# Groups whose next word names the action: `npm run build`, `gh pr create`.
GROUPS: Mapping[str, frozenset[str]] = {
    "npm": names("run run-script workspace"),
    "pnpm": names("run"),
    "yarn": names("run"),
    "bun": names("run pm"),
    "deno": names("task"),
    "composer": names("run run-script"),
    "turbo": names("run"),
    "mise": names("run"),
    "docker": names("compose container image volume network system buildx builder"),
    "podman": names("compose container image volume network system"),
    "gh": names("pr issue repo run workflow release auth gist secret"),
    "glab": names("mr issue ci repo"),
    "uv": names("pip tool python"),
    "git": names("stash remote worktree submodule bisect"),
    "cargo": names("nextest"),
    "go": names("mod tool work"),
    "dotnet": names("tool nuget ef"),
    "terraform": names("workspace state"),
    "kubectl": names("rollout config"),
    "conda": names("env"),
    "poetry": names("env self"),
    "helm": names("repo"),
    "swift": names("package"),
}
# These have nothing but groups.
_ALL_GROUPS = names("aws gcloud az supabase")

_INTERPRETER = re.compile(
    r"(?:python[\d.]*|pypy3?|node|nodejs|ruby|perl|php|lua|Rscript|julia|java|deno|bun|tsx|ts-node"
    r"|bash|sh|zsh|dash|ksh|swift|elixir|groovy|ipython3?|py)\Z"
)
# Tools with sub-commands that build or check whatever the sub-command is.
_BUILDERS = names(
    "make gmake ninja bazel mvn mvnw gradle gradlew sbt lein rake just task invoke inv turbo nx "
    "meson pre-commit ruff coverage rails"
)
_LOOKERS = names(
    "cat ls head tail less more bat nl wc grep egrep fgrep rg ag find fd sed awk diff cmp file "
    "stat tree du df ps top pgrep which type env printenv jq sort uniq od xxd hexdump strings "
    "md5sum sha256sum id whoami uname command dir Get-Content Get-ChildItem"
)
_RUNNING_SUBCOMMANDS = names(
    "test tests t build run run-script check lint typecheck type-check verify package compile "
    "bench clippy vet nextest tox exec start dev commit push up format fmt publish"
)
_LOOKING_OPTIONS = names("--version -V -v --help -h -version")


def split_assignment(word: str) -> tuple[str, str] | None:
    """Return name and value of a word like `A=b`, or None for any other word."""
    match = _ASSIGNMENT.match(word)
    return (match[1], match[2]) if match else None


def program_name(word: str) -> str:
    """Return the name a program is known by, from the word that called it.

    Installed tools go by their base name: `/usr/bin/git`, `.venv/bin/pytest`,
    `node_modules/.bin/jest` and `C:\\Tools\\git.exe` are `git`, `pytest`, `jest` and `git`.
    A relative path is a file of the repository and stays: `bin/test`, `./gradlew`. Its leading
    `./` goes where another slash remains, so that `./bin/test` and `bin/test` are one runner;
    `./test` keeps it, because `test` is another program. An absolute path that ends like a shell
    builtin keeps its last folder (`/repo/bin/test` is `bin/test`).
    """
    path = word.replace("\\", "/") if "\\" in word else word
    path = _WINDOWS_SUFFIX.sub("", path)
    if "/" not in path:
        return path
    folder, _, base = path.rstrip("/").rpartition("/")
    if path.startswith(("/", "~", "$", "%")) or path[1:3] == ":/":
        if base in _BUILTIN_NAMES and not folder.startswith(("/bin", "/usr")):
            return f"{folder.rpartition('/')[2]}/{base}"
        return base or path
    if _INSTALLED.search(path):
        return base
    if path.startswith("./") and "/" in path[2:].strip("/"):
        return path[2:].lstrip("/")
    return path


def skip_options(words: Words, start: int, valued: frozenset[str]) -> int:
    """Return the index of the first word from `start` on that is no option or option value."""
    index = start
    while index < len(words):
        word = words[index]
        if word == "--":
            return index + 1
        if word in valued:
            index += 2
        elif word.startswith("-") and len(word) > 1:
            index += 1
        else:
            break
    return index


def subcommand_index(words: Words, tool: str) -> int:
    """Return where the sub-command of `words` (program first) stands; its length where none is."""
    valued = SUBCOMMAND_TOOLS.get(tool, frozenset())
    index = 1
    while index < len(words):
        word = words[index]
        if word in valued:
            index += 2
        elif word.startswith(("-", "+")) or _is_make_word(words, index, tool):
            index += 1
        else:
            return index
    return len(words)


def _is_make_word(words: Words, index: int, tool: str) -> bool:
    """`make V=1 -j 8 test`: assignments and the optional job count are no targets."""
    if tool not in ("make", "gmake", "just", "mvn", "rake"):
        return False
    word = words[index]
    return split_assignment(word) is not None or (word.isdigit() and words[index - 1] == "-j")


def subcommand_of(words: Words, program: str) -> tuple[str, str]:
    """Return sub-command and task of a call, both empty where the program has none.

    The task is the second word of a group: `npm run build` is ("run", "build").
    """
    tool = program.rpartition("/")[2]
    if re.fullmatch(r"(?:python|pypy)[\d.]*|py", tool):
        return _python_subcommand(words)
    if tool == "cmake" and "--build" in words:
        return "--build", ""
    if tool not in SUBCOMMAND_TOOLS and tool not in _ALL_GROUPS:
        return "", ""
    index = subcommand_index(words, tool)
    if index >= len(words):
        return "", ""
    found = words[index]
    if not _SUBCOMMAND.match(found) and tool not in ("make", "gmake", "ninja", "bazel"):
        return "", ""
    if found not in GROUPS.get(tool, frozenset()) and tool not in _ALL_GROUPS:
        return found, ""
    after = names("-f -p --profile --env-file --file") if found == "compose" else frozenset[str]()
    rest = skip_options(words, index + 1, after)
    return found, words[rest] if rest < len(words) else ""


def _python_subcommand(words: Words) -> tuple[str, str]:
    index = 1
    while index < len(words):
        word = words[index]
        if word == "-m" and index + 1 < len(words):
            return f"-m {words[index + 1]}", ""
        if word == "-c":
            return "-c", ""
        if word in ("-W", "-X"):
            index += 2
        elif word.startswith("-") and len(word) > 1:
            index += 1
        else:
            break
    if index + 1 < len(words) and words[index].rpartition("/")[2] in ("manage.py", "setup.py"):
        return words[index + 1], ""
    return "", ""


def runs_code(program: str, subcommand: str, args: Words) -> bool:
    """Say whether a call does its own work, like a test, a build or a script, and does not look.

    Of a tool with sub-commands only those that run, build, check or publish something count.
    """
    tool = program.rpartition("/")[2]
    if args and all(arg in _LOOKING_OPTIONS for arg in args):
        return False
    if _INTERPRETER.match(tool):
        return bool(args)
    if tool in SUBCOMMAND_TOOLS and tool not in _BUILDERS:
        return subcommand in _RUNNING_SUBCOMMANDS
    return tool not in _LOOKERS
