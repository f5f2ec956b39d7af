"""The papers: the reproduction as a page, each claim with its verdict and the numbers behind each figure."""

import asyncio
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from tightbudget.access.roles import Permission
from tightbudget.interfaces import wire
from tightbudget.interfaces.api.answers import Answer
from tightbudget.interfaces.api.guard import GuardedRoute, allows
from tightbudget.interfaces.api.ledger_work import plain
from tightbudget.interfaces.api.logs import logger
from tightbudget.interfaces.api.pool import LimitReached
from tightbudget.interfaces.api.problems import Problem, of_status
from tightbudget.interfaces.api.service import Service
from tightbudget.interfaces.web.claims import GROUPS, Statement, statements_of
from tightbudget.interfaces.web.rendering import page
from tightbudget.research.reproduce.figures import FIGURES
from tightbudget.research.reproduce.run import Result, finished_figure
from tightbudget.research.reproduce.store import load_result

router = APIRouter(route_class=GuardedRoute, include_in_schema=False)
COMPUTE = Permission.COMPUTE
SECONDS = 300.0  # for one figure; a quick one takes a few
_BY_NAME = {figure.name: figure for figure in FIGURES}
_KINDS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
_under_way: dict[Path, asyncio.Task[None]] = {}


@router.get("/papers")
@allows(COMPUTE)
async def papers(request: Request) -> Response:
    """What is finished; the rest is computed meanwhile, and the page comes again."""
    folder = _papers_folder(request)
    found = await run_in_threadpool(_finished_papers, folder)
    given = bool(_service_of_papers(request).settings.reproduction)  # then it is shown as it is, and nothing is computed
    missing = 0 if given else len(FIGURES) - len(found)
    if missing and folder not in _under_way:
        task = asyncio.create_task(_compute_papers(_service_of_papers(request), folder))
        _under_way[folder] = task
        task.add_done_callback(lambda _: _under_way.pop(folder, None))
    statements = statements_of((result.figure.name, claim) for result in found for claim in result.claims)
    grouped: dict[str, list[Statement]] = {group: [] for group in GROUPS}
    for statement in statements:
        grouped[statement.group].append(statement)
    answer = page(request, "papers.html", results=found, missing=missing, grouped=grouped, groups=GROUPS, total=len(FIGURES))
    if missing:
        answer.headers["Refresh"] = "10"
    return answer


@router.get("/papers/{name}/panels")
@allows(COMPUTE)
async def panels(request: Request, name: str) -> Response:
    """What the charts of a figure draw."""
    result = await run_in_threadpool(_paper_result, _papers_folder(request), name)
    if result is None:
        raise of_status(404)
    shape = {"panels": [plain(asdict(panel)) for panel in result.data.panels]}
    return Response(wire.json_text(shape), media_type="application/json")


@router.get("/papers/{name}.{kind}")
@allows(COMPUTE)
async def data(request: Request, name: str, kind: str) -> Response:
    """The numbers behind a figure, as a file."""
    if name not in _BY_NAME or kind not in _KINDS:
        raise of_status(404)
    path = _papers_folder(request) / f"{name}.{kind}"
    if not path.is_file():
        raise of_status(404)
    headers = {"Content-Disposition": f'attachment; filename="{name}.{kind}"'}
    return Response(await run_in_threadpool(path.read_bytes), headers=headers, media_type=_KINDS[kind])


def compute_figure(folder: str, name: str) -> Answer:
    """Compute a figure into the folder; what processes that compute do."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    finished_figure(Path(folder), _BY_NAME[name], quick=True)
    return Answer(200, b"", lasting=False)


async def _compute_papers(service: Service, folder: Path) -> None:
    for name in _BY_NAME:
        if await run_in_threadpool(_paper_result, folder, name) is None:
            try:
                await service.pool.call(compute_figure, (str(folder), name), SECONDS, "papers")
            except (LimitReached, Problem, OSError) as problem:
                logger.warning("figure", extra={"event": {"figure": name, "problem": type(problem).__name__}})


def _finished_papers(folder: Path) -> list[Result]:
    return [result for name in _BY_NAME if (result := _paper_result(folder, name)) is not None]


def _paper_result(folder: Path, name: str) -> Result | None:
    try:
        changed = (folder / f"{name}.json").stat().st_mtime_ns if name in _BY_NAME else None
    except OSError:
        return None
    return None if changed is None else _loaded_paper_result(folder, name, changed)


@lru_cache(maxsize=64)
def _loaded_paper_result(folder: Path, name: str, changed: int) -> Result | None:
    figure: Any = _BY_NAME[name]
    for quick in (False, True):
        stored = load_result(folder, figure, quick)
        if stored is not None:
            return Result(figure, stored[0], figure.claims(stored[0].facts), stored[1], reused=True)
    return None


def _service_of_papers(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _papers_folder(request: Request) -> Path:
    return _service_of_papers(request).settings.reproduction_path
