"""A restricted term is withheld in whatever writing a shared text gives it."""

from __future__ import annotations

import csv
import html
import io
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porterlib.rendering.inert import cell, markdown, visible
from porterlib.rendering.redact import HIDDEN, redact, redactor

ODD_TERMS = (
    "<b>Kite</b>",
    "item_7*",
    "A&B/C Holding",
    "Axle&amp;Bolt",
    "O'Malley",
    "O’Malley",
    'The "Kestrel" file',
    "The “Kestrel” file",
    "Nightjar™",
    "Zürich-Falke",
    "东方计划",
    "Kestrel Inc.",
    "Is it Kestrel?",
    "#1 Kestrel",
    "1. Kestrel",
    "[Kestrel](x)",
    "https://kestrel.example/a?b=c",
    "C++ Kestrel",
    "~~Kestrel~~",
    "Kes\u200btrel",
    "Kestrel\u00a0Bay",
    "Kestrel\nBay",
    "a|b|c",
    "=cmd()",
    "\\Kestrel\\",
)


def csv_text(value: str) -> str:
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerow([cell(value)])
    return stream.getvalue()


WRITINGS = {
    "as it stands": visible,
    "Markdown": markdown,
    "spreadsheet": csv_text,
    "without its last sign": lambda text: visible(text).rstrip(" .;,:!?"),
    "at the start of a line": lambda text: markdown(f"{text} is named"),
    "in capitals": lambda text: markdown(text.upper()),
    "with accents apart": lambda text: markdown(unicodedata.normalize("NFD", text)),
}


def letters(text: str) -> str:
    plain = unicodedata.normalize("NFC", html.unescape(text))
    return "".join(filter(str.isalnum, plain)).casefold()


@pytest.mark.parametrize("term", ODD_TERMS)
@pytest.mark.parametrize("writing", WRITINGS)
def test_an_odd_term_is_withheld_in_every_writing(term: str, writing: str) -> None:
    shown = redact(f"We asked about {WRITINGS[writing](term)} today.", redactor((term,), ()))
    assert HIDDEN in shown
    assert letters(visible(term)) not in letters(shown.replace(HIDDEN, " "))
    assert shown.startswith("We asked about ")
    assert shown.rstrip().endswith("today.")


@given(
    st.text(
        alphabet=st.characters(
            categories=("Lu", "Ll", "Nd", "Po", "Ps", "Pe", "Sm", "Pd", "Pc", "Zs"), max_codepoint=0x2FF
        ),
        min_size=4,
        max_size=40,
    ).filter(lambda text: sum(map(str.isalnum, text)) > 3)
)
@example('"a" & <b>*c* d_e')
def test_any_fact_is_withheld_from_a_brief_and_a_table(fact: str) -> None:
    pattern = redactor((), (fact,))
    for written in (markdown(f"Told: {fact}; no more"), csv_text(f"Told: {fact}; no more")):
        assert letters(visible(fact)) not in letters(redact(written, pattern).replace(HIDDEN, " "))


def test_words_that_only_look_like_a_term_stay() -> None:
    pattern = redactor(("Kite", "A&B"), ())
    text = "Kites fly; a kitemark is a mark; A & C and AB stay."
    assert redact(text, pattern) == text
