"""What people's answers come to: every rule of the decision, on small tables of answers."""

import random
from collections import Counter
from itertools import product
from typing import Any, get_args

import pytest

from pairwright.settings.rules import LATER_LIMITS, HumanRules
from pairwright_human_eval.attention import checks_passed, excluded_by
from pairwright_human_eval.decisions import Decision, State, decide, decide_all, reason_in_words
from pairwright_human_eval.records import (
    KeyedTask,
    Purpose,
    RubricAnswers,
    Support,
    Verdict,
    response_id,
)
from pairwright_human_eval.subjects import Subject, outline_of, outlines_of
from small_studies import OF_THREE, decided, one, quality, support, twin, violate, votes, well

PAIR = violate(1)
VIOLATE = one(PAIR)
ASKED, PARTNER = twin(2)
TWIN = one(ASKED, PARTNER)
CLEAR: tuple[Support, Support] = ("clearly", "clearly")
ONLY_VOTES: dict[str, Any] = {"quality_votes": 0, "rubric_votes": 0}
OTHERS: tuple[Purpose, ...] = ("wrong_profile", "narrative", "attention", "repeat")


def of_votes(choices: str, closing: str = "", **policy: Any) -> tuple[State, tuple[str, ...]]:
    """The state of a pair with these votes, and of round 2, where all else is well."""
    given = [*well(VIOLATE), *votes(PAIR, choices), *votes(PAIR, closing, round=2)]
    made = decided(VIOLATE, given, **policy)
    return made.state, made.reasons


def of_twin(asked: str, partner: str, **policy: Any) -> tuple[State, tuple[str, ...]]:
    given = [*well(TWIN), *votes(ASKED, asked), *votes(PARTNER, partner)]
    made = decided(TWIN, given, **policy)
    return made.state, made.reasons


# Preference

MAJORITY = [
    ("+++", "verified", ""),
    ("++-", "verified", ""),
    ("++=", "verified", ""),
    ("++?", "verified", ""),
    ("+++--", "verified", ""),
    ("+++-", "verified", ""),
    ("---", "refused", "preference: for_the_other"),
    ("--+", "refused", "preference: for_the_other"),
    ("--?", "refused", "preference: for_the_other"),
    ("===", "refused", "preference: about_equal"),
    ("==+", "refused", "preference: about_equal"),
    ("==?", "refused", "preference: about_equal"),
    ("+-=", "disputed", "preference: no_majority"),
    ("+-?", "disputed", "preference: no_majority"),
    ("+=?", "disputed", "preference: no_majority"),
    ("++--", "disputed", "preference: no_majority"),
    ("++-=", "disputed", "preference: no_majority"),
    ("+??", "refused", "preference: cannot_tell"),
    ("-??", "refused", "preference: cannot_tell"),
    ("???", "refused", "preference: cannot_tell"),
    ("", "waiting", "preference: 0 of 3 votes"),
    ("++", "waiting", "preference: 2 of 3 votes"),
    ("--", "waiting", "preference: 2 of 3 votes"),
    ("??", "waiting", "preference: 2 of 3 votes"),
]


@pytest.mark.parametrize(("choices", "state", "reason"), MAJORITY)
def test_majority_of_three(choices: str, state: str, reason: str) -> None:
    assert of_votes(choices) == (state, (reason,) if reason else ())


UNANIMITY = [
    ("+++", "verified", ""),
    ("++++", "verified", ""),
    ("++-", "refused", "preference: not_unanimous"),
    ("++=", "refused", "preference: not_unanimous"),
    ("++?", "refused", "preference: not_unanimous"),
    ("--+", "refused", "preference: for_the_other"),
    ("---", "refused", "preference: for_the_other"),
    ("===", "refused", "preference: about_equal"),
    ("+??", "refused", "preference: cannot_tell"),
    ("++", "waiting", "preference: 2 of 3 votes"),
]


@pytest.mark.parametrize(("choices", "state", "reason"), UNANIMITY)
def test_unanimity_of_three(choices: str, state: str, reason: str) -> None:
    assert of_votes(choices, rule="unanimity") == (state, (reason,) if reason else ())


@pytest.mark.parametrize(
    ("share", "choices", "state"),
    [
        (0, "++?", "refused"),
        (0, "+++", "verified"),
        (0.34, "++?", "verified"),
        (0.5, "++??", "disputed"),
        (0.49, "++??", "refused"),
        (0.67, "+??", "disputed"),
        (1, "???", "disputed"),
    ],
)
def test_the_most_share_of_cannot_tell(share: float, choices: str, state: str) -> None:
    assert of_votes(choices, cannot_tell=share)[0] == state


@pytest.mark.parametrize(
    ("needed", "choices", "state"),
    [
        (1, "+", "verified"),
        (1, "-", "refused"),
        (1, "?", "refused"),
        (2, "+-", "disputed"),
        (5, "+++", "waiting"),
        (5, "+++--", "verified"),
    ],
)
def test_how_many_votes_a_pair_needs(needed: int, choices: str, state: str) -> None:
    assert of_votes(choices, votes=needed)[0] == state


def test_the_votes_are_counted_by_what_they_are_for() -> None:
    made = decided(TWIN, [*votes(ASKED, "++-=?"), *votes(PARTNER, "+?")])
    asked, partner = made.votes
    assert (asked.pair, partner.pair) == (ASKED.id, PARTNER.id) == made.pairs
    assert (asked.chosen, asked.rejected, asked.equal, asked.cannot_tell, asked.n) == (
        2,
        1,
        1,
        1,
        5,
    )
    assert (partner.chosen, partner.rejected, partner.cannot_tell, partner.n) == (1, 0, 1, 2)


# Quality


def of_quality(given: list[Verdict], **policy: Any) -> tuple[State, tuple[str, ...]]:
    clear = support(PAIR, CLEAR, CLEAR)
    made = decided(VIOLATE, [*given, *clear, *votes(PAIR, "+++")], **policy)
    return made.state, made.reasons


@pytest.mark.parametrize("low_side", ["first", "second"])
@pytest.mark.parametrize("scale", ["correctness", "helpfulness"])
def test_the_floor_holds_on_either_side_and_on_every_scale(low_side: str, scale: str) -> None:
    fine = {"correctness": 4, "helpfulness": 4}
    for score, state, reasons in ((2, "refused", (f"quality: {scale}",)), (3, "verified", ())):
        low = {**fine, scale: score}
        sides: dict[str, Any] = {"first": fine, "second": fine, low_side: low}
        assert of_quality(quality(VIOLATE, **sides), quality_gap=4) == (state, reasons)


def test_the_floor_is_on_the_mean() -> None:
    low, high = quality(VIOLATE, 2, 4, n=1), quality(VIOLATE, 4, 4, n=1)
    assert of_quality([*low, *high])[0] == "verified"
    assert of_quality([*low, *low, *high])[0] == "refused"
    assert of_quality([*low, *low, *high], quality_floor=2.5)[0] == "verified"


@pytest.mark.parametrize(
    ("needed", "given", "state"), [(2, 1, "waiting"), (2, 2, "verified"), (3, 2, "waiting")]
)
def test_how_many_quality_answers_a_subject_needs(needed: int, given: int, state: str) -> None:
    found = of_quality(quality(VIOLATE, 4, 4, n=given), quality_votes=needed)
    reason = f"quality: {given} of {needed} answers"
    assert found == (state, (reason,) if state == "waiting" else ())


def test_without_quality_votes_nobody_needs_to_say_anything_and_nothing_refuses() -> None:
    for given in ([], quality(VIOLATE, 1, 1)):
        assert of_quality(given, quality_votes=0)[0] == "verified"


def test_cannot_judge_is_no_score() -> None:
    unsure: dict[str, int | None] = {"correctness": None, "helpfulness": 4}
    some = [*quality(VIOLATE, unsure, 4, n=1), *quality(VIOLATE, 4, 4, n=1)]
    made = decided(VIOLATE, some)
    assert made.quality[response_id(PAIR.chosen)] == {"correctness": 4, "helpfulness": 4}
    assert of_quality(some)[0] == "verified"

    nobody = quality(VIOLATE, unsure, 4)
    made = decided(VIOLATE, nobody)
    assert made.quality[response_id(PAIR.chosen)] == {"correctness": None, "helpfulness": 4}
    assert of_quality(nobody) == ("disputed", ("quality: correctness cannot be judged",))


@pytest.mark.parametrize(("closing", "state"), [(4, "verified"), (2, "refused"), (None, "refused")])
def test_an_adjudicator_closes_what_could_not_be_judged(closing: int | None, state: str) -> None:
    unsure: dict[str, int | None] = {"correctness": None, "helpfulness": 4}
    said: dict[str, int | None] = {"correctness": closing, "helpfulness": 4}
    found = of_quality([*quality(VIOLATE, unsure, 4), *quality(VIOLATE, said, 4, n=1, round=2)])
    assert found[0] == state


@pytest.mark.parametrize("unsure_side", ["first", "second"])
def test_a_scale_below_the_floor_refuses_although_another_could_not_be_judged(
    unsure_side: str,
) -> None:
    other = {"first": "second", "second": "first"}[unsure_side]
    sides: dict[str, Any] = {
        unsure_side: {"correctness": None, "helpfulness": 2},
        other: {"correctness": 4, "helpfulness": 3},
    }
    assert of_quality(quality(VIOLATE, **sides)) == ("refused", ("quality: helpfulness",))


def test_a_mean_that_is_the_floor_passes() -> None:
    scores = [*quality(VIOLATE, 3, 4, n=2), *quality(VIOLATE, 4, 4, n=1)]
    assert of_quality(scores, quality_floor=10 / 3)[0] == "verified"


# Aspects


def of_support(*answers: tuple[Support, Support], **policy: Any) -> tuple[State, tuple[str, ...]]:
    given = [*quality(VIOLATE, 4, 4), *votes(PAIR, "+++"), *support(PAIR, *answers)]
    made = decided(VIOLATE, given, **policy)
    return made.state, made.reasons


UNSUPPORTED = ("rubric: aspects_unsupported",)


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        (("clearly", "plausibly"), ("plausibly", "clearly"), 1.0),
        (("clearly", "no"), ("clearly", "contradicted"), 0.5),
        (("clearly", "no"), ("no", "clearly"), 0.0),  # one of two is not most
        (("no", "no"), ("contradicted", "no"), 0.0),
    ],
)
def test_an_aspect_is_supported_where_most_find_it_so(
    first: tuple[Support, Support], second: tuple[Support, Support], share: float
) -> None:
    made = decided(VIOLATE, support(PAIR, first, second))
    assert made.supported == {PAIR.id: share}
    assert of_support(first, second) == (
        ("verified", ()) if share >= 0.5 else ("refused", UNSUPPORTED)
    )
    assert of_support(first, second, aspects_supported=0, delivered=0)[0] == "verified"
    assert of_support(first, second, aspects_supported=1)[0] == (
        "verified" if share == 1 else "refused"
    )


GAPS = [
    ([(4, 3), (4, 3), (5, 3)], ()),  # 4/3 of a point
    ([(5, 4), (5, 3)], ()),  # a point and a half, which is the limit
    ([(5, 3), (4, 3), (5, 3)], ("quality_gap: correctness", "quality_gap: helpfulness")),
    ([(3, 5), (3, 5)], ("quality_gap: correctness", "quality_gap: helpfulness")),
]


@pytest.mark.parametrize(("scores", "reasons"), GAPS)
def test_neither_response_may_be_much_better(
    scores: list[tuple[int, int]], reasons: tuple[str, ...]
) -> None:
    given = [v for first, second in scores for v in quality(VIOLATE, first, second, n=1)]
    assert of_quality(given) == ("refused" if reasons else "verified", reasons)
    assert of_quality(given, quality_gap=2)[0] == "verified"


def test_a_gap_on_one_scale_is_enough_and_names_it() -> None:
    better: dict[str, int | None] = {"correctness": 5, "helpfulness": 4}
    worse: dict[str, int | None] = {"correctness": 3, "helpfulness": 4}
    assert of_quality(quality(VIOLATE, better, worse)) == (
        "refused", ("quality_gap: correctness",)
    )  # fmt: skip


def test_a_gap_that_is_the_limit_passes_although_thirds_are_not_exact() -> None:
    given = [*quality(VIOLATE, 5, 3, n=2), *quality(VIOLATE, 3, 3, n=1)]
    assert of_quality(given, quality_gap=4 / 3)[0] == "verified"
    assert of_quality(given, quality_gap=1.3)[0] == "refused"


def delivered_by(*answers: str, **policy: Any) -> tuple[State, tuple[str, ...]]:
    """Everybody finds both aspects supported. For each person, who delivers the first and the
    second: `+` the chosen response alone, `-` the other alone, `b` both, `n` neither, `?`."""
    names = {"+": response_id(PAIR.chosen), "-": response_id(PAIR.rejected), "b": "both"}
    names |= {"n": "neither", "?": "cannot_tell"}
    given = []
    for (verdict,), said in ((support(PAIR, CLEAR), said) for said in answers):
        assert isinstance(verdict.answers, RubricAnswers)
        rows = zip(verdict.answers.aspects, said, strict=True)
        rewritten = [row.model_copy(update={"delivered": names[code]}) for row, code in rows]
        told = RubricAnswers(aspects=tuple(rewritten))
        given.append(verdict.model_copy(update={"answers": told}))
    made = decided(VIOLATE, [*quality(VIOLATE, 4, 4), *votes(PAIR, "+++"), *given], **policy)
    return made.state, made.reasons


UNDELIVERED = ("rubric: aspects_undelivered",)


@pytest.mark.parametrize(
    ("answers", "reasons"),
    [
        (("++", "++", "++"), ()),
        (("++", "+-", "-+"), ()),  # two of three for each
        (("++", "+b", "b+"), ()),  # all find it in the chosen one, and most not in the other
        (("++", "n?", "??"), UNDELIVERED),  # the first is one of two
        (("++", "+?", "??"), ()),  # who cannot tell is left out
        (("+-", "+-", "+-"), UNDELIVERED),  # one aspect each: not most
        (("+b", "+b", "+b"), UNDELIVERED),
        (("--", "--", "--"), UNDELIVERED),
        (("bb", "bb", "bb"), UNDELIVERED),
        (("nn", "nn", "nn"), UNDELIVERED),
        (("??", "??", "??"), UNDELIVERED),
    ],
)
def test_the_chosen_response_alone_delivers_most(
    answers: tuple[str, ...], reasons: tuple[str, ...]
) -> None:
    assert delivered_by(*answers) == ("refused" if reasons else "verified", reasons)
    assert delivered_by(*answers, delivered=0)[0] == "verified"
    assert delivered_by(*answers, rubric_votes=0)[0] == "verified"


def test_one_of_two_aspects_is_enough_where_the_rule_says_so() -> None:
    assert delivered_by("+b", "+b", delivered=0.5)[0] == "verified"


def test_only_supported_aspects_have_to_be_delivered() -> None:
    """Nobody delivers the second aspect, and most find it unsupported."""
    first: tuple[Support, Support] = ("clearly", "no")
    given = [*quality(VIOLATE, 4, 4), *votes(PAIR, "+++")]
    for verdict in support(PAIR, first, first):
        assert isinstance(verdict.answers, RubricAnswers)
        kept, unmet = verdict.answers.aspects
        told = RubricAnswers(aspects=(kept, unmet.model_copy(update={"delivered": "neither"})))
        given.append(verdict.model_copy(update={"answers": told}))
    made = decided(VIOLATE, given)
    assert (made.state, made.supported, made.delivered) == (
        "verified", {PAIR.id: 0.5}, {PAIR.id: 1.0}
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "refused"),
    [
        ([CLEAR, CLEAR, CLEAR], False),
        ([("clearly", "contradicted"), CLEAR], False),  # one of two is not most
        ([("clearly", "contradicted"), ("clearly", "contradicted"), CLEAR], True),
        ([("clearly", "contradicted")] * 3, True),
    ],
)
def test_no_aspect_may_be_contradicted_by_most(
    answers: list[tuple[Support, Support]], refused: bool
) -> None:
    found = of_support(*answers)
    assert found == (("refused", ("rubric: aspect_contradicted",)) if refused else ("verified", ()))
    assert of_support(*answers, contradicted=1)[0] == "verified"


def test_every_failure_has_its_reason() -> None:
    """What an older rule verified: the better response is chosen, the other one delivers, and the
    posts contradict an aspect."""
    twisted: tuple[Support, Support] = ("clearly", "contradicted")
    given = [*quality(VIOLATE, 5, 3), *votes(PAIR, "+++")]
    given += support(PAIR, twisted, twisted, delivered=response_id(PAIR.rejected))
    made = decided(VIOLATE, given)
    assert made.state == "refused"
    assert made.reasons == (
        "quality_gap: correctness", "quality_gap: helpfulness", *UNDELIVERED,
        "rubric: aspect_contradicted",
    )  # fmt: skip
    assert all(map(reason_in_words, made.reasons))
    old = decided(VIOLATE, given, **dict.fromkeys(LATER_LIMITS))
    assert old.state == "verified"
    assert "delivered" not in old.model_dump()


@pytest.mark.parametrize("half", [ASKED, PARTNER])
def test_what_is_not_delivered_in_either_half_refuses_a_twin(half: Any) -> None:
    given = [*quality(TWIN, 4, 4), *votes(ASKED, "+++"), *votes(PARTNER, "+++")]
    for pair in TWIN.pairs:
        other = response_id(pair.rejected if pair is half else pair.chosen)
        given += support(pair, CLEAR, CLEAR, delivered=other)
    made = decided(TWIN, given)
    assert (made.state, made.reasons) == ("refused", UNDELIVERED)
    assert made.delivered == {p.id: 0.0 if p is half else 1.0 for p in TWIN.pairs}


def test_how_many_rubric_answers_a_pair_needs() -> None:
    assert of_support() == ("waiting", ("rubric: 0 of 2 answers",))
    assert of_support(CLEAR) == ("waiting", ("rubric: 1 of 2 answers",))
    assert of_support(CLEAR, rubric_votes=1)[0] == "verified"
    assert of_support(rubric_votes=0)[0] == "verified"
    assert of_support(("no", "no"), ("no", "no"), rubric_votes=0)[0] == "verified"


def test_a_share_of_aspects_that_is_the_least_passes() -> None:
    pair = PAIR.model_copy(
        update={
            "rubric": PAIR.rubric.model_copy(
                update={
                    "aspects": tuple(
                        PAIR.rubric.aspects[0].model_copy(update={"aspect": f"aspect {n}"})
                        for n in range(3)
                    )
                }
            )
        }
    )
    one_of_three: tuple[Support, ...] = ("clearly", "no", "no")
    given = [
        *quality(one(pair), 4, 4),
        *votes(pair, "+++"),
        *support(pair, one_of_three, one_of_three),
    ]
    assert decided(one(pair), given, aspects_supported=1 / 3).state == "verified"


def test_a_control_is_never_verified_and_may_be_refused() -> None:
    def state(choices: str, **policy: Any) -> tuple[State, tuple[str, ...]]:
        given = [*quality(VIOLATE, 4, 4), *votes(PAIR, choices)]
        made = decide(
            outline_of(VIOLATE, aspects_asked=False), given, HumanRules(**OF_THREE | policy)
        )
        return made.state, made.reasons

    assert state("+++") == ("control", ("rubric: a control of the study, not asked about",))
    assert state("+-=")[0] == state("++")[0] == "control"
    assert state("---") == ("refused", ("preference: for_the_other",))
    # Where nobody's answer about aspects is needed, a control lacks nothing.
    assert state("+++", rubric_votes=0)[0] == "verified"


# Twins


@pytest.mark.parametrize(
    ("asked", "partner", "state", "reason"),
    [
        ("+++", "++-", "verified", ""),
        ("+++", "---", "refused", "preference: for_the_other"),
        ("+++", "===", "refused", "preference: about_equal"),
        ("+++", "???", "refused", "preference: cannot_tell"),
        ("+++", "+-=", "disputed", "preference: no_majority"),
        ("+++", "++", "waiting", "preference: 2 of 3 votes"),
        ("---", "++", "refused", "preference: for_the_other"),
        ("---", "+-=", "refused", "preference: for_the_other"),
        ("+-=", "++", "waiting", "preference: 2 of 3 votes"),
    ],
)  # fmt: skip
def test_one_half_of_a_twin_decides_for_both(
    asked: str, partner: str, state: str, reason: str
) -> None:
    expected = (state, (reason,) if reason else ())
    assert of_twin(asked, partner) == of_twin(partner, asked) == expected


@pytest.mark.parametrize("half", [ASKED, PARTNER])
def test_the_aspects_of_either_half_refuse_a_twin(half: Any) -> None:
    no: tuple[Support, Support] = ("no", "no")
    given = [*quality(TWIN, 4, 4), *votes(ASKED, "+++"), *votes(PARTNER, "+++")]
    for pair in TWIN.pairs:
        given += support(pair, *([no, no] if pair is half else [CLEAR, CLEAR]))
    made = decided(TWIN, given)
    assert (made.state, made.reasons) == ("refused", UNSUPPORTED)
    assert made.supported == {p.id: 0.0 if p is half else 1.0 for p in TWIN.pairs}


def test_the_disputed_halves_are_named() -> None:
    given = [*well(TWIN), *votes(ASKED, "+++"), *votes(PARTNER, "+-=")]
    assert decided(TWIN, given).disputed == (PARTNER.id,)
    assert decided(TWIN, [*given, *votes(PARTNER, "+", round=2)]).disputed == ()


# What does not count


@pytest.mark.parametrize("purpose", OTHERS)
def test_only_votes_count(purpose: Purpose) -> None:
    given = [*well(VIOLATE), *votes(PAIR, "+-=")]
    before = decided(VIOLATE, given)
    assert decided(VIOLATE, [*given, *votes(PAIR, "+" * 50, purpose=purpose)]) == before
    assert decided(VIOLATE, votes(PAIR, "+++", purpose=purpose)).votes[0].n == 0


def test_nothing_counts_of_somebody_excluded() -> None:
    good, bad = votes(PAIR, "++"), votes(PAIR, "--", annotator="bad")
    spoiled = [
        *well(VIOLATE), *good, *bad,
        *quality(VIOLATE, 1, 1, n=9, annotator="bad"),
        *support(PAIR, ("no", "no"), ("no", "no"), ("no", "no"), annotator="bad"),
    ]  # fmt: skip
    assert decided(VIOLATE, spoiled).state == "refused"
    without = decide(
        outline_of(VIOLATE), spoiled, HumanRules(**OF_THREE), excluded=frozenset({"bad"})
    )
    assert without == decided(VIOLATE, [*well(VIOLATE), *good])
    assert without.state == "waiting"


def test_simulated_answers_mark_the_decision() -> None:
    assert not decided(VIOLATE, [*well(VIOLATE), *votes(PAIR, "+++")]).simulated
    assert decided(VIOLATE, [*well(VIOLATE), *votes(PAIR, "+++", simulated=True)]).simulated


# Attention


def checks(
    answers: dict[str, str], expected: str = "A"
) -> tuple[list[Verdict], dict[str, KeyedTask]]:
    """Answers of each annotator to checks that expect one side: `+` right, `-` `=` `?` wrong."""
    pair = violate(9)
    if expected == "B":
        pair = pair.model_copy(update={"chosen": pair.rejected, "rejected": pair.chosen})
    verdicts = [
        v.model_copy(update={"pair": None, "subject": "check-1"})
        for who, choices in answers.items()
        for v in votes(
            pair, choices, annotator=who, purpose="attention",
            a=response_id(violate(9).chosen), b=response_id(violate(9).rejected),
        )
    ]  # fmt: skip
    key = {
        v.task: keyed(v.task, "attention", "check-1", expected=expected).model_copy(
            update={"annotator": v.annotator, "a": v.a, "b": v.b}
        )
        for v in verdicts
    }
    return verdicts, key


def keyed(task: str, purpose: Purpose, subject: str, **changes: Any) -> KeyedTask:
    fields: dict[str, Any] = {
        "task": task, "kind": "preference", "purpose": purpose, "round": 1,
        "annotator": "x", "subject": subject, "pair": None, "domain": "Home",
        "a": "response-a", "b": "response-b", "expected": None, "aspects": (), "data_hash": "",
    }  # fmt: skip
    return KeyedTask.model_validate({**fields, **changes})


@pytest.mark.parametrize("expected", ["A", "B"])
def test_checks_passed_are_counted_by_annotator(expected: str) -> None:
    verdicts, key = checks({"one": "++-", "two": "=?", "three": "++++"}, expected)
    passed = checks_passed([*verdicts, *votes(PAIR, "---", annotator="three")], key)
    assert {who: (found.k, found.n) for who, found in passed.items()} == {
        "one": (2, 3), "two": (0, 2), "three": (4, 4)
    }  # fmt: skip
    assert excluded_by(passed, 0.75) == {"one", "two"}
    assert excluded_by(passed, 0.6) == {"two"}
    assert excluded_by(passed, 0) == frozenset()


def test_whoever_met_no_check_is_not_excluded() -> None:
    assert excluded_by(checks_passed(votes(PAIR, "+++"), {}), 1.0) == frozenset()


def test_a_share_of_checks_that_is_the_floor_passes() -> None:
    verdicts, key = checks({"x": "+" * 14 + "-" * 11})
    assert excluded_by(checks_passed(verdicts, key), 0.56) == frozenset()


def test_a_share_of_cannot_tell_that_is_the_most_passes() -> None:
    assert of_votes("+" * 71 + "?" * 29, cannot_tell=0.29)[0] == "verified"


def decided_all(
    subjects: list[Subject], given: list[Verdict], key: dict[str, KeyedTask], **policy: Any
) -> dict[str, Decision]:
    rule = HumanRules(**OF_THREE | policy)
    out = excluded_by(checks_passed(given, key), rule.attention_floor)
    return decide_all(outlines_of(subjects, key), given, rule, out)


def test_decide_all_leaves_out_who_failed_and_finds_the_controls() -> None:
    failed, key = checks({"bad": "-+"})
    bad = [*votes(PAIR, "---", annotator="bad"), *votes(ASKED, "---", annotator="bad")]
    given = [
        *failed, *bad, *well(VIOLATE), *votes(PAIR, "+++"),
        *quality(TWIN, 4, 4), *votes(ASKED, "+++"), *votes(PARTNER, "+++"),
    ]  # fmt: skip
    key["r"] = keyed("r", "vote", VIOLATE.id, kind="rubric")
    unanswered = one(violate(7))
    key["s"] = keyed("s", "vote", unanswered.id, kind="rubric")
    decisions = decided_all([VIOLATE, TWIN, unanswered], given, key)
    states = {name: decision.state for name, decision in decisions.items()}
    assert states == {VIOLATE.id: "verified", TWIN.id: "control", unanswered.id: "waiting"}
    assert list(decisions) == [VIOLATE.id, TWIN.id, unanswered.id]
    trusting = decided_all([VIOLATE], given, key, attention_floor=0.5)
    assert trusting[VIOLATE.id].state == "disputed"


# Round 2


@pytest.mark.parametrize(
    ("closing", "state", "reason"),
    [
        ("+", "verified", ""),
        ("++", "verified", ""),
        ("-", "refused", "preference: adjudicated"),
        ("=", "refused", "preference: adjudicated"),
        ("?", "refused", "preference: adjudicated"),
        ("+-", "refused", "preference: adjudicated"),
    ],
)
@pytest.mark.parametrize("first", ["+-=", "+-?", "++--"])
def test_round_two_closes_a_dispute(first: str, closing: str, state: str, reason: str) -> None:
    assert of_votes(first, closing) == (state, (reason,) if reason else ())


@pytest.mark.parametrize(("first", "state", "_"), MAJORITY)
def test_round_two_changes_nothing_but_disputes(first: str, state: str, _: str) -> None:
    for closing in "+-=?":
        if state != "disputed":
            assert of_votes(first, closing) == of_votes(first)


@pytest.mark.parametrize(
    ("first", "closing", "state", "reason"),
    [
        ("+++", "", "waiting", "preference: 3 of 4 votes"),
        ("++++", "", "verified", ""),
        ("++++", "------", "verified", ""),
        ("+++-", "", "disputed", "preference: one_not_for_it"),
        ("+++?", "", "disputed", "preference: one_not_for_it"),
        ("+++=", "++++", "disputed", "preference: one_not_for_it"),
        ("+++=", "-+++", "disputed", "preference: one_not_for_it"),
        ("+++-", "+++++", "verified", ""),
        ("+++-", "+-++++", "verified", ""),
        ("+++-", "-=", "refused", "preference: adjudicated"),
        ("+++-", "+-+++?", "refused", "preference: adjudicated"),
        ("++--", "++++++", "refused", "preference: not_unanimous"),
        ("++-=", "", "refused", "preference: not_unanimous"),
        ("+---", "", "refused", "preference: for_the_other"),
        ("++++-", "", "disputed", "preference: one_not_for_it"),
    ],
)
def test_the_default_rule(first: str, closing: str, state: str, reason: str) -> None:
    rule = HumanRules().model_dump()
    assert of_votes(first, closing, **rule) == (state, (reason,) if reason else ())


def test_round_two_is_no_vote_of_the_first() -> None:
    made = decided(VIOLATE, [*well(VIOLATE), *votes(PAIR, "+-="), *votes(PAIR, "+", round=2)])
    assert made.votes[0].n == 3
    assert made.adjudicated
    assert not decided(VIOLATE, votes(PAIR, "+-=")).adjudicated


def test_both_disputed_halves_of_a_twin_have_to_be_closed() -> None:
    given = [*well(TWIN), *votes(ASKED, "+-="), *votes(PARTNER, "+-=")]
    assert decided(TWIN, given).disputed == (ASKED.id, PARTNER.id)
    given += votes(ASKED, "+", round=2)
    assert decided(TWIN, given).state == "disputed"
    assert decided(TWIN, [*given, *votes(PARTNER, "+", round=2)]).state == "verified"
    assert decided(TWIN, [*given, *votes(PARTNER, "-", round=2)]).state == "refused"


# Properties


def random_answers(chance: random.Random) -> list[Verdict]:
    """Answers about the twin, leaning to what verifies it."""
    score = [None, 2, 3, 4, 4, 5]
    found: list[Verdict] = []
    for _ in range(chance.choice([1, 2, 3])):
        first, second = (
            {name: chance.choice(score) for name in ("correctness", "helpfulness")} for _ in "ab"
        )
        found += quality(TWIN, first, second, n=1)
    for pair in TWIN.pairs:
        found += votes(
            pair, "".join(chance.choices("+-=?", (7, 2, 1, 1), k=chance.choice([3, 3, 4])))
        )
        given = [chance.choices(get_args(Support), (6, 2, 1, 1), k=2) for _ in range(2)]
        found += support(pair, *given)
        if chance.random() < 0.3:
            found += votes(pair, chance.choice("++-?"), round=2)
        found += votes(pair, chance.choice("+-"), purpose=chance.choice(OTHERS))
    chance.shuffle(found)
    return found


def random_policy(chance: random.Random) -> dict[str, Any]:
    return {
        "rule": chance.choice(["majority", "majority", "unanimity"]),
        "cannot_tell": chance.choice([0, 0.34, 0.5]),
        "quality_votes": chance.choice([0, 1, 2]),
        "rubric_votes": chance.choice([0, 1, 2]),
        "aspects_supported": chance.choice([0, 0.5, 1]),
    }


def test_the_order_of_answers_does_not_matter() -> None:
    states = Counter[str]()
    for seed in range(200):
        chance = random.Random(seed)
        given, policy = random_answers(chance), random_policy(chance)
        before = decided(TWIN, given, **policy)
        states[before.state] += 1
        chance.shuffle(given)
        assert decided(TWIN, given, **policy).model_dump_json() == before.model_dump_json()
    assert {"verified", "refused", "disputed", "waiting"} <= states.keys()


def test_another_vote_for_the_chosen_response_never_unverifies() -> None:
    verified = 0
    for seed in range(350):
        chance = random.Random(seed)
        given, policy = random_answers(chance), random_policy(chance)
        if decided(TWIN, given, **policy).state == "verified":
            verified += 1
            for pair in TWIN.pairs:
                more = decided(TWIN, [*given, *votes(pair, "+")], **policy)
                assert more.state == "verified", more.reasons
    assert verified > 20


def test_another_vote_for_the_other_response_never_verifies() -> None:
    for seed in range(200):
        chance = random.Random(seed)
        given, policy = random_answers(chance), random_policy(chance)
        before = decided(TWIN, given, **policy)
        if before.state in ("refused", "disputed"):
            after = decided(TWIN, [*given, *votes(ASKED, "-")], **policy)
            assert after.state != "verified"


def test_a_changed_policy_decides_the_same_answers_anew() -> None:
    given = [*quality(VIOLATE, 3, 4), *support(PAIR, ("clearly", "no"), CLEAR), *votes(PAIR, "++?")]
    cases: list[tuple[dict[str, Any], State]] = [
        ({}, "verified"),
        ({"rule": "unanimity"}, "refused"),
        ({"votes": 4}, "waiting"),
        ({"votes": 2}, "verified"),
        ({"cannot_tell": 0.2}, "refused"),
        ({"quality_floor": 3.5}, "refused"),
        ({"quality_votes": 3}, "waiting"),
        ({"quality_votes": 0, "quality_floor": 5}, "verified"),
        ({"aspects_supported": 1}, "refused"),
        ({"rubric_votes": 3}, "waiting"),
        ({"rubric_votes": 0, "aspects_supported": 1}, "verified"),
    ]
    for policy, expected in cases:
        assert decided(VIOLATE, given, **policy).state == expected, policy


# Coin flips: what people who toss a coin would verify, over every way the coins can fall.


def verified_by_coins(halves: int, rule: str) -> float:
    subject = TWIN if halves == 2 else VIOLATE
    outcomes = list(product("+-", repeat=3 * halves))
    states = Counter(
        decided(
            subject,
            [
                v
                for n, pair in enumerate(subject.pairs)
                for v in votes(pair, "".join(coins[3 * n : 3 * n + 3]))
            ],
            rule=rule,
            **ONLY_VOTES,
        ).state
        for coins in outcomes
    )
    return states["verified"] / len(outcomes)


@pytest.mark.parametrize(
    ("halves", "rule", "share"),
    [
        (1, "majority", 0.5),
        (1, "unanimity", 0.125),
        (2, "majority", 0.25),
        (2, "unanimity", 1 / 64),
    ],
)
def test_what_coin_flips_would_verify(halves: int, rule: str, share: float) -> None:
    assert verified_by_coins(halves, rule) == share


def test_a_simulation_of_coin_flips_comes_to_the_same() -> None:
    chance = random.Random(0)
    states = Counter(
        decided(
            TWIN,
            [v for pair in TWIN.pairs for v in votes(pair, "".join(chance.choices("+-", k=3)))],
            **ONLY_VOTES,
        ).state
        for _ in range(1000)
    )
    assert 0.21 < states["verified"] / 1000 < 0.29
