"""The papers as a page: claims are grouped by what they say, and figures come with their numbers."""

from pathlib import Path

import pytest
from tests.support.service import served

from tightbudget.interfaces.web.claims import FAILS, HOLDS, MIXED, OPEN, SLIP, statements_of
from tightbudget.research.reproduce.figures import FIGURES
from tightbudget.research.reproduce.model import Claim
from tightbudget.research.reproduce.run import finished_figure

PAGE = {"Accept": "text/html"}


@pytest.mark.parametrize(
    ("verdicts", "slip", "group"),
    [
        (["confirmed", "confirmed"], False, HOLDS), (["confirmed", "not checkable"], False, HOLDS),
        (["refuted", "confirmed"], False, MIXED), (["refuted", "not checkable"], False, FAILS),
        (["refuted", "refuted"], True, SLIP), (["confirmed"], True, HOLDS), (["not checkable"], False, OPEN),
    ],
)  # fmt: skip
def test_readings_of_one_claim_are_one_claim(verdicts: list[str], slip: bool, group: str) -> None:
    claims = [
        ("figure-03", Claim("7", "it is so", "found", verdict, f"reading {i}", slip=slip)) for i, verdict in enumerate(verdicts)
    ]
    (found,) = statements_of(claims)
    assert found.group == group
    assert len(found.readings) == len(verdicts)


def test_what_fails_as_the_paper_means_it_fails_in_substance() -> None:
    own, other = "the paper's pair", "the paper's pair, shift-2 noise alone"
    for refuted, confirmed, group in ((own, other, FAILS), (other, own, MIXED), ("counts as observed", own, MIXED)):
        pair = [Claim("7", "it is so", "", "refuted", refuted), Claim("7", "it is so", "", "confirmed", confirmed)]
        (found,) = statements_of(("figure-03", claim) for claim in pair)
        assert found.group == group


def test_a_folder_that_is_given_is_shown_as_it_is(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    with served(tmp_path, reproduction=str(papers)) as running:
        assert "no finished figure" in running.http.get("/papers", headers=PAGE).text
        finished_figure(papers, FIGURES[0], quick=True)
        shown = running.http.get("/papers", headers=PAGE)
        assert FIGURES[0].title in shown.text
        assert FIGURES[1].title not in shown.text
        assert "refresh" not in shown.headers
        name = FIGURES[0].name
        assert running.http.get(f"/papers/{name}.csv").text.startswith("panel,series,kind")
        assert running.http.get(f"/papers/{name}/panels").json()["panels"]
        for path in ("figure-99.csv", "figure-99/panels", f"{name}.py", "..%2Fledger.db", "ledger.db"):
            assert running.http.get(f"/papers/{path}").status_code == 404


@pytest.mark.slow
def test_without_a_folder_figures_are_computed_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with served(tmp_path) as running:
        first = running.http.get("/papers", headers=PAGE)
        assert f"0 of {len(FIGURES)} figures are ready" in first.text
        assert first.headers["refresh"]
        for _ in range(600):
            if FIGURES[0].title in running.http.get("/papers", headers=PAGE).text:
                break
        else:
            raise AssertionError("no figure was made")
    assert (tmp_path / "tightbudget" / "reproduction" / f"{FIGURES[0].name}.csv").is_file()
