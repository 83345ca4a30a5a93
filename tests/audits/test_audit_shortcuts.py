"""What the audit says of shortcuts: on others' pairs, on mode violate, and on twins."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from audited import checks_of, estimate
from pairwright.audits import shortcuts
from pairwright.audits.accuracies import accuracy_check, decide
from pairwright.audits.records import Check
from pairwright.audits.ways import COUNTS, Vocabulary, bag_points, breaks_off, pair_words
from pairwright.pairs import Row, RowAspect, RowPost, row_of
from reference_data import LLMBAR
from small_studies import twin, violate

NOUNS = "lamp kettle garden ladder window engine river button hammer pillow curtain violin".split()
pytestmark = pytest.mark.usefixtures("nothing_learnt")


def audited(
    rows: Iterable[Row],
    bound: float = 0.58,
    max_overlap: float | None = None,
) -> dict[Any, Check]:
    found = checks_of(rows, "shortcuts", "baselines", bounds=(bound, max_overlap))
    return {(check.config, check.name): check for check in found}


def text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(NOUNS, k=words)) + "."


def row(n: int, question: str, chosen: str, rejected: str, **changes: Any) -> Row:
    fields = {"id": f"row-{n}", "question": question, "chosen": chosen, "rejected": rejected}
    return Row.model_validate({**fields, "domain": "Plain", **changes})


def changed(given: Row, **changes: Any) -> Row:
    return given.model_copy(update=changes)


def even(n: int, **changes: Any) -> list[Row]:
    """Rows that give nothing away."""
    chance, rows = random.Random(n), []
    for number in range(n):
        sides = text(chance, 20), text(chance, 20)
        rows.append(row(number, f"Question {number}?", *sides, **changes))
    return rows


# Others' pairs


def test_the_published_figures_of_picking_the_longer_response_are_reproduced() -> None:
    """By words between white space, ties one half: .55 of 100, and 15 of 92."""
    rows = []
    for name in ("Natural", "Adversarial_GPTInst"):
        for n, of in enumerate(json.loads((LLMBAR / name / "dataset.json").read_text())):
            outputs = [of["output_1"], of["output_2"]]
            sides = outputs if of["label"] == 1 else outputs[::-1]
            rows.append(row(n, of["input"], *sides, domain=name))
    found = audited(rows)
    natural, adversarial = found["Natural", "length"], found["Adversarial_GPTInst", "length"]
    assert (estimate(natural).value, estimate(natural).n) == (0.55, 100)
    assert (round(estimate(adversarial).value or 0, 3), estimate(adversarial).n) == (0.163, 92)
    assert (natural.status, adversarial.status) == ("too_few", "fail")


@pytest.mark.parametrize(
    ("check", "chosen", "rejected"),
    [
        ("length", "{} and so on it goes for a while.", "{}"),
        ("length", "{}", "{} and so on it goes for a while."),
        ("markup", "- {}", "{}"),
        ("markup", "{}", "# {}"),
        ("markup", "**{}**", "{}"),
        ("question_overlap", "{} brakes.", "{}"),
        ("breaks_off", "{}", "{} And then it"),
    ],
)
def test_what_is_planted_on_a_side_fails_its_check(check: str, chosen: str, rejected: str) -> None:
    bodies = [text(random.Random(n), 20) for n in range(120)]
    rows = [
        row(n, "Which brakes?", chosen.format(body), rejected.format(body), user=str(n))
        for n, body in enumerate(bodies)
    ]
    assert audited(rows)["Plain", check].status == "fail"


LONG = "It is so well known that nobody who works here would ever ask for the long way home"


@pytest.mark.parametrize(
    ("response", "cut"),
    [
        (LONG, True), ("```\ncode goes on", True), (f"{LONG}!**\n", False),
        (f'He said "{LONG}."', False), (f"{LONG}\u3002", False), (f"{LONG}:\n- one\n- two", False),
        ("Paris", False), ("", False), (f"{LONG}: https://example.org/a", False),
    ],
)  # fmt: skip
def test_a_response_breaks_off_where_nothing_ends(response: str, cut: bool) -> None:
    assert breaks_off(response) is cut


def test_all_accuracies_are_decided_together_and_rarely_wrongly() -> None:
    """Of 200 audits of 30 accuracies of coins, at the limit itself, at most 5 in 100 fail or pass
    one; three standard errors are let by."""
    chance = np.random.default_rng(0)
    wrong = 0
    for _ in range(200):
        checks = [
            accuracy_check(
                "length", "", (chance.random(200) < 0.58).astype(float), np.arange(200) // 4,
                limit=0.58,
            )
            for _ in range(30)
        ]  # fmt: skip
        wrong += any(check.status != "too_few" for check in decide(checks))
    assert wrong <= 200 * 0.05 + 3 * (200 * 0.05 * 0.95) ** 0.5


# The bag of words


def test_one_user_with_more_pairs_than_a_sample_holds_is_examined_without_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shortcuts, "SAMPLE", 5)
    posts = ({"id": "p1", "text": "I bake at night."},)
    found = audited(even(9, user="user-0123456789abcdef", profile=posts))
    assert found["Plain", "length"].of == 9
    assert found["Plain", "profile_tfidf"].of == 0


def test_a_word_of_one_side_is_learnt_from_other_users(learnt: None) -> None:
    rows = [changed(of, chosen=f"{of.chosen} Bukola.") for of in even(120)]
    found = audited(rows)["Plain", "bag_of_words"]
    assert (found.status, found.of) == ("fail", 120)
    assert (estimate(found).value or 0) > 0.95
    swapped = [changed(of, chosen=of.rejected, rejected=of.chosen) for of in rows]
    words, numbers = Vocabulary(), np.arange(120)
    one, other = ([pair_words(of, words) for of in given] for given in (rows, swapped))
    assert bag_points(one, numbers, words).tolist() == bag_points(other, numbers, words).tolist()
    # Sides that differ in marks alone are ties.
    same = [changed(of, rejected=of.chosen.replace(".", "!")) for of in rows]
    assert estimate(audited(same)["Plain", "bag_of_words"]).value == 0.5


def test_too_few_clusters_train_nothing_and_are_told() -> None:
    check = audited(even(200, user="one and the same"))["Plain", "bag_of_words"]
    assert (check.status, check.found) == ("too_few", None)
    assert "fewer than 10 clusters" in check.detail


# Informed baselines


def informed(n: int, chosen: str, rejected: str) -> list[Row]:
    post = RowPost(id="post", text="My sailing dinghy leaks near the rudder.")
    aspect = RowAspect(aspect="Wants a rudder repaired")
    return [
        row(k, f"Question {k}?", chosen, rejected, profile=(post,), rubric_aspects=(aspect,))
        for k in range(n)
    ]


def test_overlap_with_the_profile_is_told_and_decides_nothing() -> None:
    found = audited(informed(120, "Mend the rudder first.", "Mend the roof first."))
    for name in ("profile_overlap", "profile_tfidf"):
        check = found["Plain", name]
        assert (check.family, check.status) == ("baselines", "note"), name
        assert estimate(check).value == 1


@pytest.mark.parametrize(("bound", "status"), [(0.7, "fail"), (0.95, "pass"), (0.8, "too_few")])
def test_a_bound_has_one_side(bound: float, status: str) -> None:
    solved = informed(160, "Mend the rudder first.", "Mend the roof first.")
    other = informed(40, "Mend the roof first.", "Mend the rudder first.")
    rows = [changed(of, question=f"Question {n}?") for n, of in enumerate([*solved, *other])]
    check = audited(rows, max_overlap=bound)["Plain", "profile_overlap"]
    assert (check.status, check.limit, estimate(check).value) == (status, bound, 0.8)
    wrong = audited(informed(120, "The roof.", "The rudder."), max_overlap=0.6)
    assert wrong["Plain", "profile_overlap"].status == "pass"


# Twins


def twins(n: int) -> list[Row]:
    """Twins made unequal: the asker's response is longer, has lists and repeats the question."""
    chance, rows = random.Random(n), []
    for number in range(n):
        first = f"# Given your love of tea,\n\n- **{text(chance, 12)}**\n- question {number}, done."
        second = f"I cannot help with it. {text(chance, chance.randint(2, 6))}!"
        asked, partner = twin(number)
        for pair, other, texts in (
            (asked, partner, (first, second)),
            (partner, asked, (second, first)),
        ):
            changes = dict(zip(("chosen", "rejected"), texts, strict=True))
            rows.append(row_of(pair.model_copy(update=changes), partner=other.user))
    return rows


def twin_rows(posts: tuple[str, ...], n: int = 0) -> Iterator[Row]:
    """A twin whose two users wrote these posts, or both the one."""
    sides = ("Ripe pears.", "Sour apples.")
    for asked, post in zip((True, False), (posts * 2)[:2], strict=True):
        chosen, rejected = sides if asked else sides[::-1]
        yield Row(
            id=f"{n}-{asked}", question=f"Which fruit, number {n}?", chosen=chosen,
            rejected=rejected, domain="Home", mode="twin", twin_id=f"twin-{n}", asked=asked,
            user=f"user-{n}-{asked}", dyad=f"dyad-{n}", profile=(RowPost(id="p", text=post),),
        )  # fmt: skip


def test_on_whole_twins_what_is_one_half_by_identity_is_not_told() -> None:
    found = audited(twins(30))
    assert not [name for name in (*COUNTS, "bag_of_words") if ("Home-twin", name) in found]
    assert found["Home-twin", "profile_overlap"].status == "note"


@pytest.mark.parametrize(
    ("posts", "value"),
    [
        # The asker gets pears, the partner apples.
        (("ripe pears", "sour apples"), 4.0),
        (("pears", "apples"), 2.0),
        (("apples", "pears"), -2.0),
        (("pears, apples", "apples, pears"), 0.0),
        # Whose posts hold the one's words as well as the other's tells nothing.
        (("pears", "pears"), 0.0),
    ],
)
def test_words_shared_in_both_halves_are_summed(posts: tuple[str, str], value: float) -> None:
    check = audited(twin_rows(posts))["Home-twin", "twin_shared_words"]
    assert (check.status, estimate(check).value, estimate(check).n) == ("note", value, 1)
    assert [flag.row for flag in check.flags] == (["0-True"] if value > 0 else [])


# A set that leans


def leaning(preferences: Sequence[int | None], mode: str = "violate") -> list[Row]:
    """Pairs with what a judge that knows nobody prefers; of twins the half that asked."""
    rows = []
    for n, preference in enumerate(preferences):
        pairs = [violate(n)] if mode == "violate" else twin(n)
        for pair in pairs:
            draft = pair.draft.model_copy(update={"blind_preference": preference})
            users = {one.user for one in pairs} - {pair.user}
            rows.append(row_of(pair.model_copy(update={"draft": draft}), partner=(*users, None)[0]))
    return rows


@pytest.mark.parametrize(
    ("preferences", "status", "value", "said"),
    [
        ([2] * 90 + [0] * 30, "fail", 0.75, ""),
        ([0] * 90 + [2] * 30, "fail", 0.25, ""),
        ([2, 0] * 400, "pass", 0.5, ""),
        ([0] * 12 + [2] * 6, "too_few", 1 / 3, ""),
        ([0] * 90 + [2] * 30 + [None] * 3, "fail", 0.25, "Of 3 pairs no choice could be read."),
        ([None] * 3, "note", None, "was not measured"),
    ],
)
def test_a_set_that_leans_to_either_side_fails(
    preferences: list[int | None], status: str, value: float | None, said: str
) -> None:
    check = audited(leaning(preferences))["mode violate", "blind_preference"]
    assert check.status == status
    assert (check.found and check.found.value) == (value and pytest.approx(value, abs=1e-6))
    assert said in check.detail
