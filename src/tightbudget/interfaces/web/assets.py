"""Styles, scripts and the chart library, compressed once and served at addresses that change with their content."""

import gzip
import hashlib
import re
from functools import cache
from importlib import metadata, resources
from typing import NamedTuple

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from tightbudget.interfaces.api.guard import PUBLIC, GuardedRoute, allows
from tightbudget.interfaces.api.problems import of_status

router = APIRouter(route_class=GuardedRoute, include_in_schema=False)

_KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
_MAP_STYLE = re.compile(r'getElementById\("([0-9a-f]{40,})"\)')


class Asset(NamedTuple):
    """A file as it is sent."""

    media_type: str
    plain: bytes
    compressed: bytes


@cache
def own_assets() -> tuple[str, dict[str, Asset]]:
    """Return the styles and scripts by name, and a word that changes whenever one of them does."""
    found, digest = {}, hashlib.sha256()
    for file in sorted(resources.files("tightbudget.interfaces.web").joinpath("static").iterdir(), key=lambda each: each.name):
        kind = _KINDS.get(file.name.rpartition(".")[2])
        if kind is not None:
            content = file.read_bytes()
            digest.update(file.name.encode() + b"\0" + content)
            found[file.name] = Asset(kind, content, gzip.compress(content, mtime=0))
    return digest.hexdigest()[:16], found


@cache
def chart_library() -> Asset:
    """Return plotly.js, as the installed package has it."""
    content = _chart_source()
    return Asset(_KINDS["js"], content, gzip.compress(content, mtime=0))


@cache
def map_style_marker() -> str:
    """Return the id of a style sheet for maps that plotly.js adds unless there is one: our policy would refuse it."""
    found = _MAP_STYLE.search(_chart_source().decode())
    return found[1] if found else "no-style-for-maps"


def prepare_assets() -> None:
    """Read and compress everything, so that no visitor waits for it."""
    own_assets()
    chart_library()
    map_style_marker()


def _chart_source() -> bytes:
    return resources.files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()


def address_of(name: str) -> str:
    """Return where the file is to be found."""
    return f"/static/{own_assets()[0]}/{name}"


def chart_address() -> str:
    return f"/static/plotly-{metadata.version('plotly')}/plotly.min.js"


@router.get("/static/{version}/{name}")
@allows(PUBLIC)
async def static(request: Request, version: str, name: str) -> Response:
    """A style or script; those of other versions are not there."""
    if request.url.path == chart_address():
        return _asset_response(request, await run_in_threadpool(chart_library))
    known, files = own_assets()
    if version != known or name not in files:
        raise of_status(404)
    return _asset_response(request, files[name])


def _asset_response(request: Request, asset: Asset) -> Response:
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers = {**_FOR_EVER, "Content-Encoding": "gzip"}
        return Response(asset.compressed, headers=headers, media_type=asset.media_type)
    return Response(asset.plain, headers=_FOR_EVER, media_type=asset.media_type)
