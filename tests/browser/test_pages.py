"""The pages in a real browser: what people do there, at the sizes they do it, and what must never happen."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect, sync_playwright
from tests.support.browser import Watched, chromium_path, watched_page
from tests.support.running_service import Running, running_service

import tightbudget as tb
from tightbudget.research.reproduce.figures import FIGURES
from tightbudget.research.reproduce.run import finished_figure

pytestmark = pytest.mark.slow
expect.set_options(timeout=20_000)  # on a machine that does other things, too

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SCREEN = {"viewport": {"width": 1440, "height": 1000}}
DRAWN = "#chart-curve .main-svg"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = chromium_path(playwright)
        if path is None:
            assert not os.environ.get("TIGHTBUDGET_NEEDS_BROWSER"), "there is no Chromium, and it is needed here"
            pytest.skip("there is no Chromium: install the package chromium, or run `playwright install chromium`")
        found = playwright.chromium.launch(executable_path=path)
        yield found
        found.close()


@pytest.fixture(scope="module")
def service(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("service")
    papers = folder / "papers"
    papers.mkdir()
    finished_figure(papers, FIGURES[0], quick=True)  # the others take longer
    with running_service(folder, "--reproduction", str(papers), "--anonymous-rate", "100000") as running:
        yield running


@pytest.fixture(scope="module")
def visits(browser: Browser, service: Running) -> Iterator[Watched]:
    with watched_page(browser, service.address, **SCREEN) as watched:  # one, so that the chart library is loaded once
        yield watched


@pytest.fixture
def visitor(visits: Watched) -> Iterator[Watched]:
    visits.page.context.clear_cookies()
    yield visits
    assert not visits.problems


def token_of(service: Running, role: str) -> str:
    made = service.ask("tokens", service.token, name=f"the {role}", role=role)
    return str(made.json()["text"])


def bracket_in(text: str) -> tuple[float, float]:
    found = re.search(r"\[([\d.e-]+), ([\d.e-]+)\]", text)
    assert found, text
    return float(found[1]), float(found[2])


def test_a_composition_is_built_and_its_plot_is_read(visitor: Watched) -> None:
    page = visitor.open("/")
    page.get_by_label("Any composition").check()
    page.get_by_label("Composition", exact=True).fill("gaussian(sigma=20) * 100")
    composition = tb.Gaussian(sigma=20) * 100
    true = composition.epsilon(1e-5)
    expect(page.locator("#said-curve")).to_contain_text(f"{true.upper:.3f}"[:4])
    low, high = bracket_in(page.locator("#answer .bracket").inner_text())
    assert low <= true.lower <= true.upper <= high
    page.wait_for_selector(DRAWN)
    lines = page.evaluate("document.getElementById('chart-curve').data.map(({name, x, y}) => ({name, x, y}))")
    names = [line["name"] for line in lines]
    assert {"tightbudget, at most", "tightbudget, at least", "zCDP"} <= set(names)
    upper = lines[names.index("tightbudget, at most")]
    for epsilon, delta in list(zip(upper["x"], upper["y"], strict=True))[5:-5:40]:
        assert delta >= composition.delta(epsilon).lower
    assert "expression=gaussian%28sigma%3D20%29" in page.url  # the page is a link
    assert page.locator(".modebar-btn").count() == 0  # nor is there a button that would send the chart elsewhere


def test_more_noise_by_the_keyboard_gives_less_epsilon(visitor: Watched) -> None:
    page = visitor.open("/")
    before = bracket_in(page.locator("#answer .bracket").inner_text())[1]
    slider = page.get_by_role("slider", name="Noise multiplier")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#answer .bracket")).not_to_contain_text(f"{before:g}")
    assert bracket_in(page.locator("#answer .bracket").inner_text())[1] < before
    assert "more private" in page.locator(".of-training .ends").inner_text()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "delta"


def test_noise_is_chosen_for_a_target(visitor: Watched) -> None:
    page = visitor.open("/")
    page.get_by_label("Keep ε at or below").fill("2")
    answer = page.locator("#noise-answer")
    expect(answer).to_contain_text("How much noise for ε = 2?")
    noise = float(answer.locator(".total strong").inner_text())
    run = tb.dpsgd(examples=60000, batch=256, epochs=20, noise_multiplier=noise, delta=1e-5, rtol=1e-6)
    assert 1.999 < run.epsilon.lower <= run.epsilon.upper <= 2.0
    expect(page.locator("#said-prior")).to_contain_text("After an alarm: at most")
    page.get_by_label("Believed before (from 0 to 1)").fill("0.9")
    expect(page.locator("#said-prior")).to_contain_text("Believed before: 90 %")


def test_a_mistake_is_explained_where_the_answer_would_be(visitor: Watched) -> None:
    page = visitor.open("/")
    page.get_by_label("Epochs").fill("many")
    expect(page.get_by_role("alert")).to_contain_text("epochs must be a number")
    page.get_by_label("Epochs").fill("10")
    expect(page.locator("#answer")).to_contain_text("2344 steps")


def test_everything_is_there_without_scripts(browser: Browser, service: Running) -> None:
    with watched_page(browser, service.address, java_script_enabled=False, **SCREEN) as watched:
        page = watched.open("/")
        page.get_by_label("Epochs").fill("10")
        page.get_by_role("button", name="Answer").click()
        expect(page.locator("#answer")).to_contain_text("2344 steps")
        expect(page.locator("#noise-answer")).to_contain_text("provably misses it")
        page.locator("#details summary").click()
        page.get_by_role("link", name="Show them on a page without scripts").click()
        expect(page.get_by_role("region", name="Table of bounds")).to_contain_text("Rényi DP")
        assert not watched.problems


def test_a_budget_is_made_and_charged_until_it_refuses(visitor: Watched, service: Running) -> None:
    visitor.log_in(service.token)
    page = visitor.page
    page.get_by_label("Name").fill("census é 2026")
    page.get_by_role("button", name="Create the budget").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("census é 2026")
    for expected in (4, 3, 2, 1, 0):
        page.get_by_label("Step, in the notation").fill("gaussian(sigma=10)")
        page.get_by_label("What for?").fill("weekly table")
        page.get_by_role("button", name="Charge it").click()
        if expected:
            expect(page.get_by_role("status")).to_contain_text("Charged")
            expect(page.get_by_text("more of the last step")).to_contain_text(f"About {expected - 1} more")
    expect(page.get_by_role("alert")).to_contain_text("is refused by the zcdp filter")
    expect(page.locator(".history .state.refused")).to_have_count(1)
    expect(page.locator(".course circle")).to_have_count(1)
    page.get_by_label("Step, in the notation").fill("gaussian(sigma=1000)")
    page.get_by_role("button", name="Quote: would it fit?").click()
    expect(page.get_by_role("status")).to_contain_text("fits the zcdp filter")
    page.get_by_role("button", name="Verify again").click()
    expect(page.get_by_role("status")).to_contain_text("entries were replayed")
    page.get_by_role("button", name="Log out").click()
    visitor.open("/budgets")
    expect(page).to_have_url(re.compile("/login"))


def test_a_wrong_token_and_a_wrong_role_are_told(visitor: Watched, service: Running) -> None:
    visitor.log_in("tb_wrong")
    page = visitor.page
    expect(page.get_by_role("alert")).to_contain_text("not known")
    body = {"name": "read only", "epsilon": 1, "delta": "1e-6"}
    httpx2.post(f"{service.address}/v1/budgets", json=body, headers=service.bearer)
    visitor.log_in(token_of(service, "auditor"))
    visitor.open("/budgets/read%20only")
    assert page.get_by_role("button", name="Charge it").count() == 0
    expect(page.get_by_text("You are logged in as auditor")).to_be_visible()
    word = page.locator("input[name=csrf_token]").first.get_attribute("value")
    page.evaluate(
        """(word) => { const form = document.createElement("form"); form.method = "post";
        for (const [name, value] of Object.entries({csrf_token: word, increment: "gaussian(sigma=9)", key: "k"})) {
          const field = document.createElement("input"); field.name = name; field.value = value; form.append(field); }
        form.action = location.pathname + "/charge"; document.body.append(form); form.submit(); }""",
        word,
    )
    expect(page.get_by_role("heading", level=1)).to_have_text("Not for your role")


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (SCREEN, "light")], ids=["phone", "screen"])
def test_pages_fit_and_can_be_used_by_all(browser: Browser, service: Running, size: dict[str, object], scheme: str) -> None:
    body = {"name": "for all", "epsilon": 1, "delta": "1e-6"}
    httpx2.post(f"{service.address}/v1/budgets", json=body, headers=service.bearer)
    for key, sigma in (("a", 20), ("b", 1)):
        charge = {"increment": f"gaussian(sigma={sigma})", "key": key}
        httpx2.post(f"{service.address}/v1/budgets/for%20all/charge", json=charge, headers=service.bearer)
    axe = Axe()
    with watched_page(browser, service.address, color_scheme=scheme, **size) as watched:
        watched.log_in(service.token)
        for path in ("/", "/login", "/budgets", "/budgets/for%20all", "/papers"):
            page = watched.open(path)
            if path == "/":
                page.wait_for_selector(DRAWN)
            if path == "/papers":
                page.wait_for_selector(".paper .main-svg")
            assert not watched.is_wider_than_its_window(), path
            found = axe.run(page).response["violations"]
            grave = [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")]
            assert not grave, path
        assert not watched.problems
