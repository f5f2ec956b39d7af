"""Tokens: long enough, stored as hashes, expired and revoked ones refused; and what each role allows."""

import hashlib
import string
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tightbudget import InvalidParameter
from tightbudget.access.roles import GRANTS, Permission, Role
from tightbudget.access.store import SqlTokenStore
from tightbudget.access.tokens import new_token, taken_apart, token_of

NOW = 1_800_000_000


@pytest.fixture
def store(tmp_path: Path) -> SqlTokenStore:
    made = SqlTokenStore(create_engine(f"sqlite:///{tmp_path / 'tokens.db'}"))
    made.create_table()
    made.create_table()  # a second worker finds it there
    return made


def test_a_token_has_256_random_bits_and_only_their_hash_is_kept(store: SqlTokenStore, tmp_path: Path) -> None:
    token, written = new_token("laptop", Role.ANALYST, NOW)
    store.add(token)
    _, _, secret = written.split("_", 2)
    assert len(secret) == 43  # 43 characters of 6 bits each hold 256
    assert set(secret) <= set(string.ascii_letters + string.digits + "-_")
    assert token.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert secret.encode() not in (tmp_path / "tokens.db").read_bytes()
    assert token_of(written, store, NOW) == store.find(token.id) == token
    assert len({new_token("laptop", Role.ANALYST, NOW)[1] for _ in range(100)}) == 100


def test_another_secret_of_the_same_token_is_refused(store: SqlTokenStore) -> None:
    token, written = new_token("laptop", Role.OWNER, NOW)
    store.add(token)
    other = written[:-1] + ("A" if written[-1] != "A" else "B")
    assert token_of(other, store, NOW) is None


def test_secrets_are_compared_in_constant_time(store: SqlTokenStore, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[str, str]] = []
    token, written = new_token("laptop", Role.OWNER, NOW)
    store.add(token)
    monkeypatch.setattr("tightbudget.access.tokens.hmac.compare_digest", lambda one, other: bool(compared.append((one, other))))
    assert token_of(written, store, NOW) is None
    assert compared == [(token.digest, token.digest)]


@pytest.mark.parametrize(
    "written", ["", "tb", "tb__", "tb_0123456789abcdef_short", "Bearer", "tb_" + "0" * 16 + "_" + "x" * 44]
)
def test_what_is_no_token_is_refused(store: SqlTokenStore, written: str) -> None:
    assert taken_apart(written) is None
    assert token_of(written, store, NOW) is None


def test_a_token_ends_when_it_expires(store: SqlTokenStore) -> None:
    token, written = new_token("visitor", Role.AUDITOR, NOW, expires=NOW + 60)
    store.add(token)
    assert token_of(written, store, NOW + 59.9) == token
    assert token_of(written, store, NOW + 60) is None


def test_a_revoked_token_is_refused_and_stays_revoked_since_the_first_time(store: SqlTokenStore) -> None:
    token, written = new_token("lost", Role.OWNER, NOW)
    store.add(token)
    assert store.revoke(token.id, NOW + 5)
    assert store.revoke(token.id, NOW + 9)
    assert not store.revoke("0" * 16, NOW)
    assert token_of(written, store, NOW + 6) is None
    found = store.find(token.id)
    assert found is not None
    assert found.revoked == NOW + 5


def test_whether_there_is_an_owner(store: SqlTokenStore) -> None:
    assert not store.has_owner(NOW)
    for role in (Role.ANALYST, Role.AUDITOR):
        store.add(new_token("another", role, NOW)[0])
    owner = new_token("owner", Role.OWNER, NOW, expires=NOW + 60)[0]
    assert not store.has_owner(NOW)
    store.add(owner)
    assert store.has_owner(NOW)
    assert not store.has_owner(NOW + 60)
    store.revoke(owner.id, NOW)
    assert not store.has_owner(NOW)


def test_tokens_are_listed_in_pages(store: SqlTokenStore) -> None:
    made = sorted((new_token(f"number {i}", Role.ANALYST, NOW)[0] for i in range(7)), key=lambda token: token.id)
    for token in made:
        store.add(token)
    first = store.listed(4)
    assert first + store.listed(4, after=first[-1].id) == made


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 101])
def test_a_name_is_a_name(name: str) -> None:
    with pytest.raises(InvalidParameter, match="name is"):
        new_token(name, Role.OWNER, NOW)


def test_a_token_cannot_have_expired_from_the_start() -> None:
    with pytest.raises(InvalidParameter, match="a time to come"):
        new_token("late", Role.OWNER, NOW, expires=NOW)


def test_what_roles_allow() -> None:
    """Written out, so that a change of the table is a change of this test."""
    assert GRANTS[Role.OWNER] == set(Permission)
    assert GRANTS[Role.ANALYST] == {"compute", "read", "spend"}
    assert GRANTS[Role.AUDITOR] == {"compute", "read", "metrics"}
    assert set(GRANTS) == set(Role)


def test_the_table_is_what_a_migration_makes(store: SqlTokenStore, tmp_path: Path) -> None:
    with create_engine(f"sqlite:///{tmp_path / 'tokens.db'}").connect() as connection:
        columns = [row[1] for row in connection.execute(text("PRAGMA table_info(tokens)"))]
    assert columns == ["id", "name", "role", "digest", "created", "expires", "revoked"]
