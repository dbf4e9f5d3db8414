"""A model server of the user's own: llama.cpp's server on loopback, through the optional extra `llamacpp`."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from porterlib.errors import InputError

CONTEXT_TOKENS = 8192
"""Context of a slot; enough for every question of the pipeline with room for its passages."""
_HOST = "127.0.0.1"
_MAGIC = b"GGUF"


def start_server(
    model: Path,
    *,
    port: int = 8000,
    slots: int = 1,
    context: int = CONTEXT_TOKENS,
    threads: int | None = None,
) -> Any:
    """Load a GGUF file and return the running server; it listens on loopback alone.

    Args:
        model: weights in GGUF format.
        port: TCP port; 0 takes a free one.
        slots: answers at once; each gets a context of its own.
        context: tokens a slot.
        threads: threads that compute. If absent, prompts are read by all cores and answers written by all but
            one: reading is most of the work, and threads that write wait for each other at every layer, so that a
            core shared with other work slows all of them.

    Raises:
        InputError: the extra is not installed, the file is no GGUF file, or the port is taken.

    """
    _check_file(model)
    try:
        import xllamacpp
    except ImportError as error:
        raise InputError(
            "model-server needs llama.cpp's server; install it with: pip install 'porterlib[llamacpp]'",
            extra="llamacpp",
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = [model.stem]
    params.hostnames = [_HOST]
    params.port = port
    params.n_parallel = slots
    params.n_ctx = context * slots
    cores = os.cpu_count() or 2
    params.cpuparams.n_threads = threads or max(1, cores - 1)
    params.cpuparams_batch.n_threads = threads or cores
    params.cors_origins = "null"
    params.ui = False
    params.endpoint_metrics = False
    params.offline = True
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise InputError(
            f"the server could not load {model.name!r} on port {port}; try another --port, or check the file",
            port=port,
        ) from error


def serve(
    model: Path,
    *,
    port: int = 8000,
    slots: int = 1,
    context: int = CONTEXT_TOKENS,
    threads: int | None = None,
    show: Callable[[str], None],
) -> str:
    """Serve until interrupted and return the address that was served."""
    server = start_server(model, port=port, slots=slots, context=context, threads=threads)
    address = f"{server.listening_address}/v1"
    show(f"{model.name} is served at {address}; stop with Ctrl-C")
    stopped = threading.Event()
    try:
        stopped.wait()
    except KeyboardInterrupt:
        show("stopped")
    return address


def _check_file(model: Path) -> None:
    try:
        with model.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise InputError(f"model file {str(model)!r} cannot be read", file=str(model)) from error
    if magic != _MAGIC:
        raise InputError(f"{str(model)!r} is not a GGUF file; pass weights in GGUF format", file=str(model))
