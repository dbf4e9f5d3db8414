"""One large schema call against many small questions, on the same server and evidence, side by side.

Run by hand: python tests/benchmarks/local_one_call_or_many.py --model-url http://127.0.0.1:8000/v1
Both have the same time for the model. The large call asks for the whole board document at once, with the schema
sent to the server, two repairs, and as many passages as fit beside the answer. Its first sample takes the likeliest
word each time, every further one draws with a seed of its own. It is judged as its own contract asks: complete JSON,
valid shape, only offered ids, quotations that occur word for word. The small questions are an ordinary run; they are
asked alike each time, so their samples differ by what the time allows.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from porterlib import acquire, calculate, frame, open_workspace, supervise
from porterlib.acquisition.search import CorpusSearch
from porterlib.analyst.local import LocalAnalyst, stored_cost
from porterlib.analyst.local.prompts import inert
from porterlib.analyst.local.running import Runner
from porterlib.analyst.local.wire import Clocks, fetch_reply
from porterlib.contracts.analysis import Candidate
from porterlib.doctor import connect
from porterlib.economics import load_inputs

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ANSWER_TOKENS = 3_000


class Part(BaseModel):
    """Base of the large document's parts."""

    model_config = ConfigDict(extra="forbid")


class Cited(Part):
    """A sentence with the passage it rests on."""

    sentence: str = Field(min_length=10, max_length=240)
    evidence_id: str
    quote: str = Field(min_length=10, max_length=240)


class ForcePart(Part):
    """One force."""

    force: Literal["new_entrants", "suppliers", "buyers", "substitutes", "rivalry"]
    score: int = Field(ge=1, le=5)
    trend: Literal["increasing", "stable", "decreasing", "uncertain"]
    drivers: list[int] = Field(min_length=7, max_length=7)
    evidence: list[Cited] = Field(min_length=3, max_length=3)
    implication: str = Field(min_length=10, max_length=240)


class OptionPart(Part):
    """One option under five lenses."""

    name: str
    ratings: list[int] = Field(min_length=5, max_length=5)


class Document(Part):
    """The whole board document."""

    decision: str = Field(min_length=10, max_length=240)
    recommendation: Literal["proceed", "reversible_step", "wait", "stop", "missing_evidence"]
    forces: list[ForcePart] = Field(min_length=5, max_length=5)
    options: list[OptionPart] = Field(min_length=5, max_length=5)
    dissent: Cited


def large_call(
    analyst: LocalAnalyst, contract: Any, snapshot: Any, context_tokens: int, limit_s: float, seed: int
) -> dict[str, Any]:
    """Ask for everything at once and return how it went; seed 0 takes the likeliest word each time."""
    profile, passages = analyst.profile, {}
    room = (context_tokens - ANSWER_TOKENS - 600) * profile.chars_per_token
    for item in snapshot.evidence:
        room -= len(item.passage) + 12
        if room < 0:
            break
        passages[f"E{len(passages) + 1}"] = item.passage
    listed = "\n".join(f"{name}: {inert(text)}" for name, text in passages.items())
    user = f"{listed}\n\nDecision: {inert(contract.question)}\nWrite the board document as one JSON object."
    schema = Document.model_json_schema()
    found = {
        "passages": len(passages),
        **dict.fromkeys(("requests", "prompt_tokens", "completion_tokens", "answer_chars"), 0),
    }
    started, problems = time.monotonic(), []
    for _ in range(3):
        left = limit_s - (time.monotonic() - started)
        if left < 5:
            break
        body = {
            "model": profile.model,
            "messages": [{"role": "user", "content": user}],
            "max_tokens": ANSWER_TOKENS,
            "temperature": 0.7 if seed else 0,
            "seed": seed,
            "stream": True,
            "stream_options": {"include_usage": True},
            "response_format": {"type": "json_schema", "json_schema": {"name": "document", "schema": schema}},
        }
        reply = Runner().run(fetch_reply(analyst.endpoint, body, Clocks(left, left, left)))
        found["requests"] += 1
        found["prompt_tokens"] += reply.prompt_tokens
        found["completion_tokens"] += reply.completion_tokens
        found["answer_chars"] += reply.size  # a server counts no tokens of an answer that was stopped
        problem = judge(reply.content, passages) if not reply.failure else reply.failure
        if problem and reply.completion_tokens >= ANSWER_TOKENS:
            problem = f"not ended at {ANSWER_TOKENS} tokens, last: {reply.content[-60:]!r}"
        problems.append(problem or "valid")
        if not problem:
            break
        user += f"\nAn answer was refused: {problem[:200]}. Answer again."
    found |= {"seconds": round(time.monotonic() - started, 1), "tries": problems}
    return {**found, "valid_contract": problems[-1:] == ["valid"]}


def judge(text: str, passages: dict[str, str]) -> str:
    """Return what is wrong with a document, or an empty string."""
    try:
        document = Document.model_validate(json.loads(text))
    except ValueError as error:
        kind = "shape" if isinstance(error, ValidationError) else "no JSON"
        return f"{kind}: {str(error).splitlines()[0]}"
    cited = [entry for part in document.forces for entry in part.evidence] + [document.dissent]
    invented = [entry.evidence_id for entry in cited if entry.evidence_id not in passages]
    if invented:
        return f"{len(invented)} of {len(cited)} citations name no offered passage"
    altered = sum(entry.quote not in passages[entry.evidence_id] for entry in cited)
    if altered:
        return f"{altered} of {len(cited)} quotations do not occur in their passage"
    missing = {"new_entrants", "suppliers", "buyers", "substitutes", "rivalry"} - {
        p.force for p in document.forces
    }
    return f"forces missing: {', '.join(sorted(missing))}" if missing else ""


def small_questions(
    analyst: LocalAnalyst, place: Any, contract: Any, snapshot: Any, economics: Any
) -> dict[str, Any]:
    """Run the ordinary way and return how it went."""
    started = time.monotonic()
    outcome = supervise(contract, snapshot, economics, analyst=analyst, workspace=place)
    seconds = time.monotonic() - started
    with place.reading() as ledger:
        cost = stored_cost(ledger, contract.run_id)
    candidate = outcome.candidate
    valid = candidate is not None and Candidate.model_validate(candidate.to_dict()) == candidate
    return {
        "status": f"{outcome.status} {outcome.reason}".strip(),
        "valid_contract": valid,
        "run_seconds": round(seconds, 1),
        **cost.total.model_dump(exclude={"stage"}),
        "own_share": round(cost.total.own_share or 0, 3),
        "cached_share": round(cost.total.cached_share or 0, 3),
    }


def main() -> None:
    """Measure every sample of both ways and print each as JSON when it has ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model-url", default="http://127.0.0.1:8000/v1")
    parser.add_argument(
        "--context", type=int, default=8192, help="tokens the server holds, for the large call"
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="time for the model, each sample")
    parser.add_argument("--large", type=int, default=3, help="samples of the large call, each its own seed")
    parser.add_argument("--small", type=int, default=3, help="samples of the small questions")
    parser.add_argument("--first-seed", type=int, default=0)
    args = parser.parse_args()
    found = connect(args.model_url, show=print)
    limits: dict[str, Any] = {"run_seconds": args.seconds, "call_limits": {}}
    analyst = LocalAnalyst(found.endpoint, found.profile.model_copy(update=limits))
    print(json.dumps({"model": analyst.profile.model, "cpus": os.cpu_count(), "load": os.getloadavg()}))
    for seed in range(args.first_seed, args.first_seed + args.large):
        with tempfile.TemporaryDirectory() as folder:
            contract, snapshot, _ = gathered(open_workspace(folder), None)
        told = large_call(analyst, contract, snapshot, args.context, args.seconds, seed)
        print(json.dumps({"one_large_call": {"seed": seed, **told}}), flush=True)
    for _ in range(args.small):
        with tempfile.TemporaryDirectory() as folder:
            place = open_workspace(folder)
            contract, snapshot, economics = gathered(place, analyst)
            told = small_questions(analyst, place, contract, snapshot, economics)
        print(json.dumps({"small_questions": told}), flush=True)


def gathered(place: Any, analyst: LocalAnalyst | None) -> tuple[Any, Any, Any]:
    """Return the golden case's frame, evidence and economics."""
    contract = frame(FIXTURES / "requests" / "bank_kyc.yaml", workspace=place)
    economics = calculate(contract, load_inputs(FIXTURES / "economics" / "kyc_mixed.yaml"), workspace=place)
    search = CorpusSearch(FIXTURES / "corpora" / "bank_kyc", clock=place.clock)
    given = {"analyst": analyst} if analyst else {}
    return contract, acquire(contract, search=search, workspace=place, **given), economics


if __name__ == "__main__":
    main()
