"""The analyst that asks a chat model, with the rules as its stand-in for single questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import fsum
from threading import Lock
from typing import Any

from porterlib.analyst.base import (
    SENTENCE_LIMIT,
    Choice,
    ChooseQuestion,
    RateQuestion,
    Rating,
    Sentence,
    WriteQuestion,
)
from porterlib.analyst.local.asking import Account, Asker
from porterlib.analyst.local.endpoint import Endpoint
from porterlib.analyst.local.problems import ModelNotQualified
from porterlib.analyst.local.prompts import PROMPTS_VERSION, Prompt, choose_prompt, rate_prompt, write_prompt
from porterlib.analyst.local.records import PERMISSION_KEY, CallStore, LedgerCalls, MemoryCalls
from porterlib.analyst.local.sentences import check_sentence
from porterlib.analyst.local.shares import time_until, unqualified
from porterlib.analyst.offline import OfflineAnalyst
from porterlib.contracts.analysis import AnalystStamp
from porterlib.contracts.model import AnsweredBy, CapabilityProfile, ModelCall, ModelCost, Stage
from porterlib.hashing import digest
from porterlib.ledger import Ledger

LOCAL_VERSION = "local-1"
_STAGES: dict[str, Stage] = {
    **dict.fromkeys(("topic", "hypothesis", "query"), "plan"),
    "lens": "options",
    **dict.fromkeys(("contrary", "objection", "analogy"), "brief"),
}
_OVER_BUDGET, _UNFIT = "over budget", "the model is not fit for this form of question"

Question = ChooseQuestion | RateQuestion | WriteQuestion


class LocalAnalyst:
    """Answers each question through a chat model; where it gives no valid answer, a rule stands in, counted.

    Args:
        endpoint: checked address of the server.
        profile: what was measured of model and server.
        store: keeps finished calls; those it already holds are not asked again.
        context: decision in a sentence or two, the same for all questions of a run.
        progress: told of the count of questions from time to time.

    """

    def __init__(
        self,
        endpoint: Endpoint,
        profile: CapabilityProfile,
        *,
        store: CallStore | None = None,
        context: str = "",
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self.endpoint, self.profile = endpoint, profile
        self._asker = Asker(endpoint, profile)
        self._rules = OfflineAnalyst()
        self._store = store or MemoryCalls()
        self._context = context
        self._progress = progress
        self._lock = Lock()
        self._calls = {call.question: call for call in self._store.load()}
        self._underway: dict[str, Lock] = {}
        self._pending: Counter[Stage] = Counter()

    def bind(
        self, ledger: Ledger, run_id: str, *, context: str = "", progress: Callable[[str], None] | None = None
    ) -> LocalAnalyst:
        """Return the analyst of one run: calls go to its ledger, finished ones come from there.

        A remote endpoint's permission is recorded before the first call.
        """
        if (permission := self.endpoint.permission()) is not None:
            ledger.append(run_id, "permission", permission, key=PERMISSION_KEY)
        store = LedgerCalls(ledger, run_id)
        return LocalAnalyst(self.endpoint, self.profile, store=store, context=context, progress=progress)

    @property
    def stamp(self) -> AnalystStamp:
        """Return model and prompts, with distinct questions so far and those that rules answered in its place."""
        calls = self.calls
        return AnalystStamp(
            kind="local",
            version=f"{LOCAL_VERSION}+{self._rules.stamp.version}",
            model=self.profile.model,
            prompts_version=PROMPTS_VERSION,
            asked=len(calls),
            stood_in=sum(call.answered_by in ("stand_in", "withheld") for call in calls),
        )

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """Return all questions of the run and how they were answered."""
        with self._lock:
            return tuple(self._calls.values())

    @property
    def cost(self) -> ModelCost:
        """Return what the calls cost so far."""
        return ModelCost.of(self.calls)

    def unqualified(self) -> tuple[str, ...]:
        """Return why the run must be blocked as `model_not_qualified`; empty when it need not be."""
        return unqualified(self.calls)

    def check_shares(self) -> None:
        """Refuse to go on when rules had to answer too many questions.

        Raises:
            ModelNotQualified: names the stages and the causes.

        """
        if reasons := self.unqualified():
            raise ModelNotQualified(reasons)

    def cancel(self) -> None:
        """Stop all calls within moments; answered questions are kept. May be called from any thread."""
        self._asker.runner.cancel()

    def choose(self, question: ChooseQuestion) -> Choice:
        """Return offered ids the model chose, else those the rule would choose."""
        readable = any(offer.text.strip() for offer in question.offers)
        alone = question.purpose != "trend" and len(question.offers) < 2
        why = "" if readable and not alone else "nothing to decide" if readable else "nothing to read"
        call = self._answer(question, why, lambda: choose_prompt(question, self._context))
        return Choice(
            tuple(call.answer["ids"]),
            call.answer["rule"],
            call.answer["note"],
            stood_in=call.answered_by in ("stand_in", "withheld"),
        )

    def rate(self, question: RateQuestion) -> Rating:
        """Return the model's rating on the anchors, else the rule's."""
        why = "" if question.offers else "figures decide"
        call = self._answer(question, why, lambda: rate_prompt(question, self._context))
        return Rating(
            call.answer["value"],
            call.answer["rule"],
            call.answer["note"],
            stood_in=call.answered_by in ("stand_in", "withheld"),
        )

    def write(self, question: WriteQuestion) -> Sentence:
        """Return the model's sentence if its parts carry it, else the draft."""
        why = "" if len(question.draft) <= SENTENCE_LIMIT else "draft longer than a sentence may be"
        prompt = lambda: write_prompt(question, self._context, lambda text: check_sentence(text, question))  # noqa: E731
        call = self._answer(question, why, prompt)
        return Sentence(
            call.answer["text"], call.answer["rule"], stood_in=call.answered_by in ("stand_in", "withheld")
        )

    def _answer(self, question: Question, by_rule: str, prompt: Callable[[], Prompt]) -> ModelCall:
        key, stage = self._key(question), _stage(question)
        with self._lock:
            gate = self._underway.setdefault(key, Lock())
        with gate:  # the same question from two branches is asked once
            with self._lock:
                held = self._calls.get(key)
                withheld = "" if held is not None or by_rule else self._withheld(question)
                asks = held is None and not by_rule and not withheld
                self._pending[stage] += asks
            if held is not None:
                return held
            if by_rule or withheld:
                by: AnsweredBy = "rule" if by_rule else "withheld"
                call = self._call(question, key, by, by_rule or withheld, Account())
                self._keep(call, stage, asks)
            else:
                with self._asker.slots:
                    account = self._asker.ask(prompt())
                    by = "model" if account.answered else "stand_in"
                    call = self._call(question, key, by, account.reason, account)
                    self._keep(call, stage, asks)
        self._tell()
        return call

    def _keep(self, call: ModelCall, stage: Stage, asks: bool) -> None:
        self._store.record(call)
        with self._lock:
            self._calls[call.question] = call
            self._pending[stage] -= asks

    def _withheld(self, question: Question) -> str:
        """Return why a question is not put to the model; calls and time used survive a resume.

        Time is kept for the stages to come, so that a slow server answers some questions of each.
        """
        if _kind(question) not in self.profile.forms:
            return _UNFIT
        asked = [call for call in self._calls.values() if call.answered_by in ("model", "stand_in")]
        limit = self.profile.call_limits.get(_stage(question))
        used = sum(call.stage == _stage(question) for call in asked) + self._pending[_stage(question)]
        spent = fsum(call.seconds for call in asked)
        # Questions of other branches wait in line already; each will take about as long as those before.
        spent += fsum(self._pending.values()) * spent / max(1, len(asked))
        late = spent / self.profile.slots >= self.profile.run_seconds * time_until(_stage(question))
        return _OVER_BUDGET if late or (limit is not None and used >= limit) else ""

    def _call(self, question: Question, key: str, by: AnsweredBy, reason: str, account: Account) -> ModelCall:
        answer = self._by_model(question, account) if by == "model" else self._by_rule(question, by, reason)
        return ModelCall(
            question=key,
            stage=_stage(question),
            kind=_kind(question),
            purpose=question.purpose,
            subject=question.subject,
            answered_by=by,
            reason=reason,
            answer=answer,
            transport=account.transport,
            requests=account.requests,
            repairs=account.repairs,
            failures=tuple(account.failures),
            valid_first=account.valid_first,
            prompt_tokens=account.prompt_tokens,
            cached_tokens=account.cached_tokens,
            completion_tokens=account.completion_tokens,
            longest_completion=account.longest_completion,
            seconds=account.seconds,
            dropped=account.dropped,
            model=self.profile.model,
            prompts_version=PROMPTS_VERSION,
        )

    def _by_model(self, question: Question, account: Account) -> dict[str, Any]:
        left = f", {account.dropped} left out for want of context" if account.dropped else ""
        if isinstance(question, WriteQuestion):
            return {"text": account.value, "rule": f"model.{question.purpose}"}
        note = f"chosen by {self.profile.model} among {len(question.offers)}{left}"
        if isinstance(question, RateQuestion):
            note = f"rated by {self.profile.model} on {len(question.offers)} statements{left}"
            return {"value": account.value, "rule": f"model.{question.purpose}", "note": note}
        return {"ids": list(account.value), "rule": f"model.{question.purpose}", "note": note}

    def _by_rule(self, question: Question, by: AnsweredBy, reason: str) -> dict[str, Any]:
        label = {
            "stand_in": f"by rule, the model gave no valid answer ({reason})",
            "withheld": f"by rule, {reason}",
        }
        if isinstance(question, WriteQuestion):
            sentence = self._rules.write(question)
            return {"text": sentence.text, "rule": sentence.rule}
        if isinstance(question, RateQuestion):
            rating = self._rules.rate(question)
            note = "; ".join(filter(None, (rating.note, label.get(by, ""))))
            return {"value": rating.value, "rule": rating.rule, "note": note}
        choice = self._rules.choose(question)
        note = "; ".join(filter(None, (choice.note, label.get(by, ""))))
        return {"ids": list(choice.ids), "rule": choice.rule, "note": note}

    def _key(self, question: Question) -> str:
        offers = question.parts if isinstance(question, WriteQuestion) else question.offers
        content: dict[str, Any] = {
            "kind": _kind(question),
            "purpose": question.purpose,
            "subject": question.subject,
            "text": question.text,
            "offers": [[offer.id, offer.text, dict(offer.features)] for offer in offers],
            "context": self._context,
            "model": self.profile.model,
            "prompts": PROMPTS_VERSION,
        }
        if isinstance(question, ChooseQuestion):
            content["at_most"] = question.at_most
        elif isinstance(question, RateQuestion):
            content |= {
                "anchors": [[at, word] for at, word in sorted(question.anchors.items())],
                "features": dict(question.features),
            }
        else:
            content["draft"] = question.draft
        return digest("model-question", content)

    def _tell(self) -> None:
        calls = self.calls
        if self._progress is None or len(calls) % 10:
            return
        total = ModelCost.of(calls).total
        self._progress(
            f"{total.questions} questions: {total.by_model} by the model, {total.stood_in} stood in, "
            f"{total.prompt_tokens + total.completion_tokens} tokens"
        )


def _kind(question: Question) -> Any:
    if isinstance(question, ChooseQuestion):
        return "choose"
    return "rate" if isinstance(question, RateQuestion) else "write"


def _stage(question: Question) -> Stage:
    return _STAGES.get(question.purpose, "assess")
