"""Who answers what, on which side: the rules every study keeps, whatever its size."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache

import pytest

from pairwright.records import Pair, content_id
from pairwright_human_eval.assign import draw_controls
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


def test_a_side_is_a_function_of_seed_salt_and_subject() -> None:
    """Pinned: another order would turn every exported study's key to lies."""
    drawn = {
        key: "".join("01"[swapped(*key, f"twin-{n}")] for n in range(24))
        for key in ((0, 0), (1, 0), (0, 1))
    }
    assert drawn[0, 0] == PINNED
    assert len({*drawn.values()}) == 3


@pytest.mark.parametrize("size", [1, 2, 7, 200, 1001])
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


def test_a_sample_is_drawn_by_content() -> None:
    subjects = subjects_of(mixed(10, 10), FILE)
    drawn = sample(subjects, 6, seed=3)
    assert len(drawn) == 6
    assert drawn == [s for s in subjects if s in drawn]
    assert {s.id for s in sample(subjects[::-1], 6, seed=3)} == {s.id for s in drawn}
    assert {s.id for s in sample(subjects, 6, seed=4)} != {s.id for s in drawn}
    assert {s.id for s in sample(subjects, 4, seed=3)} < {s.id for s in drawn}
    for size in (None, 20, 99):
        assert sample(subjects, size, 3) == subjects


def test_a_repeat_is_the_same_task_by_the_same_person_with_the_sides_swapped() -> None:
    made = study_of(mixed(40, 40), repeats=0.25)
    for who, tasks in made.tasks.items():
        own = [task for task in tasks if task.keyed.kind == "preference"]
        places = {task.keyed.pair: n for n, task in enumerate(own) if task.keyed.purpose == "vote"}
        repeats = [(n, task) for n, task in enumerate(own) if task.keyed.purpose == "repeat"]
        assert 0 < len(repeats) <= math.ceil(0.25 * len(places))
        assert len({task.keyed.pair for _, task in repeats}) == len(repeats)
        for n, again in repeats:
            place = places[again.keyed.pair]
            first = own[place]
            assert place < n
            assert again.keyed.annotator == who
            assert (again.keyed.a, again.keyed.b) == (first.keyed.b, first.keyed.a)
            assert {again.keyed.expected, first.keyed.expected} == {"A", "B"}
            swapped = {"response_a": "response_b", "response_b": "response_a"}
            for key in again.data.keys() - {"task"}:
                assert again.data[key] == first.data[swapped.get(key, key)]


def shown(made: Made, purpose: Purpose) -> list[tuple[KeyedTask, str, str]]:
    """Tasks of a purpose with all posts, and all narratives, they show."""
    return [
        (task.keyed, str(task.data["posts"]), str(task.data["narrative"]))
        for task in made.of(purpose)
    ]


def strangers(pairs: Iterable[Pair]) -> list[tuple[KeyedTask, str, str]]:
    """The tasks with a stranger's posts where they are asked of all single pairs."""
    return shown(study_of(pairs, annotators=6, wrong_profile=1.0), "wrong_profile")


def test_a_wrong_profile_is_another_users_and_of_single_pairs_alone() -> None:
    made = study_of(mixed(20, 20, ["Home", "Garden"]), wrong_profile=0.5)
    users = {tell(pair.user): pair for s in made.subjects for pair in s.pairs}
    controls = shown(made, "wrong_profile")
    assert len(controls) == 10 * 3
    for keyed, seen, narrative in controls:
        (own,) = made.by_id[keyed.subject].pairs
        (whose,) = (pair for word, pair in users.items() if word + " " in seen)
        assert whose.user != own.user
        assert whose.domain == keyed.domain
        assert narrative == "[]"


def test_a_stranger_of_the_same_category_comes_first_and_everyone_sees_the_same() -> None:
    pairs = [violate(n, category=f"hobby {n % 10}") for n in range(40)]
    hobbies = {tell(pair.user): pair.category for pair in pairs}
    of_pair = {pair.id: pair.category for pair in pairs}
    texts = defaultdict(set)
    controls = strangers(pairs)
    assert len(controls) == 120
    for keyed, seen, _ in controls:
        (whose,) = {hobby for word, hobby in hobbies.items() if word + " " in seen}
        assert whose == of_pair[keyed.pair or ""]
        texts[keyed.pair].add(seen)
    assert {len(found) for found in texts.values()} == {1}
    # One of another category is better than none.
    unlike = strangers(violate(n, category=f"hobby {n}") for n in range(6))
    assert len({keyed.subject for keyed, _, _ in unlike}) == 6


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
    first = sample(every, 40, seed=1)
    work = sorted(every, key=lambda one: content_id("order", "1", one.id))[:40]
    for subjects in (first, work):
        assert len(controls & {one.id for one in subjects}) < 20


def test_a_strangers_posts_are_older_than_the_question() -> None:
    late = "2025-01-{:02}T12:00:00.000"
    pairs = [
        violate(n, profile=posts(user_of(n), 2) + posts(f"late_{n}", 2, created=late))
        if n % 2
        else violate(n, profile=posts(user_of(n), 4, created=late))
        for n in range(20)
    ]
    controls = strangers(pairs)
    assert controls
    for _, seen, _ in controls:
        assert "'when': '2023-01-02'" in seen
        assert "2025-01" not in seen


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
    controls = strangers([asker, parrot.model_copy(update={"profile": quoting})])
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
    assert {told for purpose in ("vote", "repeat") for _, _, told in shown(made, purpose)} == {"[]"}


def test_controls_are_drawn_by_content_and_seed_from_what_has_a_narrative() -> None:
    def drawn(pairs: list[Pair], share: float, seed: int = 0) -> set[str]:
        made = study_of(pairs, seed=seed, narrative=share, wrong_profile=0)
        return {keyed.subject for keyed in made.keyed("narrative")}

    pairs = mixed(15, 15)
    assert drawn(pairs, 0.2) == drawn(pairs[::-1], 0.2) != drawn(pairs, 0.2, seed=1)
    few = [*mixed(0, 3), *(violate(n) for n in range(3, 20)), *twin(30)]
    assert drawn(few, 1.0) == {pair.id for pair in few if pair.narrative}
