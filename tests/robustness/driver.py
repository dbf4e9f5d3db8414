"""Runs the golden case again and again in forked children and kills them; one JSON object a case on stdout.

Usage: driver.py commits|moments WORKSPACES [COUNT [SEED]]

A fork inherits what is imported and read already, so that many runs fit into a test. The documents are read once
by the parent and shared, and so is what follows from request, figures or one text alone: a kill cannot change it.
Everything that is written, and all that leads there, is what a user's process does.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from porterlib.acquisition.promotion import Promoter
from porterlib.acquisition.search import CorpusSearch
from porterlib.analysis.reading import Reader
from porterlib.contracts.publication import Outcome
from porterlib.egress import EgressGuard
from porterlib.errors import TransitionError
from porterlib.ledger import connection as connecting
from porterlib.ledger import verify
from porterlib.verbs import running
from porterlib.verbs.loading import load_outcome
from porterlib.workspace import Workspace, open_workspace

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
REQUEST = FIXTURES / "requests" / "bank_kyc.yaml"
CORPUS = FIXTURES / "corpora" / "bank_kyc"
ECONOMICS = FIXTURES / "economics" / "kyc_mixed.yaml"
DONE = frozenset({"achieved_draft", "publishable", "insufficient_evidence", "blocked"})


class Commits:
    """A connection that counts commits, notes what each holds, and kills the process at one of them."""

    labels: list[str] = []  # noqa: RUF012 - one list for all connections of the process
    kill_at: tuple[int, str] | None = None

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._kinds: list[str] = []

    def execute(self, sql: str, values: Any = ()) -> Any:
        if sql == "COMMIT":
            return self._commit()
        if sql.startswith("INSERT INTO records"):
            self._kinds.append(values[2])
        elif sql.startswith("DELETE FROM open_runs"):
            self._kinds.append("put_down")
        elif sql.startswith("INSERT INTO blobs"):
            self._kinds.append("blob")
        return self._inner.execute(sql, values)

    def _commit(self) -> Any:
        Commits.labels.append("+".join(dict.fromkeys(self._kinds)) or "schema")
        self._kinds = []
        number = len(Commits.labels)
        if Commits.kill_at == (number, "before"):
            os.kill(os.getpid(), signal.SIGKILL)
        done = self._inner.execute("COMMIT")
        if Commits.kill_at == (number, "after"):
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def skip_the_disk() -> None:
    """Commit without waiting for the disk: a killed process, unlike a power cut, loses nothing of it."""
    real = connecting.durable_settings
    connecting.durable_settings = lambda version: (real(version)[0], "OFF")


def remember() -> None:
    """Keep what the one request, its figures, one query or one text give, whenever they are asked."""
    for owner, name in (
        (running, "calculate_inputs"),
        (EgressGuard, "_rule"),
        (Promoter, "_read"),
        (Reader, "_hear"),
    ):
        setattr(owner, name, remembering(getattr(owner, name)))


def remembering(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return `work`, done once for each value of its last argument."""
    held: dict[str, Any] = {}

    def asked(*given: Any) -> Any:
        value = repr(given[-1])
        if value not in held:
            held[value] = work(*given)
        return held[value]

    return asked


def watch_commits() -> None:
    open_connection = connecting.connect_writer
    connecting.connect_writer = lambda file: Commits(open_connection(file))  # type: ignore[assignment,return-value]


def run_golden(place: Workspace) -> Outcome:
    return running.run(REQUEST, corpus=CORPUS, economics=ECONOMICS, workspace=place)


class Searches:
    """The corpus, read once, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        search = CorpusSearch(CORPUS)
        ask = search.search

        def counted(*args: Any, **options: Any) -> Any:
            self.asked += 1
            return ask(*args, **options)

        search.search = counted  # type: ignore[method-assign]
        running.open_search = lambda *_args, **_options: search
        running.reopen_search = lambda *_args, **_options: search


def in_child(work: Callable[[], Any]) -> tuple[int, Any]:
    """Return wait status and result of `work` done in a forked child; the result is None if it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            answer = json.dumps(work()).encode()
            while answer:
                answer = answer[os.write(writing, answer) :]
            code = 0
        except Exception:  # noqa: BLE001 - a child of a fork must not return into its parent's code
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    return status, json.loads(text) if text else None


def aftermath(folder: Path, searches: Searches) -> dict[str, Any]:
    """Check a workspace after a kill, take its run up, and check again."""
    found: dict[str, Any] = {"verified": True, "committed_queries": 0}
    if (folder / "ledger.db").exists() and (folder / "ledger.db").stat().st_size:
        found["verified"] = verify(folder).ok
    place = open_workspace(folder)
    rows = place.runs()
    found["runs"] = [row.status for row in rows]
    if not rows:
        outcome = run_golden(place)
    else:
        found["committed_queries"] = count(place, rows[0].run_id, "query")
        outcome = taken_up(place, rows[0].run_id, found)
    found["asked"] = searches.asked
    found |= {"status": outcome.status, "fingerprint": outcome.fingerprint}
    found["queries"] = count(place, outcome.run_id, "query")
    found["same"] = same_on_disk(place, outcome)
    found["leftover"] = [str(p.name) for p in place.path.rglob(".*") if p.is_file()]
    found["verified_after"] = verify(folder).ok
    found["final"] = [(row.status, row.reason) for row in place.runs()]
    return found


def taken_up(place: Workspace, run_id: str, found: dict[str, Any]) -> Outcome:
    try:
        return running.resume(run_id, workspace=place)
    except TransitionError as refusal:
        found["refused"] = refusal.code
        return load_outcome(place, run_id)


def count(place: Workspace, run_id: str, kind: Any) -> int:
    with place.reading() as ledger:
        keys = [record.key for record in ledger.records(run_id, kind)]
    assert len(keys) == len(set(keys))
    return len(keys)


def same_on_disk(place: Workspace, outcome: Outcome) -> bool:
    """Tell whether every artifact lies on disk as the ledger holds it."""
    with place.reading() as ledger:
        held = {
            record.payload["name"]: record.payload["blob"]
            for record in ledger.records(outcome.run_id, "artifact")
        }
        return set(outcome.artifacts) >= {"board-brief.md", "audit-sidecar.json", "evidence.csv"} and all(
            Path(path).read_bytes() == ledger.get_blob(held[name]) for name, path in outcome.artifacts.items()
        )


def reference(folder: Path) -> dict[str, Any]:
    """Run undisturbed in a child; return fingerprint, number of queries, commits and seconds."""

    def work() -> dict[str, Any]:
        watch_commits()
        started = time.monotonic()
        place = open_workspace(folder)
        outcome = run_golden(place)
        return {
            "fingerprint": outcome.fingerprint,
            "status": outcome.status,
            "queries": count(place, outcome.run_id, "query"),
            "seconds": time.monotonic() - started,
            "labels": list(Commits.labels),
        }

    return in_child(work)[1]


def killed_at_commits(labels: list[str]) -> Iterator[tuple[int, str]]:
    """Yield a commit of each kind before it and one after it: the first and the last where there are several."""
    for label in dict.fromkeys(labels):
        places = [number for number, other in enumerate(labels, 1) if other == label]
        yield from ((places[0], "before"), (places[-1], "after"))


def commits(folder: Path, searches: Searches) -> Iterator[dict[str, Any]]:
    plain = reference(folder / "plain")
    yield {"case": "plain", **plain}
    for number, when in killed_at_commits(plain["labels"]):
        place = folder / f"{number}-{when}"

        def doomed(place: Path = place, number: int = number, when: str = when) -> None:
            watch_commits()
            Commits.kill_at = (number, when)
            run_golden(open_workspace(place))

        status, _ = in_child(doomed)
        result = in_child(lambda place=place: aftermath(place, searches))[1]
        yield {
            "case": f"{when} commit {number}: {plain['labels'][number - 1]}",
            "killed": killed(status),
            **(result or {}),
        }


def moments(folder: Path, searches: Searches, many: int, seed: int) -> Iterator[dict[str, Any]]:
    plain = reference(folder / "plain")
    yield {"case": "plain", **plain}
    chance = random.Random(seed)
    for number in range(many):
        place, delay = folder / f"m{number}", chance.uniform(0, plain["seconds"])
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                run_golden(open_workspace(place))
            os._exit(0)
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        result = in_child(lambda place=place: aftermath(place, searches))[1]
        yield {"case": f"after {delay:.2f} s", "killed": killed(status), **(result or {})}


def killed(status: int) -> bool:
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def main() -> None:
    mode, folder = sys.argv[1], Path(sys.argv[2])
    skip_the_disk()
    remember()
    searches = Searches()
    run_golden(open_workspace(folder / "warm"))  # everything is imported and read before the first fork
    searches.asked = 0
    gc.collect()
    gc.freeze()  # children do not copy what they only read
    cases = (
        commits(folder, searches)
        if mode == "commits"
        else moments(folder, searches, int(sys.argv[3]), int(sys.argv[4]))
    )
    for case in cases:
        print(json.dumps(case), flush=True)


if __name__ == "__main__":
    main()
