"""The guard blocks what must stay in every disguise, and lets harmless queries pass."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from porterlib.contracts.request import DecisionRequest
from porterlib.egress import EgressGuard, EgressPolicy, Sealed, check_query, guard, make_policy, policy_for
from porterlib.egress.confusables import _LOOKALIKES
from porterlib.errors import EgressViolation

sys.path.insert(0, str(Path(__file__).parent))
from disguises import disguised

KEY = b"k" * 32
ROOT = Path(__file__).resolve().parents[2]


def of(request: DecisionRequest) -> EgressGuard:
    return EgressGuard(policy_for(request, key=KEY))


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away the two rules that would block most disguises by their looks alone."""
    monkeypatch.setattr(guard, "LONGEST_QUERY", 100_000)
    monkeypatch.setattr(guard, "_ESCAPES", __import__("re").compile("(?!)"))


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("", "empty"),
        ("  \u00a0 ", "empty"),
        ("cloud\x00exit", "control_characters"),
        ("cloud\nexit", "control_characters"),
        ("cloud \u202etixe", "control_characters"),
        ("cloud \U000e0041", "control_characters"),
        ("x" * 241, "too_long"),
        ("Ardenvale cloud exit", "restricted_term"),
        ("project-nightjar budget", "restricted_term"),
        ("Pr0ject N1ghtj4r", "restricted_term"),
        ("zorb pricing", "restricted_term"),
        ("a.b@c.example.org", "email"),
        ("write to j.doe (at) bank (dot) com", "email"),
        ("GB82 WEST 1234 5698 7654 32", "iban"),
        ("4111-1111-1111-1111", "card"),
        ("219-09-9999", "ssn"),
        ("+44 20 7946 0958", "phone"),
        ("mobile 723 813 266", "phone"),
        ("ES DNI 54362315K", "national_id"),
        ("S0000001I", "national_id"),
        ("transfer 12345678901", "account_number"),
        ("account number 123456", "account_number"),
        ("AKIAIOSFODNN7EXAMPLE", "credential"),
        ("password: hunter22", "credential"),
        ("postgres://user:secret@db/x", "credential"),
        ("Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5MA1", "credential"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "jwt"),
        ("CONFIDENTIAL merger plan", "confidential_label"),
        ("MNPI acquisition", "confidential_label"),
        ("for internal use only roadmap", "confidential_label"),
        ("move its customer due diligence reviews to a generative model", "question_overlap"),
        ("backlog stands at 41 thousand files and the outsourcing partner leaves", "internal_fact_overlap"),
        ("KYC backlog 41,370", "internal_figure"),
        ("%62%61%6e%6b cost", "encoded_text"),
    ],
)
def test_each_rule_blocks_by_its_name(request_: DecisionRequest, query: str, rule: str) -> None:
    verdict = of(request_).check(query)
    assert (verdict.allowed, verdict.rule) == (False, rule)
    assert check_query(request_, query) == {"allowed": False, "rule": rule}


@pytest.mark.parametrize(
    "query",
    [
        "generative AI customer due diligence reviews retail clients European Union",
        "know-your-customer reviews of retail clients in the European Union under the AMLR",
        "confidential computing banks",
        "savings account rates 2019 2020 2021 2022 2023 2024",
        "FSB report 31.12.2024 cloud 10 000 000 000 euro",
        "ISIN US0378331005 risk factors",
        "zorbing safety",
        "purchase order automation",
    ],
)
def test_public_words_and_public_numbers_pass(request_: DecisionRequest, query: str) -> None:
    assert check_query(request_, query) == {"allowed": True, "rule": "ok"}


@pytest.mark.parametrize(
    ("question", "fact", "query", "rule"),
    [
        ("Should we adopt passkeys now?", "x", "should we adopt passkeys now", "question_overlap"),
        ("x", "Castellan leaves", "when Castellan leaves banks", "internal_fact_overlap"),
        ("x", "Harbour closes March", "Harbour closes March", "internal_fact_overlap"),
    ],
)
def test_a_text_shorter_than_a_run_may_not_be_repeated_whole(
    question: str, fact: str, query: str, rule: str
) -> None:
    policy = make_policy(key=KEY, question=Sealed(question), internal_facts=[Sealed(fact)])
    assert EgressGuard(policy).check(query).rule == rule
    assert EgressGuard(policy).check("passkeys of banks in March").allowed


CERTAIN = [
    "Project Nightjar",
    "Marlowe Castellan",
    "NJ-2291-7745",
    "Zorb",
    "4111 1111 1111 1111",
    "347415977307943",
    "GB82WEST12345698765432",
    "DE89 3704 0044 0532 0130 00",
]
"""Restricted terms and checksummed identifiers: found behind every separator."""
SHAPED = [
    "j.doe@bank.example.org",
    "219-09-9999",
    "+1 202-555-0143",
    "AKIAIOSFODNN7EXAMPLE",
    "strictly confidential",
    "MNPI",
]


@pytest.mark.usefixtures("unlimited")
@pytest.mark.parametrize("secret", [*CERTAIN, *SHAPED])
@pytest.mark.parametrize("frame", ["{}", "bank cost {} trend 2024"])
def test_no_disguise_nor_pair_of_disguises_helps(request_: DecisionRequest, secret: str, frame: str) -> None:
    checker, ways = of(request_), disguised(secret, odd=secret in CERTAIN)
    distinct = {text: name for name, text in ways.items()}  # "as given" with another is that other alone
    passed = [name for text, name in distinct.items() if checker.check(frame.format(text)).allowed]
    assert passed == []


@pytest.mark.parametrize(
    ("plain", "look"),
    [(plain, look) for plain, looks in _LOOKALIKES.items() if plain.isupper() for look in looks],
)
def test_a_capital_look_alike_written_small_helps_no_more_than_the_capital(plain: str, look: str) -> None:
    """Small Greek nu looks like v, yet it is what a capital N made of Greek becomes when text is written small."""
    term = f"or{plain}adel{plain}ik"
    checker = EgressGuard(make_policy(key=KEY, question=Sealed("unrelated"), restricted_terms=[term]))
    for written in (term.replace(plain, look), term.replace(plain, look).lower()):
        verdict = checker.check(f"bank cost {written} trend")
        assert (verdict.allowed, verdict.rule) == (False, "restricted_term"), ascii(written)
    greek = EgressGuard(
        make_policy(
            key=KEY, question=Sealed("unrelated"), restricted_terms=[term.replace(plain, look).lower()]
        )
    )
    assert not greek.check(f"bank cost {term} trend").allowed


def test_synthetic_identifiers_are_all_blocked(shared_dir: Path) -> None:
    checker = EgressGuard(make_policy(key=KEY, question=Sealed("")))
    data = json.loads((shared_dir / "data/security/pii/synth_dataset_v2_first900.json").read_text("utf-8"))
    wanted = {"CREDIT_CARD", "IBAN_CODE", "US_SSN", "EMAIL_ADDRESS"}
    values = {
        span["entity_value"] for item in data for span in item["spans"] if span["entity_type"] in wanted
    }
    assert len(values) > 120
    assert [value for value in sorted(values) if checker.check(f"limit for {value} today").allowed] == []


def test_at_most_one_percent_of_harmless_queries_is_blocked(
    request_: DecisionRequest, harmless: list[str]
) -> None:
    checker = of(request_)
    alarms = [query for query in harmless if not checker.check(query).allowed]
    assert len(harmless) == len(set(harmless)) >= 300
    assert len(alarms) <= 0.01 * len(harmless), alarms


@pytest.mark.parametrize(
    "file", sorted((ROOT / "fixtures/requests").glob("*.yaml")), ids=lambda file: file.stem
)
def test_harmless_queries_pass_for_every_shipped_request(file: Path, harmless: list[str]) -> None:
    request = DecisionRequest.model_validate(yaml.safe_load(file.read_text("utf-8"))["request"])
    checker, asked = of(request), harmless[::4]
    assert len([query for query in asked if not checker.check(query).allowed]) <= 0.01 * len(asked)
    for fact in request.internal_facts:
        assert not checker.check(fact.text[:240]).allowed
    for term in request.restricted_terms:
        assert checker.check(f"{term} cost").rule == "restricted_term"


def test_no_text_that_must_stay_is_held_or_shown(request_: DecisionRequest) -> None:
    policy = policy_for(request_, key=KEY)
    shown = repr(policy) + repr(EgressGuard(policy)) + repr(vars(policy)) + repr(vars(policy.question))
    assert not any(
        word in shown.casefold() for word in ("nightjar", "castellan", "zorb", "backlog", "generative")
    )
    with pytest.raises(EgressViolation) as caught:
        EgressGuard(policy).mint("Project Nightjar costs")
    assert "ightjar" not in f"{caught.value!s}{caught.value!r}{caught.value.to_dict()}"
    assert caught.value.__cause__ is None


def test_an_error_inside_the_guard_blocks(request_: DecisionRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(query: str) -> None:
        raise RuntimeError(query)

    monkeypatch.setattr(guard, "views", broken)
    verdict = of(request_).check("cloud exit")
    assert (verdict.allowed, verdict.rule) == (False, "guard_error")
    assert EgressGuard(make_policy(key=KEY, question=Sealed(""))).check(None).rule == "guard_error"
    assert EgressGuard(make_policy(key=KEY, question=Sealed(""))).check(Sealed("x")).rule == "guard_error"


def test_other_keys_give_other_hashes(request_: DecisionRequest) -> None:
    one, other = policy_for(request_, key=KEY), policy_for(request_, key=b"o" * 32)
    assert one.terms != other.terms
    assert EgressGuard(one).check("x").query_digest != EgressGuard(other).check("x").query_digest


def policy_of(terms: tuple[str, ...]) -> EgressPolicy:
    return make_policy(key=KEY, question=Sealed(""), restricted_terms=terms)


@settings(max_examples=100, deadline=None)
@given(
    st.from_regex(r"[A-Za-z]{4,12}( [A-Za-z]{4,12})?", fullmatch=True),
    st.from_regex(r"[a-z]{2,8}( [a-z]{2,8}){0,3}", fullmatch=True),
)
def test_any_term_is_found_between_any_words(term: str, around: str) -> None:
    checker = EgressGuard(policy_of((term,)))
    for text in (
        term.upper(),
        term.replace(" ", "_"),
        "\u200d".join(term),
        base64.b64encode(term.encode()).decode(),
    ):
        assert checker.check(f"{around} {text} {around}").rule == "restricted_term"


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=250))
def test_any_text_gets_a_verdict_and_never_an_error(text: str) -> None:
    verdict = EgressGuard(policy_of(("Nightjar",))).check(text)
    assert verdict.rule != "guard_error"
    assert verdict.allowed == (verdict.rule == "ok")
