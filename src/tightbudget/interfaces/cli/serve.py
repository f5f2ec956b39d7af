"""`tightbudget serve`: the HTTP service."""

import os
from typing import Annotated

import typer

from tightbudget.errors import MissingExtra
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.options import number_typed, whole_typed
from tightbudget.interfaces.cli.terminal import show


def serve(
    database: Annotated[
        str | None, typer.Option(help="URL of the ledger.", metavar="URL", show_default="~/.local/state/tightbudget/ledger.db")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.", metavar="H", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None,
        typer.Option(help="Port to listen on; 0 takes a free one.", parser=whole_typed, metavar="P", show_default="8000"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes that answer requests.", parser=whole_typed, metavar="N", show_default="1")
    ] = None,
    tls_cert: Annotated[str | None, typer.Option(help="Certificate for TLS, with --tls-key.", metavar="FILE")] = None,
    tls_key: Annotated[str | None, typer.Option(help="Private key of the certificate.", metavar="FILE")] = None,
    behind_tls: Annotated[
        bool, typer.Option("--behind-tls", help="A proxy in front speaks TLS: believe it where requests come from.")
    ] = False,
    plain_http: Annotated[
        bool, typer.Option("--plain-http", help="Serve other machines without TLS: anyone between can read tokens.")
    ] = False,
    compute: Annotated[
        str | None,
        typer.Option(
            help="Who may compute: anyone, or tokens for their holders only.",
            metavar="WHO",
            show_default="anyone on loopback, else tokens",
        ),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(help="Processes that compute, for each worker.", parser=whole_typed, metavar="N", show_default="2"),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for a computation.", parser=number_typed, metavar="S", show_default="10")
    ] = None,
    memory_limit: Annotated[
        int | None, typer.Option(help="Megabytes for a computation.", parser=whole_typed, metavar="MB", show_default="2048")
    ] = None,
    token_rate: Annotated[
        int | None,
        typer.Option(help="Requests a minute for each token.", parser=whole_typed, metavar="N", show_default="6000"),
    ] = None,
    anonymous_rate: Annotated[
        int | None,
        typer.Option(
            help="Requests a minute for an address without token.", parser=whole_typed, metavar="N", show_default="600"
        ),
    ] = None,
    secret_file: Annotated[
        str | None,
        typer.Option(help="Key that signs cookies.", metavar="FILE", show_default="a file of yours, made if missing"),
    ] = None,
    reproduction: Annotated[
        str | None,
        typer.Option(
            help="Folder of `tightbudget reproduce` for the page /papers.",
            metavar="DIR",
            show_default="a quick one, made when it is first asked for",
        ),
    ] = None,
    log_format: Annotated[
        str | None, typer.Option(help="How to log: json or text.", metavar="NAME", show_default="json")
    ] = None,
) -> int:
    """Serve the HTTP API and the pages, on this machine only unless told otherwise.

    The first start makes a token for an owner and prints it once. Each option can also be set in the environment:
    --time-limit is TIGHTBUDGET_TIME_LIMIT.

    \b
    Example:
      tightbudget serve --database sqlite:///budget.db --port 8080
    """
    flags = {
        "database": database, "host": host, "port": port, "workers": workers, "tls_cert": tls_cert, "tls_key": tls_key,
        "behind_tls": behind_tls or None, "plain_http": plain_http or None, "compute": compute, "processes": processes,
        "time_limit": time_limit, "memory_limit": memory_limit, "token_rate": token_rate,
        "anonymous_rate": anonymous_rate, "secret_file": secret_file, "log_format": log_format, "reproduction": reproduction,
    }  # fmt: skip
    settings = library.Settings.read(os.environ, **flags)
    try:
        running = library.running
    except ModuleNotFoundError as missing:
        raise MissingExtra("serve", missing.name or "fastapi") from None
    os.umask(0o077)  # whatever is made from now on is for the owner's eyes only
    token = running.prepared(settings)
    listening = running.bound(settings)
    if token:
        show(f"Token of the first owner, shown only now: {token}")
    scheme, (host_bound, port_bound) = "https" if settings.tls_cert else "http", listening.getsockname()[:2]
    show(f"Listening on {scheme}://{f'[{host_bound}]' if ':' in host_bound else host_bound}:{port_bound}")
    show(f"Ledger: {running.ledger_shown(settings)}")
    running.run(settings, listening)
    return 0
