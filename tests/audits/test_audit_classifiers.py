"""The cross-validated classifiers find what was planted, and nothing where nothing was."""

import random
from collections.abc import Callable
from unittest import mock

import numpy as np
import pytest

from pairwright.audits.shortcuts import classifiers
from pairwright.audits.shortcuts.classifiers import (
    CLASSIFIERS,
    bags,
    classifier_points,
    learnable_pair,
    styles,
)
from pairwright.audits.shortcuts.pair_features import ClusterSample
from pairwright.dataset import Row
from pairwright.intervals import Floats

WORDS = [a + b + c for a in ("ba", "ko", "mi", "tu") for b in ("ran", "lep", "dos", "vig") for c in
         ("da", "mo", "sil", "per", "tag")]  # fmt: skip


def said(chance: random.Random, words: int = 20) -> str:
    return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."


def pairs(
    n: int,
    chance: random.Random,
    question: str = "{question}",
    chosen: str = "{chosen}",
    rejected: str = "{rejected}",
) -> list[Row]:
    """Rows of noise, put into templates."""
    rows = []
    for number in range(n):
        noise = {name: said(chance) for name in ("question", "chosen", "rejected")}
        texts = (template.format(**noise) for template in (question, chosen, rejected))
        rows.append(Row(id=f"row-{number}", **dict(zip(noise, texts, strict=True))))
    return rows


def tried(rows: list[Row], clusters: list[int] | None = None, only: str = "") -> dict[str, Floats]:
    """The points of each classifier, or of one."""
    places = np.array(clusters or range(len(rows)), np.intp)
    every = {name: table for name, table in CLASSIFIERS.items() if only in ("", name)}
    with mock.patch.object(classifiers, "CLASSIFIERS", every):
        return dict(classifier_points([learnable_pair(row) for row in rows], places, 0))


def accuracies(rows: list[Row], clusters: list[int] | None = None) -> dict[str, float]:
    return {name: float(points.mean()) for name, points in tried(rows, clusters).items()}


def test_where_nothing_was_planted_nothing_is_found() -> None:
    found = accuracies(pairs(400, random.Random(1)))
    assert list(found) == list(CLASSIFIERS)
    assert all(0.42 < of < 0.58 for of in found.values()), found


def test_a_word_of_the_chosen_side_is_found_by_the_bags_alone() -> None:
    found = accuracies(pairs(200, random.Random(2), chosen="{chosen} Bukola"))
    assert min(found["bag_of_words"], found["bag_of_words_with_question"]) > 0.95
    # Shuffled marks would do; one more word of the ordinary kind has a style as well: its length.
    sides = {"chosen": "{chosen} Bukola", "rejected": "{rejected} Makolu"}
    both = accuracies(pairs(200, random.Random(2), **sides))
    assert both["bag_of_words"] > 0.95
    assert 0.35 < both["style"] < 0.65


def test_a_mark_of_the_rejected_side_is_found_by_style_alone() -> None:
    found = accuracies(pairs(200, random.Random(3), rejected="{rejected}!"))
    assert min(found["style"], found["style_with_question"]) > 0.95
    assert 0.4 < found["bag_of_words"] < 0.6


HABITS: dict[str, Callable[[str], str]] = {
    "double spaces": lambda given: given.replace(" ", "  "),
    "one double space": lambda given: given.replace(" ", "  ", 1),
    "a space at the end": lambda given: f"{given} ",
    "spaces at the ends of lines": lambda given: f"{given} \n{given}",
    "a tab": lambda given: given.replace(" ", "\t", 1),
    "a line's end at the end": lambda given: f"{given}\n",
    "a small letter first": lambda given: given[0].lower() + given[1:],
    "small letters first in sentences": lambda given: f"{given} {given.lower()}",
    "a space before the mark": lambda given: given.replace(".", " ."),
    "hard spaces": lambda given: given.replace(" ", "\u00a0"),
    "a zero-width space": lambda given: given.replace(" ", " \u200b", 1),
    "curly marks": lambda given: f"\u201c{given}\u201d",
    "no mark at the end": lambda given: given.rstrip("."),
}
PLAIN: dict[str, Callable[[str], str]] = {
    "spaces at the ends of lines": lambda given: f"{given}\n{given}",
    "small letters first in sentences": lambda given: f"{given} {given}",
    "curly marks": lambda given: f'"{given}"',
}
"""What the other side is, where the habit changes more than typing."""


def uneven(chance: random.Random) -> str:
    """Sentences of many lengths and marks: what a habit of typing does to counts is lost in it."""
    parts = [said(chance, chance.randint(4, 24)) for _ in range(chance.randint(1, 6))]
    return " ".join(part.replace(" ", chance.choice((" ", ", ")), 1) for part in parts)


@pytest.mark.parametrize("side", ["chosen", "rejected"])
@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_of_typing_on_one_side_is_found_by_style(habit: str, side: str) -> None:
    chance, rows = random.Random(4), []
    for row in pairs(100, chance):
        typed = {
            of: (HABITS if of == side else PLAIN).get(habit, str)(uneven(chance))
            for of in ("chosen", "rejected")
        }
        rows.append(row.model_copy(update=typed))
    assert tried(rows, only="style")["style"].mean() > 0.9


def test_uneven_texts_without_a_habit_have_no_style() -> None:
    chance = random.Random(4)
    rows = [
        row.model_copy(update={"chosen": uneven(chance), "rejected": uneven(chance)})
        for row in pairs(400, chance)
    ]
    assert 0.42 < tried(rows, only="style")["style"].mean() < 0.58


def test_what_can_be_told_only_beside_the_question_needs_the_question() -> None:
    chance = random.Random(4)
    rows = []
    for number in range(300):
        asked, other = (chance.sample(WORDS, 6) for _ in range(2))
        tail = said(chance, 12)
        sides = {"chosen": chance.sample(asked, 6), "rejected": other}
        texts = {side: f"{' '.join(words)} {tail}" for side, words in sides.items()}
        rows.append(Row(id=f"row-{number}", question=" ".join(asked), **texts))
    found = accuracies(rows)
    assert min(found["bag_of_words_with_question"], found["style_with_question"]) > 0.9
    assert max(found["bag_of_words"], found["style"]) < 0.62


def test_what_style_is_chosen_may_turn_with_the_question() -> None:
    chance = random.Random(5)
    rows = pairs(200, chance, question="How {question}", chosen="{chosen}!")
    rows += pairs(200, chance, question="Which {question}", rejected="{rejected}!")
    found = accuracies(rows)
    assert found["style_with_question"] > 0.9
    assert found["style"] < 0.6


def test_a_cluster_is_never_judged_by_a_model_that_saw_it() -> None:
    # In each cluster one word is always chosen, and it says nothing about any other cluster.
    rows = [
        Row(id=f"row-{n}", question=f"Which {n}?", chosen=f"own{n // 8}", rejected=f"odd{n // 8}")
        for n in range(320)
    ]
    together = accuracies(rows, [n // 8 for n in range(320)])
    apart = accuracies(rows)
    assert apart["bag_of_words"] > 0.9
    assert 0.4 < together["bag_of_words"] < 0.6


def test_classifiers_have_no_side_to_lean_to() -> None:
    rows = pairs(100, random.Random(7), chosen="{chosen} Bukola!")
    turned = [
        row.model_copy(update={"chosen": row.rejected, "rejected": row.chosen}) for row in rows
    ]
    forward, back = tried(rows), tried(turned)
    for name, points in forward.items():
        # The same is learnt of the turned pairs, so it is as right about them.
        assert np.array_equal(points, back[name]), name
    some = [row if n % 3 else turned[n] for n, row in enumerate(rows)]
    table, mixed = (
        bags([learnable_pair(row) for row in of], with_question=True) for of in (rows, some)
    )
    assert np.array_equal(mixed.toarray()[0], -table.toarray()[0])
    assert np.array_equal(mixed.toarray()[1], table.toarray()[1])


def test_the_same_response_on_both_sides_is_a_tie() -> None:
    rows = pairs(60, random.Random(8), chosen="{question}", rejected="{question}")
    assert all((points == 0.5).all() for points in tried(rows).values())


@pytest.mark.parametrize("given", ["", "***", "\u0000 \ud7ff 漢字 " * 3, "A" * 50_000, "# " * 900])
def test_any_text_can_be_measured(given: str) -> None:
    rows = pairs(20, random.Random(10))
    rows = [row.model_copy(update={"chosen": given, "question": given}) for row in rows]
    for table in (bags, styles):
        for asked in (False, True):
            found = table([learnable_pair(row) for row in rows], with_question=asked)
            assert np.isfinite(found.toarray()).all()


# The sample they see


def test_a_sample_holds_whole_clusters_whatever_the_order() -> None:
    stream = [(f"cluster-{n % 37}", n) for n in range(400)]
    found = []
    for seed in range(3):
        random.Random(seed).shuffle(stream)
        sample: ClusterSample[int] = ClusterSample(100, 0)
        for cluster, pair in stream:
            if sample.has_room(cluster):
                sample.add(cluster, pair)
        assert 80 <= len(sample) <= 100
        found.append(sorted(sample))
    assert found[0] == found[1] == found[2]
    clusters = {n % 37 for n in found[0]}
    assert found[0] == [n for n in range(400) if n % 37 in clusters]


def test_another_seed_draws_other_clusters_and_a_small_source_is_taken_whole() -> None:
    drawn_by = []
    for seed in range(2):
        sample: ClusterSample[int] = ClusterSample(50, seed)
        for n in range(400):
            sample.add(f"cluster-{n % 40}", n)
        drawn_by.append(set(sample))
    assert drawn_by[0] != drawn_by[1]
    whole: ClusterSample[int] = ClusterSample(50, 0)
    for n in range(50):
        whole.add(f"cluster-{n}", n)
    assert sorted(whole) == list(range(50))


def test_what_is_kept_of_a_pair_says_what_its_question_shares() -> None:
    sides = {"chosen": "Adjust the brake and the pedal.", "rejected": "Lubricate the chain."}
    _, chosen, rejected = learnable_pair(
        Row(id="row", question="How are brakes adjusted?", **sides)
    )
    assert chosen.shared[0] == 2
    assert chosen.in_question.sum() == 2
    assert rejected.in_question.sum() == 0
