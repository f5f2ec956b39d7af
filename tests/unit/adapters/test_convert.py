"""One composition in the languages of several tools, in Python and on the command line."""

import io
import json
from pathlib import Path

import pytest
from dp_accounting import dp_event

import tightbudget as tb
from tightbudget.adapters.convert import convert
from tightbudget.adapters.dp_accounting import event_to_json, from_event
from tightbudget.interfaces.cli import main

RUN = "poisson(gaussian(sigma=1.1), q=0.01) * 300 + gaussian(sigma=2.0) * 4"
HISTORY = [[1.1, 0.01, 300], [2.0, 1.0, 4]]


def test_every_form_says_the_same() -> None:
    written = convert(RUN)
    assert (written.read_as, written.relation, written.history) == ("notation", "ADD_OR_REMOVE_ONE", HISTORY)
    assert from_event(written.event) == tb.parse(RUN)
    for text, form in (
        (json.dumps(written.event), "event"),
        (json.dumps(HISTORY), "history"),
        (json.dumps({"history": HISTORY, "mechanism": "prv"}), "history"),
    ):
        again = convert(text)
        assert again.read_as == form
        assert str(again.composition) == RUN
        assert (again.event, again.history) == (written.event, HISTORY)


@pytest.mark.parametrize("text", ["[[1.1, 0.01, 1000]]", "poisson(gaussian(sigma=1.1), q=0.01) * 1000"])
def test_a_relation_that_is_given_is_the_one_asked_under(text: str) -> None:
    found = convert(text, "replace_one")
    assert found.relation == "REPLACE_ONE"
    asked = tb.parse("poisson(gaussian(sigma=1.1), q=0.01, relation='replace_one') * 1000")
    assert found.composition.epsilon(1e-6).upper == asked.epsilon(1e-6).upper
    assert found.history is None  # which is of add_remove
    with pytest.raises(tb.InvalidParameter, match="replace_oen"):
        convert(text, "replace_oen")


@pytest.mark.parametrize("name", ["missing.json", "./missing", "/"])
def test_a_file_that_is_not_there_is_told(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", name]) == 2
    assert "a file that is there" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_named_as_help_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["convert", "missing.json"])
    assert "Error: WHAT is 'missing.json', but must be" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "[(1.1, 0.01, 1000)]",
        " [(1.1, 0.01, 1_000),]",
        "{'history': [(1.1, 0.01, 1000)], 'mechanism': 'rdp'}",
    ],
)
def test_what_python_prints_is_read_as_json_is(text: str) -> None:
    assert convert(text) == convert("[[1.1, 0.01, 1000]]")


@pytest.mark.parametrize(
    "text", ["[(1.1, 0.01", "[__import__('os')]", "[{1.1}]", "[" * 300, "[b'x']", "[1j]", "[(1.1, 0.01, 1000)]" + " " * 10**6]
)
def test_other_python_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(tb.InvalidParameter, match="but must be"):
        convert(text)


def test_an_event_as_python_writes_it_is_sent_to_its_json_and_not_to_a_near_name() -> None:
    with pytest.raises(tb.NotationError, match=r"event of dp_accounting.*JSON of its named tuple") as refused:
        convert("GaussianDpEvent(noise_multiplier=2.0)")
    assert "did you mean" not in str(refused.value)


def test_a_form_without_words_for_it_says_why() -> None:
    written = convert("skellam(mu=3) + laplace(scale=2)")
    assert written.event is written.history is None
    assert "no event for skellam" in written.no_event
    assert "not skellam" in written.no_history
    replaced = convert(event_to_json(dp_event.GaussianDpEvent(2.0)), "replace_one")
    assert replaced.relation == "REPLACE_ONE"
    assert replaced.history is None  # Opacus counts records that come or go


def test_noise_in_a_history_is_relative_to_the_sensitivity_and_never_more() -> None:
    ((noise, rate, steps),) = convert("gaussian(sigma=1.0, sensitivity=3.0) * 2").history or []
    assert (rate, steps) == (1.0, 2)
    assert 3 * noise <= 1.0 < 3 * noise * (1 + 1e-15)


@pytest.mark.parametrize("form", ["notation", "event", "history"])
def test_one_form_alone_can_be_piped_into_the_next(
    form: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["convert", RUN, "--to", form]) == 0
    piped = capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO(piped))
    assert main(["convert", "-", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["read_as"], found["notation"], found["history"]) == (form, RUN, HISTORY)


def test_a_file_is_read_and_all_forms_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "state.json"
    file.write_text(json.dumps({"history": HISTORY, "mechanism": "rdp"}))
    assert main(["convert", str(file)]) == 0
    shown = capsys.readouterr().out
    assert RUN in shown
    assert "SelfComposedDpEvent" in shown
    assert json.dumps(HISTORY) in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nonsense("], "never closed"),
        (['{"class_name": "HomeMadeDpEvent"}'], "HomeMadeDpEvent"),
        (["{"], "must be JSON"),
        (["[3]"], "history is 3"),
        (["[" * 100_000], "must be JSON"),
        (['{"a":' * 100_000], "must be JSON"),
        (["gaussian(sigma=inf)", "--to", "history"], "normal noise on Poisson samples"),
        (['{"history": [], "mechanism": "mine"}'], "mechanism is 'mine'"),
        (["skellam(mu=3)", "--to", "event"], "no event for skellam"),
        (["laplace(scale=3)", "--to", "history"], "normal noise on Poisson samples"),
        (["gaussian(sigma=1)", "--to", "xml"], "xml"),
        (["gaussian(sigma=1)", "--from", "event"], "must be JSON"),
        (['{"class_name": "GaussianDpEvent", "noise_multiplier": 1.0}', "--relation", "other"], "relation is 'other'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", *arguments]) == 2
    caught = capsys.readouterr()
    assert sentence in caught.err
    assert caught.out == ""


def test_a_file_of_no_text_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    assert main(["convert", str(tmp_path / "x")]) == 2
    assert "a file of text" in capsys.readouterr().err
