"""A real JupyterLab on loopback, with folders of its own, that ends with the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

STARTS_WITHIN_S = 90
SETTINGS = {
    # Cells outside the window would leave the page; every cell must be there to be looked at.
    "notebook-extension/tracker": {"windowingMode": "none", "recordTiming": False},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "docmanager-extension/plugin": {"autosave": False},
}


@dataclass(frozen=True, slots=True)
class Lab:
    """Where the server listens, and the folder it serves."""

    url: str
    token: str
    root: Path

    def page(self, name: str) -> str:
        """Return the address of one notebook as a document of its own."""
        return f"{self.url}doc/tree/{name}?token={self.token}"


@contextmanager
def running_lab(home: Path) -> Iterator[Lab]:
    """Yield a server over `home/root`; it is stopped, kernels included, when the block ends."""
    root, runtime, token = home / "root", home / "runtime", token_hex(16)
    for name, content in SETTINGS.items():
        path = home / "config" / "lab" / "user-settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    root.mkdir(exist_ok=True)
    with (home / "lab.log").open("w") as log:
        server = subprocess.Popen(
            [
                sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0",
                f"--ServerApp.root_dir={root}", f"--IdentityProvider.token={token}",
                "--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly",
                "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            ],
            cwd=root, env=_environment(home), stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            yield Lab(_address(runtime, server, home / "lab.log"), token, root)
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(10)


def _environment(home: Path) -> dict[str, str]:
    """Return the environment without settings of whoever runs the tests."""
    dropped = ("JUPYTER", "PORTERLIB_", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    folders = {
        "HOME": "home",
        "IPYTHONDIR": "ipython",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
    }
    for folder in folders.values():
        (home / folder).mkdir(exist_ok=True)
    return kept | {name: str(home / folder) for name, folder in folders.items()}


def _address(runtime: Path, server: subprocess.Popen[bytes], log: Path) -> str:
    """Return the address the server wrote into its runtime folder once it listens."""
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until and server.poll() is None:
        for path in runtime.glob("jpserver-*.json"):
            if text := path.read_text():
                return str(json.loads(text)["url"])
        time.sleep(0.1)
    raise RuntimeError(f"the server did not start:\n{log.read_text()[-2000:]}")
