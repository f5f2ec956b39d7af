"""What is raised in a worker is raised where its answer was waited for, with its sentence and its fields."""

import copy
import pickle

import pytest

import tightbudget as tb
from tightbudget import errors
from tightbudget.filters import BasicFilter

PROBLEMS = [
    errors.TightBudgetError("what went wrong"),
    errors.InvalidParameter("sigma", -1, "a number, 0 or more", "Try 1."),
    errors.NotationError("this is no mechanism", "gaußian(1)", 3),
    errors.BudgetRefused(BasicFilter(1, 0).quote(tb.PureDP(2))),
    errors.CannotShare("This is a copy.", "Spend the other one."),
    errors.MixedRelations(frozenset({"add_remove", "replace_one"}), "one is for this and one for that"),
    errors.UnknownRelation("zero_out", "this", ["replace_one"], "Ask about another."),
    errors.LedgerError("The receipt was not signed with this key.", "Take another key."),
    errors.UnknownBudget("cencus", ["census"]),
    errors.BudgetExists("census"),
    errors.BudgetClosed("census"),
    errors.ChargeRefused(BasicFilter(1, 0).quote(tb.PureDP(2)), "census", "A step that asks for half of that would fit once."),
    errors.KeyReused("report-7", "stands for another charge"),
    errors.UnknownCharge("report-7", "census"),
    errors.ChargeSettled("report-7", "was committed", "aborted", "Refund it."),
    errors.ClockWentBack(90.0),
    errors.LedgerBusy(30.0, "database is locked"),
    errors.LedgerUnavailable("The server cannot be reached.", "Is it running?"),
    errors.NoLedger("There is no ledger at this address.", "Make one."),
    errors.LedgerCorrupt("An entry is missing.", "Run tightbudget ledger verify."),
    errors.MissingExtra("plot", "matplotlib"),
    errors.DoesNotApply("there is a delta"),
    errors.Contradiction(2.0, 1.0),
]


def test_every_error_is_tried() -> None:
    kinds = {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.TightBudgetError)}
    assert {type(problem) for problem in PROBLEMS} == kinds


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
@pytest.mark.parametrize("twin", [lambda problem: pickle.loads(pickle.dumps(problem)), copy.copy, copy.deepcopy])
def test_errors_go_from_one_process_to_another(problem: errors.TightBudgetError, twin: object) -> None:
    again = twin(problem)  # type: ignore[operator]
    assert type(again) is type(problem)
    assert str(again) == str(problem)
    assert repr(vars(again)) == repr(vars(problem))
    with pytest.raises(type(problem)):
        raise again
