"""Runs: figures are kept, taken up again, and never half written."""

import csv
import json
from collections.abc import Callable
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.support.lanes import mostly_slow

from tightbudget.interfaces.figures import rendered_figure
from tightbudget.research.reproduce import store, verdicts
from tightbudget.research.reproduce.figures import FIGURES, truncated_gauss
from tightbudget.research.reproduce.model import Claim, Data, Figure, Panel, Series
from tightbudget.research.reproduce.run import Outcome, run


def made(name: str, calls: list[str], width: float = 1.0, compute: Callable[[bool], Data] | None = None) -> Figure:
    def honest(quick: bool) -> Data:
        calls.append(name)
        series = [
            Series("ours", "bracket", [1.0, 2.0], [0.2, 0.1], [0.1, 0.05]),
            Series("endless", "upper", [1.0, 2.0], [float("inf"), 1.0]),
        ]
        return Data([Panel("a & b <i>", "e^ε", "δ", series)], {"value": (0.5, 0.5), "endless": (1.0, float("inf"))})

    return Figure(
        name,
        f"Figure of {name} <&>",
        "a caption",
        lambda quick: {"width": width},
        compute or honest,
        lambda facts: [Claim("1", "half & half", "0.5", verdicts.verdict_within(facts["value"], 0.4, 0.6))],
    )


def ran(folder: Path, figures: list[Figure], quick: bool = True) -> Outcome:
    return run(folder, quick, rendered_figure, lambda figure, place, total: None, figures)


@pytest.mark.slow
def test_a_second_run_computes_nothing_and_says_the_same(tmp_path: Path):
    calls: list[str] = []
    figures = [made("one", calls), made("two", calls)]
    first = ran(tmp_path, figures)
    report = first.report.read_bytes()
    second = ran(tmp_path, figures)
    assert calls == ["one", "two"]
    assert [result.reused for result in second.results] == [True, True]
    assert [result.claims for result in first.results] == [result.claims for result in second.results]
    assert second.results[0].data.facts["endless"] == (1.0, float("inf"))
    assert second.report.read_bytes() == report


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil",
    mostly_slow(
        [
            lambda folder: (folder / "one.json").write_bytes((folder / "one.json").read_bytes()[:-40]),
            lambda folder: (folder / "one.json").write_bytes(b""),
            lambda folder: (folder / "one.json").write_text((folder / "one.json").read_text().replace("0.5", "0.45")),
            lambda folder: (folder / "one.json").write_text(
                (folder / "one.json").read_text().replace('"y_log": true', '"y_log": false')
            ),
            lambda folder: (folder / "one.json").unlink(),
            lambda folder: (folder / "one.csv").write_bytes((folder / "one.csv").read_bytes()[:-10]),
            lambda folder: (folder / "one.csv").unlink(),
            lambda folder: (folder / "one.json").write_text(json.dumps({"key": "another"})),
            lambda folder: (folder / "one.json").write_text("[1, 2]"),
        ],
        every=9,
    ),
)
def test_what_is_not_whole_is_computed_again(tmp_path: Path, spoil: Callable[[Path], Any]):
    calls: list[str] = []
    ran(tmp_path, [made("one", calls)])
    whole = (tmp_path / "one.csv").read_bytes()
    spoil(tmp_path)
    ran(tmp_path, [made("one", calls)])
    assert calls == ["one", "one"]
    assert (tmp_path / "one.csv").read_bytes() == whole


@pytest.mark.slow
def test_other_parameters_are_another_result(tmp_path: Path):
    calls: list[str] = []
    ran(tmp_path, [made("one", calls)])
    ran(tmp_path, [made("one", calls, width=2.0)])
    ran(tmp_path, [made("one", calls, width=2.0)], quick=False)
    assert calls == ["one"] * 3


@pytest.mark.slow
def test_other_code_is_another_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    calls: list[str] = []
    ran(tmp_path, [made("one", calls)])
    monkeypatch.setattr(store, "_hash_of_package", lambda: "changed")
    ran(tmp_path, [made("one", calls)])
    assert calls == ["one"] * 2


@pytest.mark.slow
def test_an_interrupted_run_keeps_what_is_finished_and_leaves_no_pieces(tmp_path: Path):
    def interrupted(quick: bool) -> Data:
        raise KeyboardInterrupt

    calls: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path, [made("one", calls), made("two", calls, compute=interrupted)])
    assert {path.name for path in tmp_path.iterdir()} == {"one.csv", "one.json", "one.svg"}
    outcome = ran(tmp_path, [made("one", calls), made("two", calls)])
    assert calls == ["one", "two"]
    assert outcome.report.exists()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "table.csv"
    store.write_whole(target, b"old")

    def full(*paths: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="no space"):
        store.write_whole(target, b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


class _Links(HTMLParser):
    """Collects everything that a page would fetch or lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        names = ("src", "href", "srcset", "action", "data", "poster", "background")
        self.found += [(tag, name, value or "") for name, value in attributes if name in names]


def test_the_report_needs_nothing_else(tmp_path: Path):
    outcome = ran(tmp_path, [made("one", [])])
    text = outcome.report.read_text(encoding="utf-8")
    page = _Links()
    page.feed(text)
    assert page.found, "the picture is missing"
    for tag, name, value in page.found:
        assert value.startswith("#") or (tag == "img" and value.startswith("data:image/svg+xml;base64,")), (tag, name, value)
    assert not {"script", "link", "iframe", "object", "embed"} & set(page.tags)
    assert "http" not in text
    assert "@import" not in text
    assert "url(" not in text


@pytest.mark.slow
def test_the_report_escapes_what_it_shows(tmp_path: Path):
    text = ran(tmp_path, [made("one", [])]).report.read_text(encoding="utf-8")
    assert "Figure of one &lt;&amp;&gt;" in text
    assert "half &amp; half" in text


@pytest.mark.slow
def test_claims_and_tables_are_beside_the_report(tmp_path: Path):
    ran(tmp_path, [made("one", [])])
    rows = list(csv.DictReader((tmp_path / "claims.csv").read_text(encoding="utf-8").splitlines()))
    assert rows == [
        {
            "figure": "one",
            "section": "1",
            "claim": "half & half",
            "reading": "",
            "our result": "0.5",
            "verdict": "confirmed",
            "note": "",
        }
    ]
    table = list(csv.DictReader((tmp_path / "one.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["upper"] for row in table if row["series"] == "endless" and row["kind"] == "upper"] == ["inf", "1.0"]
    ours = [row for row in table if row["series"] == "ours"]
    for row, (lower, upper) in zip(ours, [(0.1, 0.2), (0.05, 0.1)], strict=True):
        assert Decimal(row["lower"]) <= Decimal(lower) <= Decimal(upper) <= Decimal(row["upper"])
        assert (float(row["lower"]), float(row["upper"])) == (lower, upper)


@pytest.mark.slow
def test_the_same_data_give_the_same_picture(tmp_path: Path):
    ran(tmp_path / "a", [made("one", [])])
    ran(tmp_path / "b", [made("one", [])])
    assert (tmp_path / "a" / "one.svg").read_bytes() == (tmp_path / "b" / "one.svg").read_bytes()


def test_stored_data_are_read_back_exactly(tmp_path: Path):
    figure = truncated_gauss.FIGURE
    data = figure.compute(True)
    store.save_result(tmp_path, figure, True, data, 1.0)
    stored = store.load_result(tmp_path, figure, True)
    assert stored is not None
    assert stored[0].facts == data.facts
    for one, other in zip(data.panels, stored[0].panels, strict=True):
        for first, second in zip(one.series, other.series, strict=True):
            assert list(first.x) == list(second.x)
            assert list(first.upper) == list(second.upper)


def test_every_figure_has_a_name_of_its_own_and_parameters_that_can_be_stored():
    names = [figure.name for figure in FIGURES]
    assert len(set(names)) == len(names)
    for figure in FIGURES:
        for quick in (True, False):
            assert json.loads(json.dumps(figure.settings(quick), allow_nan=False)) is not None


def test_every_figure_asked_for_is_there():
    wanted = {f"figure-{number:02}" for number in (1, 2, 3, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21)}
    assert wanted <= {figure.name for figure in FIGURES}
