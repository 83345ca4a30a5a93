"""What the audit says of shortcuts: on others' pairs, on mode violate, and on twins."""

import json
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest

from audited import checks_of, estimate
from pairwright.audits.records import Check
from pairwright.audits.shortcuts import Shortcuts, pair_features
from pairwright.audits.shortcuts.classifiers import CLASSIFIERS
from pairwright.audits.shortcuts.response import (
    COUNT_CHECKS,
    diversity,
    response_counts,
)
from pairwright.dataset import Row, RowAspect, RowPost, RowQuality, RowVotes, row_of
from pairwright.errors import InputError
from pairwright.manner import BOLD, HEADING, LIST
from pairwright.settings.rules import ReleaseInfo, shared_words_bound
from reference_data import LLMBAR
from small_studies import twin, violate

BLIND = (*COUNT_CHECKS, *CLASSIFIERS)
NOUNS = "lamp kettle garden ladder window engine river button hammer pillow curtain violin".split()


pytestmark = pytest.mark.usefixtures("nothing_learnt")


def audited(rows: Iterable[Row], bound: float = 0.58) -> dict[tuple[str, str], Check]:
    found = checks_of([Shortcuts(max_shortcut=bound)], rows)
    return {(check.config, check.name): check for check in found}


def text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(NOUNS, k=words))


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


def twins(n: int) -> list[Row]:
    """Real twins, made unequal in every way: the asker's response is longer, has lists and
    headings, speaks to its reader, repeats the question."""
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


# What is counted


def test_markdown_is_counted_as_people_see_it() -> None:
    assert len(LIST.findall("- a\n* b\n  3. c\n- \n-d\na - b\n2024 was")) == 3
    assert len(HEADING.findall("# A\n### B\n#tag\nsee # c")) == 2
    assert len(BOLD.findall("**a** and **b c**, __d__, ** e, 2 ** 3")) == 3


def test_the_richness_of_a_vocabulary_does_not_fall_with_length() -> None:
    words = [f"word{n % 40}" for n in range(400)]
    assert diversity(words) == diversity(words[:50]) == 0.8
    assert diversity(["a", "b", "a"]) == round(2 / 3, 9)
    assert diversity([]) == 0


def test_overlap_with_the_question_is_of_content_words() -> None:
    asked, said = "How should I adjust the brakes?", "You should adjust how the brake sits."
    assert response_counts(asked, said).question_overlap == 2


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
    assert estimate(natural).value == 0.55
    assert round(estimate(adversarial).value or 0, 3) == 0.163
    assert (estimate(natural).n, estimate(adversarial).n) == (100, 92)
    assert (natural.status, adversarial.status) == ("too_few", "fail")


def test_pairs_that_give_nothing_away_pass_or_are_too_few(learnt: None) -> None:
    found = audited(even(900), 0.55)
    assert not [check for check in found.values() if check.status == "fail"]
    for name in COUNT_CHECKS:
        check = found["Plain", name]
        assert (check.limit, check.of) == (0.55, 900)
        assert abs((estimate(check).value or 0) - 0.5) < 0.05
        assert (check.needed is None) == (check.status == "pass")
    assert found["Plain", "lists"].status == "pass"


@pytest.mark.parametrize(
    ("check", "chosen", "rejected"),
    [
        ("length", "{} and so on it goes for a while", "{}"),
        ("length", "{}", "{} and so on it goes for a while"),
        ("lists", "- {}", "{}"),
        ("headings", "{}", "# {}"),
        ("bold", "**{}**", "{}"),
        ("question_overlap", "{} brakes", "{}"),
        ("lexical_diversity", "{} one two three four five", "{} one one one one one"),
        ("persona_words", "As someone who sails, {}", "{}"),
        ("refusal_words", "{}", "I'm sorry, but I cannot help with that. {}"),
    ],
)
def test_what_is_planted_on_a_side_fails_its_check(check: str, chosen: str, rejected: str) -> None:
    bodies = [text(random.Random(n), 20) for n in range(120)]
    rows = [
        row(n, "Which brakes?", chosen.format(body), rejected.format(body), user=str(n))
        for n, body in enumerate(bodies)
    ]
    assert audited(rows)["Plain", check].status == "fail"


def test_in_mode_violate_a_failure_is_said_to_be_expected() -> None:
    rows = [
        changed(row_of(violate(n)), chosen=f"Good answer {n}, much longer.") for n in range(120)
    ]
    found = audited(rows)
    length, lists = found["Home-violate", "length"], found["Home-violate", "lists"]
    assert (length.status, lists.status) == ("fail", "pass")
    assert "expected in mode violate" in length.detail
    assert "expected" not in lists.detail


def test_pairs_of_one_person_count_less_than_pairs_of_many() -> None:
    chance = random.Random(2)
    rows = []
    for n in range(300):
        # Whether the longer response is chosen is the user's habit.
        longer, shorter = text(chance, 30), text(chance, 10)
        sides = (longer, shorter) if n // 30 > 1 else (shorter, longer)
        rows.append(row(n, f"Question {n}?", *sides))
    alone = audited(rows)["Plain", "length"]
    of_users = [changed(of, user=f"user-{n // 30}") for n, of in enumerate(rows)]
    together = audited(of_users)["Plain", "length"]
    assert estimate(alone).value == estimate(together).value
    assert (estimate(alone).clusters, estimate(together).clusters) == (300, 10)
    assert (alone.status, together.status) == ("fail", "too_few")
    assert (together.needed or 0) > 300


def test_length_is_set_beside_pairs_of_like_length() -> None:
    rows = even(60)
    rows += [
        row(100 + n, f"Question {n}, again?", f"- {text(random.Random(n), 40)}", "- a lamp")
        for n in range(60)
    ]
    found = audited(rows)
    share = found["Plain", "length_matched"]
    assert share.status == "note"
    assert estimate(share).value == 0.5
    assert "On the 60 pairs of like length 50 %" in found["Plain", "lists"].detail
    assert "On the 60 pairs of like length" in found["Plain", "style"].detail


def test_phrases_are_shown_with_their_rows() -> None:
    rows = even(12)
    rows[3] = changed(rows[3], chosen="As someone who sails, row.")
    rows[5] = changed(rows[5], rejected="I'm sorry, but I can't. I must decline.")
    found = audited(rows)
    (persona,) = found["Plain", "persona_words"].flags
    (refusal,) = found["Plain", "refusal_words"].flags
    assert (persona.row, persona.detail) == ("row-3", "chosen: As someone who")
    assert (refusal.row, refusal.detail) == ("row-5", "rejected: I'm sorry, but I")
    assert found["Plain", "persona_words"].count == 1


def test_too_few_clusters_train_no_classifier_and_are_told() -> None:
    found = audited(even(200, user="one and the same"))
    for name in CLASSIFIERS:
        check = found["Plain", name]
        assert (check.status, check.found) == ("too_few", None)
        assert "fewer than 10 clusters" in check.detail


def test_a_sample_says_of_how_many_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_features, "SAMPLE", 100)
    found = audited(even(300))
    style = found["Plain", "style"]
    assert style.of == 100
    assert "100 of 300 pairs" in style.detail
    assert found["Plain", "length"].of == 300


def test_classifiers_see_a_sample_of_twins(learnt: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_features, "TWIN_SAMPLE", 40)
    rows = twins(40)
    found = audited(rows)
    for name in CLASSIFIERS:
        check = found[rows[0].config, name]
        assert (check.of, estimate(check).value) == (40, 0.5)
        assert "40 of 80 pairs" in check.detail
    assert found[rows[0].config, "profile_overlap"].of == 80
    assert audited(even(80))["Plain", "style"].of == 80


def test_no_rows_give_no_checks_and_empty_texts_are_ties() -> None:
    assert audited([]) == {}
    found = audited([row(n, "", "", "") for n in range(20)])
    assert all(check.status != "fail" for check in found.values())


def test_the_order_of_configurations_changes_no_check(learnt: None) -> None:
    rows = [*even(60), *even(60, domain="Other"), *twins(12)]
    first = [check.model_dump_json() for check in audited(rows).values()]
    turned = [*twins(12), *even(60, domain="Other"), *even(60)]
    assert first == [check.model_dump_json() for check in audited(turned).values()]


def test_every_check_is_explained() -> None:
    rows = [*even(20), *twins(12), *(row_of(violate(n)) for n in range(20))]
    named = set(Shortcuts.names)
    elsewhere = {
        "key_place", "more_votes", "earlier", "length_taken", "markup_taken", "twin_word_bound"
    }  # fmt: skip
    assert {name for _, name in audited(rows)} == named - elsewhere


# Informed baselines


def informed(n: int, chosen: str, rejected: str) -> list[Row]:
    post = RowPost(id="post", text="My sailing dinghy leaks near the rudder.")
    aspect = RowAspect(aspect="Wants a rudder repaired")
    return [
        row(k, f"Question {k}?", chosen, rejected, profile=(post,), rubric_aspects=(aspect,))
        for k in range(n)
    ]


def test_overlap_with_the_profile_is_told_and_only_its_residual_can_fail() -> None:
    found = audited(informed(120, "Mend the rudder first.", "Mend the roof first."))
    for name in ("profile_overlap", "aspects_overlap", "profile_tfidf"):
        check = found["Plain", name]
        assert (check.family, check.status) == ("baselines", "note"), name
        assert estimate(check).value == 1
    residual = found["Plain", "profile_residual"]
    # "rudder" is a word of the aspect.
    assert (residual.family, residual.status) == ("shortcuts", "pass")
    copied = audited(informed(120, "Mend the dinghy first.", "Mend the roof first."))
    assert copied["Plain", "profile_residual"].status == "fail"


def leaky_twins(n: int, leaks: int) -> list[Row]:
    """Twins of users who each have a dog of another name, and a rubric whose words their partners'
    posts hold, too. The first `leaks` askers' dogs are in the responses that they chose."""
    rows = []
    for k in range(n):
        users = f"{k}-asker", f"{k}-partner"
        posts = tuple(
            RowPost(id=user, text=f"My dog Rex{k}{user[-3:]} sleeps by the kettle and the lamp.")
            for user in users
        )
        rubrics = (RowAspect(aspect="Wants a kettle"),), (RowAspect(aspect="Wants a lamp"),)
        leak = f" Rex{k}ker barks." if k < leaks else ""
        texts = f"Buy a kettle.{leak}", "Buy a lamp."
        for own in (0, 1):
            fields: dict[str, Any] = {
                "chosen": texts[own], "rejected": texts[1 - own], "mode": "twin",
                "twin_id": f"twin-{k}", "user": users[own], "dyad": f"dyad-{k}",
                "profile": (posts[own],), "rubric_aspects": rubrics[own], "domain": "Home",
            }  # fmt: skip
            rows.append(row(2 * k + own, f"Question {k}?", **fields))
    return rows


@pytest.mark.parametrize(("leaks", "status"), [(0, "pass"), (5, "too_few"), (30, "fail")])
def test_a_word_that_only_the_posts_hold_is_found_in_responses(leaks: int, status: str) -> None:
    """Clean twins tie: nothing but the names of dogs is one user's alone."""
    found = audited(leaky_twins(100, leaks))["Home-twin", "profile_residual"]
    assert estimate(found).value == 0.5 + leaks / 400
    assert (found.status, found.limit, found.of) == (status, 0.525, 200)
    assert f"chosen response of {leaks} pairs, in the other of 0." in found.detail
    if status == "fail":
        assert len(found.flags) == 30
        assert (found.flags[0].row, found.flags[0].detail) == ("row-0", "chosen: rex0ker")
    else:
        assert found.flags == ()


def test_a_word_of_the_partners_rubric_is_no_leak_though_only_the_asker_wrote_it() -> None:
    """The partner's response takes it from the partner's rubric."""
    rows = []
    for n, of in enumerate(leaky_twins(40, 0)):
        word, asker = f"Zither{n // 2}er", n % 2 == 0
        text = f"{of.profile[0].text} {word}." if asker else of.profile[0].text
        own = "Wants a kettle" if asker else f"Wants a {word}"
        sides = ("chosen", "rejected") if asker else ("rejected", "chosen")
        changes = {"rubric_aspects": (RowAspect(aspect=own),), sides[1]: f"Buy a {word}."}
        rows.append(changed(of, profile=(RowPost(id="post", text=text),), **changes))
    found = audited(rows)["Home-twin", "profile_residual"]
    assert (estimate(found).value, found.of) == (0.5, 80)
    assert "chosen response of 0 pairs, in the other of 0." in found.detail


def test_a_word_that_two_users_have_written_is_not_theirs_alone() -> None:
    rows = leaky_twins(100, 30)
    posts = RowPost(id="other", text=" ".join(f"Rex{k}ker" for k in range(30)))
    rows.append(row(999, "Another?", "A.", "B.", profile=(posts,), user="other", domain="Home"))
    found = estimate(audited(rows)["Home-twin", "profile_residual"])
    assert found.value == 0.5


def test_pairs_without_a_rubric_or_their_other_half_are_not_looked_through_for_leaks() -> None:
    rows = leaky_twins(30, 30)
    bare = [changed(of, rubric_aspects=()) for of in rows]
    check = audited(bare)["Home-twin", "profile_residual"]
    assert (check.status, check.found, check.of) == ("note", None, 0)
    assert check.detail == "Not applicable: 60 pairs without a rubric."
    check = audited(rows[:-1])["Home-twin", "profile_residual"]
    assert check.of == 58
    assert check.detail.startswith("1 pair without the other half.")


@pytest.mark.parametrize(
    ("name", "key", "bound", "status", "by_study"),
    [
        ("profile_overlap", "max_overlap", 0.7, "fail", False),
        ("profile_overlap", "max_overlap", 0.95, "pass", True),
        ("profile_overlap", "max_overlap", 0.8, "too_few", True),
        ("aspects_overlap", "max_aspects_overlap", 0.7, "fail", True),
        ("aspects_overlap", "max_aspects_overlap", 0.95, "pass", False),
    ],
)
def test_a_bound_has_one_side(
    name: str, key: str, bound: float, status: str, by_study: bool
) -> None:
    solved = informed(160, "Mend the rudder first.", "Mend the roof first.")
    other = informed(40, "Mend the roof first.", "Mend the rudder first.")
    # The auditor's own bound goes before that of the study.
    stated = ReleaseInfo.model_validate({key: bound if by_study else 0.6})
    options: dict[str, Any] = {} if by_study else {key: bound}
    rows = [changed(of, question=f"Question {n}?") for n, of in enumerate([*solved, *other])]
    found = checks_of([Shortcuts(study=stated, **options)], rows)
    checks = [one for one in found if one.family == "baselines"]
    assert [one.name for one in checks if one.limit] == [name]
    (check,) = (one for one in checks if one.name == name and one.config)
    assert (check.family, check.status, check.limit) == ("baselines", status, bound)
    assert check.detail == (f"The study set a bound of {bound:g}." if by_study else "")
    assert (estimate(check).value, estimate(check).n) == (0.8, 200)
    assert estimate(check).low is not None


def test_word_overlap_that_is_mostly_wrong_keeps_to_its_bound() -> None:
    rows = informed(120, "Mend the roof first.", "Mend the rudder first.")
    found = checks_of([Shortcuts(max_overlap=0.6)], rows)
    names = [(one.config, one.status) for one in found if one.name == "profile_overlap"]
    assert names == [("Plain", "pass"), ("", "note")]


def test_rare_words_of_the_profile_weigh_more_in_tfidf() -> None:
    rows = informed(40, "A dinghy, then lamp.", "Sailing near here.")
    rows += [
        row(100 + n, f"Question {n}, too?", "Sailing near it.", "Sailing near that.")
        for n in range(40)
    ]
    found = audited(rows)
    overlap, weighed = (found["Plain", name] for name in ("profile_overlap", "profile_tfidf"))
    assert (estimate(overlap).value, estimate(weighed).value) == (0, 1)
    assert "40 pairs have no profile" in overlap.detail


def test_without_profiles_nothing_is_said_of_them() -> None:
    found = audited(even(30))
    for name in ("profile_overlap", "aspects_overlap", "profile_tfidf"):
        check = found["Plain", name]
        assert (check.status, check.found, check.of) == ("note", None, 0)
        assert "30 pairs have no" in check.detail
    residual = found["Plain", "profile_residual"]
    assert (residual.status, residual.found, residual.of) == ("note", None, 0)
    assert residual.detail == "Not applicable: 30 pairs without a profile."


# Twins


def test_on_whole_twins_every_blind_check_is_one_half_by_identity(learnt: None) -> None:
    found = audited(twins(30))
    for name in BLIND:
        check = found["Home-twin", name]
        assert check.status == "note", name
        assert (estimate(check).value, estimate(check).low, estimate(check).n) == (0.5, None, 60)
    identity = found["Home-twin", "twin_identity"]
    assert (identity.status, identity.of, identity.flags) == ("pass", 30, ())


def test_lost_halves_end_the_identity_and_are_named() -> None:
    rows = twins(30)
    # Somebody's filter drops the shorter halves of a third of the twins.
    lost = {of.id for n, of in enumerate(rows) if n % 6 == 1}
    found = audited([of for of in rows if of.id not in lost])
    identity = found["Home-twin", "twin_identity"]
    assert identity.status == "fail"
    assert len(identity.flags) == identity.count == len(lost) == 10
    named = {of.twin_id for of in rows if of.id in lost}
    assert {flag.detail.split(":")[0] for flag in identity.flags} == named
    assert "only one half is there" in identity.flags[0].detail
    length = estimate(found["Home-twin", "length"])
    assert length.value == 0.6  # 30 of 50
    assert "length 0.6" in identity.detail


def test_a_halved_twin_is_caught_though_the_figures_still_balance() -> None:
    found = audited([of for n, of in enumerate(twins(30)) if n not in (1, 2)])
    assert estimate(found["Home-twin", "length"]).value == 0.5
    assert found["Home-twin", "twin_identity"].status == "fail"


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"chosen": "Another answer."}, "not of one question"),
        ({"question": "Another question?"}, "not of one question"),
        ({"domain": "Garden"}, "only one half"),
        ({"twin_id": "twin-0000000000000001"}, "only one half"),
        ({}, "same response chosen"),
    ],
)
def test_halves_that_mirror_nothing_are_named(changes: dict[str, str], wrong: str) -> None:
    rows = twins(12)
    same = {"chosen": rows[1].chosen, "rejected": rows[1].rejected}
    rows[0] = changed(rows[0], **(changes or same))
    found = audited(rows).values()
    flags = [flag for check in found if check.name == "twin_identity" for flag in check.flags]
    assert any(wrong in flag.detail for flag in flags)


def test_how_unequal_twins_are_is_told_beside_the_identity() -> None:
    rows = []
    for of in twins(12):
        scores = (4, 3) if of.asked else (3, 4)
        quality = tuple(
            RowQuality(scale=scale, chosen=scores[0], rejected=scores[1])
            for scale in ("correctness", "helpfulness")
        )
        rows.append(changed(of, quality=quality))
    found = audited(rows)
    length, quality_gap = (found["Home-twin", f"twin_{of}_gap"] for of in ("length", "quality"))
    assert (length.status, estimate(length).n, estimate(length).clusters) == ("note", 24, 12)
    assert (estimate(length).value or 0) > 1.5
    assert estimate(quality_gap).text() == "1.000 (no interval)"
    unjudged = audited(twins(12))["Home-twin", "twin_quality_gap"]
    assert unjudged.found is None
    assert "24 pairs have no scores" in unjudged.detail


def test_people_are_told_where_word_overlap_with_the_profile_is_wrong() -> None:
    # Both users write of apples alone, so overlap is wrong for the one who asked.
    rows = []
    for n in range(8):
        votes = RowVotes(chosen=3 * bool(n), rejected=3 * (not n), equal=0, cannot_tell=1)
        rows += [changed(half, votes=votes) for half in twin_rows(("I like sour apples.",), n)]
    found = audited(rows)
    wrong, people = (found["Home-twin", f"{of}_against_baseline"] for of in ("twin", "people"))
    assert (wrong.status, estimate(wrong).value, estimate(wrong).n) == ("note", 0.5, 16)
    assert (estimate(people).value, estimate(people).n) == (7 / 8, 8)


def test_nobody_is_said_to_have_voted_on_no_pairs() -> None:
    def detail(*post: str) -> str:
        return audited(twin_rows(post))["Home-twin", "people_against_baseline"].detail

    assert detail("I like ripe pears.", "I like sour apples.") == "There are no such pairs."
    assert detail("I like sour apples.") == "Nobody voted on these pairs."


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


def test_how_unequally_twins_repeat_their_own_aspects_is_told() -> None:
    """One response has both words of its aspects that the question does not have, the other none of
    three; without a rubric there is nothing to repeat."""
    texts = "Buy a small kettle.", "Buy anything."
    rubrics = "A question of a small kettle", "Wants garden lamp"
    rows = [
        row(
            own, "Question?", texts[own], texts[1 - own], mode="twin", twin_id="twin",
            user=f"user-{own}", dyad="dyad", rubric_aspects=(RowAspect(aspect=rubrics[own]),),
        )
        for own in (0, 1)
    ]  # fmt: skip
    gap = audited(rows)["Plain-twin", "twin_echo_gap"]
    assert (gap.status, estimate(gap).value, estimate(gap).n) == ("note", 1.0, 1)
    assert gap.detail == "On average a response repeats 50 % of its own aspects' words."
    (named,) = gap.flags
    assert (named.row, named.detail) == ("row-0", "1.00 in this half, 0.00 in the other")
    bare = [changed(of, rubric_aspects=()) for of in rows]
    assert audited(bare)["Plain-twin", "twin_echo_gap"].detail.startswith("Not applicable")


@pytest.mark.parametrize(
    ("posts", "value", "said"),
    [
        # The asker gets pears, the partner apples.
        (("ripe pears", "sour apples"), 4.0, "more than 0 in 1 of them, less in 0"),
        (("pears", "apples"), 2.0, "more than 0 in 1 of them, less in 0"),
        (("apples", "pears"), -2.0, "more than 0 in 0 of them, less in 1"),
        (("pears, apples", "apples, pears"), 0.0, "more than 0 in 0 of them, less in 0"),
        # Whose posts hold the one's words as well as the other's tells nothing.
        (("pears", "pears"), 0.0, "more than 0 in 0 of them, less in 0"),
    ],
)
def test_words_shared_in_both_halves_are_summed(
    posts: tuple[str, str], value: float, said: str
) -> None:
    check = audited(twin_rows(posts))["Home-twin", "twin_shared_words"]
    assert (check.status, estimate(check).value, estimate(check).n) == ("note", value, 1)
    assert check.detail == f"Of 1 twin: {said}."
    assert [flag.row for flag in check.flags] == (["0-True"] if value > 0 else [])


@pytest.mark.parametrize(
    ("config", "status"),
    [
        ({}, None),
        ({"gated": True, "gates": {"off": []}, "twin": {"shared_words": 4}}, "pass"),
        ({"gated": True, "gates": {"off": []}, "twin": {"shared_words": 3}}, "fail"),
        ({"gated": True, "gates": {"off": ["shared_words"]}, "twin": {"shared_words": 3}}, None),
        ({"gated": False, "twin": {"shared_words": 3}}, None),
        ({"gated": True, "gates": {"off": []}, "twin": {}}, None),
    ],
    ids=["other people's", "at the bound", "above it", "gate off", "ungated", "older build"],
)
def test_a_twin_has_at_most_the_shared_words_that_its_build_allowed(
    config: dict[str, Any], status: str | None
) -> None:
    most = shared_words_bound(config, "stated.json")
    question = "Which of the two is the one that I should have for a cake that is not too sweet?"
    rows = [changed(of, question=question) for of in twin_rows(("ripe pears", "sour apples"))]
    bound = word_bound(rows, most)
    assert (bound and (bound.status, bound.count, bound.of)) == (
        (status, int(status == "fail"), 1) if status else None
    )


@pytest.mark.parametrize(
    "config",
    [{"twin": {"shared_words": odd}} for odd in ("2", [2], True, math.inf, None, 2.0)]
    + [{"gates": {"off": odd}} for odd in ("shared_words", 5, None)],
    ids=str,
)
def test_a_bound_that_no_build_writes_is_refused(config: dict[str, Any]) -> None:
    whole = {"gated": True, "gates": {"off": []}, "twin": {"shared_words": 2}} | config
    with pytest.raises(InputError, match=r"config\.toml: \[gates\] off is not a list, or"):
        shared_words_bound(whole, "config.toml")


def test_a_twin_is_held_to_the_bound_as_its_build_may_have_counted() -> None:
    """Where the posts are of two languages, a build takes English stems: `Birne` is not `Birnen`.
    Where nothing tells the language, the file of a domain may have told the build."""
    question = "Welche von diesen beiden Sorten soll ich denn f\u00fcr einen Kuchen kaufen?"
    sides = (
        "Nimm daf\u00fcr lieber die s\u00fc\u00dfen Birnen.",
        "Nimm daf\u00fcr lieber die sauren \u00c4pfel.",
    )

    def german(*posts: str) -> list[Row]:
        return [
            changed(
                of, question=question, profile=(RowPost(id="p", text=post),),
                chosen=sides[n], rejected=sides[1 - n],
            )
            for n, (of, post) in enumerate(zip(twin_rows(posts), posts, strict=True))
        ]  # fmt: skip

    for posts, status in ((("Birne", "Apfel"), "pass"), (("Birnen", "\u00c4pfel"), "fail")):
        rows = german(*posts)
        assert {of.language for of in rows} == {"de"}
        assert audited(rows)["Home-twin", "twin_shared_words"].flags
        bound = word_bound(rows, 0)
        assert bound is not None
        assert (bound.status, bound.of) == (status, 1)
    unknown = word_bound(twin_rows(("ripe pears", "sour apples")), 0)
    assert unknown is not None
    assert (unknown.status, unknown.of) == ("note", 0)
    assert unknown.detail.startswith("Not applicable")


def word_bound(rows: Iterable[Row], most: int | None) -> Check | None:
    found = checks_of([Shortcuts(most_shared_words=most)], rows)
    return next((one for one in found if one.name == "twin_word_bound"), None)


def test_shared_words_have_an_interval_by_couple_and_need_both_halves() -> None:
    rows = [of for n in range(12) for of in twin_rows(("pears", "apples"), n)]
    mixed = [of for n in range(12, 24) for of in twin_rows(("ripe pears", "sour apples"), n)]
    found = estimate(audited([*rows, *mixed])["Home-twin", "twin_shared_words"])
    assert (found.value, found.n, found.clusters) == (3.0, 24, 24)
    assert found.low is not None
    assert 2.4 < found.low < 3
    alone = audited(rows[:1])["Home-twin", "twin_shared_words"]
    assert (alone.found, alone.detail) == (None, "Not applicable: no twin with two histories.")


# Placebos, whose labels are drawn


def test_nothing_is_chosen_on_placebos_and_their_texts_are_looked_at() -> None:
    given = [changed(of, mode="placebo", rubric_aspects=()) for of in twins(30)]
    found = audited(given)
    names = ["twin_identity", "twin_length_gap", "twin_quality_gap"]
    assert [*found] == [("Home-placebo", name) for name in names]
    assert found["Home-placebo", "twin_identity"].status == "pass"
    assert (estimate(found["Home-placebo", "twin_length_gap"]).value or 0) > 1.5
    broken = audited(given[1:])["Home-placebo", "twin_identity"]
    assert (broken.status, len(broken.flags)) == ("fail", 1)


def test_word_overlap_is_told_of_each_mode_over_its_configurations() -> None:
    """A user of two domains is one cluster."""
    rows = [
        changed(of, domain=domain, dyad=f"dyad-{n}", id=f"{of.id}-{domain}")
        for domain in ("Home", "Garden")
        for n in range(6)
        for of in twin_rows(("pears", "apples" if n < 4 else "figs"), n)
    ]
    found = audited(rows)
    for name in ("profile_overlap", "profile_tfidf"):
        check = found["mode twin", name]
        assert (check.status, check.of, estimate(check).clusters) == ("note", 24, 6)
        assert estimate(check).value == pytest.approx(20 / 24 + 4 / 48, abs=1e-6)


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
        ([1] * 120, "pass", 0.5, ""),
        ([2, 0] * 400, "pass", 0.5, ""),
        ([0] * 12 + [2] * 6, "too_few", 1 / 3, ""),
        ([0] * 90 + [2] * 30 + [None] * 3, "fail", 0.25, "Of 3 more no choice could be read."),
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


def test_of_twins_the_half_of_the_user_who_asked_is_told_and_decides_nothing() -> None:
    check = audited(leaning([2] * 30 + [0] * 10, "twin"))["mode twin", "blind_preference"]
    assert (check.status, check.of) == ("note", 40)
    assert estimate(check).value == 0.75
    assert "half of the user who asked" in check.detail


def test_pairs_of_others_say_that_nothing_was_measured() -> None:
    check = audited(even(5))["", "blind_preference"]
    assert (check.status, check.of) == ("note", 0)
    assert "was not measured" in check.detail
