"""How long people wait for the explorer, in a real Chromium: `python bench/pages.py`; a part of service.py."""

import shutil
import statistics

from playwright.sync_api import Browser, sync_playwright

from serving import service

VISITS, MOVES = 5, 12
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
# from the change of the slider to the next answer, the pause included after which the page asks
MOVED = """async (value) => {
  const slider = document.getElementById("noise-slider"), answer = document.getElementById("answer");
  const begun = performance.now();
  const answered = new Promise((done) => new MutationObserver((_, watch) => {
    watch.disconnect();
    done(performance.now() - begun);
  }).observe(answer, { childList: true, subtree: true }));
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  return await answered;
}"""


def pages() -> list[tuple[str, str]]:
    """Return what was measured, or that there is no browser."""
    path = shutil.which("chromium")
    if path is None:
        return [("pages", "not measured: there is no Chromium")]
    with service() as (port, _, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        paints = sorted(first_paint(browser, port) for _ in range(VISITS))
        moves = sorted(slider_answers(browser, port))
        browser.close()
    return [
        (
            "first paint of the explorer, by a new visitor",
            f"**{statistics.median(paints):.0f} ms** (longest {paints[-1]:.0f} ms)",
        ),
        (
            "from a moved slider to its answer on the page",
            f"**{statistics.median(moves):.0f} ms** (longest {moves[-1]:.0f} ms)",
        ),
    ]


def first_paint(browser: Browser, port: int) -> float:
    """Return milliseconds until text and numbers are seen, with nothing in the browser's cache."""
    page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
    page.goto(f"http://127.0.0.1:{port}/")
    found = 0.0
    while not found:  # the policy of the page lets no text be run that would wait for it there
        page.wait_for_timeout(20)
        found = float(page.evaluate(PAINTED))
    page.context.close()
    return found


def slider_answers(browser: Browser, port: int) -> list[float]:
    """Return milliseconds until each of some new noise multipliers is answered for."""
    page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
    page.goto(f"http://127.0.0.1:{port}/")
    page.wait_for_selector("#chart-curve .main-svg")
    page.wait_for_load_state("networkidle")
    found = []
    for value in range(-20, MOVES - 20):
        found.append(float(page.evaluate(MOVED, str(value))))
        page.wait_for_load_state("networkidle")  # details are asked for after the answer
    page.context.close()
    return found


if __name__ == "__main__":
    for what, measured in pages():
        print(f"{what:75} {measured}")
