"""What is known of a model server: probes, capability profile, qualification, single calls and their cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from porterlib.contracts.base import Contract, Score01, Sha256, Text, UtcTime, Versioned

if TYPE_CHECKING:
    import pandas as pd

Form = Literal["choose", "rate", "write"]
FORMS: tuple[Form, ...] = ("choose", "rate", "write")
Transport = Literal["json_schema", "forced_tool", "prompt"]
TRANSPORTS: tuple[Transport, ...] = ("json_schema", "forced_tool", "prompt")
Stage = Literal["plan", "assess", "options", "brief"]
STAGES: tuple[Stage, ...] = ("plan", "assess", "options", "brief")
AnsweredBy = Literal["model", "stand_in", "withheld", "rule"]
Thinking = Literal["none", "separate", "inline"]
Enforcement = Literal["enforced", "followed_when_told", "ignored", "refused", "not_measured"]
Verdict = Literal["good", "usable", "bad", "not_measured"]


class ModelCall(Versioned):
    """One small question and how it came to its answer; the ledger's `model_call` record."""

    question: Sha256
    """Digest of question, model and prompts: the same question is never asked twice in a run."""
    stage: Stage
    """Step of the run that asked: the research plan, or a part of an attempt."""
    kind: Form
    """Form of the question."""
    purpose: Text
    """What the answer is for."""
    subject: Text
    """What it is about, e.g. a driver."""
    answered_by: AnsweredBy
    """The model; a rule in its place after no valid answer (`stand_in`); a rule because the question was withheld
    from the model, whose budget was spent or which is not fit for that form; or a rule because there was nothing
    to read or to decide."""
    reason: str = ""
    """Why a rule answered."""
    answer: dict[str, Any]
    """`ids`, `value` or `text` of the answer that was used."""
    transport: Transport | None = None
    """How the last answer was asked for; absent when no request was made."""
    requests: int = Field(0, ge=0)
    """HTTP requests made."""
    repairs: int = Field(0, ge=0, le=2)
    """Requests that sent a validation error back."""
    failures: tuple[str, ...] = ()
    """What was wrong with each refused answer, in order: a code, or `code: detail` without model text."""
    valid_first: bool = False
    """Whether the first answer had the asked form."""
    prompt_tokens: int = Field(0, ge=0)
    """Prompt tokens of all requests, as the server counted them."""
    cached_tokens: int = Field(0, ge=0)
    """Prompt tokens the server took from its cache."""
    completion_tokens: int = Field(0, ge=0)
    """Tokens written."""
    longest_completion: int = Field(0, ge=0)
    """Most tokens written in one request."""
    seconds: float = Field(0.0, ge=0)
    """Time from request to answer, over all requests."""
    dropped: int = Field(0, ge=0)
    """Offers left out because the context was too small, lowest ranked first."""
    model: str = ""
    """Model id."""
    prompts_version: str = ""
    """Version of the prompts."""


class StageCost(Contract):
    """Cost of one stage, or of all."""

    stage: Text
    """Stage, or `all`."""
    questions: int = Field(0, ge=0)
    """Small questions that came up."""
    by_model: int = Field(0, ge=0)
    """Answered by the model itself."""
    stood_in: int = Field(0, ge=0)
    """Answered by rule after no valid answer."""
    withheld: int = Field(0, ge=0)
    """Answered by rule because the budget was spent or the model is not fit for that form of question."""
    by_rule: int = Field(0, ge=0)
    """Answered by rule because there was nothing to read, figures alone decide."""
    requests: int = Field(0, ge=0)
    """HTTP requests."""
    repairs: int = Field(0, ge=0)
    """Requests that sent an error back."""
    valid_first: int = Field(0, ge=0)
    """Questions whose first answer had the asked form."""
    prompt_tokens: int = Field(0, ge=0)
    """Prompt tokens."""
    cached_tokens: int = Field(0, ge=0)
    """Prompt tokens from the server's cache."""
    completion_tokens: int = Field(0, ge=0)
    """Tokens written."""
    longest_completion: int = Field(0, ge=0)
    """Most tokens written in one request."""
    seconds: float = Field(0.0, ge=0)
    """Time spent waiting for the server."""

    @property
    def put_to_model(self) -> int:
        """Return how many questions the model was asked."""
        return self.by_model + self.stood_in

    @property
    def own_share(self) -> float | None:
        """Return the share of all decisions the model itself made; None without a decision."""
        return self.by_model / self.questions if self.questions else None

    @property
    def stand_in_share(self) -> float:
        """Return the share of questions put to the model that a rule had to answer."""
        return self.stood_in / self.put_to_model if self.put_to_model else 0.0

    @property
    def cached_share(self) -> float | None:
        """Return the share of prompt tokens from cache; None without a prompt."""
        return self.cached_tokens / self.prompt_tokens if self.prompt_tokens else None

    @property
    def valid_first_share(self) -> float | None:
        """Return the share of asked questions with the asked form at the first try."""
        return self.valid_first / self.put_to_model if self.put_to_model else None


class ModelCost(Versioned):
    """What a run's model calls cost, by stage, and how much the model decided itself."""

    run_id: str = ""
    """The run."""
    model: str = ""
    """Model id."""
    stages: tuple[StageCost, ...] = ()
    """One entry a stage that asked anything."""
    total: StageCost = StageCost(stage="all")
    """Sum of all stages."""

    @classmethod
    def of(cls, calls: Iterable[ModelCall], *, run_id: str = "") -> ModelCost:
        """Add up single calls.

        >>> ModelCost.of([]).total.own_share is None
        True

        """
        held = tuple(calls)
        stages = tuple(
            _add(stage, [call for call in held if call.stage == stage])
            for stage in STAGES
            if any(call.stage == stage for call in held)
        )
        return cls(
            run_id=run_id, model=held[-1].model if held else "", stages=stages, total=_add("all", held)
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return one row a stage and one for all, with shares."""
        import pandas as pd

        rows = [
            {
                **entry.model_dump(),
                "own_share": entry.own_share,
                "cached_share": entry.cached_share,
                "valid_first_share": entry.valid_first_share,
            }
            for entry in (*self.stages, self.total)
        ]
        return pd.DataFrame(rows)


def _add(stage: str, calls: Iterable[ModelCall]) -> StageCost:
    held = list(calls)
    count = {by: sum(call.answered_by == by for call in held) for by in ("model", "stand_in", "rule")}
    sums = {
        name: sum(getattr(call, name) for call in held)
        for name in ("requests", "repairs", "prompt_tokens", "cached_tokens", "completion_tokens")
    }
    return StageCost(
        stage=stage,
        questions=len(held),
        by_model=count["model"],
        stood_in=count["stand_in"],
        withheld=len(held) - sum(count.values()),
        by_rule=count["rule"],
        valid_first=sum(call.valid_first for call in held),
        longest_completion=max((call.longest_completion for call in held), default=0),
        seconds=round(fsum(call.seconds for call in held), 3),
        **sums,
    )


class Probe(Contract):
    """One thing that was measured of a server."""

    name: Text
    """What was probed."""
    verdict: Verdict
    """`usable` works with a loss that `advice` names."""
    value: str = ""
    """What was measured, with its unit."""
    advice: str = ""
    """What to do; empty where nothing needs doing."""


class Agreement(Contract):
    """How often answers of one form equal the known ones, beside chance."""

    kind: Text
    """Form of question, or `all`."""
    items: int = Field(ge=0)
    """Labelled questions."""
    valid_first: int = Field(ge=0)
    """Valid at the first try."""
    valid_after_repair: int = Field(ge=0)
    """Valid at the first try or after at most two repairs."""
    right: int = Field(ge=0)
    """Answers equal to the known one; for sentences, accepted by the checks."""
    chance: Score01
    """Expected share of right answers by random choice among the possible ones."""
    low: Score01
    """Lower end of the 95 % Wilson interval of the share right."""
    high: Score01
    """Upper end."""

    @property
    def share_right(self) -> float | None:
        """Return the share of right answers; None without items."""
        return self.right / self.items if self.items else None

    @property
    def better_than_chance(self) -> bool:
        """Return whether the whole interval lies above chance."""
        return bool(self.items) and self.low > self.chance


class Qualification(Versioned):
    """A model's answers to the pipeline's own question forms on a labelled set."""

    model: Text
    """Model id."""
    prompts_version: Text
    """Version of the prompts that asked."""
    set_sha256: Sha256
    """Digest of the labelled set."""
    by_kind: tuple[Agreement, ...]
    """One entry a form of question."""
    total: Agreement
    """All items."""

    def to_pandas(self) -> pd.DataFrame:
        """Return one row a form of question and one for all."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    **entry.model_dump(),
                    "share_right": entry.share_right,
                    "better_than_chance": entry.better_than_chance,
                }
                for entry in (*self.by_kind, self.total)
            ]
        )


class CapabilityProfile(Versioned):
    """What was measured of one model on one server; it chooses how questions are asked."""

    model: Text
    """Model id as the server lists it."""
    server: str = ""
    """Server's own name and version where it tells them."""
    origin: Text
    """Scheme, host and port of the endpoint."""
    measured_at: UtcTime
    """When the probes ran."""
    model_detail: str = ""
    """What the server lists of the model besides its id (size, parameters), to notice a changed one."""
    transports: tuple[Transport, ...] = Field(TRANSPORTS, min_length=1)
    """Ways to ask for structure that work, best first."""
    forms: tuple[Form, ...] = FORMS
    """Forms of question that are put to the model; the others were mostly refused when it was qualified."""
    schema_enforcement: Enforcement = "not_measured"
    """Whether a JSON schema holds against the model's will."""
    tool_choice: Enforcement = "not_measured"
    """Whether a forced tool call holds against the model's will."""
    thinking: Thinking = "none"
    """Where the model's thinking text appears when it is left on."""
    thinking_off: bool = False
    """Whether `chat_template_kwargs.enable_thinking=false` stops it, and is therefore sent."""
    context_tokens: int = Field(4096, ge=256)
    """Tokens that fit into one request, prompt and answer together."""
    slots: int = Field(1, ge=1, le=16)
    """Requests at once that gain throughput."""
    prompt_tokens_per_s: float | None = Field(None, gt=0)
    """Reading speed."""
    completion_tokens_per_s: float | None = Field(None, gt=0)
    """Writing speed."""
    prefix_cache: bool = False
    """Whether a repeated prefix is served from cache."""
    chars_per_token: float = Field(3.2, gt=0)
    """Measured length of a token on the pipeline's own texts."""
    first_token_s: float = Field(120.0, gt=0)
    """Longest wait for the first token."""
    idle_s: float = Field(30.0, gt=0)
    """Longest pause between tokens; keep-alive comments do not count."""
    total_s: float = Field(240.0, gt=0)
    """Longest time for one request."""
    call_limits: Mapping[Stage, int] = Field(default_factory=dict)
    """Most questions of a stage that are put to the model in a run; absent means all."""
    run_seconds: float = Field(480.0, gt=0)
    """Time a run may spend on model calls, shared out over its stages; rules answer what is left then, labelled
    and counted."""
    qualification: Qualification | None = None
    """Answers to the labelled set, if it was run."""

    def fits(self, model: str, detail: str = "") -> bool:
        """Return whether the profile was measured on this model; a changed model asks for a new one."""
        return self.model == model and (not detail or not self.model_detail or self.model_detail == detail)


class DoctorReport(Versioned):
    """Outcome of probing a server."""

    url: Text
    """Endpoint as given, without any key."""
    model: str = ""
    """Model id that was probed."""
    at: UtcTime
    """When."""
    probes: tuple[Probe, ...]
    """In the order they ran."""
    profile: CapabilityProfile | None = None
    """Absent when the server gave no answer."""
    qualification: Qualification | None = None
    """Absent when it was not asked for."""
    profile_path: str = ""
    """Where the profile was stored."""

    @property
    def usable(self) -> bool:
        """Return whether runs can use the server: a profile exists and nothing essential is bad."""
        return self.profile is not None and not any(
            probe.verdict == "bad" and probe.name in ESSENTIAL for probe in self.probes
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return one row a probe."""
        import pandas as pd

        return pd.DataFrame([probe.model_dump() for probe in self.probes])


ESSENTIAL = frozenset({"endpoint", "reachable", "model", "key", "answers", "pipeline_questions", "context"})
"""Probes without which no run can use the server."""
