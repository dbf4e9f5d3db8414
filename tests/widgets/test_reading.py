"""Widgets to read with: a choice changes the picture, hostile text stays text, absent parts say so."""

from __future__ import annotations

from typing import Any

import pytest
from display.golden import poisoned  # type: ignore[import-not-found]
from display.inert import harm_in  # type: ignore[import-not-found]

from porterlib.errors import InputError
from porterlib.verbs.loading import RunResults
from porterlib.widgets import decision_room
from porterlib.widgets.parts import TITLES


def _shown(place: Any) -> str:
    return "".join(output["data"].get("text/html", output["data"]["text/plain"]) for output in place.outputs)


def _walk(widget: Any) -> list[Any]:
    return [widget, *(inner for child in getattr(widget, "children", ()) for inner in _walk(child))]


def test_choosing_a_force_opens_its_drivers_and_quotes(results: RunResults) -> None:
    widget = results.widget("heatmap")
    widget.cells["suppliers"].click()
    assert "Concentration of cloud providers" in _shown(widget.place)
    assert "<mark" in _shown(widget.place)
    assert results.outcome is not None
    assert results.outcome.candidate is not None
    score = results.outcome.candidate.force("suppliers").score
    assert widget.cells["suppliers"].description.startswith(f"suppliers: {score} ")
    widget.driver.value = widget.driver.options[1][1]
    assert "Concentration of AI model providers" not in _shown(widget.place)


def test_evidence_is_filtered_sorted_and_leafed_through(results: RunResults) -> None:
    widget = results.widget("evidence")
    assert results.snapshot is not None
    total = len(results.snapshot.evidence)
    assert f"Evidence: {total} passages" in _shown(widget.place)
    widget.force.value = "suppliers"
    assert f" of {total} passages" in _shown(widget.place)
    widget.contains.value = "exit plans"
    narrowed = _shown(widget.place)
    assert narrowed.lower().count("exit plan") >= 1
    widget.contains.value = "no such words at all"
    assert f"Evidence: 0 of {total} passages" in _shown(widget.place)
    widget.contains.value, widget.force.value, widget.sort.value = "", "", "published"
    dates = [item.published for item in results.snapshot.evidence if item.published]
    assert max(dates) in _shown(widget.place).split("E-")[2]
    widget.turn(60)
    assert widget.start == 60


def test_a_passage_is_read_back_to_its_claims(results: RunResults) -> None:
    assert results.outcome is not None
    assert results.outcome.candidate is not None
    link = results.outcome.candidate.links[0]
    widget = results.outcome.widget("evidence")
    widget.passage.value = link.evidence_id
    assert link.claim_id in _shown(widget.reader)
    widget.passage.value = "E-unknown"
    assert "INPUT_INVALID" in widget.message.value


def test_scenarios_are_switched(results: RunResults) -> None:
    assert results.economics is not None
    widget = results.economics.widget()
    assert "What moves the result of targeted" in _shown(widget.detail)
    widget.scenario.value = "scaled"
    assert "What moves the result of scaled" in _shown(widget.detail)
    widget.measure.value = "incremental_npv"
    assert "above no action" in _shown(widget.ranges)


def test_a_criterion_is_chosen_in_the_timeline(results: RunResults) -> None:
    assert results.state is not None
    widget = results.state.widget()
    assert "ECONOMICS_UNSIGNED" in _shown(widget.place)
    widget.criterion.value = "G-decision"
    assert "ECONOMICS_UNSIGNED" not in _shown(widget.place)


def test_a_room_holds_every_tab_and_says_what_is_absent(results: RunResults) -> None:
    room = decision_room(results)
    tabs = room.ui.children[0].children[1]
    assert tabs.titles == tuple(room.tabs)
    assert "board-brief" not in room.text
    assert room.text.startswith("# ")
    bare = results.model_copy(update={"outcome": None, "review": None, "state": None, "economics": None})
    texts = [
        str(getattr(child, "value", "")) for child in decision_room(bare).ui.children[0].children[1].children
    ]
    assert any("no text to approve" in text for text in texts)
    assert any("holds no candidate to show" in text for text in texts)


@pytest.mark.parametrize(
    "payload",
    [
        "<img src=x onerror=alert(1)>",
        "</pre><script>alert(1)</script>",
        "$\\href{javascript:alert(1)}{x}$",
    ],
)
def test_hostile_text_stays_text_in_every_widget(results: RunResults, payload: str) -> None:
    bad = poisoned(results, payload)
    parts = [
        *_walk(decision_room(bad, text=f"brief {payload}").ui),
        *_walk(bad.inputs.edit().ui),
        *_walk(bad.plan.edit().ui),
    ]
    pages = [p for p in parts if type(p).__name__ == "HTML" and p.value != TITLES]
    outputs = [o for p in parts if type(p).__name__ == "Output" for o in p.outputs]
    assert len(pages) > 40
    for page in pages:
        assert harm_in(page.value) == []
    for output in outputs:
        assert harm_in(output["data"].get("text/html", "")) == []
    assert not [p for p in parts if getattr(p, "description_allow_html", False)]


def test_a_widget_of_a_run_without_that_part_is_refused(results: RunResults) -> None:
    bare = results.model_copy(update={"outcome": None, "economics": None})
    with pytest.raises(InputError, match="holds no economics"):
        bare.widget("ranges")
