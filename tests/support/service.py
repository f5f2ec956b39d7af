"""The service for tests: settings in a folder of their own, a client in the same process, tokens of every role."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from tightbudget.access.roles import Role
from tightbudget.access.tokens import new_token
from tightbudget.interfaces.api.app import create_app
from tightbudget.interfaces.api.service import Service
from tightbudget.interfaces.api.settings import Settings

TRAINING = "poisson(gaussian(sigma=4), q=0.01) * 65536"


def settings_in(folder: Path, **others: Any) -> Settings:
    usual = {"database": f"sqlite:///{folder / 'ledger.db'}", "secret_file": str(folder / "service.key")}
    return Settings(**{**usual, "token_rate": 10**6, "anonymous_rate": 10**6, **others})


@dataclass
class Served:
    """A running application, as its clients and its insides see it."""

    http: TestClient
    service: Service

    def token(self, role: Role, **others: Any) -> str:
        token, text = new_token(f"test {role}", role, time.time(), **others)
        self.service.tokens.add(token)
        return text

    def bearer(self, role: Role) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token(role)}"}

    def ask(self, kind: str, expression: str = TRAINING, **others: Any) -> Any:
        return self.http.post(f"/v1/{kind}", json={"expression": expression, **others})


@contextmanager
def served(folder: Path, **others: Any) -> Iterator[Served]:
    app = create_app(settings_in(folder, **others))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as http:
        yield Served(http, app.state.service)
