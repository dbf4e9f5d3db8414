"""Decides whether a sentence of the model's may stand: it may say no more than its parts and its draft."""

from __future__ import annotations

import re
import unicodedata

from porterlib.analyst.base import SENTENCE_LIMIT, WriteQuestion
from porterlib.analyst.local.extract import AnswerRejected
from porterlib.evaluation.support import entities, screen_support

_QUOTED = re.compile(r"[“\"]([^”\"]+)[”\"]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LINK = re.compile(r"https?:|www\.|[<>\[\]{}`|*#]")


def check_sentence(text: str, question: WriteQuestion) -> str:
    """Return the sentence, white space folded, if it may stand.

    Raises:
        AnswerRejected: it is too long, holds markup, drops or alters a quotation or its author, names a number or
            a name that its sources lack, denies or reverses them, or is not carried by their wording.

    """
    sentence = _formed(text)
    sources = [question.draft, *(part.text for part in question.parts)]
    _check_quotes(sentence, question.draft, sources)
    _check_names(sentence, sources)
    _check_attribution(sentence, question.draft)
    screen = screen_support(sentence, sources)
    if screen.contradicted or not (screen.negation_agrees and screen.direction_agrees):
        raise AnswerRejected(
            "contradicts", "the sentence says the opposite of the statement; keep its meaning"
        )
    if not (screen.numbers_agree and screen.dates_agree):
        raise AnswerRejected(
            "numbers", "the sentence uses a number or date otherwise than the statement does"
        )
    if not screen.supported:
        raise AnswerRejected("unsupported", "the sentence says what neither draft nor statement says")
    return sentence


def _formed(text: str) -> str:
    sentence = " ".join(text.split())
    if not sentence or len(sentence) > SENTENCE_LIMIT:
        raise AnswerRejected("length", f"the sentence must have 1 to {SENTENCE_LIMIT} characters")
    if any(unicodedata.category(char) in {"Cc", "Cf", "Co", "Cn"} for char in sentence):
        raise AnswerRejected("characters", "the sentence holds invisible characters")
    if _LINK.search(_QUOTED.sub("", sentence)):
        raise AnswerRejected("markup", "the sentence holds markup or an address; write plain words")
    return sentence


def _check_quotes(sentence: str, draft: str, sources: list[str]) -> None:
    for quote in _QUOTED.findall(sentence):
        if not any(quote in source for source in sources):
            raise AnswerRejected("quote", "quoted words must be copied exactly")
    missing = [quote for quote in _QUOTED.findall(draft) if f"“{quote}”" not in sentence]
    if missing:
        raise AnswerRejected("quote", "the sentence must contain the draft's quotation, copied exactly")


def _check_names(sentence: str, sources: list[str]) -> None:
    held = " ".join(sources)
    if extra := sorted(set(_NUMBER.findall(sentence)) - set(_NUMBER.findall(held))):
        raise AnswerRejected("new_number", f"the number {extra[0]} stands in no statement")
    known = {word.casefold() for word in re.findall(r"\w+", held)}
    for name in entities(sentence):
        if any(word.casefold() not in known for word in re.findall(r"\w+", str(name))):
            raise AnswerRejected(
                "new_name", "the sentence names someone or something that no statement names"
            )


def _check_attribution(sentence: str, draft: str) -> None:
    """Refuse a sentence that loses whom the draft names beside its quotation."""
    if not (quotes := _QUOTED.findall(draft)):
        return
    beside, held = draft, sentence.casefold()
    for quote in quotes:
        beside = beside.replace(quote, "")
    for name in entities(beside):
        words = [word for word in re.findall(r"\w+", str(name)) if not word.isdigit()]
        if any(word.casefold() not in held for word in words):
            raise AnswerRejected("attribution", "the words must name who wrote it, as the draft does")
