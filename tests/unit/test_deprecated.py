"""Old spellings mean what they meant, and say what to write instead."""

import inspect

import pytest

from tightbudget.deprecated import formerly_positional, renamed_argument


@formerly_positional("second", "third")
def listed(first: int, *, second: int = 2, third: int = 3, fourth: int = 4) -> list[int]:
    return [first, second, third, fourth]


@renamed_argument("size", "length")
def doubled(length: int) -> int:
    return 2 * length


def test_names_need_no_warning() -> None:
    assert listed(1) == listed(first=1) == [1, 2, 3, 4]
    assert listed(1, third=30, second=20) == [1, 20, 30, 4]
    assert doubled(2) == doubled(length=2) == 4


def test_arguments_by_position_are_taken_in_their_old_order() -> None:
    with pytest.warns(DeprecationWarning, match=r"write second=\.\.\.") as caught:
        assert listed(1, 20) == [1, 20, 3, 4]
    assert caught[0].filename == __file__  # the line to change
    with pytest.warns(DeprecationWarning, match=r"second=\.\.\., third=\.\.\."):
        assert listed(1, 20, 30, fourth=40) == [1, 20, 30, 40]


def test_what_never_worked_is_still_refused() -> None:
    with pytest.raises(TypeError, match="positional"):
        listed(1, 20, 30, 40)
    with pytest.warns(DeprecationWarning, match="second="), pytest.raises(TypeError, match="multiple values"):
        listed(1, 20, second=20)


def test_an_argument_by_its_former_name() -> None:
    with pytest.warns(DeprecationWarning, match="size= will not work in the next version: write length="):
        assert doubled(size=3) == 6
    with pytest.warns(DeprecationWarning, match="size="), pytest.raises(TypeError, match="multiple values"):
        doubled(size=3, length=3)


def test_what_is_documented_is_the_new_form() -> None:
    assert inspect.signature(listed).parameters["second"].kind is inspect.Parameter.KEYWORD_ONLY
    assert "size" not in inspect.signature(doubled).parameters
