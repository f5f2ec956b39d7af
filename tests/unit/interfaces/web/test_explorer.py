"""The explorer without a browser: the answer is in the page, questions are links, and drawn lines are bounds."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from tests.support.lanes import mostly_slow
from tests.support.service import Served

import tightbudget as tb
from tightbudget.interfaces.web import pictures
from tightbudget.interfaces.web.explored import Explored
from tightbudget.interfaces.web.pictures import curve_picture, growth_picture, roc_picture

PAGE = {"Accept": "text/html"}
RUN = {"examples": "60000", "batch": "256", "epochs": "20", "noise": "1.1", "delta": "1e-5"}


def test_the_answer_is_in_the_page_without_scripts(service: Served) -> None:
    page = service.http.get("/", params=RUN, headers=PAGE)
    assert page.status_code == 200
    found = tb.dpsgd(examples=60000, batch=256, epochs=20, noise_multiplier=1.1, delta=1e-5).epsilon
    low, high = re.search(r"True value in <strong>\[([\d.]+), ([\d.]+)\]", page.text).groups()  # type: ignore[union-attr]
    assert float(low) <= found.lower <= found.upper <= float(high)  # rounded outward
    assert float(high) - float(low) < 0.003
    assert "<script>" not in page.text
    assert " style=" not in page.text


def test_a_composition_is_answered_with_all_its_tables(service: Served) -> None:
    asked = {"mode": "notation", "expression": "gaussian(sigma=20) * 100", "delta": "1e-6", "target": "1", "full": "1"}
    page = service.http.get("/", params=asked, headers=PAGE)
    assert page.status_code == 200
    for said in ("Rényi DP", "sigma", "Guessing", "Hits, at most"):
        assert said in page.text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"noise": "much"}, "noise must be a number"), ({"delta": "2"}, "delta"), ({"batch": "0"}, "batch"),
        ({"mode": "notation", "expression": "gaussian(sigma="}, "expression"),
        ({"mode": "notation", "expression": "histograms('/etc/passwd')"}, "files"), ({"noise": "inf"}, "noise"),
        ({"mode": "notation", "expression": "<script>alert(1)</script>"}, "&lt;script&gt;"),
    ],
)  # fmt: skip
def test_what_has_no_answer_is_told_in_the_page(service: Served, asked: dict[str, str], said: str) -> None:
    page = service.http.get("/", params={**RUN, **asked}, headers=PAGE)
    assert page.status_code == 422
    assert said in page.text
    assert "<script>alert" not in page.text


def test_the_copies_ask_the_same(service: Served) -> None:
    asked = Explored.read(RUN)
    link = urlsplit(asked.copies("http://x")["Link"])
    again = Explored.read({name: value for name, (value,) in parse_qs(link.query).items()})
    assert again.question() == asked.question()
    space = {"tb": tb}
    exec(asked.copies("")["Python"].replace("tb.dpsgd", "found = tb.dpsgd"), space)
    found = service.http.get("/explorer/answer", params=RUN).text
    assert f"{space['found'].steps} steps" in found  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "expression", mostly_slow(["gaussian(sigma=20) * 100", "pure_dp(epsilon=0.5) * 4", "laplace(scale=2)"], every=3)
)
def test_lines_that_are_drawn_are_bounds_between_their_points_too(expression: str) -> None:
    composition = tb.parse(expression)
    drawn = curve_picture({"expression": str(composition), "delta": 1e-5})
    places = np.linspace(0.01, 0.99 * drawn["epsilon"][-1], 997)
    true = composition.curve(places, rtol=1e-4)
    floor = 1e-12

    def at(name: str) -> np.ndarray:
        return np.exp(np.interp(places, drawn["epsilon"], np.log(np.maximum(drawn[name], floor))))

    assert (at("upper") >= true.lower).all()
    assert (at("lower") <= np.maximum(true.upper, floor) * (1 + 1e-12)).all()
    for bound in drawn["bounds"]:
        if bound["kind"] != "approximation":
            assert (np.interp(places, drawn["epsilon"], bound["delta"]) >= true.lower).all(), bound["name"]


def test_pictures_of_growth_and_of_the_attack() -> None:
    growth = growth_picture({"expression": "gaussian(sigma=20) * 100", "delta": 1e-5})
    assert growth["now"] in growth["counts"]
    assert sorted(growth["upper"]) == growth["upper"]
    found = roc_picture({"expression": "laplace(scale=2)", "fpr": 0.01})
    exact = 0.01 * np.exp(0.5)  # the trade-off of Laplace noise is linear there
    assert float(found["at"]["lower"]) <= exact <= float(found["at"]["upper"])


def test_what_is_served_for_ever_has_an_address_that_changes_with_it(service: Served) -> None:
    page = service.http.get("/", headers=PAGE).text
    for address in re.findall(r'(?:href|src|data-library)="(/static/[^"]+)"', page):
        sent = service.http.get(address)
        assert sent.status_code == 200, address
        assert "immutable" in sent.headers["cache-control"]
        assert sent.headers["content-encoding"] == "gzip"
    with service.http.stream("GET", address, headers={"Accept-Encoding": "identity"}) as plain:
        assert "content-encoding" not in plain.headers
    assert service.http.get("/static/0123456789abcdef/style.css").status_code == 404


def test_lines_through_every_fourth_point_stay_on_their_side() -> None:
    """δ falls: an upper line through some of its points, one place late, is above all of them; a lower one below."""
    rng = np.random.default_rng(5)
    for size in (2, 5, 6, 65, 66, 67, 260):
        line = np.sort(rng.uniform(0.0, 1.0, size) ** 8)[::-1]
        places = np.linspace(0.0, 1.0, size)
        kept = pictures._kept_for_picture(places)
        upper, lower = np.asarray(pictures._upper_line_in_picture(line)), np.asarray(pictures._lower_line_in_picture(line))
        assert len(upper) == len(lower) == len(kept)
        assert kept[0] == 0.0
        assert kept[-1] == 1.0
        assert (np.interp(places, kept, upper) >= line).all()
        assert (np.interp(places, kept, lower) <= line).all()


def test_numbers_of_pictures_are_rounded_outward() -> None:
    line = np.asarray([0.123456789, 0.123456789, 0.123456789, 0.123456789, 0.123456789])
    assert pictures._upper_line_in_picture(line) == [0.12346, 0.12346]
    assert pictures._lower_line_in_picture(line) == [0.12345, 0.12345]
    assert (
        min(pictures._upper_line_in_picture(np.zeros(5))) >= 1e-300
    )  # nothing is below what is drawn on a scale of logarithms
    assert pictures._lower_line_in_picture(np.zeros(5)) == [0.0, 0.0]
