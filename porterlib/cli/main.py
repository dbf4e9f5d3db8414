"""Builds the parser, runs one command, prints its result or its error."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from porterlib.cli import inspecting, models, notebooks, publishing, running, tools
from porterlib.errors import PorterError


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="porterlib",
        description="Turns a strategic technology question into a decision a board can challenge.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for group in (running, publishing, inspecting, tools, models, notebooks):
        group.add_commands(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = build_parser().parse_args(argv)
    as_json = bool(getattr(args, "json", False))
    try:
        result, code = args.handler(args)
    except PorterError as error:
        return _fail(error.to_dict(), error.exit_code, as_json=as_json)
    except KeyboardInterrupt:
        message = "stopped; what was committed is kept, continue with: porterlib resume RUN"
        return _fail({"code": "INTERRUPTED", "message": message}, 1, as_json=as_json)
    _print(result, as_json=as_json)
    return int(code)


def _fail(error: dict[str, Any], code: int, *, as_json: bool) -> int:
    if as_json:
        _print({"ok": False, "error": error, **error}, as_json=True)
    print(f"porterlib: {error['code']}: {error['message']}", file=sys.stderr)
    for question in error.get("questions", ()):
        print(f"  - {question}", file=sys.stderr)
    for field in error.get("fields", ()):
        print(f"  - {field}", file=sys.stderr)
    return code


def _print(result: Any, *, as_json: bool) -> None:
    if isinstance(result, str):
        sys.stdout.write(result)
        return
    if as_json:
        print(json.dumps(result, ensure_ascii=False, indent=1, default=str))
        return
    for line in _lines(result):
        print(line)


def _lines(result: Any, indent: str = "") -> list[str]:
    """Return a result as plain lines for a terminal."""
    if isinstance(result, dict):
        lines = []
        for key, value in result.items():
            if isinstance(value, dict | list | tuple) and value:
                lines += [f"{indent}{key}:", *_lines(value, indent + "  ")]
            else:
                lines.append(f"{indent}{key}: {_shown(value)}")
        return lines
    if isinstance(result, list | tuple):
        return (
            [line for entry in result for line in _lines(entry, indent + "  ")]
            if result
            else [f"{indent}none"]
        )
    return [f"{indent}{_shown(result)}"]


def _shown(value: Any) -> str:
    if value is None or value == [] or value == {}:
        return "-"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
