"""A newcomer's own file: mirrored pairs, columns that are read or not, posts, and ids."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from audited import jsonl
from pairwright import audit, load_release
from pairwright.errors import InputError
from pairwright.evaluation.benchmark import Benchmark
from pairwright.pairs import read_pairs
from study import pairwright

Row = dict[str, Any]


def mirrored(n: int, history: str = "profile") -> list[Row]:
    """Twins of random words, two users each, without ids."""
    draw, words = random.Random(0), [f"word{k}" for k in range(600)]
    texts = [" ".join(draw.sample(words, 20)) + "." for _ in range(4 * n)]
    return [
        {"prompt": f"Question {twin}?", "chosen": texts[4 * twin + half],
         "rejected": texts[4 * twin + 1 - half], "user_id": f"u{twin}-{half}",
         history: [{"text": texts[4 * twin + 2 + half]}]}
        for twin in range(n) for half in (0, 1)
    ]  # fmt: skip


def written(folder: Path, rows: list[Row]) -> Path:
    return jsonl(folder / "theirs.jsonl", *rows)


def test_mirrored_pairs_share_a_cluster_and_blind_checks_decide_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, mirrored(100))
    done = audit(path, out=tmp_path / "audit").audit
    assert not done.failed
    blind = [one for one in done.checks if "50 % by arithmetic" in one.detail]
    assert {one.name for one in blind} >= {"length", "markup", "bag_of_words"}
    found = [(one.status, one.found.value, one.found.clusters) for one in blind if one.found]
    assert found == [("note", 0.5, 100)] * len(blind)
    assert Benchmark(path).keys.groupby("cluster").size().to_list() == [2] * 100
    path = written(tmp_path, mirrored(30)[1:])
    done = audit(path, out=tmp_path / "audit").audit
    assert not [one for one in done.checks if "by arithmetic" in one.detail], "one has no mirror"


def test_users_of_mirrored_pairs_are_one_cluster_over_all_their_pairs(tmp_path: Path) -> None:
    rows = ["a1xy", "b1xy", "c1yx", "c2xy", "d2yz", "d3xy"]
    given = [dict(zip(["user", "prompt", "chosen", "rejected"], row, strict=True)) for row in rows]
    clusters = Benchmark(written(tmp_path, given)).keys.cluster
    assert clusters[:4].nunique() == 1, "who answered alike and who otherwise; all of their pairs"
    assert clusters.nunique() == 2, "another response or prompt is no mirror"


def test_without_ids_strangers_are_drawn_and_a_file_of_scores_is_told_ids(tmp_path: Path) -> None:
    path, out, file = written(tmp_path, mirrored(10)), tmp_path / "out", tmp_path / "scores.csv"
    done = pairwright("evaluate", path, "--out", out, "--scorer", "overlap")
    assert done.code == 0, done.said
    scores = (out / "overlap.wrong-profile.jsonl").read_text(encoding="utf-8")
    assert scores.count('"unscored":""') == 20
    ids = [json.loads(line) for line in (out / "ids.jsonl").read_text("utf-8").splitlines()]
    assert [one["where"] for one in ids] == [f"theirs.jsonl:{n}" for n in range(1, 21)]
    lines = "".join(f"{one['pair']},{c},1,0\n" for one in ids for c in ("profile", "none"))
    for text, code, said in (
        (lines, 0, "Condition wrong-profile is left out"), ("1,none,1,0\n", 2, "ids.jsonl"),
    ):  # fmt: skip
        file.write_text("pair,condition,chosen,rejected\n" + text, encoding="utf-8")
        done = pairwright("evaluate", path, "--out", out, "--scorer", f"scores:{file}")
        assert (done.code, said in " ".join(done.said.split())) == (code, True), done.said


def test_a_column_of_posts_is_recognised_and_of_two_none_is_taken(tmp_path: Path) -> None:
    source = read_pairs(written(tmp_path, [row | {"notes": 1} for row in mirrored(2, "persona")]))
    assert all(row.profile for row in source)
    read = "columns: prompt, chosen, rejected, user = user_id, profile = persona; not read: notes"
    assert source.said == (read,)
    unknown = read_pairs(written(tmp_path, [{"frage": "Which?", "gut": "One."}]))
    assert unknown.said == ("columns: none is recognised; not read: frage, gut",)
    path = written(tmp_path, [row | {"posts": "I bake."} for row in mirrored(2, "history")])
    assert not any(row.profile for row in read_pairs(path))
    assert all(row.profile for row in read_pairs(path, {"profile": "history"}))
    done = pairwright("evaluate", path, "--out", tmp_path / "out", "--scorer", "longer")
    assert "not read: history, posts" in " ".join(done.said.split())
    with pytest.raises(InputError) as caught:
        load_release(path)
    assert "audit and evaluate" in caught.value.fix
