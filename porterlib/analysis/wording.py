"""How a clause reads: where it starts and ends, whether it states anything, whether it stands on its own.

Looks at words only. What a clause says about a driver is the pack's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SHORTEST, LONGEST = 6, 42
"""Words a clause may have; shorter says nothing on its own, longer is not read."""
QUOTABLE = 30
"""Words a quoted clause may have in running text."""
SHORT_QUOTE = 20
"""Words up to which a quotation is preferred on the first page."""
DESCRIBED = 18
"""Words of a course's description on the first page."""
_LEAST_PART = 9

_FOOTNOTE = r"\[(?:\d{1,3}|[ivxl]{1,6}|footnote \d+)\]"
_NOTE_END = re.compile(rf"(?<=[.!?”\"]){_FOOTNOTE}\s*")
_CUT = re.compile(
    r"[;:] | [–—-] | ?[–—] ?(?=for (?:example|instance))"
    rf"|, (?:which|and|but|so|while|whereas|because|although|including) |{_FOOTNOTE}"
)
_LEAD = re.compile(
    r"^(?:[\s•·*\-–—>#|]+|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]\s+|[A-Z]{2,}[- ]\d+(?:\.\d+)*:\s+"
    r"|(?:First|Second|Third|Fourth|Finally|Lastly|For example|For instance|In addition|Additionally|Moreover"
    r"|Furthermore|Further|Similarly|However|Also|Indeed|Thus|Therefore|As a result|At the same time|In particular"
    r"|Specifically|More broadly|Meanwhile|Accordingly|Consequently|In turn|Of course|To be sure|Relatedly"
    r"|Alternatively|Today|Overall|Next|Importantly|Notably|Next),?\s+(?=[^\W\d_])){1,4}"
)
_MODAL = frozenset(
    "may might could can will would should potential potentially possible possibly likely if".split()
)
_DEPENDENT = frozenset(
    """
    this these those it they such he she its their there here however moreover therefore thus hence also
    furthermore additionally similarly finally instead accordingly consequently that which who and but
    or so because where when if as we our us i you your some one another both other others neither
    """.split()
)
_SPEAKER = frozenset(("we", "our", "us", "i", "my", "you", "your"))
_IMPERATIVE = frozenset(
    """
    ensure accurately establish create develop support provide use make adopt set build consider identify
    require review see note ask check define implement maintain monitor assess publish continue expand allow
    """.split()
)
_BOILERPLATE = re.compile(
    r"synthetic (?:test|material|page|document|text)|forward-looking statement|cookie|all rights reserved"
    r"|click here|table of contents|subscribe|://|\*\*|\|",
    re.IGNORECASE,
)
_AUXILIARY = frozenset(
    """
    is are was were be been has have had do does did will would can could may might must shall should
    isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't cannot can't
    """.split()
)
_IRREGULAR = frozenset(
    """
    rose fell grew cut cost took found made gave held kept led lost met paid put ran said saw sold sent set
    spent stood told went won wrote became began brought built came chose drew drove left let meant shrank
    shows show says say rises rise falls fall grows grow costs takes take makes make gives give holds hold
    keeps keep leads lead means mean needs need pays pay remains remain requires require runs run sells sell
    sets stands stays stay uses use wins works work writes brings bring buys buy comes come depends depend
    drives drive enables enable exists exist expects expect faces face helps help increases increase decreases
    decrease reduces reduce raises raise lowers lower limits limit lets creates create causes cause allows allow
    offers offer plays play poses pose provides provide reaches reach relies rely represents represent reports
    report seeks seek serves serve supports support threatens threaten applies apply compete competes continue
    continues contain contains choose chooses connect connects accelerates accelerate agree agrees ask asks
    """.split()
)
_CHANGES = frozenset(
    """
    increased decreased declined dropped doubled tripled reduced exceeded reported remained continued expanded
    failed improved worsened materialised appeared moved switched closed opened cancelled abandoned lowered
    """.split()
)
_BEFORE_OBJECT = frozenset("in by at for to under from with on of and or as".split())

_BEFORE_NOUN = frozenset("the a an of for its their in by with on and or no".split())


def parts(passage: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentence cut where a footnote mark joins two of them, each without lead-in and white space."""
    at = start
    for mark in _NOTE_END.finditer(passage, start, end):
        yield trimmed(passage, at, mark.start())
        at = mark.end()
    yield trimmed(passage, at, end)


def trimmed(passage: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without list marks, lead-in words, a quotation mark that never closes, and white space."""
    lead = _LEAD.match(passage[start:end])
    start += lead.end() if lead else 0
    text = passage[start:end]
    if text[:1] == "“" and "”" not in text:
        start += 1
    while start < end and passage[start].isspace():
        start += 1
    while end > start and passage[end - 1].isspace():
        end -= 1
    return start, end


def leading_parts(passage: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield ever longer leading clauses of a span that could stand alone, shortest first."""
    for mark in _CUT.finditer(passage, start, end):
        part = passage[start : mark.start()]
        balanced = all(part.count(a) == part.count(b) for a, b in (("(", ")"), ("“", "”"), ("[", "]")))
        if len(part.split()) >= _LEAST_PART and balanced and states(part):
            yield start, mark.start()


def readable(text: str) -> bool:
    """Return whether a sentence is worth reading: long enough, ended, made of words, no boilerplate."""
    words = text.split()
    # A heading or title ends without a stop and states nothing.
    if (
        len(words) < SHORTEST
        or not text.endswith((".", ";", "”", '"', ")", "!"))
        or _BOILERPLATE.search(text)
    ):
        return False
    letters = sum(char.isalpha() for char in text)
    return letters >= 0.6 * len(text) and not text.isupper()


def states(text: str) -> bool:
    """Return whether the text has a finite verb, as far as its words tell; a bare noun phrase has none."""
    words = [word.strip("“”\"'(),;:.").casefold() for word in text.split()]
    return any(_finite(words, at) for at in range(len(words)))


def _finite(words: list[str], at: int) -> bool:
    word = words[at]
    if word in _AUXILIARY or word in _CHANGES:
        return True
    infinitive = "to" in words[max(0, at - 2) : at]
    if word in _IRREGULAR:
        return at > 0 and not infinitive and words[at - 1] not in _BEFORE_NOUN
    if len(word) < 5 or not word.endswith("ed") or at == 0 or at + 1 == len(words):
        return False
    return words[at + 1] not in _BEFORE_OBJECT and words[at - 1] not in _BEFORE_NOUN


def dependent(text: str) -> bool:
    """Return whether the clause leans on what stood before it or on who speaks, or gives an order."""
    words = [word.strip("“”\"'(),;.").casefold() for word in text.split()]
    return words[0] in _DEPENDENT or words[0] in _IMPERATIVE or not _SPEAKER.isdisjoint(words)


def possible(text: str) -> bool:
    """Return whether the text speaks of what may happen, which is no report of what did."""
    words = [word.strip("“”\"'(),;:.") for word in text.split()]
    modal = {word.casefold() for at, word in enumerate(words) if word != "May" or at == 0}  # May is a month
    return not _MODAL.isdisjoint(modal)


def untidy(text: str) -> bool:
    """Return whether the clause would look damaged in quotation marks."""
    odd = text.count("“") != text.count("”") or text.count('"') % 2 or text.count("(") != text.count(")")
    return bool(odd or ": " in text or re.search(_FOOTNOTE, text) or re.search(r"[a-z][.”,][A-Z]", text))


def lower_first(text: str) -> str:
    """Return a name as it stands inside a sentence; acronyms and names with inner capitals keep theirs."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return text if any(char.isupper() for char in first[1:]) else text[:1].lower() + text[1:]


def listed(names: list[str]) -> str:
    """Return names as a list in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def first_clause(text: str) -> str:
    """Return a description up to the last comma that keeps it short enough for the first page."""
    while len(text.split()) > DESCRIBED and ", " in text:
        text = text.rpartition(", ")[0]
    return text
