"""Qualifies a model on the pipeline's own forms of question, against known answers and beside chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from porterlib.analyst.base import ChooseQuestion, Offer, RateQuestion, WriteQuestion
from porterlib.analyst.local.asking import Account, Asker
from porterlib.analyst.local.prompts import PROMPTS_VERSION, Prompt, choose_prompt, rate_prompt, write_prompt
from porterlib.analyst.local.sentences import check_sentence
from porterlib.contracts.base import Contract, Text
from porterlib.contracts.model import Agreement, Qualification
from porterlib.doctor.intervals import wilson
from porterlib.doctor.session import quiet
from porterlib.errors import InputError
from porterlib.hashing import digest
from porterlib.resources import bundled

Kind = Literal["choose", "trend", "rate", "write"]
KINDS: tuple[Kind, ...] = ("choose", "trend", "rate", "write")


class LabelledItem(Contract):
    """One question with its known answer; synthetic."""

    id: Text
    """Name of the item."""
    kind: Kind
    """Form of question."""
    text: Text
    """The question."""
    statements: tuple[Text, ...] = Field(min_length=1)
    """Statements shown, in this order."""
    anchors: dict[int, str] = Field(default_factory=dict)
    """Anchors of a rating."""
    draft: str = ""
    """Draft of a sentence."""
    right: tuple[str, ...] = ()
    """Answers that count as right: positions from 1 or `none`, trend words, ratings; unused for sentences, which
    are right when the checks accept them."""

    @property
    def chance(self) -> float:
        """Return the share of right answers among the possible ones."""
        possible = {"choose": len(self.statements) + 1, "trend": 4, "rate": 6, "write": 0}[self.kind]
        return len(self.right) / possible if possible else 0.0


def load_items(path: Path | None = None) -> tuple[LabelledItem, ...]:
    """Return the labelled set that ships with the library, or one of the user's.

    Raises:
        InputError: the file does not read or an item does not validate; the message names it.

    """
    import yaml

    file = path or bundled("fixtures") / "qualification" / "questions.yaml"
    try:
        entries = yaml.safe_load(file.read_text(encoding="utf-8"))["items"]
        return tuple(LabelledItem.model_validate(entry) for entry in entries)
    except (OSError, yaml.YAMLError, TypeError, KeyError, ValidationError) as error:
        raise InputError(
            f"labelled questions in {file.name!r} do not read; see fixtures/qualification"
        ) from error


def prompt_of(item: LabelledItem) -> Prompt:
    """Return the prompt that the pipeline would send for the item."""
    offers = tuple(Offer(str(at), text) for at, text in enumerate(item.statements, start=1))
    if item.kind == "rate":
        return rate_prompt(RateQuestion("driver", item.id, item.text, item.anchors, offers, {}), "")
    if item.kind == "write":
        question = WriteQuestion("quoted_evidence", item.id, item.text, offers, item.draft)
        return write_prompt(question, "", lambda text: check_sentence(text, question))
    if item.kind == "trend":
        offers = (Offer("evidence", " ".join(item.statements)),)
        return choose_prompt(ChooseQuestion("trend", item.id, item.text, offers), "")
    return choose_prompt(ChooseQuestion("lead_claim", item.id, item.text, offers), "")


def qualify(
    asker: Asker,
    items: Sequence[LabelledItem],
    *,
    show: Callable[[str], None] = quiet,
) -> tuple[Qualification, float]:
    """Ask every item and return the figures with the mean seconds of a question.

    Items of one form are asked in a row, so that a server's cache helps as it does in a run.
    """
    asked: list[tuple[LabelledItem, Account]] = []
    for kind in KINDS:
        for item in (item for item in items if item.kind == kind):
            asked.append((item, asker.ask(prompt_of(item))))
            if len(asked) % 10 == 0:
                show(f"{len(asked)} of {len(items)} labelled questions asked")
    by_kind = tuple(
        _agreement(kind, [pair for pair in asked if pair[0].kind == kind])
        for kind in KINDS
        if any(item.kind == kind for item, _ in asked)
    )
    content = [item.to_dict() for item in items]
    result = Qualification(
        model=asker.profile.model,
        prompts_version=PROMPTS_VERSION,
        set_sha256=digest("qualification-set", content),
        by_kind=by_kind,
        total=_agreement("all", asked),
    )
    return result, fsum(account.seconds for _, account in asked) / max(1, len(asked))


def _agreement(kind: str, asked: Sequence[tuple[LabelledItem, Account]]) -> Agreement:
    right = sum(_right(item, account) for item, account in asked)
    low, high = wilson(right, len(asked))
    return Agreement(
        kind=kind,
        items=len(asked),
        valid_first=sum(account.valid_first for _, account in asked),
        valid_after_repair=sum(account.answered for _, account in asked),
        right=right,
        chance=round(fsum(item.chance for item, _ in asked) / max(1, len(asked)), 6),
        low=low,
        high=high,
    )


def _right(item: LabelledItem, account: Account) -> bool:
    if not account.answered:
        return False
    return item.kind == "write" or _plain(account.value) in item.right


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return str(value[0]) if value else "none"
    return "not_assessed" if value is None else str(value)
