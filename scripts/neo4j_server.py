"""Start a real Neo4j on this machine without Docker, for tests and for a look around.

The server is resolved from its published Java artifacts with Maven and kept in a cache folder, so
that the second start needs no network. Needed: Maven, and Java 17 (5.26 line) or 21 (2025 line).

    python scripts/neo4j_server.py --line 5.26            # prints address and password, runs on
    python scripts/neo4j_server.py --line 5.26 --fetch    # fills the cache, or says what is missing
"""

import argparse
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CACHE: Final = Path(
    os.environ.get("STEPLADDER_NEO4J_CACHE", Path.home() / ".cache" / "stepladder-neo4j")
)
START_TIMEOUT_S: Final = 240.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of releases: its version, the Java it needs and how it is started."""

    version: str
    java: int
    main_class: str
    flags: tuple[str, ...] = ()


LINES: Final = {
    "5.26": Line(version="5.26.12", java=17, main_class="org.neo4j.server.CommunityEntryPoint"),
    "2025": Line(
        version="2025.10.1",
        java=21,
        main_class="org.neo4j.server.Neo4jCommunity",
        flags=("--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"),
    ),
}

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>neo4j-server</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{version}</version>
    </dependency>
    <dependency>
      <groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId>
      <version>{version}</version>
    </dependency>
  </dependencies>
</project>
"""

_OPENS = ("java.nio", "java.io", "sun.nio.ch")


class NoServerError(RuntimeError):
    """The server cannot be had here; the message says what is missing."""


@dataclass(slots=True, kw_only=True)
class Server:
    """A running server; `stop` and `start` keep its data and its ports."""

    line: Line
    home: Path
    bolt_port: int
    http_port: int
    password: str
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where it listens, as the driver wants it."""
        return f"neo4j://127.0.0.1:{self.bolt_port}"

    def start(self) -> None:
        """Start the process and wait until Bolt answers."""
        jars = fetch(self.line)
        opens = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENS]
        self.process = subprocess.Popen(
            [
                str(java(self.line.java)),
                "-Xms512m",
                "-Xmx1g",
                *opens,
                *self.line.flags,
                "-cp",
                str(jars / "*"),
                self.line.main_class,
                f"--home-dir={self.home}",
                f"--config-dir={self.home / 'conf'}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait()

    def stop(self) -> None:
        """Ask the process to end, and wait for it."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=60)

    def kill(self) -> None:
        """End the process without asking."""
        if self.process:
            self.process.kill()
            self.process.wait(timeout=60)

    def _wait(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if self.process is None or self.process.poll() is not None:
                raise NoServerError(f"The server ended at once; see {self.home / 'logs'}.")
            try:
                with socket.create_connection(("127.0.0.1", self.bolt_port), timeout=1):
                    return
            except OSError:
                time.sleep(0.2)
        raise NoServerError(f"The server did not answer within {START_TIMEOUT_S:.0f} s.")


def java(version: int) -> Path:
    """The `java` program of this version or newer.

    Raises:
        NoServerError: there is none.
    """
    for candidate in _java_programs():
        if _java_version(candidate) >= version:
            return candidate
    raise NoServerError(f"Java {version} or newer is needed; set JAVA_HOME to one.")


def _java_programs() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if found := shutil.which("java"):
        yield Path(found)
    for folder in (Path("/usr/lib/jvm"), Path("/opt"), Path("/Library/Java/JavaVirtualMachines")):
        yield from sorted(folder.glob("*/bin/java"))


def _java_version(program: Path) -> int:
    if not program.exists():
        return 0
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    _, _, rest = told.stderr.partition('version "')
    number, _, _ = rest.partition(".")
    digits = "".join(c for c in number if c.isdigit())
    return int(digits or 0)


def fetch(line: Line) -> Path:
    """The folder with the server's jars, resolved with Maven once.

    Raises:
        NoServerError: Maven is missing or could not resolve them.
    """
    folder = CACHE / line.version
    if (folder / "complete").exists():
        return folder / "lib"
    maven = shutil.which("mvn")
    if not maven:
        raise NoServerError("Maven (mvn) is needed to fetch the server.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pom.xml").write_text(_POM.format(version=line.version), encoding="utf-8")
    done = subprocess.run(
        [
            maven,
            "-q",
            "-B",
            "dependency:copy-dependencies",
            f"-DoutputDirectory={folder / 'lib'}",
            "-DincludeScope=runtime",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NoServerError(f"Maven could not resolve the server: {done.stdout[-500:]}")
    (folder / "complete").touch()
    return folder / "lib"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _configure(home: Path, *, bolt_port: int, http_port: int) -> None:
    conf = home / "conf"
    conf.mkdir(parents=True, exist_ok=True)
    settings = {
        "server.default_listen_address": "127.0.0.1",
        "server.bolt.listen_address": f"127.0.0.1:{bolt_port}",
        "server.bolt.advertised_address": f"127.0.0.1:{bolt_port}",
        "server.http.listen_address": f"127.0.0.1:{http_port}",
        "server.https.enabled": "false",
        "dbms.usage_report.enabled": "false",
        "server.memory.heap.initial_size": "512m",
        "server.memory.heap.max_size": "1g",
        "server.memory.pagecache.size": "256m",
    }
    text = "".join(f"{name}={value}\n" for name, value in settings.items())
    (conf / "neo4j.conf").write_text(text, encoding="utf-8")


def _set_password(server: Server) -> None:
    from neo4j import GraphDatabase

    address = f"bolt://127.0.0.1:{server.bolt_port}"
    with GraphDatabase.driver(address, auth=("neo4j", "neo4j")) as driver:
        driver.execute_query(
            "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $new",
            {"new": server.password},
            database_="system",
        )


@contextmanager
def running(line: str = "5.26") -> Iterator[Server]:
    """A server with an empty database on free loopback ports, stopped and removed at the end.

    Raises:
        NoServerError: Java or Maven is missing, or the server did not start.
    """
    home = Path(tempfile.mkdtemp(prefix="stepladder-neo4j-"))
    server = Server(
        line=LINES[line],
        home=home,
        bolt_port=_free_port(),
        http_port=_free_port(),
        password=secrets.token_urlsafe(12),
    )
    _configure(home, bolt_port=server.bolt_port, http_port=server.http_port)
    try:
        server.start()
        _set_password(server)
        yield server
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--line", choices=sorted(LINES), default="5.26")
    parser.add_argument(
        "--fetch", action="store_true", help="fill the cache, or say what is missing"
    )
    options = parser.parse_args()
    try:
        if options.fetch:
            line = LINES[options.line]
            print(f"{fetch(line)}, to be run by {java(line.java)}")
            return
        with running(options.line) as server:
            print(f"{server.address}  user neo4j  password {server.password}", flush=True)
            print(f"Browser: http://127.0.0.1:{server.http_port}", flush=True)
            signal.sigwait({signal.SIGINT, signal.SIGTERM})
    except NoServerError as error:
        sys.exit(f"No Neo4j {options.line} here: {error}")


if __name__ == "__main__":
    _main()
