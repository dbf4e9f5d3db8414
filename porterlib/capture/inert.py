"""Notices text that speaks to a reading machine instead of a reader.

Captured text is data wherever it goes, so nothing here is needed for safety: a flag keeps a page that tries
to steer from becoming evidence. A false flag costs a good source, so every pattern asks for an address to a
model, its prompt or its answer, and quoted examples in prose about such attacks do not count.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from dataclasses import dataclass

from porterlib.contracts.capture import PageFlag

_ORDERS = r"(?:instructions?|prompts?|system messages?|commands?|context)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|existing|original|system|foregoing|initial|past)"
_MODEL = (
    r"(?:AI|A\.I\.|artificial intelligence|LLMs?|(?:large )?language models?|chat ?bots?|AI (?:assistants?"
    r"|agents?|models?"
    r"|systems?|readers?)|GPT(?:-\w+)?|ChatGPT|Claude|Gemini|Copilot)"
)
_ANSWER = r"(?:answer|response|reply|output|summary|report|message)"
_PAGE = r"(?:this|the) (?:page|document|text|content|article|source|passage|website|site|material)"


@dataclass(frozen=True)
class _Pattern:
    """One rule: a search that is made only where one of `keys` occurs in the lower-cased text."""

    rule: str
    keys: tuple[str, ...]
    search: re.Pattern[str]


def _pattern(rule: str, keys: str, *alternatives: str) -> _Pattern:
    return _Pattern(rule, tuple(keys.split("|")), re.compile("|".join(alternatives), re.I))


_PATTERNS = (
    _pattern(
        "instruction_override",
        "ignore|disregard|forget|override|bypass|do not follow|don't follow|ignorier|vergiss|ignorez|oublie"
        "|ignora|olvida|忽略|无视",
        rf"\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow) (?:(?:all|any|the|your"
        rf"|my|these|those|of"
        rf"|every|everything in) ){{0,3}}{_EARLIER} (?:\w+ )?{_ORDERS}\b",
        rf"\b(?:ignore|disregard|forget|override) (?:all |any )?(?:of )?your (?:\w+ )?(?:{_ORDERS}"
        rf"|guidelines|rules|training)\b",
        rf"\b(?:ignore|disregard|forget) (?:all |any )?{_ORDERS} (?:above|before|given (?:to you|before"
        rf"|above)|you (?:were|have))",
        r"\b(?:ignoriere|vergiss|ignorieren sie)\b.{0,20}\b(?:vorherigen|bisherigen|obigen|früheren)\b.{0,12}"
        r"\b(?:anweisungen|instruktionen|befehle)",
        r"\b(?:ignorez|ignore|oubliez)\b.{0,12}\binstructions? (?:précédentes|antérieures|ci-dessus)",
        r"\b(?:ignora|ignore|olvida|olvide)\b.{0,14}\binstrucciones (?:anteriores|previas)",
        r"(?:忽略|无视).{0,6}(?:之前|以上|先前|所有).{0,4}(?:指令|指示|说明|提示)",
    ),
    _pattern(
        "role_change",
        "you are now|from now on|act as|pretend|jailbr",
        rf"\byou are now (?:in )?(?:an? |the )?(?:{_MODEL}\b|DAN\b|(?:unrestricted|unfiltered|uncensored"
        rf"|jailbroken|different|evil"
        r"|helpful|new) (?:assistant|model|persona|mode|AI)\b|(?:developer|debug|god|admin|jailbreak) mode)",
        r"\bfrom now on,? you (?:are|will|must|shall|should) (?:only )?(?:act|respond|answer|reply|behave"
        r"|ignore|pretend|say|be an?"
        rf" {_MODEL}|{_MODEL})\b",
        rf"\b(?:act as|pretend (?:to be|that you are|you are)) (?:an? )?(?:unrestricted|unfiltered"
        rf"|uncensored|jailbroken) {_MODEL}",
    ),
    _pattern(
        "prompt_markup",
        "<|im_|<|system|[inst]|<<sys>>|[system]|<|user|<|assistant|<|end|system prompt|system:|assistant:"
        "|<tool_call|system>",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|end_of_turn|eot_id|start_header_id)\|>",
        r"\[/?INST\]|<</?SYS>>|</?system_prompt>|<system>",
        r"\b(?:begin|end|start of|end of|new|updated|override) system (?:prompt|instructions?"
        r"|message)\b\W{0,3}(?::|\n|$|-)",
        rf"(?:^|\n)\W{{0,6}}(?:system|assistant)\W{{0,4}}: ?(?:you (?:are|must|should|will)|ignore"
        rf"|disregard|as an? {_MODEL})\b",
    ),
    _pattern(
        "prompt_probe",
        "prompt|instructions",
        r"\b(?:reveal|print|repeat|output|show|disclose|leak|display|return|recite) (?:me |us |back )?"
        r"(?:all (?:of )?)?(?:your"
        r"|the) (?:full |entire |complete )?(?:system|initial|hidden|original|secret|internal) (?:prompts?"
        r"|instructions?|messages?)",
        r"\b(?:reveal|print|repeat|output|disclose|leak|recite) your (?:prompts?|instructions?)\b",
    ),
    _pattern(
        "addressed_to_model",
        "language model|llm|assistant|chatbot|chat bot|ai |ai:|ai,|ai!|gpt|claude|gemini|copilot",
        rf"\b(?:note|attention|message|instructions?|notice|important|warning|reminder)(?: (?:to|for))(?:"
        rf" all| any| the)?"
        rf" {_MODEL}[^.\n]{{0,20}}(?::|—|-|\bmust\b|\bshould\b|\bplease\b)",
        rf"\b(?:if|when|since|as) you(?: are|'re) (?:an? |the )?(?:{_MODEL})\b[^.\n]{{0,80}}\b(?:must"
        rf"|should|please|ignore|rate|say"
        r"|state|include|recommend|do not|always|never|you)\b",
        rf"\b(?:any|every|all|dear|hey|hello) {_MODEL},? (?:that (?:is|are) )?(?:reading|processing"
        rf"|summari[sz]ing|analy[sz]ing"
        rf"|evaluating|reviewing|parsing|scraping|indexing) (?:this|{_PAGE})",
        rf"(?:^|[.\n!] ?)(?:dear|hey|hello|attention,?) {_MODEL}\s*[,:!]",
    ),
    _pattern(
        "rating_demand",
        "|".join(
            f"{verb} {what}"
            for verb in ("rate", "score", "classify", "grade", "rank", "treat", "mark", "label")
            for what in ("this", "the ", "it ", "its claims", "all claims")
        ),
        rf"(?:^|[.!?:;,\n\"“(-]\s?|\b(?:must|should|please|to|and|always) )(?:rate|score|classify|grade"
        rf"|rank|treat|mark|label) (?:{_PAGE}"
        r"|this|it|its claims|all claims (?:here|above|below)|the (?:claims?|evidence) (?:here|above"
        r"|below)) (?:as|with|at|a|an)\b"
        r"[^.\n]{0,30}\b(?:10(?:/10)?|5(?:/5| out of 5|\.0)|100|highest|maximum|top|(?:fully |most )?"
        r"(?:authoritative|reliable|trusted"
        r"|trustworthy|credible)|regulator|primary source|verified|supporting|true|factual)\b",
    ),
    _pattern(
        "suppression",
        "the user|in your |instruction|prompt|directive",
        rf"\b(?:do not|don't|never|must not|should not) (?:mention|disclose|reveal|tell|report|cite|include"
        rf"|say)\b[^.\n]{{0,60}}"
        rf"\b(?:(?:to|in front of) the user|in your {_ANSWER}|(?:these|this|the above|my) (?:instructions?"
        rf"|prompts?|directives?))\b",
        r"\b(?:without|do not|don't) (?:telling|informing|tell|inform|alert|notify|alerting|notifying) the"
        r" user\b(?! (?:that|of|about|if"
        r"|when|how|what)\b)",
    ),
    _pattern(
        "answer_manipulation",
        "your answer|your response|your reply|your message|your output|your summary|your report",
        rf"\b(?:letters?|vowels?|spaces?|typos?|misspell\w*|anagram\w*|alphanumeric|symbols?"
        rf"|substitution)\b[^.\n]{{0,50}}"
        rf"\byour {_ANSWER}",
        rf"\b(?:misspell|scramble|jumble|anagram|rearrange|encode|cipher)\b[^.\n]{{0,50}}\byour {_ANSWER}",
        rf"\byour {_ANSWER}(?:'s)?[^.\n]{{0,40}}\b(?:letters?|vowels?|typos?|misspell\w*|anagram\w*"
        rf"|alphanumeric|symbols?|substitution|in"
        r" fours|without (?:any )?spaces)\b",
        rf"(?:^|[.!?:\n] ?)(?:modify|augment|enhance) your {_ANSWER} (?:to|with|by)\b",
        rf"(?:^|[.!?:\n] ?)integrate\b[^\n]{{0,120}}\b(?:in|into|with) your {_ANSWER}\b",
        rf"(?:^|[.!?:\n] ?)(?:add|append|insert|prepend) [\"“'][^\n]{{3,160}}\bto your {_ANSWER}\b",
        rf"\bin your {_ANSWER}, (?:always )?(?:suggest|encourage|urge|tell|tease|recommend|promote|advise"
        rf"|say)\b",
        rf"(?:^|[.!?:\n] ?)(?:add|include) a (?:sentence|statement|link|phrase|line) in your {_ANSWER}\b",
        rf"\b(?:begin|start|end|preface|finish) your {_ANSWER} with (?:the (?:words?|phrase|sentence)"
        rf"|[\"“'])",
    ),
)
_MENTION = re.compile(
    r"(?:such as|e\.g\.|for example|for instance|example|like|saying|phrases?|injections?|attacks?"
    r"|attackers?|adversar\w+|malicious"
    r"|prompts? (?:of|that)|jailbreak\w*)[^.\n]{0,60}[\"“‘'`«]\W*$",
    re.I,
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{32,}={0,2}(?![A-Za-z0-9+/=_-])")
_STYLED = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff\u2100-\u214f\u24b6-\u24e9]")
_LONG_ENCODED = 200
_MOST_BLOBS = 50
_BEFORE, _AFTER = 160, 320  # reach of every pattern around its key


def concealment_flag() -> PageFlag:
    """Return the flag of a page whose source holds tag or direction-override characters."""
    return PageFlag(rule="concealed_characters", start=0, end=0)


def hidden_flag() -> PageFlag:
    """Return the flag of a page that commands a reading model where no reader sees it."""
    return PageFlag(rule="hidden_instructions", start=0, end=0)


def instruction_flags(text: str) -> tuple[PageFlag, ...]:
    """Return at most one flag a rule for text that commands a reading model, in order of offset.

    Args:
        text: extracted text of a page, or any passage of it.

    Looks through compatibility letters (full-width, mathematical) and into base64 that decodes to text.

    """
    found = {flag.rule: flag for flag in reversed([*_spoken(_unstyled(text)), *_encoded(text)])}
    return tuple(sorted(found.values(), key=lambda flag: (flag.start, flag.rule)))


def _spoken(text: str) -> list[PageFlag]:
    lower = _lower(text)
    flags = []
    for pattern in _PATTERNS:
        for start, end in _near(lower, pattern.keys):
            if flag := _flag_in(text, pattern, start, end):
                flags.append(flag)
                break
    return flags


def _flag_in(text: str, pattern: _Pattern, start: int, end: int) -> PageFlag | None:
    for match in pattern.search.finditer(text, start, end):
        if not _MENTION.search(text[max(0, match.start() - 160) : match.start()]):
            begin = match.end() - len(match[0].lstrip(" \n.!?:;,"))
            return PageFlag(rule=pattern.rule, start=begin, end=match.end())
    return None


def _near(lower: str, keys: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the stretches around each occurrence of a key, merged and in order."""
    found = []
    for key in keys:
        at = lower.find(key)
        while at >= 0:
            found.append((max(0, at - _BEFORE), at + _AFTER))
            at = lower.find(key, at + len(key))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _lower(text: str) -> str:
    """Return `text` in lower case, of the same length, so that offsets hold."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(_one(char.lower(), char) for char in text)


def _encoded(text: str) -> list[PageFlag]:
    flags = []
    for match in list(_BASE64.finditer(text))[:_MOST_BLOBS]:
        decoded = _decoded(match[0])
        if decoded and (len(match[0]) >= _LONG_ENCODED or _spoken(decoded)):
            flags.append(PageFlag(rule="encoded_text", start=match.start(), end=match.end()))
    return flags


def _decoded(blob: str) -> str | None:
    """Return the text a base64 blob holds, if it is text with words in it."""
    padded = blob.rstrip("=") + "=" * (-len(blob.rstrip("=")) % 4)
    try:
        text = base64.b64decode(padded, altchars=b"-_" if "-" in blob or "_" in blob else None).decode(
            "utf-8"
        )
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    printable = sum(char.isprintable() or char in "\n\t" for char in text)
    return text if printable == len(text) and text.count(" ") >= len(text) // 20 else None


def _unstyled(text: str) -> str:
    """Return `text` with styled letters as plain ones, one character for one, so that offsets hold."""
    if text.isascii():
        return text
    return _STYLED.sub(lambda match: _one(unicodedata.normalize("NFKC", match[0]), match[0]), text)


def _one(folded: str, original: str) -> str:
    return folded if len(folded) == 1 else original
