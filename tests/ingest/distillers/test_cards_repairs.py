"""Cards about what was missing, not configured or not allowed, and what made it work."""

from typing import Any

import pytest

from stepladder.ingest.distillers.rules.card import Hit

TRACEBACK = 'Traceback (most recent call last):\n  File "/repo/repro.py", line 1, in <module>\n'
WRITE = ("cat > repro.py <<'EOF'\nfrom app import models\nEOF",)
REWRITE = ("cat > repro.py <<'EOF'\nimport app\nEOF",)
RUNS = ("python repro.py", "Result: 3")
FIX = ("sed -i 's/a/b/' src/a.py",)
NO_PYTEST = ("pytest tests/test_a.py", "bash: line 1: pytest: command not found", 127)
NO_MODULE = ("python -m pytest tests/test_a.py", "/usr/bin/python: No module named pytest", 1)
LOCKED = ("bin/worker start", "ERROR lock var/worker.lock is held by pid 4999999", 1)
DENIED = ("bin/rotate", "bash: line 1: bin/rotate: Permission denied", 126)
NOT_DECODED = (
    "python load.py data.csv",
    "Traceback (most recent call last):\n"
    "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xeb in position 2",
    1,
)
CHECK = ("bin/check", "FAIL split(100, 3) gives 99\n1 failed", 1)
SETTING = ("bin/worker expect retries 5", "worker: retries is 3, not 5", 1)
CUT = ("cat big.log", "line\n" * 400 + "<output elided>\n" + "line\n" * 400)


def fails(error: str, line: str = "python repro.py") -> tuple[str, str, int]:
    return (line, f"{TRACEBACK}{error}", 1)


CASES = [
    ("runner-missing", "the project's own runner works",
     [NO_PYTEST, ("bin/test tests/test_a.py", "Ran 3 tests in 0.1s\n\nOK")], [(0, 1)]),
    ("runner-missing", "a make target works, without naming files",
     [NO_MODULE, ("make test", "0 failed, 3 passed")], [(0, 1)]),
    ("runner-missing", "the runner is there and a module of the tests is not",
     [("pytest tests/test_a.py", "E   ModuleNotFoundError: No module named 'numpy'\n1 error in "
       "0.1s", 2), ("make test", "0 failed, 3 passed")], []),
    ("runner-missing", "the same runner, started otherwise",
     [NO_MODULE, ("pytest tests/test_a.py", "3 passed in 0.1s")], []),
    ("runner-other-interp", "the runner's own command works",
     [NO_MODULE, ("pytest tests/test_a.py", "3 passed in 0.1s")], [(0, 1)]),
    ("runner-other-interp", "it was installed in between",
     [NO_MODULE, ("pip install pytest", "Successfully installed pytest-8.0"),
      ("pytest tests/test_a.py", "3 passed in 0.1s")], []),
    ("runner-other-interp", "the other way is missing too", [NO_MODULE, NO_PYTEST], []),
    ("own-environment", "the project's interpreter has the module",
     [fails("ModuleNotFoundError: No module named 'yaml'", "python tools/docs.py"),
      (".venv/bin/python tools/docs.py", "done")], [(0, 1)]),
    ("own-environment", "the module was installed",
     [fails("ModuleNotFoundError: No module named 'yaml'", "python tools/docs.py"),
      ("pip install pyyaml", "Successfully installed pyyaml"), ("python tools/docs.py", "done")],
     []),
    ("module-install", "the module is installed and the script runs",
     [WRITE, fails("ModuleNotFoundError: No module named 'yaml'"),
      ("pip install pyyaml", "Successfully installed pyyaml-6.0"), RUNS], [(1, 2, 3)]),
    ("module-install", "it was there already",
     [WRITE, fails("ModuleNotFoundError: No module named 'yaml'"),
      ("pip install pyyaml", "Requirement already satisfied: pyyaml"), RUNS], []),
    ("tool-substitute", "another program does it",
     [("jq .name package.json", "bash: line 1: jq: command not found", 127),
      ("cat package.json", "{}")], [(0, 1)]),
    ("tool-substitute", "another program on another file",
     [("jq .name package.json", "bash: line 1: jq: command not found", 127),
      ("cat setup.cfg", "x")], []),
    ("test-path", "the folder shows the right file",
     [("pytest tests/test_domain_python.py",
       "ERROR: file or directory not found: tests/test_domain_python.py", 4),
      ("ls tests", "test_domain_py.py"), ("pytest tests/test_domain_py.py", "45 passed in 2.6s")],
     [(0, 1, 2)]),
    ("test-path", "no look at the folder",
     [("pytest tests/test_domain_python.py",
       "ERROR: file or directory not found: tests/test_domain_python.py", 4),
      ("pytest tests/test_domain_py.py", "45 passed in 2.6s")], []),
    ("script-not-there", "it is written and run",
     [("python repro.py", "python: can't open file '/repo/repro.py': [Errno 2] No such file", 2),
      WRITE, RUNS], [(0, 1, 2)]),
    ("script-not-there", "another script is written",
     [("python repro.py", "python: can't open file '/repo/repro.py': [Errno 2] No such file", 2),
      ("cat > other.py <<'EOF'\npass\nEOF",), ("python other.py", "ok")], []),
    ("import-lookup", "the definition is looked up",
     [WRITE, fails("ImportError: cannot import name 'models'"),
      ("grep -rn 'class Model' app", "app/base.py:3:class Model"), REWRITE, RUNS], [(1, 2, 4)]),
    ("import-lookup", "a whole package is missing",
     [WRITE, fails("ModuleNotFoundError: No module named 'scipy'"),
      ("grep -rn scipy setup.py", "scipy"), REWRITE, RUNS], []),
    ("db-schema", "the script makes its tables",
     [WRITE, fails("django.db.utils.OperationalError: no such table: __main___book"), REWRITE,
      RUNS], [(1, 2, 3)]),
    ("db-schema", "the code is changed instead",
     [WRITE, fails("django.db.utils.OperationalError: no such table: __main___book"), FIX, RUNS],
     []),
    ("fw-setup", "the script is set up",
     [WRITE, fails("django.core.exceptions.ImproperlyConfigured: settings are not configured"),
      REWRITE, RUNS], [(1, 2, 3)]),
    ("fw-setup", "it never runs",
     [WRITE, fails("django.core.exceptions.ImproperlyConfigured: settings are not configured"),
      REWRITE], []),
    ("encode-out", "the encoding is set",
     [WRITE, fails("UnicodeEncodeError: 'ascii' codec can't encode character '\\xe1'"),
      ("PYTHONIOENCODING=utf-8 python repro.py", "á")], [(1, 2)]),
    ("encode-out", "the text is left out",
     [WRITE, fails("UnicodeEncodeError: 'ascii' codec can't encode character '\\xe1'"), REWRITE,
      RUNS], []),
    ("encoding-named", "the bytes are read with their encoding",
     [NOT_DECODED, ("head -c 40 data.csv | od -c", "0000000"),
      ("python -c \"print(open('data.csv', encoding='cp1252').read())\"", "Zoë")], [(0, 2)]),
    ("encoding-named", "another file is taken", [NOT_DECODED, ("python load.py b.csv", "ok")], []),
    ("exec-bit", "the mode is set and the program starts",
     [DENIED, ("git ls-files -s bin", "100644 bin/rotate"),
      ("chmod +x bin/rotate && git update-index --chmod=+x bin/rotate",),
      ("bin/rotate", "rotated")], [(0, 2, 3)]),
    ("exec-bit", "it is started through a shell instead", [DENIED, ("sh bin/rotate", "ok")], []),
    ("stale-lock", "the holder is asked for",
     [LOCKED, ("cat var/worker.lock; kill -0 4999999", "No such process", 1)], [(0, 1)]),
    ("stale-lock", "the lock is removed unseen", [LOCKED, ("rm var/worker.lock",)], []),
    ("log-named", "the log is read",
     [("bin/worker start", "worker: not started, see var/worker.log", 1),
      ("tail -n 4 var/worker.log", "ERROR no port")], [(0, 1)]),
    ("log-named", "something is changed first",
     [("bin/worker start", "worker: not started, see var/worker.log", 1), FIX,
      ("tail -n 4 var/worker.log", "ERROR no port")], []),
    ("clean-build", "from clean before and after",
     [("make clean && make", "make: *** [Makefile:6: all] Error 1", 2),
      ("sed -i 's/a/b/' Makefile",), ("make clean && make", "built")], [(0, 2)]),
    ("clean-build", "never from clean",
     [("make", "make: *** [Makefile:6: all] Error 1", 2), ("sed -i 's/a/b/' Makefile",),
      ("make", "built")], []),
    ("stale-build", "a build makes it pass",
     [CHECK, FIX, CHECK, ("bin/build && bin/check", "0 failed, 3 passed")], [(0, 2, 3)]),
    ("stale-build", "a second change makes it pass",
     [CHECK, FIX, CHECK, FIX, ("bin/check", "0 failed, 3 passed")], []),
    ("setting-no-effect", "two changes of one file, and no look elsewhere",
     [SETTING, ("sed -i 's/3/5/' config/worker.toml",), SETTING,
      ("sed -i 's/5/6/' config/worker.toml",), SETTING], [(0, 2, 4)]),
    ("setting-no-effect", "the name is searched elsewhere",
     [SETTING, ("sed -i 's/3/5/' config/worker.toml",), SETTING, ("grep -rn retries .", "x"),
      ("sed -i 's/5/6/' config/worker.toml",), SETTING], []),
    ("flaky-seeds", "a loop over seeds, before and after",
     [("for s in 1 2 3; do PYTHONHASHSEED=$s bin/test; done", "1 failed, 1 passed"), FIX,
      ("for s in 1 2 3; do PYTHONHASHSEED=$s bin/test; done", "2 passed")], [(0, 2)]),
    ("flaky-seeds", "two seeds by hand",
     [("PYTHONHASHSEED=1 bin/test", "2 passed"), ("PYTHONHASHSEED=2 bin/test", "1 failed", 1)],
     [(0, 1)]),
    ("flaky-seeds", "one seed is no comparison", [("PYTHONHASHSEED=1 bin/test", "2 passed")], []),
    ("pipe-exit", "the shell keeps the first code",
     [("set -o pipefail; bin/test | tail -n 3", "2 passed")], [(0,)]),
    ("pipe-exit", "a plain pipe", [("bin/test | tail -n 3", "2 passed")], []),
    ("ask-interpreter", "a question, then the change",
     [("python -c \"print(list(zip()))\"", "[]"), FIX], [(0, 1)]),
    ("ask-interpreter", "no change follows", [("python -c \"print(list(zip()))\"", "[]")], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "steps", "expected"),
    [(name, steps, expected) for name, _, steps, expected in CASES],
    ids=[f"{name}: {what}" for name, what, _, _ in CASES],
)
def test_the_card_fires_on_exactly_these_steps(
    make_run: Any, hits: Any, name: str, steps: list[Any], expected: list[tuple[int, ...]]
) -> None:
    assert hits(name, make_run(*steps)) == [Hit(steps=found) for found in expected]
