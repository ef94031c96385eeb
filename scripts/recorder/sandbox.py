"""A temporary project folder in which commands really run, seen from outside as `/workspace`."""

import os
import platform
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from .scenario import Project

SEEN_AS = "/workspace"
_TIMEOUT_S = 60
_TOOLS = (
    *("bash", "cat", "chmod", "cp", "cut", "diff", "dirname", "env", "find", "git", "grep"),
    *("head", "ls", "mkdir", "mv", "od", "rm", "sed", "seq", "sh", "sleep", "sort", "tail"),
    *("touch", "tr", "uniq", "wc", "xargs"),
)
_DURATION = re.compile(r"\bin \d+\.\d{2,3}s\b")
_COMMIT_DATE = "2026-01-05T08:00:00+00:00"


class SandboxError(Exception):
    """A command of the set-up failed, hung, or let a path of this machine through."""


class Sandbox:
    """A project in a temporary folder: its own interpreter, only well-known tools, no network use.

    `root` must be empty. Output is normalised: the temporary folder is shown as `/workspace`,
    the interpreter's as `/usr/local`, durations as `0.001s`.
    """

    def __init__(self, root: Path, project: Project, *, needs: tuple[str, ...]) -> None:
        self._root = root.resolve()
        self._project = project
        self.home = self._root / "workspace" / project.name
        self.cwd = self.home
        self._remote = self._root / "remotes" / f"{project.name}.git"
        self._env = self._environment(needs)

    @property
    def seen_home(self) -> str:
        """The project folder as the recording shows it."""
        return f"{SEEN_AS}/{self._project.name}"

    def _environment(self, needs: tuple[str, ...]) -> dict[str, str]:
        python = self._root / "python"
        venv.create(python, with_pip=False, symlinks=True)
        tools = self._root / "tools"
        tools.mkdir()
        wanted = {*_TOOLS, *(need.split()[0] for need in needs)} - {"python"}
        for tool in sorted(wanted):
            if found := shutil.which(tool):
                (tools / tool).symlink_to(found)
        (self._root / "home").mkdir()
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "Example Agent"), ("EMAIL", ""), ("DATE", _COMMIT_DATE))
        }
        return {
            **identity,
            "PATH": f"{python / 'bin'}{os.pathsep}{tools}",
            "HOME": str(self._root / "home"),
            "REMOTE": str(self._remote),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "dumb",
            "PAGER": "cat",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_DEFAULT_HASH": "sha1",
            "GIT_TERMINAL_PROMPT": "0",
            # The wording of this hint changes between versions of git.
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "advice.pushUpdateRejected",
            "GIT_CONFIG_VALUE_0": "false",
        }

    def set_up(self, *, live_remote: bool, setup: tuple[str, ...]) -> str:
        """Write the project's files, commit them, and return the commit."""
        for name, text in self._project.files.items():
            self.write(name, text)
        for name in self._project.executable:
            (self.home / name).chmod(0o755)
        for command in self._project.prepare:
            self._must(command)
        self._must(f"git init -q -b {self._project.branch} && git add -A")
        self._must("git commit -q -m 'Initial import'")
        if live_remote:
            self._must('git init -q --bare -b main "$REMOTE" && git remote add origin "$REMOTE"')
            self._must(f"git push -q -u origin {self._project.branch}")
        else:
            self._must(f"git remote add origin {self._project.remote}")
        for command in setup:
            self._must(command)
        self.cwd = self.home
        return self._must("git rev-parse HEAD").strip()

    def _must(self, command: str) -> str:
        output, exit_code = self.run(command)
        if exit_code:
            raise SandboxError(f"set-up command failed with {exit_code}: {command}\n{output}")
        return output

    def run(self, command: str, *, keep_cwd: bool = False) -> tuple[str, int]:
        """Run a command with bash and return its output, normalised, and its exit code.

        With `keep_cwd` a change of folder lasts until the next command.
        """
        here = self._root / "cwd"
        script = f'{self._real(command)}\nstatus=$?; pwd -P > "$CWD_FILE"; exit $status'
        try:
            done = subprocess.run(
                ["bash", "-c", script],
                executable=shutil.which("bash"),
                cwd=self.cwd if keep_cwd else self.home,
                env={**self._env, "CWD_FILE": str(here)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise SandboxError(f"still running after {_TIMEOUT_S} s: {command}") from error
        if keep_cwd and here.exists():
            self.cwd = Path(here.read_text(encoding="utf-8").rstrip("\n"))
        return self._seen(done.stdout.decode("utf-8", errors="replace")), done.returncode

    def seen_cwd(self) -> str:
        """Return the working folder as the recording shows it."""
        return self._seen(str(self.cwd))

    def read(self, name: str) -> str | None:
        """Return a file's text, or None where there is no such file."""
        path = self.home / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    def write(self, name: str, text: str) -> None:
        """Write a file, with the folders above it."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")

    def patch(self, base: str) -> str:
        """Return all changes since a commit as a diff, new files included."""
        return self._must(f"git add -A -N && git diff {base}")

    def _real(self, command: str) -> str:
        return command.replace(SEEN_AS, str(self._root / "workspace"))

    def _seen(self, output: str) -> str:
        for real, seen in (
            (self._remote, self._project.remote),
            (self._root / "workspace", SEEN_AS),
            (self._root / "python", "/usr/local"),
            (Path(sys.base_prefix, "lib", "python3"), "/usr/local/lib/python3"),
        ):
            output = output.replace(str(real), seen)
        output = _DURATION.sub("in 0.001s", output)
        for private in (str(self._root), str(Path.home()), platform.node()):
            if len(private) > 4 and private in output:
                raise SandboxError(f"{private!r} of this machine is in the output:\n{output}")
        return output
