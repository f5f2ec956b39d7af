"""A real Chromium: found on the machine, and watched for everything that a page must not do."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Playwright, Request, Route

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_WATCH = """document.addEventListener("securitypolicyviolation",
  (violation) => console.error(`policy: ${violation.violatedDirective} ${violation.sourceFile}`))"""


def chromium_path(playwright: Playwright) -> str | None:
    """Return where Chromium is: the one told, the system's, or Playwright's own; None if there is none."""
    own = playwright.chromium.executable_path
    told = os.environ.get("TIGHTBUDGET_CHROMIUM")
    return told or next(filter(None, map(shutil.which, NAMES)), None) or (own if Path(own).exists() else None)


@dataclass
class Watched:
    """A page, and what went wrong on it."""

    page: Page
    address: str
    problems: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        self.page.goto(self.address + path)
        return self.page

    def log_in(self, token: str) -> None:
        self.open("/login")
        self.page.fill("#token", token)
        self.page.click("main button")
        self.page.wait_for_load_state()

    def is_wider_than_its_window(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


@contextmanager
def watched_page(browser: Browser, address: str, **options: Any) -> Iterator[Watched]:
    """Yield a page of a new visitor; requests to other hosts are stopped and reported, as are errors of any kind."""
    context = browser.new_context(**options)
    page = context.new_page()
    watched = Watched(page, address)
    own = urlsplit(address).netloc

    def route(route: Route, request: Request) -> None:
        if urlsplit(request.url).netloc != own and not request.url.startswith("data:"):
            watched.problems.append(f"request to {request.url}")
            route.abort()
        else:
            route.continue_()

    def said(message: Any) -> None:
        # a page that tells of a refusal has a status that says so, which browsers report as an error
        if message.type == "error" and "the server responded with a status of 4" not in message.text:
            watched.problems.append(message.text)

    context.route("**/*", route)
    context.on("page", lambda other: watched.problems.append(f"new window: {other.url}") if other is not page else None)
    page.on("console", said)
    page.on("pageerror", lambda error: watched.problems.append(str(error)))
    page.add_init_script(_WATCH)
    try:
        yield watched
    finally:
        context.close()
