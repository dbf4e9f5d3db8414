"""Whole runs on the web from the command line: search, addresses, stop and resume, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from porterlib import open_workspace, resume, run
from porterlib.acquisition import CorpusSearch
from porterlib.cli.main import main
from porterlib.contracts.search import SearchResult
from porterlib.errors import CorpusError, InputError, WorkspaceError
from porterlib.ledger import verify
from porterlib.search import load_registered
from porterlib.verbs.sources import describe_search, open_search, reopen_search

from .loopback_web import CORPUS, ECONOMICS, FIXTURES, Web
from .server import Reply


def call(capsys: pytest.CaptureFixture[str], *args: str | Path) -> tuple[int, dict[str, Any]]:
    code = main([*map(str, args), "--json"])
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, answer


def test_a_search_is_stopped_resumed_and_repeated_without_asking_twice(
    web: Web, undated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = open_workspace(tmp_path / "w")

    def interrupt(line: str) -> None:
        if "reading page 5" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(
            undated,
            search=open_search("duckduckgo", place),
            economics=ECONOMICS,
            workspace=place,
            progress=interrupt,
        )
    (row,) = place.runs()
    asked, read = list(web.search.queries), len(web.pages.headers)
    code, resumed = call(capsys, "resume", row.run_id, "--workspace", place.path)
    # Every host of this web is unknown, so no page of it carries a claim alone.
    assert (code, resumed["status"], resumed["recommendation"]) == (1, "blocked", "missing_evidence")
    assert web.search.queries == asked
    assert len(asked) == len(set(asked)) == 25
    assert len(web.pages.headers) > read
    again = ["run", undated, "--search", "duckduckgo", "--economics", ECONOMICS, "--workspace", place.path]
    code, repeated = call(capsys, *again)
    assert (code, repeated["fingerprint"]) == (1, resumed["fingerprint"])
    assert web.search.queries == asked  # answered from the workspace's cache
    kept = tmp_path / "w" / "cache" / "search"
    assert kept.stat().st_mode & 0o777 == 0o700
    assert len(list(kept.iterdir())) == len(asked)
    assert verify(place.path).ok


@pytest.mark.parametrize("source", ["--search duckduckgo", "--urls"])
def test_commands_of_the_readme_run_as_printed(
    web: Web,
    undated: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    source: str,
) -> None:
    readme = (FIXTURES.parent / "README.md").read_text(encoding="utf-8")
    (line,) = (row for row in readme.splitlines() if row.startswith("porterlib run") and source in row)
    monkeypatch.chdir(tmp_path)
    Path("addresses.txt").write_text("\n".join(web.files))
    code, answer = call(capsys, *line.split()[1:])
    assert (code, answer["status"]) == (1, "blocked")
    assert answer["evidence"] > 0


def test_addresses_of_a_file_are_read_and_nothing_is_searched(
    web: Web, undated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "addresses.txt"
    listed.write_text("# of the desk\n" + "\n".join(sorted(web.files)))
    given = ["--urls", listed, "--economics", ECONOMICS, "--workspace", tmp_path / "w"]
    code, answer = call(capsys, "run", undated, *given)
    assert (code, answer["status"], answer["recommendation"]) == (1, "blocked", "missing_evidence")
    assert answer["evidence"] > 0
    assert web.search.forms == []
    spoken = {headers["host"] for headers in web.pages.headers}
    assert spoken <= {url.split("/")[2] for url in web.files}


def test_a_blocked_search_ends_as_insufficient_and_says_so(
    web: Web, undated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web.reply = Reply("", 403)
    code, answer = call(capsys, "run", undated, "--search", "duckduckgo", "--workspace", tmp_path / "w")
    assert (code, answer["status"]) == (1, "insufficient_evidence")
    assert len(answer["missing_forces"]) == 5
    with open_workspace(tmp_path / "w", mode="read").reading() as ledger:
        rules = {record.payload["rule"] for record in ledger.records(answer["run_id"], "gap")}
    assert rules == {"search_blocked"}
    assert web.pages.headers == []


def test_a_cutoff_of_the_past_is_refused_before_anything_is_sent(
    web: Web, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = FIXTURES / "requests" / "bank_kyc.yaml"
    code, answer = call(capsys, "run", request, "--search", "duckduckgo", "--workspace", tmp_path / "w")
    assert (code, answer["code"]) == (2, "REQUEST_INVALID")
    assert "request.evidence_cutoff" in answer["message"]
    assert web.search.forms == []
    assert open_workspace(tmp_path / "w", mode="read").runs() == ()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "--corpus DIR"),
        (["--search", "urls"], "--urls FILE"),
        (["--search", "corpus"], "--corpus DIR"),
        (["--search", "duckduckgo", "--corpus", str(CORPUS)], "--corpus does not go with"),
        (["--corpus", str(CORPUS), "--urls", "list.txt"], "one source of evidence"),
        (["--search", "elsewhere"], "invalid choice"),
        (["--urls", "absent.txt"], "cannot be read"),
    ],
)
def test_no_source_or_two_is_wrong_usage(
    undated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], says: str
) -> None:
    code, answer = call(capsys, "run", undated, *options, "--workspace", tmp_path / "w")
    assert code == 2
    assert says in answer["message"]


def test_documents_changed_between_stop_and_resume_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(CORPUS, corpus)
    place = open_workspace(tmp_path / "w")

    def interrupt(line: str) -> None:
        if "query 4" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(FIXTURES / "requests" / "bank_kyc.yaml", corpus=corpus, workspace=place, progress=interrupt)
    (row,) = place.runs()
    page = next((corpus / "docs").glob("*.html"))
    whole = page.read_bytes()
    page.write_bytes(whole.replace(b"</p>", b" indeed</p>", 1))
    code, answer = call(capsys, "resume", row.run_id, "--workspace", place.path)
    assert (code, answer["code"]) == (2, CorpusError.code)
    assert "were changed since the run began" in answer["message"]
    assert place.runs()[0].status == "cancelled"
    page.write_bytes(whole)
    assert call(capsys, "resume", row.run_id, "--workspace", place.path)[0] == 0


def test_a_provider_of_the_callers_own_is_asked_for_again(tmp_path: Path, undated: Path) -> None:
    class Archive:
        name = "archive"
        live = False

        def search(self, query: object, limit: int) -> SearchResult:
            raise KeyboardInterrupt

    place = open_workspace(tmp_path / "w")
    with pytest.raises(KeyboardInterrupt):
        run(undated, search=Archive(), source=CorpusSearch(CORPUS), workspace=place)
    (row,) = place.runs()
    with pytest.raises(WorkspaceError, match=r"'archive'; give it again with resume\(search=\)"):
        resume(row.run_id, workspace=place)
    with pytest.raises(InputError, match="one source of evidence"):
        run(undated, search=Archive(), corpus=CORPUS, workspace=place)


def test_what_is_recorded_of_a_provider_makes_the_same_again(tmp_path: Path) -> None:
    place = open_workspace(tmp_path / "w")
    listed = tmp_path / "addresses.json"
    listed.write_text(json.dumps({"buyers": ["https://a.example/"], "suppliers": ["https://b.example/?q=1"]}))
    for search in (load_registered(listed), open_search("duckduckgo", place), CorpusSearch(CORPUS)):
        described = json.loads(json.dumps(describe_search(search)))
        again = reopen_search(described, place)
        assert type(again) is type(search)
        assert describe_search(again) == described


@pytest.mark.parametrize(
    ("tool_choice", "used"),
    [("enforced", True), ("followed_when_told", True), ("ignored", False), ("not_measured", False)],
)
def test_a_local_model_researches_where_it_was_measured_to_call_tools(tool_choice: str, used: bool) -> None:
    from porterlib.acquisition.worker_model import is_worker_model
    from porterlib.analyst.local import LocalAnalyst, check_endpoint
    from porterlib.contracts.model import CapabilityProfile
    from porterlib.verbs.running import research_model

    profile = CapabilityProfile.model_validate(
        {
            "model": "m",
            "origin": "http://127.0.0.1:1",
            "measured_at": "2026-01-01T00:00:00Z",
            "tool_choice": tool_choice,
        }
    )
    analyst = LocalAnalyst(check_endpoint("http://127.0.0.1:1/v1"), profile)
    made = research_model(analyst)
    assert (made is not None and is_worker_model(made)) is used
    assert research_model(None) is None
