"""Passages are spans of the text: whole, in order, readable, and independent of anything else."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from porterlib.acquisition.passages import MOST, cut_passages
from porterlib.contracts.capture import Heading

WORDS = st.text(alphabet="abc .\tXY,é", min_size=0, max_size=60)
TEXTS = st.lists(st.one_of(WORDS, WORDS.map(lambda text: text * 40)), max_size=30).map("\n".join)


@settings(deadline=None)
@given(TEXTS)
def test_passages_cover_the_text_in_order_without_overlap(text: str) -> None:
    passages = cut_passages(text)
    at = 0
    for start, end in passages:
        assert not text[at:start].strip()
        assert start < end
        assert text[start:end] == text[start:end].strip()
        assert end - start <= MOST
        at = end
    assert not text[at:].strip()


@settings(deadline=None)
@given(TEXTS)
def test_cutting_again_gives_the_same_passages(text: str) -> None:
    assert cut_passages(text) == cut_passages(text)


def test_a_heading_opens_a_passage_and_stays_with_what_follows() -> None:
    body = "A sentence of the section that says something about cost. " * 4
    text = f"Cost\n{body.strip()}\nSwitching\n{body.strip()}"
    at = text.index("Switching")
    headings = (Heading(level=2, start=0, end=4), Heading(level=2, start=at, end=at + 9))
    assert [text[start:end].split("\n")[0] for start, end in cut_passages(text, headings)] == [
        "Cost",
        "Switching",
    ]


def test_a_long_block_is_cut_between_sentences() -> None:
    text = " ".join(f"Sentence number {n} of this paragraph is about providers." for n in range(60))
    pieces = [text[start:end] for start, end in cut_passages(text)]
    assert len(pieces) > 2
    assert all(piece.startswith("Sentence") and piece.endswith("providers.") for piece in pieces)


def test_text_without_content_has_no_passage() -> None:
    assert cut_passages("") == ()
    assert cut_passages(" \n\t\n") == ()
