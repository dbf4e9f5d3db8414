"""Where the evidence of a run comes from, in words that a later `resume` can read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from porterlib.acquisition.search import CorpusSearch
from porterlib.errors import CorpusError, InputError, WorkspaceError
from porterlib.search import DuckDuckGoSearch, RegisteredUrls, SearchCache, SearchProvider, load_registered
from porterlib.workspace import Workspace

SearchName = Literal["corpus", "duckduckgo", "urls"]
CACHE = Path("cache") / "search"
"""Folder of a workspace where answers of a search provider are kept."""


def open_search(
    name: str | None,
    place: Workspace,
    *,
    corpus: Path | None = None,
    urls: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> SearchProvider:
    """Return the provider that options name; a folder of documents where nothing else is said.

    Args:
        name: `corpus`, `duckduckgo` or `urls`.
        place: workspace, whose cache keeps what a provider on the web answers.
        corpus: folder of documents.
        urls: file with the operator's addresses.
        progress: told of each document of a folder as it is read.

    Raises:
        InputError: no such provider, or it lacks what it needs or is given what it does not take.
        CorpusError, RequestError: folder or file cannot be used.

    """
    wanted = name or ("corpus" if urls is None else "urls")
    if wanted not in get_args(SearchName):
        raise InputError(f"search {wanted!r} is not known; use {', '.join(get_args(SearchName))}")
    needed = {"corpus": corpus, "urls": urls}
    for option, given in needed.items():
        if given is not None and option != wanted:
            raise InputError(f"--{option} does not go with --search {wanted}; give one source of evidence")
    if wanted == "duckduckgo":
        return _web_search(place, {})
    if wanted == "urls":
        if urls is None:
            raise InputError("--search urls needs --urls FILE: one http or https address a line")
        return load_registered(urls)
    if corpus is None:
        raise InputError(
            "no source of evidence: give a folder of documents (corpus=DIR or --corpus DIR), addresses "
            "(--urls FILE), or --search duckduckgo"
        )
    return CorpusSearch(corpus, clock=place.clock, on_progress=progress)


def describe_search(search: SearchProvider) -> dict[str, Any]:
    """Return what a resume needs to search the same place again."""
    if isinstance(search, CorpusSearch):
        return {"provider": search.name, "folder": str(search.folder.resolve()), "sha256": search.sha256}
    if isinstance(search, RegisteredUrls):
        return {"provider": search.name, "urls": {force: list(row) for force, row in search.urls.items()}}
    if isinstance(search, DuckDuckGoSearch):
        return {"provider": search.name, **search.parameters}
    return {"provider": search.name}


def reopen_search(described: Mapping[str, Any], place: Workspace) -> SearchProvider:
    """Return the provider that `describe_search` told of, for a run whose evidence is not frozen yet.

    Raises:
        CorpusError: the folder is gone, or its documents are other ones than the run began with.
        WorkspaceError: the provider came from the caller, who must give it again.

    """
    provider = described["provider"]
    if provider == RegisteredUrls.name:
        return RegisteredUrls(described["urls"])
    if provider == DuckDuckGoSearch.name:
        return _web_search(place, described)
    if provider != CorpusSearch.name:
        raise WorkspaceError(f"the run searched with {provider!r}; give it again with resume(search=)")
    search = CorpusSearch(Path(described["folder"]), clock=place.clock)
    if search.sha256 != described["sha256"]:
        raise CorpusError(
            f"documents in {described['folder']!r} were changed since the run began, so it would mix two "
            "bodies of evidence; put them back, or start a new run"
        )
    return search


def _web_search(place: Workspace, parameters: Mapping[str, Any]) -> DuckDuckGoSearch:
    return DuckDuckGoSearch(
        cache=SearchCache(place.path / CACHE, clock=place.clock),
        timelimit=parameters.get("timelimit") or None,
        region=parameters.get("region", "wt-wt"),
    )
