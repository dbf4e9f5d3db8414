"""Fixtures for all tests: sockets are refused outside loopback, shared material is found or its absence said."""

from __future__ import annotations

import os
import signal
import socket
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# Without the browser group there is nothing to run these with; asked for by name, they still fail.
collect_ignore = [] if find_spec("playwright") else ["browser"]

# A busy machine is no defect, and a check that decides what lands must say the same twice.
settings.register_profile("anywhere", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "anywhere")

# A shell that starts the tests in the background has them, and every process they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Return the folder of shared test material that lies beside the repository."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("shared test material is not beside this checkout")
    return folder


def _is_local(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a path of a Unix socket
    host = str(address[0])
    if host in {"", "localhost"}:
        return True
    try:
        return ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that leaves this machine."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(self: socket.socket, address: Any) -> None:
        if not _is_local(address):
            raise PermissionError(f"a test tried to reach {address!r}")
        return connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        if not _is_local(address):
            raise PermissionError(f"a test tried to reach {address!r}")
        return connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_ex)


LONGEST = (
    "robustness", "notebooks", "cli", "publication", "acquisition", "analysis", "egress", "search", "golden", "widgets",
    "analyst_local", "display",
)  # fmt: skip
"""Folders whose tests take longest, in this order; the others are short."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give a folder to one worker, which makes its runs and corpora once, and the longest folders first."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_folder(item)))
    items.sort(key=lambda item: (*LONGEST, _folder(item)).index(_folder(item)))


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(ROOT / "tests").parts[0]
