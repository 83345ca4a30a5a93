"""Every sentence of card and datasheet that claims something follows from a figure or from what the
makers stated: where those change, the sentences do."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import DatasetCard
from test_release_documents import audit_of, primary

from pairwright.audits.records import Audit, Check
from pairwright.audits.shortcuts.informed import BASELINES
from pairwright.audits.shortcuts.trials import BLIND as BLIND_CHECKS
from pairwright.dataset import write_one
from pairwright.estimate import Estimate
from pairwright.records import Pair
from pairwright.releases.derive import ReleaseContext
from pairwright.releases.derive.audit_summary import BLIND, INFORMED, summarise_audit
from pairwright.releases.derive.croissant import croissant_json
from pairwright.releases.derive.pages import dataset_card, datasheet, licence_page
from pairwright.releases.summary import SummaryBuilder, rows_of
from pairwright.settings.rules import ReleaseInfo
from pairwright_human_eval.public_study import ReleasedStudy
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.subjects import Subject
from released import INFO, PAIRS, Answer, Answers, context_of, right, run_of, texts, unaddressed

TWINS = tuple(pair for pair in PAIRS[:6] if pair.mode == "twin")
VIOLATES = tuple(pair for pair in PAIRS[:6] if pair.mode == "violate")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> ReleaseContext:
    """Two questions with their twins and violate pairs, all verified by nine people."""
    base = tmp_path_factory.mktemp("sentences")
    return primary(base / "x", run_of(base / "run", PAIRS[:6]), audit=audit_of("pass"))


def card(known: ReleaseContext) -> str:
    """On one line, as it is read."""
    return " ".join(dataset_card(known).split())


def sheet(known: ReleaseContext) -> str:
    return " ".join(datasheet(known).split())


def stating(known: ReleaseContext, **info: Any) -> ReleaseContext:
    """The same release, of makers who stated something else."""
    stated = known.primary.provenance
    changed = ReleaseInfo.model_validate({**stated.info.model_dump(), **info})
    stated = stated.model_copy(update={"info": changed})
    return replace(known, primary=known.primary._replace(provenance=stated))


def studied(known: ReleaseContext, **changes: Any) -> ReleaseContext:
    """The same release of a study that has these fields."""
    changed = replace(public_of(known), study=public_of(known).study.model_copy(update=changes))
    return replace(known, primary=known.primary._replace(public=changed))


def public_of(known: ReleaseContext) -> ReleasedStudy:
    assert known.primary.public
    return known.primary.public


def with_audit(known: ReleaseContext, audit: Audit) -> ReleaseContext:
    """The same release with another audit."""
    write_one(known.layout.audit, audit)
    return context_of(known.layout)


# Votes


def divided(questions: Iterable[int]) -> Answer:
    """One of the three annotators of a task on these questions votes for the other response."""
    seen: dict[str, int] = {}
    wanted = {f"Question {n}, how is it done?" for n in questions}

    def answer(task: KeyedTask, subject: Subject | None) -> Answers:
        ticks = right()(task, subject) or {}
        if subject and task.kind == "preference" and subject.asked.question in wanted:
            n = seen[task.pair or ""] = seen.get(task.pair or "", 0) + 1
            if n == 1:
                return {"preference": "B" if ticks["preference"] == "A" else "A"}
        return ticks

    return answer


def test_pairs_where_annotators_differed_are_counted(known: ReleaseContext, tmp_path: Path) -> None:
    assert "Of the 6 pairs here with preference votes, 0 have at least one" in card(known)
    some = primary(tmp_path / "x", run_of(tmp_path / "run", PAIRS[:6], answer=divided([1])))
    assert some.summary.rows == 6, "two of three still verify a pair"
    for page in (card(some), sheet(some)):
        assert "Of the 6 pairs here with preference votes, 3 have at least one" in page
        assert "annotators differed were not verified" not in page


def test_what_the_rule_kept_out_is_counted_by_state(known: ReleaseContext, tmp_path: Path) -> None:
    assert "these are not here" not in card(known)
    some = primary(tmp_path / "x", run_of(tmp_path / "run", PAIRS[:6], against=[1]))
    told = "Of the 4 twins and single pairs of the study these are not here: refused 2."
    assert told in card(some)
    assert told in sheet(some)


# Who answered


def test_by_people_the_pairs_are_verified(known: ReleaseContext) -> None:
    for page in (card(known), sheet(known)):
        assert "6 of the 6 pairs are verified by the votes of 9 people." in page
        assert "are a program" not in page
        assert "verified, of those that could" in page
    assert "Intervals of agreement are 95 % jackknife intervals by Student's t" in card(known)


@pytest.mark.parametrize(
    ("rule", "further", "sentence"),
    [
        ("unanimity", 6, "all of them found that it serves this user better; or all but one of"),
        ("unanimity", 0, "all of them found that it serves this user better."),
        ("majority", 0, "or no answer had a majority, and one other in a second round."),
        ("majority", 6, "or no answer had a majority, and at least 5 of 6 others in a second"),
    ],
)
def test_a_second_round_is_told(
    known: ReleaseContext, rule: str, further: int, sentence: str
) -> None:
    policy = public_of(known).study.policy.model_copy(update={"rule": rule, "further": further})
    assert sentence in card(studied(known, policy=policy))


@pytest.mark.parametrize(
    ("fewest", "sentence"),
    [
        (4, "No annotator met the 4 attention checks, which are votes on twins, by which somebody"),
        (2, "met 2 or more. Those of them who passed fewer than 70 % do not count: annotator"),
        (None, "Annotators who passed fewer than 70 % of the attention checks do not count: ann"),
    ],
)
def test_excluded_annotators_are_told(
    known: ReleaseContext, fewest: int | None, sentence: str
) -> None:
    first, *others = public_of(known).study.annotators
    failed = first.model_copy(update={"checks": 2, "passed": 0})
    changed = studied(known, annotators=(failed, *others), fewest_checks=fewest)
    for page in (card(changed), sheet(changed)):
        assert sentence in page


def test_by_a_program_nothing_is_and_a_trial_says_so_at_the_top_of_every_page(
    tmp_path: Path,
) -> None:
    run = run_of(tmp_path / "run", PAIRS[:6], simulated_answers=True)
    known = primary(tmp_path / "x", run, trial=True)
    made = texts(known)
    for name in ("README.md", "DATASHEET.md", "LICENSE.md", "CHANGELOG.md"):
        title, _, first = made[name].split("\n---\n")[-1].lstrip().splitlines()[:3]
        assert "small-pairs-trial" in title, name
        assert "trial and no benchmark" in first.lower(), name
    assert "simulated" in made["README.md"].split("\n> ")[1].splitlines()[0]
    for page in (card(known), sheet(known)):
        assert "0 of the 6 pairs are verified: 9 of the 9 annotators are a program" in page
        assert "a program, whose answers verify nothing" in page
        assert "4 twins and single pairs pass the rule" in page
        assert "pass the rule, of those that could" in page
        assert "Trying out the tools" in page
        for text in (
            "of those that could be", "| verified | refused", "people agree",
            "Measuring whether a reward model", "They are for measuring",
        ):  # fmt: skip
            assert text not in page
    assert json.loads(made["manifest.json"])["kind"] == "trial"
    found = json.loads(made["croissant.json"])
    assert found["name"] == "small-pairs-trial"
    assert found["description"].startswith("THIS IS A TRIAL AND NO BENCHMARK")
    assert "Manual Human Curation" not in found["rai:dataCollectionType"]


def test_where_nobody_was_asked_no_vote_is_spoken_of(tmp_path: Path) -> None:
    known = primary(tmp_path / "x", run_of(tmp_path / "run", PAIRS[:6], study=False), trial=True)
    made = texts(known)
    assert not any(path.startswith("human/") for path in made)
    assert json.loads(made["manifest.json"])["human"] is None
    assert "Nobody was asked" in made["croissant.json"]
    for page in (card(known), sheet(known)):
        assert "Nobody was asked" in page
        for text in (
            "preference votes,", "agreement of people", "Annotators judge", "by hashes",
            "Krippendorff",
        ):  # fmt: skip
            assert text not in page


# The audit


@pytest.mark.parametrize(
    ("statuses", "verdict", "message"),
    [
        (["pass", "note"], "passed", "0 failed, 1 passed, and 0 had too few"),
        (["pass", "too_few", "too_few"], "undecided", "0 failed, 1 passed, and 2 had too few"),
        (["pass", "fail", "too_few"], "failed", "1 failed, 1 passed, and 1 had too few"),
    ],
)
def test_an_audit_passes_only_if_every_check_was_decided(
    statuses: list[str], verdict: str, message: str, known: ReleaseContext
) -> None:
    made = with_audit(known, audit_of(*statuses))
    found = summarise_audit(made.primary, made.layout)
    assert found
    assert found.verdict == verdict
    assert message in card(made)


def _check(name: str, config: str, status: str, value: float, low: float | None) -> Check:
    high = None if low is None else min(1.0, 2 * value - low)
    found = Estimate(value=value, low=low, high=high, n=4, clusters=3)
    return Check.model_validate(
        {
            "family": "shortcuts" if name in BLIND else "baselines",
            "name": name, "config": config, "status": status, "found": found,
        }
    )  # fmt: skip


def test_the_card_shows_what_simple_ways_of_choosing_score(known: ReleaseContext) -> None:
    checks = (
        _check("length", "Home-twin", "note", 0.5, None),
        _check("profile_overlap", "Home-twin", "note", 0.75, 0.6),
        _check("length", "Home-violate", "too_few", 0.61, 0.5),
        _check("bold", "Home-violate", "fail", 0.9, 0.8),
        _check("bag_of_words", "Home-violate", "pass", 0.52, 0.5),
    )
    page = card(with_audit(known, audit_of().model_copy(update={"checks": checks})))
    for text in (
        "| Home-twin | 4 | 3 | 50 % | 75 % (60 to 90) |",
        "| Home-violate | 4 | 3 | 90 % (80 to 100), more bold, of 3 | not estimated |",
        "| Home-violate | 61 % (50 to 72) | 52 % (50 to 54) |",
        "see posts or aspects are 95 % intervals, each by itself. Those of the blind",
        "Of 3 checks of these configurations",
        "1 failed, 1 had too few pairs to decide, 1 passed.",
    ):
        assert text in page
    page = card(with_audit(known, audit_of("pass")))
    assert "What simple ways of choosing score" not in page
    assert "checks of these configurations" not in page


def test_the_names_of_baselines_are_those_of_the_audit() -> None:
    assert tuple(BLIND) == BLIND_CHECKS
    assert set(INFORMED) == set(BASELINES)


def test_posts_without_a_time_are_named_on_the_card(known: ReleaseContext) -> None:
    counted = known.summary.model_copy(update={"undated_posts": 3})
    page = card(replace(known, summary=counted))
    assert f"3 of {known.summary.posts:,} posts have no time, and their questions or other" in page
    assert "given the user's posts?" in page


# Licences and languages


def _front(known: ReleaseContext) -> dict[str, Any]:
    return vars(DatasetCard(dataset_card(known)).data)


def test_a_licence_is_claimed_for_the_whole_only_if_it_is_stated_for_all(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", unaddressed(PAIRS[:6]))
    made = primary(tmp_path / "x", run)
    assert _front(made)["license"] == ["cc0-1.0", "other"]
    assert "have no licence of their own that its makers state." in card(made)
    assert "scores and votes: no licence is stated." in licence_page(made)
    own = stating(made, own_licence="CC0-1.0")
    assert _front(own)["license"] == "cc0-1.0"
    assert "are passed on under CC0-1.0." in card(own)
    assert "scores and votes: CC0-1.0" in licence_page(own)
    assert "CC BY-SA" not in licence_page(own), "no post has it"
    other = stating(made, own_licence="MIT")
    assert _front(other)["license"] == ["cc0-1.0", "mit"]
    assert json.loads(croissant_json(other))["license"] == [
        "https://spdx.org/licenses/CC0-1.0.html", "https://spdx.org/licenses/MIT.html",
    ]  # fmt: skip


def test_languages_are_stated_or_said_not_to_be(known: ReleaseContext) -> None:
    page = licence_page(known)
    assert "<https://spdx.org/licenses/CC-BY-SA-3.0.html>" in page
    assert "\\:" not in page, "addresses are not escaped"
    assert _front(known)["language"] is None
    assert "Languages: not stated." in card(known)
    both = stating(known, languages=("en", "de"))
    assert _front(both)["language"] == ["en", "de"]
    assert "Languages: en, de." in card(both)
    assert "Languages: en, de." in sheet(both)
    assert json.loads(croissant_json(both))["inLanguage"] == ["en", "de"]
    with pytest.raises(ValueError, match="ISO 639"):
        ReleaseInfo(languages=("English",))


# Posts, modes and contact


def test_where_posts_were_published_is_said(known: ReleaseContext, tmp_path: Path) -> None:
    posts = known.summary.posts
    assert f"{posts} of the {posts} posts have an address: a scorer may" in card(known)
    none = primary(tmp_path / "x", run_of(tmp_path / "run", unaddressed(PAIRS[:6])))
    assert "No post has an address, and nothing here tells where" in card(none)
    assert "Addresses of posts may stop working" not in sheet(none)
    assert "Stack Exchange" not in licence_page(none)


@pytest.mark.parametrize("pairs", [TWINS, VIOLATES])
def test_of_one_mode_nothing_is_said_of_the_other(pairs: tuple[Pair, ...], tmp_path: Path) -> None:
    made, twins = primary(tmp_path / "x", run_of(tmp_path / "run", pairs)), pairs is TWINS
    for page in (card(made), sheet(made)):
        assert ("halves" in page) == twins
        assert ("Mode violate: the rejected response was written against" in page) != twins
        assert "over the modes" not in page
    assert ("A twin is two pairs" in card(made)) == ("Mode twin" in card(made)) == twins


def test_removal_is_promised_only_with_somebody_to_ask(known: ReleaseContext) -> None:
    assert INFO["contact"]
    assert "The author of a post here can ask there for its removal." in card(known)
    nowhere = stating(known, contact="")
    assert "Where to ask for the removal of a post is not stated." in card(nowhere)


def of_two_posts(pair: Pair) -> Pair:
    """The same pair; its first aspect rests on all of the posts."""
    first, *others = pair.rubric.aspects
    passages, posts = zip(*((post.text, post.id) for post in pair.profile), strict=True)
    first = first.model_copy(update={"evidence": "\n".join(passages), "post_ids": posts})
    rubric = pair.rubric.model_copy(update={"aspects": (first, *others)})
    return pair.model_copy(update={"rubric": rubric})


def test_aspects_are_counted_by_their_posts(known: ReleaseContext, tmp_path: Path) -> None:
    told = "Of 8 different aspects that a planner inferred, 8 rest on one post and 0 on several."
    assert told in card(known)
    made = primary(tmp_path / "x", run_of(tmp_path / "run", map(of_two_posts, VIOLATES)))
    told = "Of 4 different aspects that a planner inferred, 2 rest on one post and 2 on several."
    assert told in card(made)
    assert told in sheet(made)


def test_rubrics_are_said_to_be_of_their_source(known: ReleaseContext, tmp_path: Path) -> None:
    assert "were inferred by a model" in card(known)
    gold = []
    for pair in VIOLATES:
        rubric = pair.rubric.model_copy(update={"origin": "gold"})
        draft = pair.draft.model_copy(update={"blind_preference": None})
        gold.append(pair.model_copy(update={"rubric": rubric, "draft": draft}))
    made = primary(tmp_path / "x", run_of(tmp_path / "run", gold))
    for page in (card(made), sheet(made)):
        assert "inferred by a model" not in page
        assert "a planner inferred" not in page
    assert "The rubrics of 2 of the 2 pairs came with the source" in card(made)
    assert "Rubrics, by pairs: 2 of the source." in sheet(made)
    assert "which response a judge that knows nobody prefers was not measured" in card(made)


def test_aspects_that_two_rows_share_and_dates_of_questions_are_not_counted(
    known: ReleaseContext,
) -> None:
    part, row = next(iter(rows_of(known.layout)))
    builder = SummaryBuilder()
    builder.add(part, row)
    once = builder.summary()
    builder.add(part, row.model_copy(update={"id": "other", "created": "2999-01-01T00:00:00"}))
    twice = builder.summary()
    aspects = (once.aspects_of_one_post, once.aspects_of_several_posts)
    assert sum(aspects) == len(row.rubric_aspects)
    assert (twice.aspects_of_one_post, twice.aspects_of_several_posts) == aspects
    days = sorted(post.created[:10] for post in row.profile if post.created)
    assert (twice.oldest, twice.newest) == (days[0], days[-1])
