"""`vllm serve` as a process on loopback: started, waited for, killed, started again, ended.

with serving_vllm(python, model, tmp_path, *STRICT) as server: ...     # server.url
"""

import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from engines.fixtures import HERE, environment

NAME = "tiny-chat"
STRICT = (
    "--structured-outputs-config",
    '{"backend":"guidance","disable_any_whitespace":true}',
)  # fmt: skip
THREADS = {"VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": "1"}
"""Otherwise every server binds itself to the first core, whoever is there already."""
READY_S = 1800
"""Starting takes about 60 s on a machine that does nothing else."""


@dataclass
class Served:
    """One server. It keeps its port when it is started again."""

    python: str
    model: Path
    log: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self, *flags: str) -> None:
        """Start it and wait until it is ready; RuntimeError with its last words if it ends."""
        command = [
            self.python, str(HERE / "vllm_cli.py"), "serve", str(self.model),
            "--served-model-name", NAME, "--host", "127.0.0.1", "--port", str(self.port),
            "--dtype", "float32", "--enforce-eager", "--block-size", "32",
            # vLLM 0.32 on a CPU ends with "CPU Generator does not use offset" when a request with a
            # seed, at a temperature above 0, has its prompt computed in parts.
            "--enable-prompt-tokens-details", "--no-enable-chunked-prefill", *flags,
        ]  # fmt: skip
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, env=environment(**THREADS), start_new_session=True
            )
        deadline = time.monotonic() + READY_S
        while not self._ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                told = self.log.read_text(encoding="utf-8", errors="replace")[-3000:]
                self.kill()
                raise RuntimeError(f"vllm serve did not become ready; its log ends with:\n{told}")
            time.sleep(0.5)

    def _ready(self) -> bool:
        with suppress(OSError):
            health = urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5)
            with health:
                return bool(health.status == 200)
        return False

    def kill(self) -> None:
        """End the server and its workers at once, as a machine that fails does."""
        if self.process:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=60)
            self.process = None


@contextmanager
def serving_vllm(python: str, model: Path, folder: Path, *flags: str) -> Iterator[Served]:
    """A server that is ready; its log is `vllm.log` in the folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Served(python, model, folder / "vllm.log", port)
    server.start(*flags)
    try:
        yield server
    finally:
        server.kill()
