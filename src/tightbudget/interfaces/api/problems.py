"""Problems as clients see them: {"code", "message", "fields"} for every error, and nothing of our insides."""

from tightbudget.errors import (
    BudgetRefused,
    CannotShare,
    ClockWentBack,
    InvalidParameter,
    LedgerBusy,
    LedgerCorrupt,
    LedgerError,
    LedgerUnavailable,
    NotationError,
    TightBudgetError,
    UnknownBudget,
    UnknownCharge,
)
from tightbudget.interfaces import wire

LONGEST = 2000  # characters of a message; values of clients are quoted in them

CODES = {
    400: ("bad_request", "The request cannot be read."),
    401: ("unauthorized", "This needs a token: send the header 'Authorization: Bearer ...'."),
    403: ("forbidden", "The token's role does not allow this."),
    404: ("not_found", "There is nothing at this address; /openapi.json lists what there is."),
    405: ("method_not_allowed", "This address does not know the method; /openapi.json lists those it knows."),
    406: ("not_acceptable", "No form of the answer is among those asked for."),
    408: ("too_slow", "The request did not arrive in time; try again."),
    409: ("conflict", "The request contradicts an earlier one."),
    413: ("too_large", "The request is too long."),
    415: ("unsupported_media_type", "The body must be JSON: send the header 'Content-Type: application/json'."),
    422: ("invalid_request", "The request is not of the form that /openapi.json describes."),
    429: ("too_many_requests", "Too many requests; try again later."),
    431: ("too_large", "The first lines of the request are too long."),
    500: ("internal", "Something went wrong here; it was written to the service's log."),
    503: ("unavailable", "The service cannot answer now; try again later."),
}


class Problem(Exception):
    """What went wrong: a status of HTTP, a stable code, a sentence, and a sentence for each field that it is about."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        fields: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.status, self.code, self.message = status, code, message
        self.fields, self.headers = fields or {}, headers or {}
        super().__init__(message)

    @property
    def body(self) -> bytes:
        shape = {
            "code": self.code,
            "message": _short_problem_text(self.message),
            "fields": {_short_problem_text(name): _short_problem_text(said) for name, said in self.fields.items()},
        }
        return wire.json_text(shape).encode()


def of_status(status: int, message: str = "", headers: dict[str, str] | None = None) -> Problem:
    """Return the problem that a status alone tells."""
    code, sentence = CODES.get(status, ("error", "The request failed."))
    return Problem(status, code, message or sentence, headers=headers)


def of_error(error: TightBudgetError) -> Problem:
    """Return what the library says as a problem of the request."""
    message = str(error).partition("\n")[0]  # below it, a caret points at a position, which is among the fields
    match error:
        case NotationError():
            return Problem(422, error.code, message, {"expression": message, "position": str(error.position)})
        case InvalidParameter():
            return Problem(422, error.code, message, {error.name: message})
        case UnknownBudget() | UnknownCharge():
            return Problem(404, error.code, message)
        case LedgerBusy() | LedgerUnavailable() | ClockWentBack():
            return Problem(503, error.code, _SAME_KEY, headers={"Retry-After": "1"})
        case LedgerCorrupt():
            return Problem(500, error.code, "The ledger is broken: verify it, and restore it from a backup.")
        case BudgetRefused() | CannotShare() | LedgerError():
            return Problem(409, error.code, message)
    return Problem(422, error.code, message)


# What the database said may name hosts and files; it is in the log.
_SAME_KEY = "The ledger cannot answer now. Try again with the same key: what was spent after all is not spent twice."


def too_much() -> Problem:
    """Return the problem of a question that takes more than is allowed, and has no cheap answer."""
    sentence = "This takes more time or memory than the service allows. Ask for a larger rtol, fewer points or steps, or a "
    return Problem(422, "too_much", f"{sentence}smaller effort; or ask the library on a machine of your own.")


def busy() -> Problem:
    """Return the problem of a question for which there is no room in the queue."""
    sentence = "Too many computations are waiting; try again in a second."
    return Problem(429, "busy", sentence, headers={"Retry-After": "1"})


def _short_problem_text(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
