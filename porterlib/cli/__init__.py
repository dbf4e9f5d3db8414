"""Thin commands over the verbs: one JSON object on stdout with `--json`, progress on stderr, stable exit codes.

Exit 0: done. Exit 1: the run was blocked or a check failed. Exit 2: wrong usage or input.
"""

from porterlib.cli.main import main

__all__ = ["main"]
