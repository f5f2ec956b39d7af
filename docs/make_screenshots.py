"""Take the README's pictures of the pages: `python docs/make_screenshots.py`, with Chromium.

A service is started with a budget of its own, charged as an example.
"""

import io
import runpy
import shutil
import time
from pathlib import Path
from urllib.parse import quote

import httpx2
from PIL import Image
from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).parent
SERVICE = runpy.run_path(str(FOLDER.parent / "bench" / "serving.py"))["service"]
WIDTH = 1180
COLOURS = 192  # the pages have fewer; it is edges of letters that have more
BUDGET = "census 2026"
DRAWN = ".plotly .main-svg"
STEPS = ("gaussian(sigma=20)", "gaussian(sigma=15)", "laplace(scale=40)", "gaussian(sigma=20)", "laplace(scale=30)") * 2


def main() -> None:
    with SERVICE() as (port, token, _), sync_playwright() as playwright:
        address = f"http://127.0.0.1:{port}"
        _spend(address, token)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": WIDTH, "height": 900})
        page.goto(address)
        page.wait_for_selector(DRAWN)
        page.wait_for_load_state("networkidle")
        _save(page, "explorer.png", 1345)
        page.goto(f"{address}/login")
        page.locator("input[name=token]").fill(token)
        page.locator("input[name=token]").press("Enter")
        page.get_by_role("link", name=BUDGET).click()
        page.get_by_label("Step, in the notation").fill("gaussian(sigma=10)")
        page.get_by_role("button", name="Quote").click()
        page.wait_for_selector(".course")
        _save(page, "budget.png", 1300)
        browser.close()


def _spend(address: str, token: str) -> None:
    def post(path: str, **body: object) -> None:
        httpx2.post(f"{address}/v1/budgets{path}", json=body, headers={"Authorization": f"Bearer {token}"}, timeout=60)

    post("", name=BUDGET, epsilon=1, delta="1e-6", description="Weekly tables")
    for number, step in enumerate(STEPS):
        time.sleep(0.05)
        post(f"/{quote(BUDGET)}/charge", increment=step, key=f"week {number}", purpose="weekly table")
    post(f"/{quote(BUDGET)}/charge", increment="gaussian(sigma=2)", key="too much", purpose="a map")
    post(f"/{quote(BUDGET)}/reserve", increment="laplace(scale=40)", key="in work", purpose="a table")


def _save(page: Page, name: str, height: int) -> None:
    picture = Image.open(io.BytesIO(page.screenshot(full_page=True)))
    part = picture.crop((0, 0, WIDTH, min(height, picture.height)))
    part.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(FOLDER / name, optimize=True)


if __name__ == "__main__":
    main()
