"""What users keep, whatever becomes of the code: small goldens in tests/frozen/.

Pairs and outcomes of the recorded demo, decisions on a fixed set of answers under both rules, the
rows of a release of them, figures of audit and leaderboard, agreement and correlation against
published values, and the natural twins of the choices example. Messages, pages, cards and help are
free. A golden changes only with a reason:

    .venv/bin/python tests/test_frozen.py
"""

import csv
import hashlib
import io
import json
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pairwright.evaluation import correlate as measures
from pairwright_human_eval.agreement import agreement
from study import pairwright

FROZEN = Path(__file__).parent / "frozen"
PUBLISHED = json.loads(
    (Path(__file__).parent / "data/reference/agreement_and_rank_metrics.json").read_bytes()
)
MODES = ("twin", "placebo")
STUDY = "[human]\nvotes = 4\nattention_floor = 0.0\nrepeats = 0.0\n"
"""A study without what depends on who answers: every task is a vote, and every vote counts."""
RULES = {"unanimity": 'rule = "unanimity"\nfurther = 6\n', "majority": 'rule = "majority"\n'}
Json = Any


def short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def lines_of(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(line: str, code: int = 0) -> str:
    done = pairwright(*line.split())
    assert done.code == code, f"{line}: exit {done.code}\n{done.said}"
    return done.out


# Builds


def pairs_of(folder: Path, *keys: str) -> list[Json]:
    """Pairs as a table: who, about which question, in which responses."""
    return sorted(
        [pair["mode"], pair["item_id"], pair["user"], short(pair["chosen"]),
         short(pair["rejected"]), *(pair[key] for key in keys)]
        for pair in lines_of(folder / "pairs.jsonl")
        if pair["mode"] in (*MODES, "natural")
    )  # fmt: skip


def outcomes_of(folder: Path) -> Json:
    """What was dropped: how many units of a mode by reason."""
    path = folder / "dropped.jsonl"
    dropped = [
        (one["mode"], one["dropped"]["reason"])
        for one in lines_of(path)
        if one["mode"] in MODES and not one.get("kept")
    ]
    return {" ".join(key): n for key, n in sorted(Counter(dropped).items())}


# Studies


class Annotators:
    """Answer by the place of an answer among those on its question, whoever gives it."""

    def __init__(self, pairs: list[Json]) -> None:
        self.pairs = pairs
        units = sorted({(pair["mode"], pair["item_id"]) for pair in pairs})
        self.number = {unit: n for n, unit in enumerate(units)}
        self.given = Counter[str]()

    def fill(self, sheet: Path) -> None:
        """Answer every task of a sheet, which are the rows with its id."""
        text = sheet.read_bytes().decode("utf-8-sig")
        tasks = defaultdict(list)
        for row in csv.reader(io.StringIO(text, newline="")):
            tasks[row[0]].append(row)
        for rows in tasks.values():
            for row in rows:
                if row[1] == "consent":
                    row[5] = "yes"
            if any(row[2] == "Response A" for row in rows):
                self._answer(rows)
        written = io.StringIO()
        csv.writer(written).writerows(row for rows in tasks.values() for row in rows)
        sheet.write_bytes(written.getvalue().encode())

    def _answer(self, rows: list[list[str]]) -> None:
        a, b = (next(row[3].strip() for row in rows if row[2] == f"Response {x}") for x in "AB")
        said = "\n".join(row[3] for row in rows)
        kind = next(row[1].split("_")[0] for row in rows if row[1])
        asked = [p for p in self.pairs if {p["chosen"].strip(), p["rejected"].strip()} == {a, b}]
        pair = max(asked, key=lambda p: sum(post["text"][:60] in said for post in p["profile"]))
        unit = self.number[pair["mode"], pair["item_id"]]
        place = 0
        if kind != "correctness":  # That is of both halves of a twin at once.
            place = self.given[kind + pair["id"]]
            self.given[kind + pair["id"]] += 1
        chosen = "A" if pair["chosen"].strip() == a else "B"
        for row in rows:
            if row[1] and row[4] and row[1] != "seen":
                wanted = _choice(row[1], unit, place, pair["mode"], chosen, {"A": a, "B": b})
                row[5] = next(one for one in row[4].split("\n") if one.startswith(wanted))


def _choice(
    field: str, unit: int, place: int, mode: str, chosen: str, texts: dict[str, str]
) -> str:
    """The answer to one question; `unit` numbers the twins and placebos."""
    if field[-2:] in ("_a", "_b"):
        poor = unit % 7 == 3 and texts[field[-1].upper()] == min(texts.values())
        return "2" if poor else "4"
    other = "B" if chosen == "A" else "A"
    if field == "preference":
        label = "No difference" if mode == "placebo" else f"Response {chosen}"
        against = f"Response {other}"
        dissent = {1: (3,), 2: (2, 3), 4: (0,), 5: (1, 5)}.get(unit % 6, ())
        if place not in dissent:
            return label
        return "Cannot tell" if unit % 6 == 4 else against
    if field.startswith("support"):
        return "No" if unit % 5 == 4 else "Plausibly"
    return f"Only {other}" if unit % 9 == 8 else f"Only {chosen}"


def decided(folder: Path, pairs: list[Json]) -> Json:
    """The decisions of a study: state and reasons of each unit, and the votes on its pairs."""
    questions = {pair["id"]: [pair["mode"], pair["item_id"]] for pair in pairs}
    run(f"human report {folder}")
    table = []
    for one in lines_of(folder / "human/decisions.jsonl"):
        mode, item = questions[one["votes"][0]["pair"]]
        votes = sorted(
            "/".join(str(v[n]) for n in ("chosen", "rejected", "equal", "cannot_tell"))
            for v in one["votes"]
        )
        table.append([mode, item, one["state"], sorted(one["reasons"]), votes])
    return sorted(table)


def answered(folder: Path, export: str, sheets: str = "annotator-*.csv") -> list[Json]:
    """Have a fixed set of answers given on a run, and return its pairs."""
    run(f"human {export}")
    pairs = lines_of(folder / "pairs.jsonl")
    people, written = Annotators(pairs), sorted((folder / "human").rglob(sheets))
    for sheet in written:
        people.fill(sheet)
    run(f"human import {folder} " + " ".join(map(str, written)))
    return pairs


# Releases, audits, leaderboards


def rows_of(release: Path) -> Json:
    """The rows of a release, as `datasets` reads them."""
    frames = [pd.read_parquet(path) for path in sorted((release / "data").rglob("*.parquet"))]
    return sorted(
        [row["mode"], row["item_id"], short(row["question"]), short(row["chosen"]),
         short(row["rejected"]), len(row["profile"])]
        for frame in frames
        for row in frame.to_dict("records")
    )  # fmt: skip


SHORTCUTS = ("length", "profile_overlap", "profile_tfidf", "bag_of_words", "twin_shared_words")
"""Checks with a figure."""
FAULTS = (
    "duplicate_id", "same_sides", "empty_text", "secret", "phone", "email",
    "near_duplicate_questions",
)  # fmt: skip
"""Checks that count rows at fault."""


def audited(release: Path) -> Json:
    """Figures of an audit: value and n by check and configuration."""
    path = next(path for path in release.rglob("audit.json"))
    return {
        f"{one['name']} {one['config']}".strip(): [one["found"]["value"], one["found"]["n"]]
        for one in json.loads(path.read_bytes())["checks"]
        if one["name"] in SHORTCUTS and one["found"] and not one["config"].startswith("mode ")
    }


STARTER = (
    "I bake twice a month and keep my sourdough starter in the fridge between the bakes. It smells "
    "of apples after one week and of solvent after three. How long can it stay there before I have "
    "to feed it again, and does it matter whether the jar is closed"
)


def planted(folder: Path) -> Json:
    """How many rows each check finds in a file with one fault a row."""
    rows = [
        ("a", "How do I store onions?", "Dry. Ask nora.lindqvist@kitchen-mail.com.", "Wet."),
        ("b", "How do I dry herbs?", "", "Hang them up."),
        ("c", "How do I salt fish?", "With salt, overnight.", "With salt, overnight."),
        ("d", "How do I call the mill?", "Call +49 30 901820 in the morning.", "Write."),
        ("e", "Which key is it?", "Use AKIAIOSFODNN7EXAMPLQ for it.", "None."),
        ("e", "How do I grind pepper?", "In a mortar.", "In a mill."),
        ("g", f"{STARTER} or open?", "A week.", "A day."),
        ("h", f"{STARTER} or ajar?", "One.", "Two."),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["id", "question", "chosen", "rejected"])
    table["user"] = [f"user-{n}" for n in range(len(rows))]
    table.to_json(folder / "planted.jsonl", orient="records", lines=True)
    checks = json.loads(run(f"audit {folder}/planted.jsonl --out {folder}/audit --json", 1))[
        "checks"
    ]
    return {one["name"]: one["count"] for one in checks if one["name"] in FAULTS}


def accuracies(folder: Path) -> Json:
    """Accuracy of baselines on a release: value, interval, n and clusters by scorer and mode."""
    run(f"evaluate {folder}/release --out {folder}/results --scorer overlap --scorer longer")
    run(f"leaderboard {folder}/results --out {folder}/board")
    board = json.loads((folder / "board/leaderboard.json").read_bytes())
    return {
        f"{name} {one['mode']}": [one[key] for key in ("value", "low", "high", "n", "clusters")]
        for name, entry in sorted(board["entries"].items())
        for one in entry["figures"]
        if one["name"] == "accuracy" and one["group"] == one["mode"]
    }


# What is pinned


def with_study(folder: Path, rule: str) -> Path:
    """A copy of the demo's configuration under another rule, with its twins and placebos."""
    text = (folder / "pairwright.toml").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^modes = .*", 'modes = ["twin", "placebo"]', text)
    head, rest = text.split("[human]", 1)
    rest = rest[rest.index("\n# ") :]
    path = folder / f"{rule}.toml"
    path.write_text(head + STUDY + RULES[rule] + rest, encoding="utf-8")
    return path


def frozen() -> dict[str, Json]:
    """Everything that is pinned, by the name of its file; works in the current folder."""
    made: dict[str, Json] = {}
    run("init demo")
    for rule in RULES:
        config, folder = with_study(Path("demo"), rule), Path("demo", rule)
        run(f"build {config} --run {folder}")
        if rule == "unanimity":
            made["pairs"] = pairs_of(folder)
            made["outcomes"] = outcomes_of(folder)
        export = f"export {folder} --tool spreadsheet --seed 0 --annotators 11"
        made[f"decisions-{rule}"] = decided(folder, answered(folder, export))
    pairs = answered(Path("demo/unanimity"), "adjudicate demo/unanimity", "adjudicator-*.csv")
    made["decisions-second-round"] = decided(Path("demo/unanimity"), pairs)
    run("release demo/unanimity --out demo/release --version 1.0.0")
    run("init choices --example choices")
    run("build choices/pairwright.toml --run choices/run")
    made["natural"] = pairs_of(Path("choices/run"))
    run("release choices/run --out choices/release --version 1.0.0")
    for name in ("demo", "choices"):
        made[f"rows-{name}"] = rows_of(Path(name, "release"))
        made[f"audit-{name}"] = audited(Path(name, "release"))
        made[f"accuracy-{name}"] = accuracies(Path(name))
    made["audit-planted"] = planted(Path())
    return made


def as_text(value: Json) -> str:
    """A line a row, so that a change is read at once."""
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {json.dumps(one)}" for key, one in value.items()]
        return "{\n" + ",\n".join(lines) + "\n}\n"
    return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in value) + "\n]\n"


NAMES = sorted(path.stem for path in FROZEN.glob("*.json"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Json]]:
    with chdir(tmp_path_factory.mktemp("frozen")):
        yield frozen()


def test_every_golden_is_made(made: dict[str, Json]) -> None:
    assert sorted(made) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_users_keep_is_as_it_was(made: dict[str, Json], name: str) -> None:
    assert as_text(made[name]) == (FROZEN / f"{name}.json").read_text(encoding="utf-8")


# Published values


def coefficients(
    by_rater: list[list[int | None]], levels: range, ordinal: bool
) -> dict[str, float]:
    rows = [
        (f"item-{item}", f"rater-{rater}", value)
        for rater, line in enumerate(by_rater)
        for item, value in enumerate(line)
        if value is not None
    ]
    table = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    found = agreement(table, levels, "ordinal" if ordinal else "nominal")
    alpha = found.alpha_ordinal if ordinal else found.alpha_nominal
    assert alpha.value is not None
    assert found.gwet_ac1.value is not None
    return {"alpha": alpha.value, "ac1": found.gwet_ac1.value}


def test_agreement_is_as_published() -> None:
    table = PUBLISHED["krippendorff_2011_4observers_12units"]
    for ordinal, name in ((False, "nominal"), (True, "ordinal")):
        found = coefficients(table["data"], range(1, 6), ordinal)
        assert found["alpha"] == pytest.approx(table["published"][name], abs=5e-4)
    for name, levels in (("irrcac_raw_4raters", range(1, 6)), ("irrcac_raw_5observers", range(4))):
        table = PUBLISHED[name]
        known = table["recomputed_with_irrCAC_unweighted"]
        found = coefficients(table["data_rater_major"], levels, ordinal=False)
        assert found["ac1"] == pytest.approx(known["gwet_ac1"][0], abs=5e-6)
        assert found["alpha"] == pytest.approx(known["krippendorff"][0], abs=5e-6)


def test_correlations_are_as_published() -> None:
    def both(x: list[float], y: list[float], measure: Callable[..., Any], *more: Any) -> float:
        return float(measure(np.array(x, float), np.array(y, float), *more))

    one = PUBLISHED["spearman"]
    rho = both(one["x"], one["y"], measures.spearman)
    assert rho == pytest.approx(one["published"]["rho"], abs=1e-8)
    one = PUBLISHED["weightedtau"]
    tau = both(one["x"], one["y"], measures.weighted_tau)
    assert tau == pytest.approx(one["published"]["default"], abs=1e-12)
    for one in PUBLISHED["ndcg"]["sklearn_cases"][:2]:
        gain = both(one["scores"], one["true"], measures.ndcg, "score")
        assert gain == pytest.approx(one["ndcg"], abs=1e-12)


if __name__ == "__main__":
    os.environ.pop("PYTHONHASHSEED", None)
    with tempfile.TemporaryDirectory() as temporary, chdir(temporary):
        texts = {name: as_text(value) for name, value in frozen().items()}
    FROZEN.mkdir(exist_ok=True)
    for name, text in texts.items():
        (FROZEN / f"{name}.json").write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(texts)} files in {FROZEN}\n")
