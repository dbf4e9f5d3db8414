"""Source policy: class, publisher and owner by host and path; authority and quality by class (rule 7.4)."""

from __future__ import annotations

import pytest

from porterlib.contracts.sector import SectorPack
from porterlib.sectors import UNNAMED, authority, classify, load_pack, quality, registrable_domain


@pytest.fixture(scope="module")
def pack() -> SectorPack:
    return load_pack("bank")


@pytest.mark.parametrize(
    ("url", "source_class", "publisher"),
    [
        ("corpus:home.treasury.gov/news/jy1252.md", "regulator", "US Department of the Treasury"),
        ("corpus:unknown-host.com/a/b.html", "vendor", "unknown-host.com"),
        ("corpus:shop.unknown-host.co.uk/x.html", "vendor", "unknown-host.co.uk"),
        ("corpus:docs/home.treasury.gov/x.md", "vendor", UNNAMED),
        ("corpus:home.treasury.gov", "vendor", UNNAMED),
        ("corpus:v1.2/x.md", "vendor", UNNAMED),
        ("corpus:a%20b.md", "vendor", UNNAMED),
        ("corpus://home.treasury.gov/x.md", "vendor", UNNAMED),
        ("corpus:user@home.treasury.gov/x.md", "vendor", UNNAMED),
    ],
)
def test_a_local_document_is_judged_by_the_host_it_is_kept_under(
    pack: SectorPack, url: str, source_class: str, publisher: str
) -> None:
    verdict = classify(url, pack)
    assert (verdict.source_class, verdict.publisher) == (source_class, publisher)


@pytest.mark.parametrize(
    ("url", "source_class", "publisher"),
    [
        (
            "https://home.treasury.gov/news/press-releases/jy1252",
            "regulator",
            "US Department of the Treasury",
        ),
        ("https://eur-lex.europa.eu/eli/reg/2023/2854/oj/eng", "legislation", "European Union (EUR-Lex)"),
        ("https://www.eba.europa.eu/x", "regulator", "European Banking Authority"),
        ("https://www.ecb.europa.eu/x", "regulator", "European Central Bank"),
        (
            "https://www.dfs.ny.gov/system/files/x.pdf",
            "regulator",
            "New York State Department of Financial Services",
        ),
        (
            "https://doi.org/10.6028/NIST.AI.100-1",
            "regulator",
            "National Institute of Standards and Technology",
        ),
        ("https://doi.org/10.1145/3442188", "academic", "Publication with DOI"),
        ("https://arxiv.org/html/2401.11641v1", "academic", "arXiv"),
        (
            "https://ncses.nsf.gov/surveys/x",
            "official_statistics",
            "National Center for Science and Engineering Statistics",
        ),
        (
            "https://www.sec.gov/Archives/edgar/data/1141391/000114139124000022/",
            "company_disclosure",
            "Mastercard Incorporated (SEC EDGAR)",
        ),
        ("https://www.sec.gov/rules/final", "regulator", "US Securities and Exchange Commission"),
        ("https://github.com/microsoft/industry/blob/main/x.md", "vendor", "Microsoft"),
        ("https://github.com/mit-dci/opencbdc-tx", "academic", "MIT Digital Currency Initiative"),
        (
            "https://air-governance-framework.finos.org/risks/x.html",
            "industry_research",
            "FINOS (Fintech Open Source Foundation)",
        ),
        ("https://www.bis.org/bcbs/publ/d516.htm", "regulator", "Basel Committee on Banking Supervision"),
        ("https://www.ft.com/content/x", "reputable_media", "Financial Times"),
    ],
)
def test_known_hosts(pack: SectorPack, url: str, source_class: str, publisher: str) -> None:
    verdict = classify(url, pack)
    assert (verdict.source_class, verdict.publisher) == (source_class, publisher)
    assert verdict.basis == "policy"


@pytest.mark.parametrize(
    "url",
    [
        "http://home.treasury.gov/news",
        "https://home.treasury.gov.evil.example/news",
        "https://evil-treasury.gov.example/",
        "https://treasury.gov@evil.example/",
        "https://home.treasury.gov:8443/news",
        "https://user@home.treasury.gov/news",
        "https://github.com/microsoft-fan/repo",
        "https://github.com/someone/mit-dci",
        "https://doi.org/10.60280/x",
        "https://notoccgov.com/",
        "corpus:docs/page.html",
        "ftp://home.treasury.gov/",
        "not a url",
        "https://[::1]/",
        "",
    ],
)
def test_anything_else_is_vendor(pack: SectorPack, url: str) -> None:
    verdict = classify(url, pack)
    assert (
        verdict.source_class in {"vendor", "academic"}
        if "doi.org" in url
        else verdict.source_class == "vendor"
    )
    assert verdict.publisher


@pytest.mark.parametrize(
    "path", ["/mit-dci/../evil/x", "/mit-dci/%2e%2e/evil/x", "/x/..%2fmit-dci-fork", "/evil?x=/mit-dci/"]
)
def test_dot_segments_and_queries_do_not_borrow_a_rule(pack: SectorPack, path: str) -> None:
    assert classify("https://github.com" + path, pack).source_class == "vendor"


def test_hosts_of_one_owner_share_it(pack: SectorPack) -> None:
    urls = ("https://learn.microsoft.com/x", "https://github.com/microsoft/y", "https://github.com/Azure/z")
    assert {classify(url, pack).owner for url in urls} == {"Microsoft"}


def test_unknown_hosts_take_their_registrable_domain(pack: SectorPack) -> None:
    assert classify("https://blog.someone.co.uk/x", pack).publisher == "someone.co.uk"


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.fca.org.uk", "fca.org.uk"),
        ("a.b.example.com", "example.com"),
        ("mas.gov.sg", "mas.gov.sg"),
        ("www.apra.gov.au", "apra.gov.au"),
        ("eba.europa.eu", "eba.europa.eu"),
        ("docs.bank.github.io", "bank.github.io"),
        ("github.io", "github.io"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("WWW.Example.COM.", "example.com"),
    ],
)
def test_registrable_domains(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


def test_authority_and_quality_follow_the_rule() -> None:
    classes = {
        1.0: ("regulator", "legislation", "calculator"),
        0.95: ("official_statistics", "audited_filing"),
        0.85: ("academic",),
        0.8: ("company_disclosure", "internal_document"),
        0.7: ("industry_research",),
        0.65: ("reputable_media",),
        0.5: ("user_assertion",),
        0.45: ("vendor",),
    }
    for value, names in classes.items():
        assert {authority(name) for name in names} == {value}  # type: ignore[arg-type]
    assert quality("regulator", True) == 0.9
    assert quality("academic", True) == 0.8
    assert quality("regulator", False) == quality("vendor", True) == 0.55


def test_one_unknown_page_cannot_carry_a_fact_and_two_publishers_can(pack: SectorPack) -> None:
    link = authority("vendor") * quality("vendor", recognised=False, pack=pack)
    usable = pack.evidence_policy.usable_strength
    assert link < usable <= link + link / 4


def test_the_shared_corpus_is_classed_as_its_manifest_says(pack: SectorPack, shared_dir: object) -> None:
    import json
    from pathlib import Path

    manifest = json.loads(
        (Path(str(shared_dir)) / "corpus" / "bank" / "manifest.json").read_text(encoding="utf-8")
    )
    differing = [d["url"] for d in manifest if classify(d["url"], pack).source_class != d["source_class"]]
    assert all("1141391" in url for url in differing), "only the audited note of one filing is declared finer"
