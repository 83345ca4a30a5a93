"""Who answers what, on which side: the rules every study keeps, whatever its size."""

import math
import random
from collections import Counter, defaultdict
from functools import cache
from typing import Any

import pytest

from pairwright.errors import InputError
from pairwright.modes import Mode
from pairwright.records import content_id
from pairwright_human_eval.assign import draw_controls, stranger
from pairwright_human_eval.records import KeyedTask, Purpose, response_id
from pairwright_human_eval.subjects import salts, sample, subjects_of, swapped
from small_studies import (
    FILE,
    Made,
    mixed,
    posts,
    random_pairs,
    study_of,
    tell,
    twin,
    user_of,
    violate,
)

STUDIES = range(7)
PINNED = "100011000000110101111101"
"""Which of twin-0 to twin-23 are swapped at seed 0 and salt 0."""
VOTES_AND_CONTROLS: tuple[Purpose, ...] = ("vote", "wrong_profile", "narrative")


@cache
def some_study(n: int) -> Made:
    """Studies of all sorts: twins or none, one to three domains, just enough people or more."""
    chance = random.Random(n)
    pairs = random_pairs(chance)
    overlap = chance.randint(1, 3)
    needed = overlap * (3 if any(pair.twin_id for pair in pairs) else 2)
    return study_of(
        pairs, annotators=needed + chance.choice([0, 0, 1, 4]), overlap=overlap, seed=n,
        repeats=0.2, wrong_profile=0.2, narrative=0.1,
    )  # fmt: skip


def overlap_of(made: Made) -> int:
    (size,) = set(Counter(k.subject for k in made.keyed("vote", kind="quality")).values())
    return size


# Sides


def test_a_side_is_a_function_of_seed_salt_and_subject() -> None:
    """Pinned: another order would turn every exported study's key to lies."""
    assert "".join("01"[swapped(0, 0, f"twin-{n}")] for n in range(24)) == PINNED
    other = [
        "".join("01"[swapped(*key, f"twin-{n}")] for n in range(24)) for key in [(1, 0), (0, 1)]
    ]
    assert len({PINNED, *other}) == 3


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 199, 200, 1001])
def test_the_two_orders_are_about_equally_frequent_in_a_domain(size: int) -> None:
    subjects = subjects_of((violate(n) for n in range(size)), FILE)
    for seed in range(3):
        found = salts(subjects, seed)
        second = sum(swapped(seed, found["Home"], subject.id) for subject in subjects)
        assert abs(2 * second - size) <= 1 + size / 200


@pytest.mark.parametrize("n", STUDIES)
def test_sides_are_those_of_the_subject_and_balanced(n: int) -> None:
    """The same in all kinds, both halves and the controls; a repeat alone has them swapped."""
    made = some_study(n)
    places = defaultdict(set)
    for keyed in made.keyed(*VOTES_AND_CONTROLS):
        places[keyed.subject].add((keyed.a, keyed.b))
    assert {len(found) for found in places.values()} == {1}
    for keyed in made.keyed("repeat"):
        assert places[keyed.subject] == {(keyed.b, keyed.a)}
    chosen = {pair.id: response_id(pair.chosen) for s in made.subjects for pair in s.pairs}
    for keyed in made.keyed():
        if keyed.pair is not None:
            assert (keyed.a if keyed.expected == "A" else keyed.b) == chosen[keyed.pair]
        elif keyed.kind == "quality":
            assert keyed.expected is None
    # Balance within annotator and domain; and a twin's halves, whose chosen response is the other's
    # rejected one, are asked as often.
    lean: Counter[tuple[str, str]] = Counter()
    sides: dict[str, Counter[str | None]] = defaultdict(Counter)
    for keyed in made.keyed("vote", kind="preference"):
        lean[keyed.annotator, keyed.domain] += 1 if keyed.expected == "A" else -1
        sides[keyed.subject][keyed.expected] += 1
    assert max(map(abs, lean.values())) <= 2
    for subject in made.subjects:
        if len(subject.pairs) == 2:
            assert sides[subject.id]["A"] == sides[subject.id]["B"] == overlap_of(made)


# Who


@pytest.mark.parametrize("n", STUDIES)
def test_who_answers_what(n: int) -> None:
    made = some_study(n)
    names = [keyed.task for keyed in made.keyed()]
    assert len(names) == len(set(names))
    tasks = made.keyed(*VOTES_AND_CONTROLS)
    seats = {(k.annotator, k.kind, k.subject) for k in tasks}
    for kind, most in (("quality", 1), ("preference", 2), ("rubric", 2)):
        loads = Counter(dict.fromkeys(made.tasks, 0))
        loads.update(who for who, of, _ in seats if of == kind)
        assert max(loads.values()) - min(loads.values()) <= most, kind
    # A preference is the only task but quality that its annotator has of the subject.
    work = defaultdict(list)
    for keyed in tasks:
        if keyed.kind != "quality":
            work[keyed.annotator, keyed.subject].append(keyed.kind)
    assert all(len(kinds) == 1 for kinds in work.values() if "preference" in kinds)
    # Every question is answered by exactly `overlap` people.
    who: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for k in tasks:
        who[k.subject, k.pair, k.kind, k.purpose].append(k.annotator)
    overlap = overlap_of(made)
    assert all(len(names) == len(set(names)) == overlap for names in who.values())
    for subject in made.subjects:
        assert (subject.id, None, "quality", "vote") in who
        assert all((subject.id, p.id, "preference", "vote") in who for p in subject.pairs)
    # A control takes the seats of the aspects.
    asked = {k.subject for k in made.keyed("vote", kind="rubric")}
    controls = made.keyed("wrong_profile", "narrative")
    assert asked | {k.subject for k in controls} == made.by_id.keys()
    assert not asked & {k.subject for k in controls}
    assert all(keyed.kind == "preference" for keyed in controls)
    for keyed in made.keyed("narrative"):
        assert keyed.pair == made.by_id[keyed.subject].asked.id
    # Repeats come after what they repeat.
    for own in made.tasks.values():
        order = [t.keyed for t in own if t.keyed.kind == "preference"]
        at = {(keyed.purpose, keyed.pair): place for place, keyed in enumerate(order)}
        assert all(at["vote", pair] < n for (purpose, pair), n in at.items() if purpose == "repeat")


# Refusals


@pytest.mark.parametrize(
    ("annotators", "overlap", "mode", "needed"),
    [
        (10, 3, "twin", 11),
        (6, 3, "violate", 7),
        (1, 1, "violate", 5),
        (9, 2, "twin", 10),
        (7, 3, "placebo", 8),
    ],
)
def test_too_few_people_are_refused_and_told_how_many_it_takes(
    annotators: int, overlap: int, mode: Mode, needed: int
) -> None:
    pairs = [violate(0)] if mode == "violate" else twin(0)
    pairs = [pair.model_copy(update={"mode": mode}) for pair in pairs]
    rule: Any = {"votes": 4, "quality_votes": 1, "rubric_votes": 1}
    with pytest.raises(InputError, match=rf"take {needed} \(") as refused:
        study_of(pairs, annotators=annotators, overlap=overlap, **rule)
    assert f"--annotators {needed}" in refused.value.fix
    assert (f"--people {annotators}" in refused.value.fix) == (annotators > 1)
    assert "1 others" not in refused.value.what
    assert study_of(pairs, annotators=needed, overlap=overlap, **rule).tasks


def test_nine_for_twins_and_six_where_there_is_none() -> None:
    with pytest.raises(InputError, match="take 9"):
        study_of(mixed(1, 5), annotators=8)
    with pytest.raises(InputError, match="take 6"):
        study_of(mixed(0, 5), annotators=5)
    assert study_of(mixed(0, 5), annotators=6).tasks
    assert study_of(mixed(1, 0), annotators=9).tasks


# Samples


def test_a_sample_is_drawn_by_content() -> None:
    subjects = subjects_of(mixed(10, 10), FILE)
    drawn = sample(subjects, 6, seed=3)
    assert len(drawn) == 6
    assert drawn == [s for s in subjects if s in drawn]
    assert {s.id for s in sample(subjects[::-1], 6, seed=3)} == {s.id for s in drawn}
    assert {s.id for s in sample(subjects, 6, seed=4)} != {s.id for s in drawn}
    assert (
        sample(subjects, None, 3) == sample(subjects, 20, 3) == sample(subjects, 99, 3) == subjects
    )
    smaller = {s.id for s in sample(subjects, 4, seed=3)}
    assert smaller < {s.id for s in drawn}


# Repeats


def test_a_repeat_is_the_same_task_by_the_same_person_with_the_sides_swapped() -> None:
    made = study_of(mixed(40, 40), repeats=0.25)
    assert made.keyed("repeat")
    for who, tasks in made.tasks.items():
        votes = {
            t.keyed.pair: t
            for t in tasks
            if (t.keyed.purpose, t.keyed.kind) == ("vote", "preference")
        }
        order = [t.keyed.task for t in tasks]
        repeats = [t for t in tasks if t.keyed.purpose == "repeat"]
        assert 0 < len(repeats) <= math.ceil(0.25 * len(votes))
        assert len({t.keyed.pair for t in repeats}) == len(repeats)
        for again in repeats:
            first = votes[again.keyed.pair]
            assert again.keyed.annotator == who
            assert (again.keyed.a, again.keyed.b) == (first.keyed.b, first.keyed.a)
            assert {again.keyed.expected, first.keyed.expected} == {"A", "B"}
            assert again.data["response_a"] == first.data["response_b"]
            assert again.data["response_b"] == first.data["response_a"]
            same = {"question", "posts", "narrative"}
            assert {k: again.data[k] for k in same} == {k: first.data[k] for k in same}
            assert order.index(again.keyed.task) > order.index(first.keyed.task)


# Controls


def shown(made: Made, purpose: Purpose) -> list[tuple[KeyedTask, str, str]]:
    """Tasks of a purpose with all posts, and all narratives, they show."""
    return [
        (task.keyed, str(task.data["posts"]), str(task.data["narrative"]))
        for task in made.of(purpose)
    ]


def test_a_wrong_profile_is_another_users_and_of_single_pairs_alone() -> None:
    made = study_of(mixed(20, 20, ["Home", "Garden"]), wrong_profile=0.5)
    tells = {tell(pair.user): pair.user for s in made.subjects for pair in s.pairs}
    domains = {pair.user: pair.domain for s in made.subjects for pair in s.pairs}
    controls = shown(made, "wrong_profile")
    assert len(controls) == 10 * 3
    for keyed, seen, narrative in controls:
        (own,) = {pair.user for pair in made.by_id[keyed.subject].pairs}
        whose = {user for word, user in tells.items() if word + " " in seen}
        assert len(whose) == 1
        assert own not in whose
        assert domains[whose.pop()] == keyed.domain
        assert narrative == "[]"


def test_a_wrong_profile_is_never_of_the_user_whose_needs_a_decoy_serves() -> None:
    users = [violate(n).user for n in range(6)]
    for n, user in enumerate(users):
        for other in {*users} - {user}:
            decoy = violate(n, mode="decoy", stranger=other)
            posts = stranger(decoy, [violate(k) for k in range(6)])
            assert posts
            assert posts != violate(users.index(other)).profile
    alone = violate(0, mode="decoy", stranger=users[1])
    assert stranger(alone, [alone, violate(1)]) == ()


def test_a_stranger_of_the_same_category_comes_first_and_everyone_sees_the_same() -> None:
    pairs = [violate(n, category=f"hobby {n % 10}") for n in range(40)]
    hobbies = {tell(pair.user): pair.category for pair in pairs}
    made = study_of(pairs, annotators=6, wrong_profile=1.0)
    texts = defaultdict(set)
    controls = shown(made, "wrong_profile")
    assert len(controls) == 120
    for keyed, seen, _ in controls:
        (whose,) = {hobby for word, hobby in hobbies.items() if word + " " in seen}
        assert whose == made.by_id[keyed.subject].asked.category
        texts[keyed.pair].add(seen)
    assert {len(found) for found in texts.values()} == {1}
    # One of another category is better than none.
    pairs = [violate(n, category=f"hobby {n}") for n in range(6)]
    made = study_of(pairs, annotators=6, wrong_profile=1.0)
    assert len({keyed.subject for keyed in made.keyed("wrong_profile")}) == 6


@pytest.mark.parametrize(
    ("subjects", "share", "controls"),
    [(10, 0.05, 2), (100, 0.05, 20), (200, 0.05, 40), (300, 0.05, 40), (40, 0.5, 20), (200, 0, 0)],
)
def test_the_control_has_forty_subjects_or_a_fifth_of_all(
    subjects: int, share: float, controls: int
) -> None:
    every = subjects_of(mixed(0, subjects), FILE)
    drawn = draw_controls(every, share, 0.0, seed=1)
    assert list(drawn.values()) == ["wrong_profile"] * controls


def test_the_controls_are_neither_the_first_of_a_sample_nor_of_the_work() -> None:
    every = subjects_of(mixed(0, 200), FILE)
    controls = set(draw_controls(every, 0.2, 0.0, seed=1))
    first = {one.id for one in sample(every, 40, seed=1)}
    work = sorted(every, key=lambda one: content_id("order", "1", one.id))[:40]
    assert len(controls & first) < 20
    assert len(controls & {one.id for one in work}) < 20


def test_a_strangers_posts_are_older_than_the_question() -> None:
    late = "2025-01-{:02}T12:00:00.000"
    pairs = [
        violate(n, profile=posts(user_of(n), 2) + posts(f"late_{n}", 2, created=late))
        if n % 2
        else violate(n, profile=posts(user_of(n), 4, created=late))
        for n in range(20)
    ]
    controls = shown(study_of(pairs, annotators=6, wrong_profile=1.0), "wrong_profile")
    assert controls
    for _, seen, _ in controls:
        assert "2023-01" in seen
        assert "2025-01" not in seen
        assert "'when': '2023-01-02'" in seen


def test_where_no_stranger_fits_the_aspects_are_asked_about() -> None:
    made = study_of([*twin(1), *twin(2, "Garden")], wrong_profile=1.0)
    assert not made.keyed("wrong_profile")
    assert len(made.keyed("vote", kind="rubric")) == 2 * 2 * 3
    # Who quotes the question is no stranger.
    asker, parrot = violate(1), violate(2)
    quoting = tuple(
        post.model_copy(update={"text": f"{post.text} {asker.question.upper()}"})
        for post in parrot.profile
    )
    pairs = [asker, parrot.model_copy(update={"profile": quoting})]
    controls = shown(study_of(pairs, annotators=6, wrong_profile=1.0), "wrong_profile")
    assert {keyed.subject for keyed, _, _ in controls} == {parrot.id}


def test_a_narrative_is_shown_only_as_a_control_and_only_in_the_askers_half() -> None:
    made = study_of(mixed(20, 20), narrative=0.3, wrong_profile=0)
    controls = shown(made, "narrative")
    assert len(controls) == 12 * 3
    for keyed, seen, narrative in controls:
        asked = made.by_id[keyed.subject].asked
        assert keyed.pair == asked.id
        assert narrative == str([{"text": asked.narrative}])
        assert tell(asked.user) in seen
    purposes: tuple[Purpose, ...] = ("vote", "attention", "repeat")
    assert {told for p in purposes for _, _, told in shown(made, p)} == {"[]"}


def test_without_narratives_there_are_no_narrative_controls() -> None:
    pairs = [*mixed(0, 3), *(violate(n) for n in range(3, 20)), *twin(30)]
    controls = study_of(pairs, narrative=1.0, wrong_profile=0).keyed("narrative")
    assert {k.subject for k in controls} == {pair.id for pair in pairs if pair.narrative}


def test_controls_are_drawn_by_content_and_seed() -> None:
    pairs = mixed(15, 15)
    drawn = [
        {k.subject: k.purpose for k in study_of(these, seed=seed, narrative=0.2).keyed("narrative")}
        for these, seed in ((pairs, 0), (pairs[::-1], 0), (pairs, 1))
    ]
    assert drawn[0] == drawn[1] != drawn[2]
