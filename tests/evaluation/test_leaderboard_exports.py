"""The rankings as CSV and LaTeX: every figure is there, and no name is a formula or a command."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from decided import AHEAD, BEHIND, RELEASE, board_of, board_with, result, right_on, twins, violate
from pairwright.evaluation.board.board import Leaderboard
from pairwright.evaluation.board.tables import COLUMNS, csv_table, escaped, latex_tables
from pairwright_human_eval.spreadsheets import unguarded

NAMES = ("=1+1", r"a_b & 50 % \input{x}", "[2em] $x$ #1 ~ ^ -- \n*")


@pytest.fixture
def hostile(tmp_path: Path) -> Leaderboard:
    """Three scorers with hostile names, and one that left out most pairs."""
    for n, wins in enumerate((30, 25, 25)):
        for condition in ("none", "profile"):
            result(tmp_path, f"scorer-{n}", right_on(wins), condition)
    result(tmp_path, "partial", [violate(k, 1.0 if k < 9 else None) for k in range(40)])
    text = board_of(tmp_path).model_dump_json()
    for n, name in enumerate(NAMES):
        text = text.replace(f"scorer-{n}", json.dumps(name)[1:-1])
    return Leaderboard.model_validate_json(
        text.replace(RELEASE.name, json.dumps("pairs\n\\input{x}")[1:-1])
    )


def test_pandas_reads_every_figure_back(hostile: Leaderboard) -> None:
    table = pd.read_csv(io.StringIO(csv_table(hostile)))
    assert tuple(table.columns) == COLUMNS
    assert len(table) == sum(len(one.ranked) + len(one.unranked) for one in hostile.rankings)
    profile = table[table.condition == "profile"].reset_index()
    assert profile["rank"].tolist()[:3] == [1, 2, 2]
    assert profile.unranked[3] == "only 22.5% of the pairs have a score"
    assert profile.scorer[0] == "'=1+1"
    assert unguarded(profile.scorer[0]) == "=1+1"
    assert profile.scorer[1] == NAMES[1]
    entry = hostile.entries["=1+1.profile"]
    figure, gain = entry.figure("accuracy", "violate"), entry.figure("gain over none", "violate")
    assert figure
    assert gain
    row = profile.iloc[0]
    expected = (figure.value, figure.low, figure.high, figure.n, figure.clusters)
    assert tuple(row[["accuracy", "low", "high", "n", "clusters"]]) == expected
    assert tuple(row[["gain_over_none", "gain_over_none_n"]]) == (gain.value, gain.n)
    assert row["coverage"] == 1.0
    assert row["ece_scaled_n"] == 40
    assert np.isnan(row["both_right"])


def test_a_row_of_the_csv_has_both_halves_right(tmp_path: Path) -> None:
    halves = twins((AHEAD, AHEAD if n < 25 else BEHIND) for n in range(50))
    board = board_with(tmp_path, model=halves)
    row = pd.read_csv(io.StringIO(csv_table(board))).iloc[0]
    assert (row["both_right"], row["both_right_n"]) == (0.5, 50)


def test_latex_has_whole_tables_and_no_character_with_a_meaning(hostile: Leaderboard) -> None:
    text = latex_tables(hostile)
    first, *lines = text.splitlines()
    assert first.startswith("% pairs")
    assert "1.0.0, b2:00" in first
    body = "\n".join(line for line in lines if not line.startswith("%"))
    open_environments: list[str] = []
    for command, name in re.findall(r"\\(begin|end)\{(\w+)\}", body):
        if command == "begin":
            open_environments.append(name)
        else:
            assert open_environments.pop() == name
    assert not open_environments
    assert body.count(r"\toprule") == len(hostile.rankings)
    assert r"\input" not in body
    assert "Not ranked: partial (only 22.5\\% of the pairs have a score)." in body
    for table in re.findall(r"\\midrule\n(.*?)\\bottomrule", body, re.DOTALL):
        columns = {len(re.findall(r"(?<!\\)&", row)) for row in table.splitlines()}
        assert len(columns) == 1
        assert all(row.endswith(r" \\") for row in table.splitlines())


@pytest.mark.parametrize("name", [*NAMES, "{", "}", "\\\\", "%", "x|<>\"'`"])
def test_an_escaped_text_is_only_escapes_and_plain_characters(name: str) -> None:
    plain = r"""[^\\&%$#_{}~^\[\]*<>|"'`\n-]"""
    escape = r"""\\[&%$#_{}]|\\text[a-z]+\{\}|\{[\[\]*'`-]\}|~"""
    assert re.fullmatch(f"(?:{plain}|{escape})*", escaped(name))


def test_each_latex_table_of_a_trial_says_that_it_is_one(hostile: Leaderboard) -> None:
    release = hostile.release.model_copy(update={"trial": True})
    trial = latex_tables(hostile.model_copy(update={"release": release}))
    assert trial.count("The release is a trial, not a benchmark.") == len(hostile.rankings)
    assert "trial" not in latex_tables(hostile)
