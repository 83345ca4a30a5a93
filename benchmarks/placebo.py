"""What planted scorers have of net right flips, and how often its interval holds the truth.

    python benchmarks/placebo.py [REPETITIONS]

Planted: 600 twins and 600 placebos of 400 couples. In a twin each user states two wishes in one of
nine posts, in other words than a response that serves them, so that the words which posts and
responses share are there by chance and the overlap of words tells nothing on average (a decisive
twin). A placebo is the same without wishes. All are scored by the evaluation itself:

    reader       knows the wishes of a post, and guesses on one pair in fifty
    overlap      the baseline: words of the response that are in the posts
    blind        the greatest figure of the baselines that ignore the posts
    chance       a random number for each response
    flip_happy   prefers one response for one user of a couple and the other one for the other
    reversed     the reader with its sign turned

`overlap_plain` is of twins whose responses repeat the words of the wishes. Intervals: simulated
couples with up to three twins and two placebos each, alike within a couple; `coverage` is the least
share of intervals that hold the truth, by scorers and numbers of couples, of so many repetitions
(2,000); couples that are all right have no interval. `half_widths` are of a scorer that is right on
80 % of twins and flips on 10 % of placebos.

The last line is JSON.
"""

import asyncio
import json
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple, cast

import numpy as np
import pandas as pd

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef, keys_of
from pairwright.evaluation.conditions import ContentSources, ScorerHistory, Strangers
from pairwright.evaluation.evaluate import score_pair
from pairwright.evaluation.leaderboard import Leaderboard, rank_tables
from pairwright.evaluation.scorers.scorer import (
    BLIND,
    Baseline,
    PromptContent,
    ResponseScore,
    Scorer,
    ScorerRef,
)
from pairwright.evaluation.scores import Score, ScoresOf, ScoreTable, net_right_flips
from pairwright.pairs import ReadRow, Row
from pairwright.stats import Estimate, Flags, Floats, Places, mean_points

COUPLES, UNITS = 400, 600
GUESSES = 0.02
TOPICS = [f"topic{n:03}" for n in range(200)]
Chance = np.random.Generator


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    chance = np.random.default_rng(0)
    decisive = planted_board(planted_rows(chance, plain=False), chance)
    plain = planted_board(planted_rows(chance, plain=True), chance, ("overlap",))
    found = {name: net(decisive, name) for name in ("reader", "overlap", "chance")}
    blind = max((net(decisive, name) for name in BLIND), key=lambda value: abs(value or 0.0))
    further = {name: net(decisive, name.replace("_", "-")) for name in ("flip_happy", "reversed")}
    for name, entry in decisive.entries.items():
        figures = [
            figure.percent(1)
            for figure in entry.figures
            if (figure.name, figure.group) in (("both_right", "twin"), ("placebo_flips", "placebo"))
        ]
        print(f"{name}: right flips {figures[0]}, flips on placebos {figures[1]}")
    print(
        json.dumps(
            {
                **found, "blind": blind, **further, "overlap_plain": net(plain, "overlap"),
                "coverage": coverage(chance, repetitions),
                "half_widths": half_widths(chance),
            }
        )
    )  # fmt: skip


def net(board: Leaderboard, name: str) -> float | None:
    return board.entries[f"{name}.profile"].value("net_right_flips", "twin")


class Reader(NamedTuple):
    """It knows what a user wishes from a post that states it, and guesses now and then."""

    chance: Chance
    sign: int = 1

    async def score(self, shown: PromptContent, response: str) -> ResponseScore:
        if self.chance.random() < GUESSES / 2:
            return ResponseScore(float(self.chance.normal(0, 9)))
        words = {word for post in shown.posts for word in post.text.split()}
        wishes = {f"wish{word.removeprefix('hope')}" for word in words if word.startswith("hope")}
        served = len((wishes | words) & {w for w in response.split() if w.startswith("wish")})
        return ResponseScore(self.sign * (served + _of_text(response)))


class Guesser(NamedTuple):
    """A random number for each response."""

    chance: Chance

    async def score(self, _: PromptContent, __: str) -> ResponseScore:
        return ResponseScore(float(self.chance.random()))


class FlipHappy(NamedTuple):
    """For every second user of a couple it prefers what it refuses for the other one."""

    async def score(self, shown: PromptContent, response: str) -> ResponseScore:
        sign = 1 if shown.posts[0].id.startswith("u") else -1
        return ResponseScore(sign * _of_text(response))


def _of_text(response: str) -> float:
    """From 0 to 1/2: which of two responses has more is as good as drawn, and the same for
    everybody."""
    return zlib.crc32(response.encode()) / 2**33


def planted_board(rows: Sequence[Row], chance: Chance, only: Sequence[str] = ()) -> Leaderboard:
    scorers: dict[str, Scorer] = {
        **{name: Baseline(name) for name in ("overlap", "similarity", *sorted(BLIND))},
        "reader": Reader(chance), "reversed": Reader(chance, -1), "chance": Guesser(chance),
        "flip-happy": FlipHappy(),
    }  # fmt: skip
    sources = ContentSources(ScorerHistory(), Strangers((), 0))

    async def scored(scorer: Scorer) -> tuple[Score, ...]:
        return tuple([await score_pair(row, scorer, "profile", sources) for row in rows])

    keys = keys_of(ReadRow("", row, "") for row in rows)
    planted = BenchmarkRef(name="planted", digest="none")
    pairs = SimpleNamespace(ref=planted, keys=keys, builders={}, said=())
    tables = []
    for name, scorer in scorers.items():
        if not only or name in only:
            kind = "baseline" if isinstance(scorer, Baseline) else "python"
            ref = ScorerRef(name=name, kind=kind)
            about = ScoresOf(benchmark=pairs.ref, path=".", scorer=ref, condition="profile")
            tables.append(ScoreTable(Path(f"{name}.json"), about, asyncio.run(scored(scorer))))
    return rank_tables(tables, cast("Benchmark", pairs))


def planted_rows(chance: Chance, *, plain: bool) -> list[Row]:
    """Twins and placebos; with `plain` a response serves wishes in the words that state them."""
    rows: list[Row] = []
    for number in range(2 * UNITS):
        mode: str = "twin" if number < UNITS else "placebo"
        responses, stated = [], []
        for name in "uv":
            topics = chance.choice(TOPICS, 12, replace=False).tolist()
            wishes = [f"{number:04}{name}{k}" for k in range(2)] if mode == "twin" else []
            responses.append(" ".join([*(f"wish{wish}" for wish in wishes), *topics]))
            stated.append(" ".join(f"{'wish' if plain else 'hope'}{wish}" for wish in wishes))
        swapped = bool(chance.random() < 0.5) and mode == "placebo"
        for side, user in enumerate("uv"):
            posts = [
                {"id": f"{user}-{number}-{k}",
                 "text": " ".join(chance.choice(TOPICS, 15, replace=False).tolist())}
                for k in range(8)
            ]  # fmt: skip
            posts.append({"id": f"{user}-{number}-stated", "text": f"please {stated[side]}"})
            couple = int(number * 7 % COUPLES)
            rows.append(
                Row.model_validate(
                    {
                        "id": f"{number}-{user}", "item_id": f"item-{number}", "mode": mode,
                        "twin_id": f"unit-{number}", "asked": user == "u", "question": "What now?",
                        "user": f"{user}{couple}", "dyad": f"dyad-{couple}", "domain": "Home",
                        "chosen": responses[side ^ swapped],
                        "rejected": responses[1 - side ^ swapped], "profile": posts,
                    }
                )
            )  # fmt: skip
    return rows


SCORERS = {
    "reader": (0.95, 0.03), "half": (0.6, 0.2), "overlap": (0.45, 0.4), "chance": (0.25, 0.5),
    "flip_happy": (0.5, 1.0), "blind_judge": (0.05, 0.1),
}  # fmt: skip
"""The chances of a right flip on a twin and of a flip on a placebo."""
ALIKE = 0.2
"""Correlation of two units of a couple."""


class Units(NamedTuple):
    """Which simulated units are placebos, and their couples."""

    placebo: Flags
    couples: Places


def _simulated_units(chance: Chance, couples: int) -> Units:
    """Up to three twins and two placebos a couple; one of each at least in all."""
    counts = chance.integers(0, 4, couples), chance.integers(0, 3, couples)
    counts[0][0] = counts[1][0] = 1
    every = np.concatenate([np.repeat(np.arange(couples), own) for own in counts])
    return Units(np.arange(len(every)) >= counts[0].sum(), every)


def _points(chance: Chance, units: Units, scorer: tuple[float, float]) -> Floats:
    """A couple's units have its common draw with probability sqrt(ALIKE), so any two correlate."""
    own, common = chance.random(len(units.couples)), chance.random(units.couples.max() + 1)
    shares = chance.random(len(own)) < ALIKE**0.5
    draws = np.where(shares, common[units.couples], own)
    return (draws < np.where(units.placebo, scorer[1], scorer[0])).astype(np.float64)


def coverage(chance: Chance, repetitions: int) -> dict[str, float]:
    """The least share of intervals that hold the truth over the scorers, by number of couples."""
    least = {}
    for couples in (15, 40, 150):
        shares = {}
        for name, (right, flips) in SCORERS.items():
            held, truth = [], right - flips / 2
            for _ in range(repetitions):
                units = _simulated_units(chance, couples)
                found = _net(_points(chance, units, (right, flips)), units)
                # If all couples are right in all there is no interval.
                if found.low is not None and found.high is not None:
                    held.append(found.low <= truth <= found.high)
            shares[name] = sum(held) / max(1, len(held))
        print(f"{couples} couples: {', '.join(f'{n} {s:.3f}' for n, s in shares.items())}")
        least[str(couples)] = round(min(shares.values()), 3)
    return least


def _net(points: Floats, units: Units) -> Estimate:
    frame = pd.DataFrame({"flip": points, "cluster": units.couples.astype(str), "whole": True})
    frame["mode"] = np.where(units.placebo, "placebo", "twin")
    frame["label"] = np.where(units.placebo, "equal", "chosen")
    found = net_right_flips(frame, "twin")
    assert found, "there are both"
    return found.estimate(least=-0.5, most=1)


def half_widths(chance: Chance) -> dict[str, list[float]]:
    """In points, by the number of twins, each of a couple of its own: of net right flips with as
    many placebos and with half as many, and of the flips on as many placebos."""
    widths = {}
    for twins in (10, 20, 30, 50, 100, 200, 400):
        found: list[list[float]] = []
        for _ in range(500):
            own = []
            for placebos in (twins, twins // 2):
                every = np.arange(twins + placebos)
                units = Units(every >= twins, every % twins)
                points = _points(chance, units, (0.8, 0.1))
                own.append(_half(_net(points, units)))
            # Of 10 % exactly: a drawn share would be wide now and narrow then.
            flips = (np.arange(twins) < twins / 10).astype(np.float64)
            found.append([*own, _half(mean_points(flips, np.arange(twins)))])
        widths[str(twins)] = [round(float(x), 1) for x in np.mean(found, axis=0)]
    return widths


def _half(estimate: Estimate) -> float:
    return 50 * ((estimate.high or 0.0) - (estimate.low or 0.0))


if __name__ == "__main__":
    main()
