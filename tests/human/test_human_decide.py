"""What people's answers come to: every rule of the decision, on small tables of answers."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast, get_args

import pytest

from pairwright.settings.rules import HumanRules
from pairwright_human_eval.decisions import State, decide, decide_all, reason_in_words
from pairwright_human_eval.records import (
    RubricAnswers,
    Support,
    Verdict,
    response_id,
)
from pairwright_human_eval.subjects import Subject, outline_of
from small_studies import OF_THREE, decided, one, quality, support, twin, violate, votes, well

PAIR = violate(1)
VIOLATE = one(PAIR)
ASKED, PARTNER = twin(2)
TWIN = one(ASKED, PARTNER)
CLEAR: tuple[Support, Support] = ("clearly", "clearly")
UNSUPPORTED, UNDELIVERED = ("rubric: aspects_unsupported",), ("rubric: aspects_undelivered",)
Found = tuple[State, tuple[str, ...]]


def of(given: list[Verdict], subject: Subject = VIOLATE, **policy: Any) -> Found:
    """The state and its reasons."""
    made = decided(subject, given, **policy)
    return made.state, made.reasons


def of_votes(choices: str, closing: str = "", **policy: Any) -> Found:
    """With these votes, and of round 2, where all else is well."""
    given = [*well(VIOLATE), *votes(PAIR, choices), *votes(PAIR, closing, round=2)]
    return of(given, **policy)


# Preference

MAJORITY = """
    verified                        +++ ++- ++= ++? +++-- +++-
    refused    for_the_other        --- --+ --?
    refused    no_difference        === ==+ ==?
    disputed   no_majority          +-= +-? +=? ++-- ++-=
    refused    cannot_tell          +?? -?? ???
    waiting    0_of_3_votes         ,
    waiting    2_of_3_votes         ++ -- ??
    verified                        +-=,+ +-=,++ +-?,+ ++--,++
    refused    adjudicated          +-=,- +-=,= +-?,? ++--,+-
"""
UNANIMITY = """
    verified                        +++ ++++
    refused    not_unanimous        ++- ++= ++?
    refused    for_the_other        --+ ---
    refused    no_difference        ===
    refused    cannot_tell          +??
    waiting    2_of_3_votes         ++
"""
DEFAULT = """
    waiting    3_of_4_votes         +++
    verified                        ++++ ++++,------ +++-,+++++ +++-,+-++++
    disputed   one_not_for_it       +++- +++? +++=,++++ +++=,-+++ ++++-
    refused    adjudicated          +++-,-= +++-,+-+++?
    refused    not_unanimous        ++--,++++++ ++-=
    refused    for_the_other        +---
"""


PLACEBO = """
    waiting    3_of_4_votes         ===
    verified                        ==== ===+,===== ===?,=+====
    disputed   one_not_for_it       ===- ===?,====
    refused    adjudicated          ===+,+- ===+,==?+==
    refused    not_unanimous        ==+- ==++ ==+-,======
    refused    for_one_response     =+++ ---- ---=
    refused    cannot_tell          ==??
"""


def cases(table: str) -> Iterator[tuple[Found, str, str]]:
    """What is found, and the votes of the first round and, behind a comma, of the second."""
    for line in table.strip().splitlines():
        state, *words = line.split()
        reasons: tuple[str, ...] = ()
        if words[0][-1].isalpha():
            reason = words.pop(0)
            reason = reason.replace("_", " ") if "_of_" in reason else reason
            reasons = (f"preference: {reason}",)
        for said in words:
            first, _, closing = said.partition(",")
            yield (cast(State, state), reasons), first, closing


@pytest.mark.parametrize(
    ("policy", "table"),
    [({}, MAJORITY), ({"rule": "unanimity"}, UNANIMITY), (HumanRules().model_dump(), DEFAULT)],
    ids=["majority", "unanimity", "default"],
)
def test_what_the_votes_on_a_pair_come_to(policy: dict[str, Any], table: str) -> None:
    for expected, first, closing in cases(table):
        assert of_votes(first, closing, **policy) == expected, (first, closing)
        if expected[0] != "disputed" and not closing:
            # Round 2 changes nothing but disputes.
            assert {of_votes(first, one, **policy) for one in "+-=?"} == {expected}


OF_PLACEBO = [
    pair.model_copy(
        update={"mode": "placebo", "rubric": pair.rubric.model_copy(update={"aspects": ()})}
    )
    for pair in twin(3)
]


@pytest.mark.parametrize("half", [0, 1])
def test_a_placebo_is_verified_where_both_halves_make_no_difference(half: int) -> None:
    """The default rule, of “no difference” in place of the chosen response; nobody is asked about
    aspects."""
    placebo = one(*OF_PLACEBO)
    rest = quality(placebo, 4, 4) + votes(OF_PLACEBO[1 - half], "====")
    for expected, first, closing in cases(PLACEBO):
        given = votes(OF_PLACEBO[half], first) + votes(OF_PLACEBO[half], closing, round=2)
        assert of(rest + given, placebo, **HumanRules().model_dump()) == expected, (first, closing)


@pytest.mark.parametrize(
    ("policy", "choices", "state"),
    [
        ({"cannot_tell": 0}, "++?", "refused"),
        ({"cannot_tell": 0}, "+++", "verified"),
        ({"cannot_tell": 0.34}, "++?", "verified"),
        ({"cannot_tell": 0.5}, "++??", "disputed"),
        ({"cannot_tell": 0.49}, "++??", "refused"),
        ({"cannot_tell": 0.67}, "+??", "disputed"),
        ({"cannot_tell": 1}, "???", "disputed"),
        ({"cannot_tell": 0.29}, "+" * 71 + "?" * 29, "verified"),  # the most passes
        ({"votes": 1}, "+", "verified"),
        ({"votes": 1}, "-", "refused"),
        ({"votes": 1}, "?", "refused"),
        ({"votes": 2}, "+-", "disputed"),
        ({"votes": 5}, "+++", "waiting"),
        ({"votes": 5}, "+++--", "verified"),
    ],
)
def test_limits_of_the_rule_on_votes(policy: dict[str, Any], choices: str, state: str) -> None:
    assert of_votes(choices, **policy)[0] == state


def test_the_votes_are_counted_by_what_they_are_for() -> None:
    made = decided(TWIN, [*votes(ASKED, "++-=?"), *votes(PARTNER, "+?")])
    assert made.pairs == (ASKED.id, PARTNER.id)
    counts = [
        (vote.pair, vote.chosen, vote.rejected, vote.equal, vote.cannot_tell, vote.n)
        for vote in made.votes
    ]
    assert counts == [(ASKED.id, 2, 1, 1, 1, 5), (PARTNER.id, 1, 0, 0, 1, 2)]


# Quality


def of_quality(given: list[Verdict], **policy: Any) -> Found:
    return of([*given, *support(PAIR, CLEAR, CLEAR), *votes(PAIR, "+++")], **policy)


def scores(correctness: int | None, helpfulness: int | None) -> dict[str, int | None]:
    return {"correctness": correctness, "helpfulness": helpfulness}


@pytest.mark.parametrize("low_side", ["first", "second"])
def test_the_floor_holds_on_either_side_and_on_every_scale(low_side: str) -> None:
    for low, reasons in (
        (scores(2, 4), ("quality: correctness",)), (scores(4, 2), ("quality: helpfulness",)),
        (scores(3, 4), ()), (scores(4, 3), ()),
        # Although another one could not be judged.
        (scores(None, 2), ("quality: helpfulness",)),
    ):  # fmt: skip
        sides: dict[str, Any] = {"first": scores(4, 4), "second": scores(4, 4), low_side: low}
        state = "refused" if reasons else "verified"
        assert of_quality(quality(VIOLATE, **sides), quality_gap=4) == (state, reasons)


def test_the_floor_is_on_the_mean() -> None:
    low, high = quality(VIOLATE, 2, 4, n=1), quality(VIOLATE, 4, 4, n=1)
    assert of_quality([*low, *high])[0] == "verified"
    assert of_quality([*low, *low, *high])[0] == "refused"
    thirds = [*quality(VIOLATE, 3, 4, n=2), *high]
    assert of_quality(thirds, quality_floor=10 / 3)[0] == "verified"


@pytest.mark.parametrize(
    ("needed", "given", "state"), [(2, 1, "waiting"), (2, 2, "verified"), (3, 2, "waiting")]
)
def test_how_many_quality_answers_a_subject_needs(needed: int, given: int, state: str) -> None:
    found = of_quality(quality(VIOLATE, 4, 4, n=given), quality_votes=needed)
    assert found == (state, (f"quality: {given} of {needed} answers",) * (state == "waiting"))
    assert of_quality(quality(VIOLATE, 1, 1, n=given - 1), quality_votes=0)[0] == "verified"


def test_cannot_judge_is_no_score() -> None:
    unsure = scores(None, 4)
    some = [*quality(VIOLATE, unsure, 4, n=1), *quality(VIOLATE, 4, 4, n=1)]
    assert decided(VIOLATE, some).quality[response_id(PAIR.chosen)] == scores(4, 4)
    assert of_quality(some)[0] == "verified"
    nobody = quality(VIOLATE, unsure, 4)
    assert decided(VIOLATE, nobody).quality[response_id(PAIR.chosen)] == unsure
    assert of_quality(nobody) == ("disputed", ("quality: correctness cannot be judged",))
    # An adjudicator closes it.
    for closing, state in ((4, "verified"), (2, "refused"), (None, "refused")):
        last = quality(VIOLATE, scores(closing, 4), 4, n=1, round=2)
        assert of_quality([*nobody, *last])[0] == state


BOTH_GAPS = ("quality_gap: correctness", "quality_gap: helpfulness")


@pytest.mark.parametrize(
    ("given", "reasons", "limit"),
    [
        ([(4, 3), (4, 3), (5, 3)], (), 1.5),
        ([(5, 4), (5, 3)], (), 1.5),  # the limit passes
        ([(5, 3), (4, 3), (5, 3)], BOTH_GAPS, 1.5),
        ([(5, 3), (4, 3), (5, 3)], (), 2),
        ([(3, 5), (3, 5)], BOTH_GAPS, 1.5),
        ([(scores(5, 4), scores(3, 4))] * 2, BOTH_GAPS[:1], 1.5),
        ([(5, 3), (5, 3), (3, 3)], (), 4 / 3),  # although thirds are not exact
        ([(5, 3), (5, 3), (3, 3)], BOTH_GAPS, 1.3),
    ],
)
def test_neither_response_may_be_much_better(
    given: list[Any], reasons: tuple[str, ...], limit: float
) -> None:
    answers = [v for first, second in given for v in quality(VIOLATE, first, second, n=1)]
    found = of_quality(answers, quality_gap=limit)
    assert found == ("refused" if reasons else "verified", reasons)


# Aspects


def of_support(*answers: tuple[Support, Support], **policy: Any) -> Found:
    return of([*quality(VIOLATE, 4, 4), *votes(PAIR, "+++"), *support(PAIR, *answers)], **policy)


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
    assert decided(VIOLATE, support(PAIR, first, second)).supported == {PAIR.id: share}
    for least in (0, 0.5, 1):
        found = of_support(first, second, aspects_supported=least, delivered=0)
        assert found == (("verified", ()) if share >= least else ("refused", UNSUPPORTED))


def delivered_by(*answers: str, **policy: Any) -> Found:
    """Everybody finds both aspects supported. For each person, who delivers the first and the
    second: `+` the chosen response alone, `-` the other alone, `b` both, `n` neither, `?`."""
    names = {"+": response_id(PAIR.chosen), "-": response_id(PAIR.rejected), "b": "both"}
    names |= {"n": "neither", "?": "cannot_tell"}
    given = [
        delivering(verdict, *(names[code] for code in said))
        for said in answers
        for verdict in support(PAIR, CLEAR)
    ]
    return of([*quality(VIOLATE, 4, 4), *votes(PAIR, "+++"), *given], **policy)


def delivering(verdict: Verdict, *names: str) -> Verdict:
    """The same answers on aspects, but for what delivers each."""
    assert isinstance(verdict.answers, RubricAnswers)
    rows = zip(verdict.answers.aspects, names, strict=True)
    told = tuple(row.model_copy(update={"delivered": name}) for row, name in rows)
    return verdict.model_copy(update={"answers": RubricAnswers(aspects=told)})


@pytest.mark.parametrize(
    ("answers", "passes"),
    [
        ("++ ++ ++", True),
        ("++ +- -+", True),  # two of three for each
        ("++ +b b+", True),  # all find it in the chosen one, and most not in the other
        ("++ +? ??", True),  # who cannot tell is left out
        ("++ n? ??", False),  # the first is one of two
        ("+- +- +-", False),  # one aspect each: not most
        ("+b +b +b", False),
        ("-- -- --", False),
        ("bb bb bb", False),
        ("nn nn nn", False),
        ("?? ?? ??", False),
    ],
)
def test_the_chosen_response_alone_delivers_most(answers: str, passes: bool) -> None:
    said = answers.split()
    assert delivered_by(*said) == (("verified", ()) if passes else ("refused", UNDELIVERED))
    assert delivered_by(*said, delivered=0)[0] == "verified"
    assert delivered_by(*said, rubric_votes=0)[0] == "verified"
    if answers == "+b +b +b":
        assert delivered_by(*said, delivered=0.5)[0] == "verified"


def test_only_supported_aspects_have_to_be_delivered() -> None:
    """Nobody delivers the second aspect, and most find it unsupported."""
    said = support(PAIR, ("clearly", "no"), ("clearly", "no"))
    given = [delivering(verdict, response_id(PAIR.chosen), "neither") for verdict in said]
    made = decided(VIOLATE, [*quality(VIOLATE, 4, 4), *votes(PAIR, "+++"), *given])
    found = made.state, made.supported, made.delivered
    assert found == ("verified", {PAIR.id: 0.5}, {PAIR.id: 1.0})


@pytest.mark.parametrize(("times", "refused"), [(0, False), (1, False), (2, True), (3, True)])
def test_no_aspect_may_be_contradicted_by_most(times: int, refused: bool) -> None:
    answers: list[tuple[Support, Support]] = [("clearly", "contradicted")] * times
    answers += [CLEAR] * (2 if times == 1 else 3 - times)
    found = of_support(*answers)
    assert found == (("refused", ("rubric: aspect_contradicted",)) if refused else ("verified", ()))
    assert of_support(*answers, contradicted=1)[0] == "verified"


def test_every_failure_has_its_reason() -> None:
    """The better response is chosen, the other one delivers, and the posts contradict an aspect."""
    twisted: tuple[Support, Support] = ("clearly", "contradicted")
    given = [*quality(VIOLATE, 5, 3), *votes(PAIR, "+++")]
    given += support(PAIR, twisted, twisted, delivered=response_id(PAIR.rejected))
    made = decided(VIOLATE, given)
    assert made.state == "refused"
    assert made.reasons == (*BOTH_GAPS, *UNDELIVERED, "rubric: aspect_contradicted")
    assert all(map(reason_in_words, made.reasons))


@pytest.mark.parametrize("half", [ASKED, PARTNER], ids=["asked", "partner"])
def test_the_aspects_of_either_half_refuse_a_twin(half: Any) -> None:
    well_liked = [*quality(TWIN, 4, 4), *votes(ASKED, "+++"), *votes(PARTNER, "+++")]
    undelivered, unsupported = list(well_liked), list(well_liked)
    for pair in TWIN.pairs:
        other = response_id(pair.rejected if pair is half else pair.chosen)
        undelivered += support(pair, CLEAR, CLEAR, delivered=other)
        unsupported += support(pair, *([("no", "no")] * 2 if pair is half else [CLEAR] * 2))
    shares = {pair.id: 0.0 if pair is half else 1.0 for pair in TWIN.pairs}
    made = decided(TWIN, undelivered)
    assert (made.state, made.reasons, made.delivered) == ("refused", UNDELIVERED, shares)
    made = decided(TWIN, unsupported)
    assert (made.state, made.reasons, made.supported) == ("refused", UNSUPPORTED, shares)


def test_how_many_rubric_answers_a_pair_needs() -> None:
    assert of_support() == ("waiting", ("rubric: 0 of 2 answers",))
    assert of_support(CLEAR) == ("waiting", ("rubric: 1 of 2 answers",))
    assert of_support(CLEAR, rubric_votes=1)[0] == "verified"
    assert of_support(rubric_votes=0)[0] == "verified"
    assert of_support(("no", "no"), ("no", "no"), rubric_votes=0)[0] == "verified"


def test_a_share_of_aspects_that_is_the_least_passes() -> None:
    first = PAIR.rubric.aspects[0]
    three = tuple(first.model_copy(update={"aspect": f"aspect {n}"}) for n in range(3))
    rubric = PAIR.rubric.model_copy(update={"aspects": three})
    pair = PAIR.model_copy(update={"rubric": rubric})
    one_of_three: tuple[Support, ...] = ("clearly", "no", "no")
    said = support(pair, one_of_three, one_of_three)
    given = [*quality(one(pair), 4, 4), *votes(pair, "+++"), *said]
    assert decided(one(pair), given, aspects_supported=1 / 3).state == "verified"


# Twins


@pytest.mark.parametrize(
    ("asked", "partner", "state", "reason"),
    [
        ("+++", "++-", "verified", ""),
        ("+++", "---", "refused", "preference: for_the_other"),
        ("+++", "===", "refused", "preference: no_difference"),
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
    for first, second in ((asked, partner), (partner, asked)):
        given = [*well(TWIN), *votes(ASKED, first), *votes(PARTNER, second)]
        assert of(given, TWIN) == (state, (reason,) if reason else ())


def test_disputed_halves_of_a_twin_are_named_and_closed() -> None:
    given = [*well(TWIN), *votes(ASKED, "+++"), *votes(PARTNER, "+-=")]
    closed = decided(TWIN, [*given, *votes(PARTNER, "+", round=2)])
    assert (decided(TWIN, given).disputed, closed.disputed) == ((PARTNER.id,), ())
    assert (decided(TWIN, given).adjudicated, closed.adjudicated) == (False, True)
    # What round 2 says is no vote of the first.
    assert closed.votes[1].n == 3
    given = [*well(TWIN), *votes(ASKED, "+-="), *votes(PARTNER, "+-=")]
    assert decided(TWIN, given).disputed == (ASKED.id, PARTNER.id)
    given += votes(ASKED, "+", round=2)
    for closing, state in (("", "disputed"), ("+", "verified"), ("-", "refused")):
        assert of([*given, *votes(PARTNER, closing, round=2)], TWIN)[0] == state


# What does not count


def test_only_votes_count() -> None:
    given = [*well(VIOLATE), *votes(PAIR, "+-=")]
    before = decided(VIOLATE, given)
    assert decided(VIOLATE, [*given, *votes(PAIR, "+" * 50, purpose="repeat")]) == before
    assert decided(VIOLATE, votes(PAIR, "+++", purpose="repeat")).votes[0].n == 0


def test_nothing_counts_of_somebody_excluded() -> None:
    good, bad = votes(PAIR, "++"), votes(PAIR, "--", annotator="bad")
    spoiled = [
        *well(VIOLATE), *good, *bad,
        *quality(VIOLATE, 1, 1, n=9, annotator="bad"),
        *support(PAIR, ("no", "no"), ("no", "no"), ("no", "no"), annotator="bad"),
    ]  # fmt: skip
    assert decided(VIOLATE, spoiled).state == "refused"
    rules = HumanRules(**OF_THREE)
    without = decide(outline_of(VIOLATE), spoiled, rules, excluded=frozenset({"bad"}))
    assert without == decided(VIOLATE, [*well(VIOLATE), *good])
    assert without.state == "waiting"


def test_simulated_answers_mark_the_decision() -> None:
    assert not decided(VIOLATE, [*well(VIOLATE), *votes(PAIR, "+++")]).simulated
    assert decided(VIOLATE, [*well(VIOLATE), *votes(PAIR, "+++", simulated=True)]).simulated


def test_decide_all_leaves_out_who_is_excluded() -> None:
    bad = [*votes(PAIR, "---", annotator="bad"), *votes(ASKED, "---", annotator="bad")]
    given = [
        *bad, *well(VIOLATE), *votes(PAIR, "+++"),
        *well(TWIN), *votes(ASKED, "+++"), *votes(PARTNER, "+++"),
    ]  # fmt: skip
    outlines = [outline_of(subject) for subject in (VIOLATE, TWIN, one(violate(7)))]
    rules = HumanRules(**OF_THREE)
    found = decide_all(outlines, given, rules, frozenset({"bad"})).values()
    assert [one.state for one in found] == ["verified", "verified", "waiting"]
    trusting = decide_all(outlines, given, rules, frozenset())
    assert trusting[VIOLATE.id].state == "disputed"


# Properties


def random_answers(chance: random.Random) -> list[Verdict]:
    """Answers about the twin, leaning to what verifies it."""
    score = [None, 2, 3, 4, 4, 5]
    found: list[Verdict] = []
    for _ in range(chance.choice([1, 2, 3])):
        first, second = (scores(chance.choice(score), chance.choice(score)) for _ in "ab")
        found += quality(TWIN, first, second, n=1)
    for pair in TWIN.pairs:
        found += votes(
            pair, "".join(chance.choices("+-=?", (7, 2, 1, 1), k=chance.choice([3, 3, 4])))
        )
        given = [chance.choices(get_args(Support), (6, 2, 1, 1), k=2) for _ in range(2)]
        found += support(pair, *given)
        if chance.random() < 0.3:
            found += votes(pair, chance.choice("++-?"), round=2)
        found += votes(pair, chance.choice("+-"), purpose="repeat")
    chance.shuffle(found)
    return found


def test_order_does_not_matter_and_a_vote_only_moves_its_own_way() -> None:
    states = Counter[str]()
    for seed in range(250):
        chance = random.Random(seed)
        given = random_answers(chance)
        policy: dict[str, Any] = {
            "rule": chance.choice(["majority", "majority", "unanimity"]),
            "cannot_tell": chance.choice([0, 0.34, 0.5]),
            "quality_votes": chance.choice([0, 1, 2]),
            "rubric_votes": chance.choice([0, 1, 2]),
            "aspects_supported": chance.choice([0, 0.5, 1]),
        }
        before = decided(TWIN, given, **policy)
        states[before.state] += 1
        if before.state == "verified":
            for pair in TWIN.pairs:
                more = decided(TWIN, [*given, *votes(pair, "+")], **policy)
                assert more.state == "verified", more.reasons
        elif before.state in ("refused", "disputed"):
            after = decided(TWIN, [*given, *votes(ASKED, "-")], **policy)
            assert after.state != "verified"
        chance.shuffle(given)
        assert decided(TWIN, given, **policy).model_dump_json() == before.model_dump_json()
    assert min(states[name] for name in ("verified", "refused", "disputed", "waiting")) > 3
