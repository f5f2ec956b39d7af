"""Tables: as wide as the terminal, and no number is ever cut."""

import io
import sys

import pytest

from tightbudget.interfaces.cli.tables import Column, fitted_table, folded_text, table_blocks

COLUMNS = [Column("bound"), Column("ε at δ = 1e-05"), Column("× ours", right=True), Column("source", prose=True)]
ROWS = [
    ["tightbudget", "[0.267165512071, 0.267165512104]", "", "certified, both ends"],
    ["Murtagh-Vadhan, optimal", "1.33786", "5.008", "Murtagh, Vadhan 2016, Thm 1.5, in a journal with a long name"],
]


def whole(columns: int) -> list[str]:
    heading, rows = fitted_table(COLUMNS, ROWS, columns)
    return [*heading, *(line for row in rows for line in row)]


@pytest.mark.parametrize("columns", [1, 10, 30, 40, 60, 80, 100, 120, 1000])
def test_every_number_and_name_is_whole(columns: int) -> None:
    text = " ".join(" ".join(whole(columns)).split())
    for row in ROWS:
        for cell in row[:3]:
            assert cell in text
    for word in ROWS[1][3].split():
        assert word in text
    assert "…" not in text


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 120, 1000])
def test_lines_fit(columns: int) -> None:
    assert max(map(len, whole(columns))) <= columns


def test_columns_stand_below_each_other_where_they_fit() -> None:
    lines = whole(120)
    assert len({line.index(sign) for line, sign in ((lines[0], "ε"), (lines[2], "["), (lines[3], "1.33786"))}) == 1
    assert lines[0].index("× ours") + len("× ours") == lines[3].index("5.008") + len("5.008")


def test_a_narrow_table_is_a_list_of_records() -> None:
    assert whole(45) == [
        "tightbudget",
        "  ε at δ = 1e-05",
        "    [0.267165512071, 0.267165512104]",
        "  source          certified, both ends",
        "Murtagh-Vadhan, optimal",
        "  ε at δ = 1e-05  1.33786",
        "  × ours          5.008",
        "  source",
        "    Murtagh, Vadhan 2016, Thm 1.5, in a",
        "      journal with a long name",
    ]


@pytest.mark.parametrize("columns", [1, 20, 30, 50, 500])
def test_blocks_hold_every_cell_beside_its_row(columns: int) -> None:
    heads = [Column("rounds"), *(Column(str(10**power), right=True) for power in range(9))]
    rows = [[name, *(f"{name[0]}{power}" for power in range(9))] for name in ("mixture", "stitched")]
    lines = table_blocks(heads, rows, columns)
    for name in ("mixture", "stitched"):
        cells = [cell for line in lines if line.startswith(name) for cell in line.split()[1:]]
        assert cells == [f"{name[0]}{power}" for power in range(9)]
    assert [cell for line in lines if line.startswith("rounds") for cell in line.split()[1:]] == [str(10**p) for p in range(9)]
    assert columns < 20 or max(map(len, lines)) <= columns


def test_a_table_without_columns_or_rows() -> None:
    assert table_blocks([Column("rounds")], []) == ["rounds"]
    assert fitted_table(COLUMNS, [], 200)[1] == []


@pytest.mark.parametrize("columns", [5, 20, 40, 60])
def test_folding_keeps_words_whole(columns: int) -> None:
    text = "δ in [9.8645e-5, 9.9526e-5] at ε = 0.693147 after 8192 rounds;\n  asked 0.0001"
    assert folded_text(text, columns).split() == text.split()
    assert folded_text("short", columns) == "short"


def test_columns_are_straight_where_signs_are_spelt_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    columns = [Column("name"), Column("ε at δ = 1"), Column("× ours", right=True)]
    heading, rows = fitted_table(columns, [("Rényi", "1", "2"), ("√x", "3", "40")], 80)
    assert heading[0] == "name    epsilon at delta = 1  x ours"
    assert rows == [["Renyi   1                          2"], ["sqrt x  3                         40"]]
    assert table_blocks(columns, [("Rényi", "1", "2")], 80) == [
        "name   epsilon at delta = 1  x ours",
        "Renyi  1                          2",
    ]


@pytest.mark.parametrize(
    ("columns", "folded"),
    [
        (60, ["    without_replacement(gaussian(sigma=1.0), batch=4096,", "      examples=60000) * 15"]),
        (
            40,
            ["    without_replacement(", "      gaussian(sigma=1.0), batch=4096,", "      examples=60000) * 15"],
        ),
        (
            20,
            [
                "    without_replacement(",
                "      gaussian(",
                "      sigma=1.0),",
                "      batch=4096,",
                "      examples=60000)",
                "      * 15",
            ],
        ),
    ],
)
def test_folded_expressions_keep_their_indent(columns: int, folded: list[str]) -> None:
    text = "    without_replacement(gaussian(sigma=1.0), batch=4096, examples=60000) * 15"
    assert folded_text(text, columns).split("\n") == folded
