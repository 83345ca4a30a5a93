"""Spread over wordings and layouts: what is asked differs, the pairs do not, and it is reported."""

import json
from pathlib import Path

import pytest
from aiohttp import web

from endpoint import Asked, completion, in_thread
from pairwright import leaderboard
from pairwright.assets import PROMPTS
from pairwright.dataset.message import FRAMES, user_message
from pairwright.errors import InputError, PromptError
from pairwright.evaluate.scorers.scorer_protocols import PromptContent
from pairwright.evaluate.spread import Presentation, apply_wording, presentations_of
from pairwright.records import Post
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import VARIABLES
from pairwright.workflows.spread_scoring import score_spread
from study import pairwright

FILE = """
[endpoints.toy]
base_url = "{url}"
model = "toy-judge"
[scorers.rater]
kind = "pointwise"
endpoint = "toy"
[scorers.steady]
kind = "python"
object = "steady:Steady"
"""
STEADY = """
class Steady:
    def score(self, candidates):
        return [float(len(c.response)) for c in candidates]
"""
POSTS = (
    Post(id="p1", text="I bake.", category="c", created="2015-01-02T10:00:00"),
    Post(id="p2", text="I fry.", category="c"),
)


def test_every_wording_is_asked_in_every_layout() -> None:
    names = [one.name for one in presentations_of()]
    assert names == [
        f"{wording}, {layout}"
        for wording in ("shipped", "plain", "short")
        for layout in ("posts", "dated", "joined")
    ]
    assert {one.frame for one in presentations_of()} == set(range(len(FRAMES)))


def test_a_layout_changes_how_posts_come_and_not_what_they_say() -> None:
    shown = PromptContent("Which flour?", POSTS)
    texts = {
        one.layout: [post.text for post in one.apply(shown).posts]
        for one in presentations_of()
        if one.wording == "shipped"
    }
    assert texts == {
        "posts": ["I bake.", "I fry."],
        "dated": ["2015-01-02: I bake.", "no date: I fry."],
        "joined": ["I bake.\n\nI fry."],
    }
    assert Presentation("short", "joined", 2).apply(PromptContent("Which?")).posts == ()


def test_frames_are_three_wordings_of_a_reward_models_message() -> None:
    messages = [user_message("Which flour?", POSTS, ("Rye",), n) for n in range(len(FRAMES))]
    assert len(set(messages)) == len(FRAMES) == 3
    for message in messages:
        for part in ("> I bake.", "> Rye", "> Which flour?"):
            assert part in message


def test_a_wording_replaces_the_judges_prompts_alone() -> None:
    prompts = Prompts.load(PROMPTS, VARIABLES)
    for wording in ("plain", "short"):
        other = apply_wording(prompts, wording)
        changed = {name for name in prompts.hashes if prompts.hashes[name] != other.hashes[name]}
        assert changed == {"prefer", "rate"}
    assert apply_wording(prompts, "shipped") is prompts


async def by_wording(asked: Asked) -> web.StreamResponse:
    """A judge whose score depends on the wording: with the short one it prefers long responses."""
    response = asked.said.partition("<response>")[2].partition("</response>")[0]
    longer = len(response) % 9 + 1
    score = longer if "Ignore length" in asked.said else 5
    return web.json_response(completion(json.dumps({"reason": "r", "score": score})))


@pytest.mark.real
def test_the_command_reports_mean_deviation_and_the_order(
    small_release: Path, tmp_path: Path
) -> None:
    (tmp_path / "steady.py").write_text(STEADY, encoding="utf-8")
    with in_thread(by_wording) as endpoint:
        (tmp_path / "scorers.toml").write_text(FILE.format(url=endpoint.url), encoding="utf-8")
        done = pairwright(
            "downstream", "spread", small_release, "--scorers", tmp_path / "scorers.toml",
            "--out", tmp_path / "out",
        )  # fmt: skip
        sent = len(endpoint.asked)
        again = pairwright(
            "downstream", "spread", small_release, "--scorers", tmp_path / "scorers.toml",
            "--out", tmp_path / "out",
        )  # fmt: skip
        assert len(endpoint.asked) == sent, "nothing is asked twice"
    assert done.code == again.code == 0, done.said
    scores = json.loads((tmp_path / "out" / "spread.json").read_text(encoding="utf-8"))
    assert len(scores["presentations"]) == 9
    figures = {(one["scorer"], one["mode"]): one for one in scores["figures"]}
    modes = {mode for _, mode in figures}
    for mode in modes:
        steady = figures["steady", mode]
        assert steady["unchanged"] is True
        assert figures["rater", mode]["unchanged"] is False
        # The mean of the same points has the interval of an evaluation.
        first = steady["accuracies"][0]
        assert [steady["mean"][key] for key in ("low", "high")] == [first["low"], first["high"]]
        assert len({one["value"] for one in steady["accuracies"]}) == 1
        by_name = {one["presentation"]: one for one in figures["rater", mode]["accuracies"]}
        # A judge that always says 5 has ties alone.
        assert by_name["shipped, posts"]["value"] == by_name["plain, dated"]["value"] == 0.5
    orders = {(one["mode"], *one["scorers"]): one["presentations"] for one in scores["orders"]}
    assert orders["twin", "rater = steady"] == 9
    printed = " ".join(done.out.split())
    assert "over 9 presentations" in printed
    assert "every score of steady is the same in all 9 presentations" in printed
    assert "rater = steady (accuracies alone, whose differences are not tested" in printed
    page = (tmp_path / "out" / "spread.html").read_text(encoding="utf-8")
    assert "Every presentation" in page
    # A result of another presentation is never taken for the scorer's own.
    other = tmp_path / "out" / "short-dated" / "steady.profile.json"
    with pytest.raises(InputError, match="of another wording or layout"):
        leaderboard([other])


def test_scores_of_a_file_have_one_presentation(small_release: Path, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("pair,condition,response,score\n", encoding="utf-8")
    table = '[scorers.given]\nkind = "scores"\npath = "s.csv"\n'
    (tmp_path / "scorers.toml").write_text(table, encoding="utf-8")
    with pytest.raises(InputError, match="which were computed in one way"):
        score_spread(small_release, tmp_path / "scorers.toml", tmp_path / "o", names=["given"])
    with pytest.raises(InputError, match="the file has none that is asked"):
        score_spread(small_release, tmp_path / "scorers.toml", tmp_path / "o")


def test_a_folder_without_a_wording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="holds no wording"):
        list(presentations_of(tmp_path))


def test_a_wording_without_one_of_its_prompts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "curt").mkdir()
    (tmp_path / "curt" / "rate.md").write_text("Rate it.", encoding="utf-8")
    with pytest.raises(PromptError, match=r"curt: has no prefer\.md"):
        list(presentations_of(tmp_path))


def test_a_wording_with_the_name_of_the_one_that_ships_is_refused(tmp_path: Path) -> None:
    wording(tmp_path / "own", "shipped")
    with pytest.raises(PromptError, match="has the name of the wording that ships"):
        list(presentations_of(tmp_path / "own"))


def wording(folder: Path, name: str, rate: str = "") -> None:
    """A further wording: the shipped prompts, or another text of rate.md."""
    (folder / name).mkdir(parents=True)
    for prompt in ("prefer", "rate"):
        text = (PROMPTS / f"{prompt}.md").read_text(encoding="utf-8")
        (folder / name / f"{prompt}.md").write_text(
            rate if rate and prompt == "rate" else f"{text}\n{name}", encoding="utf-8"
        )


def test_a_wording_that_cannot_be_read_is_named_before_anything_is_asked(
    small_release: Path, tmp_path: Path
) -> None:
    wording(tmp_path / "own", "brief")
    wording(tmp_path / "own", "curt", rate="Rate {{ nothing }}.")
    with in_thread(by_wording) as endpoint:
        (tmp_path / "scorers.toml").write_text(FILE.format(url=endpoint.url), encoding="utf-8")
        with pytest.raises(PromptError, match=r"curt/rate\.md"):
            score_spread(
                small_release, tmp_path / "scorers.toml", tmp_path / "out", names=["rater"],
                wordings=tmp_path / "own",
            )  # fmt: skip
        assert not endpoint.asked


def test_a_judge_with_a_prompt_of_its_own_has_no_wordings(
    small_release: Path, tmp_path: Path
) -> None:
    text = FILE.format(url="http://127.0.0.1:9/v1")
    text = text.replace('endpoint = "toy"\n', 'endpoint = "toy"\nprompt = "mine.md"\n')
    (tmp_path / "scorers.toml").write_text(text, encoding="utf-8")
    rate = (PROMPTS / "rate.md").read_text(encoding="utf-8")
    (tmp_path / "mine.md").write_text(rate, encoding="utf-8")
    with pytest.raises(InputError, match="other wordings do not apply to it") as caught:
        score_spread(small_release, tmp_path / "scorers.toml", tmp_path / "o", names=["rater"])
    assert caught.value.where == "[scorers.rater] prompt"


def test_more_wordings_than_reward_models_have_are_announced(
    small_release: Path, tmp_path: Path
) -> None:
    for name in ("a", "b", "c"):
        wording(tmp_path / "own", name)
    # Modules are known by their names: no other test's file may have this one.
    (tmp_path / "calm.py").write_text(STEADY, encoding="utf-8")
    text = FILE.format(url="http://127.0.0.1:9/v1").replace("steady:", "calm:")
    (tmp_path / "scorers.toml").write_text(text, encoding="utf-8")
    notes: list[str] = []
    done = score_spread(
        small_release, tmp_path / "scorers.toml", tmp_path / "out", names=["steady"], limit=1,
        wordings=tmp_path / "own", progress=lambda event: notes.append(str(event)),
    )  # fmt: skip
    assert any("Judges have 4 wordings and other scorers have 3" in note for note in notes)
    assert len(done.evaluation.results) == 12


def test_two_wordings_of_one_text_are_refused_before_anything_is_asked(
    small_release: Path, tmp_path: Path
) -> None:
    for name in ("brief", "curt"):
        wording(tmp_path / "own", name, rate="")
        (tmp_path / "own" / name / "rate.md").write_text(
            (PROMPTS / "rate.md").read_text(encoding="utf-8") + "\nBe brief.", encoding="utf-8"
        )
    with in_thread(by_wording) as endpoint:
        (tmp_path / "scorers.toml").write_text(FILE.format(url=endpoint.url), encoding="utf-8")
        with pytest.raises(PromptError, match=r"brief and curt have the same text of rate\.md"):
            score_spread(
                small_release, tmp_path / "scorers.toml", tmp_path / "out", names=["rater"],
                wordings=tmp_path / "own",
            )  # fmt: skip
        assert not endpoint.asked


async def failing(_: Asked) -> web.StreamResponse:
    return web.json_response({"error": {"message": "no such luck"}}, status=400)


def test_too_few_scores_end_with_1_and_name_the_presentation(
    small_release: Path, tmp_path: Path
) -> None:
    with in_thread(failing) as endpoint:
        (tmp_path / "scorers.toml").write_text(FILE.format(url=endpoint.url), encoding="utf-8")
        done = pairwright(
            "downstream", "spread", small_release, "--scorers", tmp_path / "scorers.toml",
            "--out", tmp_path / "out", "--scorer", "rater", "--limit", "1",
        )  # fmt: skip
    assert done.code == 1
    assert "rater.profile (short, dated)" in " ".join(done.said.split())
