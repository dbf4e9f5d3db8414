"""`doctor` and `model-server`."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from porterlib.cli.options import Commands, command, progress_printer


def add_commands(commands: Commands) -> None:
    """Add the commands around a model server."""
    doctor = command(commands, "doctor", _doctor, "Measure a model server and store what it can do.")
    doctor.add_argument("--model-url", metavar="URL", help="base address; the setting if absent")
    doctor.add_argument("--model", metavar="ID", help="model id; the server's first if absent")
    doctor.add_argument("--quick", action="store_true", help="ask a sample of the labelled questions only")
    doctor.add_argument(
        "--live-canary",
        action="store_true",
        help="run the bundled synthetic case to its end on the server, in a folder that is then removed",
    )
    server = command(
        commands, "model-server", _serve, "Serve a GGUF file on this machine (needs the extra llamacpp)."
    )
    server.add_argument("file", type=Path, metavar="FILE.gguf")
    server.add_argument("--port", type=int, default=8000, metavar="N")
    server.add_argument("--slots", type=int, default=1, metavar="N", help="requests at once")
    server.add_argument(
        "--context", type=int, default=8192, metavar="N", help="tokens a request may have, prompt and answer"
    )
    server.add_argument(
        "--threads", type=int, metavar="N", help="if absent, all cores read and all but one write"
    )


def _doctor(args: argparse.Namespace) -> tuple[Any, int]:
    from porterlib.doctor import diagnose
    from porterlib.settings import Settings

    settings, show = Settings(), progress_printer()
    show("starting")
    report = diagnose(
        args.model_url or settings.model_url,
        model=args.model or settings.model_name,
        key=settings.model_key,
        allow_remote=settings.allow_remote_model,
        full=not args.quick,
        show=show,
    )
    result = {**report.to_dict(), "usable": report.usable}
    code = 0 if report.usable else 1
    if args.live_canary and report.usable:
        canary, code = _canary(report.url, report.model, show)
        result["live_canary"] = canary
    return (result if args.json else _table(result)), code


def _canary(url: str, model: str, show: Any) -> tuple[dict[str, Any], int]:
    from porterlib.analyst.local import stored_cost
    from porterlib.doctor import connect
    from porterlib.resources import bundled
    from porterlib.settings import Settings
    from porterlib.verbs.running import run
    from porterlib.workspace import open_workspace

    settings, fixtures = Settings(), bundled("fixtures")
    analyst = connect(
        url, model=model, key=settings.model_key, allow_remote=settings.allow_remote_model, show=show
    )
    with tempfile.TemporaryDirectory(prefix="porterlib-canary-") as folder:
        place = open_workspace(folder)
        case: dict[str, Any] = {
            "corpus": fixtures / "corpora" / "bank_kyc",
            "economics": fixtures / "economics" / "kyc_mixed.yaml",
            "analyst": analyst,
        }
        request = fixtures / "requests" / "bank_kyc.yaml"
        outcome = run(request, workspace=place, progress=show, **case)
        with place.reading() as ledger:
            cost = stored_cost(ledger, outcome.run_id)
    finished = outcome.status in {"achieved_draft", "publishable"}
    share = cost.total.own_share
    canary = {
        "status": outcome.status,
        "reason": outcome.reason,
        "elapsed_s": outcome.elapsed_s,
        "decided_by_model": None if share is None else round(share, 3),
        "cost": [entry.to_dict() for entry in (*cost.stages, cost.total)],
    }
    return canary, 0 if finished else 1


def _table(result: dict[str, Any]) -> str:
    rows = [(p["name"], p["verdict"].replace("_", " "), p["value"], p["advice"]) for p in result["probes"]]
    widths = [max(len(row[at]) for row in rows) for at in range(2)]
    lines = [
        f"{name:<{widths[0]}}  {verdict:<{widths[1]}}  {value}"
        + (f"\n{'':<{sum(widths) + 4}}→ {advice}" if advice else "")
        for name, verdict, value, advice in rows
    ]
    lines.append(f"usable: {'yes' if result['usable'] else 'no'}")
    if result["profile_path"]:
        lines.append(f"profile: {result['profile_path']}")
    if canary := result.get("live_canary"):
        decided = canary["decided_by_model"]
        lines.append(
            f"live canary: {canary['status']}"
            + (f" ({canary['reason']})" if canary["reason"] else "")
            + f" in {canary['elapsed_s']:.0f} s; "
            + ("no question was asked" if decided is None else f"the model decided {decided:.0%} itself")
        )
    return "\n".join(lines) + "\n"


def _serve(args: argparse.Namespace) -> tuple[Any, int]:
    from porterlib.analyst.local.serving import serve

    address = serve(
        args.file,
        port=args.port,
        slots=args.slots,
        context=args.context,
        threads=args.threads,
        show=progress_printer(),
    )
    return {"served": address}, 0
