"""`schema`, `check-query` and `check-url`: single checks that need no workspace."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from porterlib.cli.options import Commands, command


def add_commands(commands: Commands) -> None:
    """Add the stand-alone commands."""
    schema = command(commands, "schema", _schema, "Print the JSON Schema of a contract, or list the names.")
    schema.add_argument("name", nargs="?", metavar="NAME")
    query = command(commands, "check-query", _check_query, "Say whether a query may leave the machine.")
    query.add_argument("--request", type=Path, required=True, metavar="FILE")
    query.add_argument("query", metavar="QUERY")
    url = command(
        commands, "check-url", _check_url, "Say whether an address may be fetched, without the network."
    )
    url.add_argument(
        "--resolve", action="append", default=[], metavar="HOST=IP[,IP…]", help="ASCII host and addresses"
    )
    url.add_argument("url", metavar="URL")


def _schema(args: argparse.Namespace) -> tuple[Any, int]:
    from porterlib.contracts.catalogue import contract_names, json_schema

    if not args.name:
        return {"contracts": list(contract_names())}, 0
    # A schema is JSON, whether or not a program reads it.
    return json.dumps(json_schema(args.name), ensure_ascii=False, indent=1) + "\n", 0


def _check_query(args: argparse.Namespace) -> tuple[Any, int]:
    from porterlib.contracts.loading import load_request
    from porterlib.egress import check_query
    from porterlib.sectors import load_pack

    request = load_request(args.request)
    verdict = check_query(request, args.query, vocabulary=load_pack(request.sector).vocabulary)
    return verdict, 0 if verdict["allowed"] else 1


def _check_url(args: argparse.Namespace) -> tuple[Any, int]:
    from porterlib.capture import check_url

    verdict = check_url(args.url, dict(_resolution(text) for text in args.resolve))
    return verdict, 0 if verdict["allowed"] else 1


def _resolution(text: str) -> tuple[str, list[str]]:
    from ipaddress import ip_address

    from porterlib.errors import InputError

    host, separator, addresses = text.partition("=")
    try:
        found = [str(ip_address(address.strip())) for address in addresses.split(",")]
    except ValueError:
        found = []
    if not separator or not host.strip() or not host.isascii() or not found:
        raise InputError(
            f"--resolve {text!r} is not HOST=IP[,IP…]; write e.g. --resolve example.org=93.184.215.14"
        )
    return host.strip().casefold(), found
