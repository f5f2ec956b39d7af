"""`tightbudget ledger verify`, `checkpoint`, `expire`, `keygen`, `check-receipt`: for those who look after a ledger."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from tightbudget.errors import InvalidParameter, LedgerError
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.exit_codes import BROKEN
from tightbudget.interfaces.cli.files import check_target
from tightbudget.interfaces.cli.ledger_options import DEFAULT_LEDGER, LedgerUrl, SigningKey, opened
from tightbudget.interfaces.cli.options import Json, Usage
from tightbudget.interfaces.cli.terminal import patiently, show, show_words

PublicKey = Annotated[
    str | None, typer.Option(help="The public key that must have signed it, as keygen prints it.", metavar="HEX")
]


def verify(
    budget: Annotated[str | None, typer.Argument(metavar="[BUDGET]", hidden=True)] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Compare with this checkpoint, kept elsewhere.", metavar="FILE", show_default=False),
    ] = None,
    public_key: PublicKey = None,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    as_json: Json = False,
) -> int:
    """Replay the whole log, or that of BUDGET, and compare what follows from it with what is stored.

    The exit code is 1 if something is broken; the first broken entry is named.

    \b
    Example:
      tightbudget ledger verify --checkpoint monday.json --public-key "$KEY"
    """
    if public_key is not None and checkpoint is None:
        raise Usage("--public-key is about a checkpoint; name its file with --checkpoint.")
    kept = None if checkpoint is None else library.ledger.Checkpoint.load(checkpoint)
    signer = None if kept is None else kept.public_key
    if kept is not None and public_key is not None:
        signer = _public_key_typed(public_key)
        kept.check(signer)
    with opened(ledger, check=False) as found:
        report = patiently(lambda: found.verify(budget=budget, checkpoint=kept), "replaying the log")
    if as_json:
        show(wire.json_text({**report.as_json(), "signed_by": signer, "signer_checked": public_key is not None}))
    else:
        signed = [] if signer is None else [_signer_in_words(signer, public_key is not None)]
        show_words("\n".join([str(report), *(f"  {each}" for each in report.problems[1:]), *signed]))
    return 0 if report.ok else BROKEN


def _signer_in_words(signer: str, checked: bool) -> str:
    by = f"The checkpoint is signed by {signer}"
    return f"{by}." if checked else f"{by}, which anybody could have made: say with --public-key who must have signed it."


def checkpoint(
    file: Annotated[Path, typer.Argument(metavar="FILE", hidden=True)],
    ledger: LedgerUrl = DEFAULT_LEDGER,
    signing_key: SigningKey = None,
    as_json: Json = False,
) -> int:
    """Sign the last entries of all budgets and write them to FILE. Keep it where the ledger is not.

    Only a checkpoint shows that the end of the log was cut off, or an old backup restored.

    \b
    Example:
      tightbudget ledger checkpoint monday.json --signing-key ledger.key
    """
    if signing_key is None:
        raise Usage("--signing-key is missing; tightbudget ledger keygen makes a key.")
    check_target("FILE", file)
    with opened(ledger, signing_key) as found:
        made = found.checkpoint()
        made.save(file)
    chains = len(made.heads) - 1
    if as_json:
        shape = {"file": str(file), "ledger": made.ledger, "time": made.time.isoformat(), "budgets": chains}
        show(wire.json_text({**shape, "public_key": made.public_key}))
    else:
        show_words(f"Wrote {file}: {chains} {'budget' if chains == 1 else 'budgets'}, signed by {made.public_key}.")
    return 0


def expire(ledger: LedgerUrl = DEFAULT_LEDGER, as_json: Json = False) -> int:
    """Commit the reservations whose time is over. They counted as spent all along; run it now and then.

    \b
    Example:
      tightbudget ledger expire --json
    """
    with opened(ledger) as found:
        count = found.expire()
    if as_json:
        show(wire.json_text({"committed": count}))
    else:
        show_words(f"{count} {'reservation' if count == 1 else 'reservations'} had expired and {'is' if count == 1 else 'are'} "
                   "committed now.")  # fmt: skip
    return 0


def keygen(file: Annotated[Path, typer.Argument(metavar="FILE", hidden=True)], as_json: Json = False) -> int:
    """Make a key that signs receipts and checkpoints, in the new file FILE, and print its public key.

    Keep the file away from the ledger, and publish the public key.

    \b
    Example:
      tightbudget ledger keygen ledger.key
    """
    key = library.ledger.SigningKey.new()
    try:
        key.save(file)
    except InvalidParameter as problem:
        raise Usage(f"FILE is {str(file)!r}, but must be {problem.allowed}.") from None
    if as_json:
        show(wire.json_text({"file": str(file), "public_key": key.public}))
    else:
        show_words(f"Wrote {file}. Its public key is {key.public}")
    return 0


def check_receipt(
    file: Annotated[Path, typer.Argument(metavar="FILE", hidden=True)],
    public_key: Annotated[str, typer.Option(help="The public key of the ledger, as keygen prints it.", metavar="HEX")],
    as_json: Json = False,
) -> int:
    """Check a receipt that charge --json printed, without the ledger. The exit code is 1 if it was forged.

    \b
    Example:
      tightbudget ledger check-receipt receipt.json --public-key "$KEY"
    """
    key = _public_key_typed(public_key)
    receipt = library.ledger.receipt_from_json(_read_receipt_file(file))
    problem = ""
    try:
        library.ledger.check_receipt(receipt, key)
    except LedgerError as found:
        problem = str(found)
    if as_json:
        show(wire.json_text({"ok": not problem, "problem": problem, "receipt": receipt.as_json()}))
    else:
        show_words(problem or f"Signed by {key}: {receipt}.")
    return BROKEN if problem else 0


def _read_receipt_file(file: Path) -> object:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise InvalidParameter("FILE", str(file), "a receipt as charge --json prints it") from None


def _public_key_typed(text: str) -> str:
    plain = text.strip().lower()
    try:
        long_enough = len(bytes.fromhex(plain)) == 32
    except ValueError:
        long_enough = False
    if not long_enough:
        raise InvalidParameter("--public-key", text, "64 hexadecimal digits, as tightbudget ledger keygen prints them")
    return plain


COMMANDS: tuple[tuple[str, Callable[..., int], str], ...] = (
    ("verify", verify, "Replay the log."),
    ("checkpoint", checkpoint, "Sign the heads of the log."),
    ("expire", expire, "Commit what has expired."),
    ("keygen", keygen, "Make a signing key."),
    ("check-receipt", check_receipt, "Check a receipt offline."),
)
