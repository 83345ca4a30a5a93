"""`pairwright train accepted`: aspects of the planner against what the user who asked accepted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from endpoint import Asked, Handler, completion, fail, in_thread, simulated
from pairwright.records import GivenAnswer, Item, Post, PublishedAnswer
from pairwright.settings.source_rules import SourceRules
from pairwright.sources.stackexchange.accepted import (
    AcceptedAnswer,
    NoAcceptedAnswer,
    read_accepted,
)
from pairwright.train.accepted.measures import (
    AcceptedLine,
    AdherenceComparison,
    accepted_figures,
    trait_shares,
)
from pairwright.train.accepted.report_page import AcceptedScores
from study import Done, pairwright
from test_stackexchange import SITE, answer, question, result, write


def words(count: int, word: str = "bread") -> str:
    return f"<p>{' '.join([word] * count)}</p>"


def posts(*answers: dict[str, Any], accepted: int | None = 50) -> list[dict[str, Any]]:
    """Two earlier posts of user 7, and a question with these answers."""
    return [
        question(1, 1, "How do I keep dough warm in a cold flat?"),
        answer(2, 2, 9, user=7),
        question(10, 10, "Which flour suits a slow rise in winter?", AcceptedAnswerId=accepted),
        *answers,
    ]


def read(folder: Path, *answers: dict[str, Any], accepted: int | None = 50) -> list[Any]:
    write(folder, *posts(*answers, accepted=accepted))
    items = result(folder).items
    rules = SourceRules(path=SITE, format="stackexchange")
    return list(read_accepted(rules, folder, items))


def test_a_match_has_as_many_votes_and_about_the_same_length(tmp_path: Path) -> None:
    (case,) = read(
        tmp_path,
        answer(50, 11, 10, user=8, Score=3, Body=words(100)),
        answer(51, 12, 10, user=9, Score=2, Body=words(100, "rye")),  # fewer votes
        answer(52, 12, 10, user=10, Score=9, Body=words(160, "spelt")),  # too long
        answer(53, 13, 10, user=11, Score=3, Body=words(140, "malt")),
        answer(56, 13, 10, user=13, Score=4, Body=words(99)),  # nearly the same text
        answer(54, 13, 10, user=12, Score=4, Body=words(90, "oats")),  # the nearest in length
        answer(55, 13, 10, user=7, Score=9, Body=words(100)),  # the asker's own
    )
    assert isinstance(case, AcceptedAnswer)
    assert case.accepted.text == " ".join(["bread"] * 100)
    assert case.match is not None
    assert case.match.source_url == f"https://{SITE}/a/54"
    assert case.best.source_url == f"https://{SITE}/a/52"
    assert len(case.others) == 5


@pytest.mark.parametrize(
    ("answers", "accepted", "reason"),
    [
        pytest.param([answer(50, 11, 10, user=8)], None, "none_accepted", id="none accepted"),
        pytest.param([answer(51, 11, 10, user=8)], 50, "none_accepted", id="not in the dump"),
        pytest.param(
            [answer(50, 11, 10, user=7), answer(51, 11, 10, user=8)], 50, "own_answer", id="own"
        ),
        pytest.param([answer(50, 11, 10, user=8)], 50, "no_other_answer", id="no other"),
        pytest.param(
            [answer(50, 11, 10, user=8), answer(51, 11, 10, user=7)], 50, "no_other_answer",
            id="no other but the asker's",
        ),
        pytest.param(
            [answer(50, 11, 10, user=8, Body="<p> </p>"), answer(51, 11, 10, user=9)], 50,
            "no_text", id="no text",
        ),
    ],
)  # fmt: skip
def test_an_item_without_one_says_why(
    tmp_path: Path, answers: list[dict[str, Any]], accepted: int | None, reason: str
) -> None:
    (case,) = read(tmp_path, *answers, accepted=accepted)
    assert isinstance(case, NoAcceptedAnswer)
    assert case.reason == reason


def line(user: str, own: float | None, stranger: float | None) -> AcceptedLine:
    """A line whose accepted answer serves aspects by so much more than its match."""

    def service(difference: float | None) -> AdherenceComparison | None:
        if difference is None:
            return None
        return AdherenceComparison(
            aspects=2, accepted=0.5 + difference / 2, match=0.5 - difference / 2
        )

    return AcceptedLine(id=user, user=user, own=service(own), stranger=service(stranger))


def test_figures_have_their_n_interval_and_control() -> None:
    lines = [line("a", 1.0, 0.0), line("b", 0.5, 0.5), line("c", 0.0, None), line("d", None, None)]
    means = {figure.name: figure.mean for figure in accepted_figures(lines)}
    own, gain = means["own"], means["gain"]
    assert own is not None
    assert gain is not None
    assert (own.value, own.n, own.clusters) == (0.5, 3, 3)
    assert own.low is not None
    assert own.low < 0.5
    assert (gain.value, gain.n) == (0.5, 2)
    assert means["own_preference"] is not None
    assert means["own_preference"].value == pytest.approx(2.5 / 3, abs=1e-6)
    assert dict.fromkeys(means) == dict.fromkeys(
        (
            "own", "stranger", "gain", "own_preference", "stranger_preference", "own_aspects",
            "stranger_aspects",
        )
    )  # fmt: skip
    assert means["own_aspects"] is not None
    assert (means["own_aspects"].value, means["own_aspects"].n) == (2.0, 3)


def test_no_item_gives_no_figure() -> None:
    assert all(figure.mean is None for figure in accepted_figures([line("d", None, None)]))


def published(score: int, words: int, day: int) -> PublishedAnswer:
    return PublishedAnswer(
        source_url=f"https://{SITE}/a/{day}", user="x", created=f"2015-01-{day:02}T00:00:00",
        score=score, text=" ".join([f"loaf{day}"] * words),
    )  # fmt: skip


def test_traits_say_what_else_tells_the_accepted_answer() -> None:
    item = Item(
        id="i", user="una", question="q", category="cooking", domain="Home",
        profile=(Post(id="p", text="t"),),
        answers=(GivenAnswer(source_url="u", user="x", created="t", score=1, accepted=True),),
    )  # fmt: skip
    case = AcceptedAnswer(
        item=item, accepted=published(3, 100, 5), others=(published(3, 90, 2), published(9, 20, 9))
    )
    shares = {
        one.trait: (one.best and one.best.value, one.match and one.match.value)
        for one in trait_shares([case])
    }
    assert shares == {"votes": (0.0, 0.5), "words": (1.0, 1.0), "time": (1.0, 0.0)}


# With a planner and a judge


PASSAGES = {7: "I bake at night and sleep before it is light", 8: "My oven is a gas one from 1962"}
ASPECTS = {7: ("Fits a night shift", "No work at dawn"), 8: ("Suits an old gas oven", "No fan")}
Reply = Callable[[Asked], dict[str, Any] | None]


def _task(asked: Asked) -> str:
    return asked.said.partition("<task>")[2].partition("</task>")[0]


def scripted(reply: Reply) -> Handler:
    """The embedded model, except where `reply` has an object."""
    embedded = simulated()

    async def handler(asked: Asked) -> web.StreamResponse:
        given = reply(asked)
        if given is None:
            return await embedded(asked)
        return web.json_response(completion(json.dumps(given)))

    return handler


def planner_and_judge(asked: Asked) -> dict[str, Any] | None:
    """A planner that quotes whose posts it reads, and a judge that finds aspects by a word."""
    said, task = asked.said, _task(asked)
    if task == "plan":
        history = json.dumps(asked.body["messages"])
        user = next(number for number, passage in PASSAGES.items() if passage in history)
        return {
            "aspects": [
                {
                    "aspect": aspect, "reason": "r", "follows": "stated",
                    "evidence": [{"post": "p1", "passage": PASSAGES[user]}],
                }
                for aspect in ASPECTS[user]
            ]
        }  # fmt: skip
    if task == "plan_blind":
        return {"aspects": []}
    if task == "adherence":
        fits = 2 if "night shift" in said and "when your night ends" in said else 0
        return {"scores": [{"number": n, "reason": "r", "score": fits} for n in (1, 2)]}
    if task == "support":
        cases = said.count("<case")
        own = [{"number": n, "reason": "r", "verdict": "carried"} for n in range(1, cases + 1)]
        return {"cases": own}
    return None


def study(folder: Path, url: str, match_by: int = 11) -> Path:
    def history(user: int, start: int) -> list[dict[str, Any]]:
        said = f"<p>{PASSAGES[user]}. It changes how long dough can rest.</p>"
        return [
            question(start, 1, f"What helps dough number {start}?", user=user, Body=said),
            question(start + 1, 2, f"What helps crust number {start}?", user=user),
        ]

    night = "<p>Let it rise over night in the cold, and bake when your night ends. Fine.</p>"
    plain = "<p>Use a strong white flour and knead it well for ten minutes. Good luck to you.</p>"
    write(
        folder,
        *history(7, 100),
        *history(8, 200),
        question(10, 10, "Which flour suits a slow rise in winter?", AcceptedAnswerId=50),
        answer(50, 11, 10, user=9, Score=1, Body=night),
        answer(51, 12, 10, user=match_by, Score=1, Body=plain),
        question(20, 10, "How hot should a stone get for rolls?", user=8),
    )
    path = folder / "pairwright.toml"
    path.write_text(
        f"""
        [source]
        path = "{SITE}"
        format = "stackexchange"
        [endpoints.local]
        base_url = "{url}"
        model = "m"
        [roles]
        planner = "local"
        generator = "local"
        judge = "local"
        """
    )
    return path


def accepted(path: Path, *more: object) -> Done:
    return pairwright("train", "accepted", path, "--out", path.parent / "accepted", *more)


def test_a_planner_is_held_against_accepted_answers(tmp_path: Path) -> None:
    with in_thread(scripted(planner_and_judge)) as endpoint:
        path = study(tmp_path, endpoint.url)
        done = accepted(path)
        assert done.code == 0, done.err
        asked = endpoint.n
        assert accepted(path).code == 0
        assert endpoint.n == asked
    scores = AcceptedScores.model_validate_json((tmp_path / "accepted/accepted.json").read_bytes())
    assert (scores.items, scores.accepted, scores.matched, scores.compared) == (2, 1, 1, 1)
    assert scores.reasons == {"none_accepted": 1}
    own, stranger = scores.figure("own").mean, scores.figure("stranger").mean
    assert own is not None
    assert (own.value, own.n) == (1.0, 1)
    assert stranger is not None
    assert (stranger.value, stranger.n) == (0.0, 1)
    assert "too few for a claim" in done.out
    assert "1 compared" in done.out


def test_a_failing_call_is_counted_and_ends_short(tmp_path: Path) -> None:
    async def broken(asked: Asked) -> web.StreamResponse:
        if _task(asked) == "adherence":
            return await fail(400, "no judge here")(asked)
        return await scripted(planner_and_judge)(asked)

    with in_thread(broken) as endpoint:
        done = accepted(study(tmp_path, endpoint.url))
    assert done.code == 1
    assert "1 call_failed:http_400" in done.out
    assert "asked again" in done.err


@pytest.mark.parametrize(
    ("match_by", "refused", "reason", "code"),
    [
        pytest.param(8, "nothing", "no_stranger", 0, id="the only other user wrote the match"),
        pytest.param(11, "No fan", "call_failed:http_400", 1, id="the stranger's call fails"),
    ],
)
def test_the_askers_result_is_kept_where_there_is_no_control(
    tmp_path: Path, match_by: int, refused: str, reason: str, code: int
) -> None:
    async def judge(asked: Asked) -> web.StreamResponse:
        if _task(asked) == "adherence" and refused in asked.said:
            return await fail(400, "no judge here")(asked)
        return await scripted(planner_and_judge)(asked)

    with in_thread(judge) as endpoint:
        done = accepted(study(tmp_path, endpoint.url, match_by))
    assert done.code == code, done.said
    scores = AcceptedScores.model_validate_json((tmp_path / "accepted/accepted.json").read_bytes())
    assert (scores.compared, scores.stranger_reasons) == (1, {reason: 1})
    own = scores.figure("own").mean
    assert own is not None
    assert own.value == 1.0
    assert f"Compared without a stranger's aspects: 1 {reason}" in " ".join(done.out.split())


def test_a_source_that_is_no_dump_is_refused(tmp_path: Path) -> None:
    path = study(tmp_path, "http://127.0.0.1:9/v1")
    path.write_text(path.read_text().replace('format = "stackexchange"', ""))
    done = accepted(path)
    assert done.code == 2
    assert "dump of a Stack Exchange site" in done.err
