"""Builds the parser, runs one command, prints its result or its error."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from porterlib.cli import inspecting, models, notebooks, publishing, running, tools
from porterlib.cli.options import Parser, UsageError
from porterlib.errors import PorterError


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="porterlib",
        description="Turns a strategic technology question into a decision a board can challenge.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for group in (running, publishing, inspecting, tools, models, notebooks):
        group.add_commands(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        args = build_parser().parse_args(given)
    except UsageError as error:
        return _fail(error.to_dict(), error.exit_code, as_json="--json" in given)
    as_json = bool(getattr(args, "json", False))
    try:
        return _run(args, as_json=as_json)
    except BrokenPipeError:
        # The reader of stdout has gone; what was done is committed. Python must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(args: argparse.Namespace, *, as_json: bool) -> int:
    try:
        with _stoppable():
            result, code = args.handler(args)
    except PorterError as error:
        return _fail(error.to_dict(), error.exit_code, as_json=as_json)
    except KeyboardInterrupt:
        message = "stopped; what was committed is kept, take the run up with: porterlib resume RUN"
        return _fail({"code": "INTERRUPTED", "message": message}, 1, as_json=as_json)
    except OSError as error:
        return _fail(_told(error), 1, as_json=as_json)
    _print(result, as_json=as_json)
    sys.stdout.flush()
    return int(code)


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let a scheduler's SIGTERM stop a command as Ctrl-C does: ledger whole, run cancelled."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        del number, frame
        raise KeyboardInterrupt("terminated")

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _told(error: OSError) -> dict[str, Any]:
    if isinstance(error, BrokenPipeError):
        raise error
    place = f" {error.filename!r}" if error.filename else ""
    message = f"the system refused{place}: {error.strerror or error}; check path, permissions and free space"
    return {"code": "SYSTEM_REFUSED", "message": message}


def _fail(error: dict[str, Any], code: int, *, as_json: bool) -> int:
    if as_json:
        _print({"ok": False, "error": error, **error}, as_json=True)
    print(f"porterlib: {error['code']}: {error['message']}", file=sys.stderr)
    for line in (*error.get("questions", ()), *_field_lines(error)):
        print(f"  - {line}", file=sys.stderr)
    return code


def _field_lines(error: Mapping[str, Any]) -> list[str]:
    """Return the wrong fields as lines, unless the message has told them all."""
    fields, message = error.get("fields", ()), error["message"]
    if len(fields) == 1 and fields[0]["path"] in message:
        return []
    return [line for line in map(_field_line, fields) if line not in message]


def _field_line(field: Mapping[str, Any]) -> str:
    """Return a wrong field as a line: its path, what is wrong with it, what to write."""
    told = "; ".join(str(field[part]) for part in ("problem", "write") if field.get(part))
    return f"{field['path']}: {told}" if told else str(field["path"])


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
