"""Signatures (Ed25519): receipts that anybody can check, and checkpoints that show what a database cannot.

Whoever owns the database can cut off the end of a chain, restore an old backup or write the whole log anew; the hashes
would fit. A checkpoint names the last entry of every chain. Kept elsewhere, it shows that something is gone.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from sqlalchemy import select

from tightbudget.errors import InvalidParameter, LedgerCorrupt, LedgerError, MissingExtra
from tightbudget.ledger import entries
from tightbudget.ledger.book import ROOT
from tightbudget.ledger.entries import canonical, hash_of
from tightbudget.ledger.ledger import Ledger
from tightbudget.ledger.receipts import Receipt, moment, receipt_of
from tightbudget.ledger.storage.schema import budgets

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
except ImportError:
    raise MissingExtra("ledger", "cryptography") from None


_RECEIPT, _CHECKPOINT = b"tightbudget receipt 1\n", b"tightbudget checkpoint 1\n"
"""What is signed starts with what it is, so that one can never pass for the other."""


class SigningKey:
    """The private key of a ledger. Keep it away from the database, or it proves nothing."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    @classmethod
    def new(cls) -> Self:
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a key that `save` wrote."""
        try:
            key = serialization.load_pem_private_key(Path(path).read_bytes(), password=None)
        except (OSError, ValueError, TypeError) as problem:
            raise InvalidParameter("signing_key", str(path), f"a readable file with an Ed25519 key ({problem})") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise InvalidParameter("signing_key", str(path), "an Ed25519 key")
        return cls(key)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the key to a new file that only its owner can read."""
        text = self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as problem:
            raise InvalidParameter("signing_key", str(path), f"a file that can be made ({problem.strerror})") from None
        with os.fdopen(file, "wb") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())

    @property
    def public(self) -> str:
        """The public key, in hexadecimal digits: publish it."""
        return self._key.public_key().public_bytes_raw().hex()

    def signed(self, receipt: Receipt) -> Receipt:
        return replace(receipt, signature=self._key.sign(_RECEIPT + _signed_receipt_bytes(receipt)).hex())

    def sign_checkpoint(self, body: Mapping[str, Any]) -> str:
        return self._key.sign(_CHECKPOINT + canonical(dict(body))).hex()

    def __reduce__(self) -> tuple[Any, ...]:
        return _key_from_bytes, (self._key.private_bytes_raw(),)

    def __repr__(self) -> str:
        return f"<signing key with public key {self.public}>"


def _key_from_bytes(raw: bytes) -> SigningKey:
    return SigningKey(Ed25519PrivateKey.from_private_bytes(raw))


def check_receipt(receipt: Receipt, public_key: str) -> None:
    """Raise LedgerError unless the receipt says what the owner of the key signed. It needs no database.

    What the receipt says besides its entry is compared with the entry.
    """
    if hash_of(receipt.entry.encode("ascii", "replace")).hex() != receipt.hash:
        raise LedgerError("The receipt's entry does not have the receipt's hash.", "It was changed.")
    try:
        fits = _fits_its_entry(receipt)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        fits = False
    if not fits:
        raise LedgerError("The receipt says something else than its entry.", "It was changed.")
    if not receipt.signature:
        hint = "A ledger that is opened with a signing key signs them, on the command line with --signing-key FILE."
        raise LedgerError("The receipt is not signed.", hint)
    try:
        _public_signing_key(public_key).verify(bytes.fromhex(receipt.signature), _RECEIPT + _signed_receipt_bytes(receipt))
    except (InvalidSignature, ValueError):
        raise LedgerError("The receipt was not signed with this key.", "Take the public key of the ledger it is of.") from None


def _fits_its_entry(receipt: Receipt) -> bool:
    body = entries.read(receipt.entry.encode())
    told = {"ledger": receipt.ledger, "key": receipt.key, "seq": receipt.sequence}
    if any(body.get(name) != value for name, value in told.items()) or moment(body["time"]) != receipt.time:
        return False
    if body["kind"] not in (entries.CHARGED, entries.RESERVED):
        return True
    again = receipt_of(receipt.budget, body, body, receipt.entry.encode(), bytes.fromhex(receipt.hash))
    return replace(again, signature=receipt.signature) == receipt


def _signed_receipt_bytes(receipt: Receipt) -> bytes:
    """Return all that the receipt says, for its signature to cover."""
    return canonical({name: value for name, value in receipt.as_json().items() if name != "signature"})


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The last entry of every chain at one moment: number and hash for each budget's number."""

    ledger: str
    time: datetime
    heads: Mapping[int, tuple[int, str]]
    signature: str
    public_key: str

    def body(self) -> dict[str, Any]:
        heads = {str(id): [seq, digest] for id, (seq, digest) in self.heads.items()}
        return {"version": 1, "ledger": self.ledger, "time": self.time.isoformat(), "heads": heads}

    def check(self, public_key: str | None = None) -> None:
        """Raise LedgerError unless the checkpoint is signed, by the given key or else by the one it names."""
        try:
            _public_signing_key(public_key or self.public_key).verify(
                bytes.fromhex(self.signature), _CHECKPOINT + canonical(self.body())
            )
        except (InvalidSignature, ValueError):
            raise LedgerCorrupt(
                "The checkpoint was changed, or signed with another key.", "Take one that was kept safe."
            ) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        text = json.dumps({**self.body(), "signature": self.signature, "public_key": self.public_key})
        draft = Path(f"{os.fspath(path)}.{os.getpid()}.draft")
        draft.write_text(text + "\n", encoding="ascii")
        os.replace(draft, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        try:
            found = json.loads(Path(path).read_text(encoding="ascii"))
            heads = {int(id): (int(seq), str(digest)) for id, (seq, digest) in found["heads"].items()}
            time = datetime.fromisoformat(found["time"])
            return cls(str(found["ledger"]), time, heads, str(found["signature"]), str(found["public_key"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InvalidParameter("checkpoint", str(path), "a readable file with a checkpoint, as a ledger saves it") from None


def make_checkpoint(ledger: Ledger) -> Checkpoint:
    """Sign the heads of all chains, of one moment, and note it in the ledger's own chain."""
    key = ledger._signing_key
    if key is None:
        raise InvalidParameter(
            "signing_key", None, "given when the ledger is opened", "tb.ledger.SigningKey.new() makes one; save() keeps it."
        )
    with ledger._database.reading() as connection:
        rows = connection.execute(select(budgets.c.id, budgets.c.seq, budgets.c.head)).all()
    heads = {int(row.id): (int(row.seq), bytes(row.head).hex()) for row in rows}
    unsigned = Checkpoint(ledger.id, moment(int(ledger._book.clock() * 1e6)), heads, "", key.public)
    signed = replace(unsigned, signature=key.sign_checkpoint(unsigned.body()))
    ledger._book.log(ROOT, entries.CHECKPOINT, {"signature": signed.signature, "public_key": key.public, "chains": len(heads)})
    return signed


def _public_signing_key(text: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(text))
