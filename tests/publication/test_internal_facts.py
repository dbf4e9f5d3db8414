"""The brief names internal facts by id and owner; their text stays in the local sidecar (rule 13.4)."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

from porterlib.contracts.loading import load_request
from porterlib.rendering.sidecar import internal_facts
from porterlib.verbs.exporting import export_bundle

from .golden import Finished

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def test_each_fact_is_named_by_the_contract_s_id_and_its_owner_and_not_told(
    run: Finished, tmp_path: Path
) -> None:
    request = load_request(FIXTURES / "requests" / "bank_kyc.yaml")
    assert len(request.internal_facts) == 4
    folder = run.place.path / "runs" / run.run_id
    brief = (folder / "board-brief.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- `(F-[0-9a-f]+)`, owner (.+)$", brief, re.MULTILINE)
    assert run.outcome.candidate is not None
    assert tuple(name for name, _ in listed) == run.outcome.candidate.contract.internal_fact_ids
    assert [owner for _, owner in listed] == [fact.owner for fact in request.internal_facts]
    local = json.loads((folder / "audit-sidecar.json").read_text(encoding="utf-8"))
    assert local["internal_facts"] == internal_facts(request)
    bundle = export_bundle(run.run_id, tmp_path / "b.zip", workspace=run.place)
    with zipfile.ZipFile(bundle) as held:
        shared = {name: held.read(name).decode() for name in held.namelist()}
    for fact in request.internal_facts:
        assert fact.text not in brief
        assert not any(fact.text in text for text in shared.values())
