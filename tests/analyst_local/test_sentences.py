"""A sentence of the model's may say no more than its parts and its draft."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from porterlib.analyst.local.extract import AnswerRejected
from porterlib.analyst.local.prompts import write_prompt
from porterlib.analyst.local.sentences import check_sentence

QUOTE = "“Fees fell by 12 % at the banks that automated checks”"


@pytest.mark.parametrize(
    "text",
    [
        f"The Meridian Review wrote in 2025: {QUOTE}.",
        f"In 2025 The Meridian Review reported: {QUOTE}.",
        f"In 2025, The Meridian Review\nwrote: {QUOTE}.",
    ],
)
def test_a_faithful_sentence_stands(text: str, write: Any) -> None:
    assert check_sentence(text, write) == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "length"),
        (f"The Meridian Review wrote in 2025: {QUOTE}. " + "It did so. " * 20, "length"),
        ("The Meridian Review wrote in 2025 that fees fell by 12 %.", "quote"),
        (
            "The Meridian Review wrote in 2025: “Fees fell by 13 % at the banks that automated checks”.",
            "quote",
        ),
        (f"The Meridian Review wrote in 2025: {QUOTE}, says “Anna Lind”.", "quote"),
        (f"In 2025 it wrote: {QUOTE}.", "attribution"),
        (f"The Meridian Review wrote in 2024: {QUOTE}.", "new_number"),
        (f"The Meridian Review wrote in 2025 of 40 banks: {QUOTE}.", "new_number"),
        (f"The Harlow Institute wrote in 2025: {QUOTE}.", "new_name"),
        (f"The Meridian Review wrote in 2025, and Goldman Sachs agreed: {QUOTE}.", "new_name"),
        (f"The Meridian Review wrote in 2025: {QUOTE}; see https://x.test.", "markup"),
        (f"<b>The Meridian Review</b> wrote in 2025: {QUOTE}.", "markup"),
        (f"The Meridian Review wrote in 2025\u202e: {QUOTE}.", "characters"),
    ],
)
def test_what_goes_beyond_its_sources_is_refused_by_name(text: str, code: str, write: Any) -> None:
    with pytest.raises(AnswerRejected) as caught:
        check_sentence(text, write)
    assert caught.value.code == code


def test_a_denial_of_the_statement_is_refused(write: Any) -> None:

    plain = dataclasses.replace(write, draft="Fees fell by 12 % at the banks that automated checks.")
    for text in (
        "Fees did not fall by 12 % at the banks that automated checks.",
        "Fees rose by 12 % at the banks that automated checks.",
    ):
        with pytest.raises(AnswerRejected):
            check_sentence(text, plain)


def test_an_introduction_is_joined_to_the_quotation_by_the_application(write: Any) -> None:
    prompt = write_prompt(write, "", lambda text: check_sentence(text, write))
    assert prompt.key == "introduction"
    assert QUOTE not in prompt.question
    told = "In 2025 The Meridian Review reported"
    for words in (told, f"{told}: (quotation).", f"{told}: {QUOTE}."):
        assert prompt.parse(words, ()) == f"In 2025 The Meridian Review reported: {QUOTE}."
    with pytest.raises(AnswerRejected):
        prompt.parse("In 2025 The Harlow Institute reported", ())
