"""Mode accepted: accepted answers go from a dump to a leaderboard, and are reported apart."""

import csv
from pathlib import Path

import pytest
from test_stackexchange import SITE, answer, question, write

from pairwright import build, evaluate, leaderboard, load_release, release, verify
from pairwright.answer_traits import AnswerTraits
from pairwright.construct.folder import RunFolder
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.dataset import Row, read_lines
from pairwright.errors import ConfigError, InputError
from pairwright.evaluation.results import read_results
from pairwright.records import Item, pseudonym
from pairwright.settings.config import Config
from pairwright.sources.problems import SourceProblem
from pairwright.workflows.removal import forget
from pairwright.workflows.tasks import export_tasks

TOPICS = (
    "sourdough", "risotto", "dal", "kimchi", "brisket", "focaccia", "paella", "pho", "borscht",
    "tagine", "ceviche", "goulash",
)  # fmt: skip


def dump(folder: Path) -> Path:
    """Twelve users, each with two earlier posts and a question with an accepted answer; the first
    question's other answer is too short to be a match."""
    posts = []
    for n, topic in enumerate(TOPICS):
        user, first = 100 + n, 1000 + 10 * n
        own = f"<p>I cook {topic} at home every week in one small pot and count each gram.</p>"
        posts += [
            question(first, 1, f"How long does {topic} keep in a larder?", user=user, Body=own),
            answer(first + 1, 2, first, user=user, Body=f"<p>Mine kept six days, the {topic}.</p>"),
            question(
                first + 2, 10, f"What makes a {topic} taste of more with little salt?", user=user,
                AcceptedAnswerId=first + 3, Body="<p>I have a weak heart.</p>",
            ),
            answer(
                first + 3, 12, first + 2, user=500 + n, Score=2 + n % 3,
                Body=f"<p>Brown the {topic} slowly in one pot, weigh an acid such as lemon, and"
                " finish with herbs that you crush by hand just before you serve it.</p>",
            ),
            answer(
                first + 4, 11 + n % 3, first + 2, user=700 + n, Score=5,
                Body="<p>Short.</p>" if n == 0 else
                f"<p>Buy a better stock for {topic}, reduce it by half, then whisk in cold butter"
                " and taste again before anybody reaches for the shaker on the table.</p>",
            ),
        ]  # fmt: skip
    return write(folder, *posts)


def config(**source: object) -> Config:
    settings = {
        "modes": ["accepted"],
        "source": {"path": SITE, "format": "stackexchange", **source},
        "release": {"name": "kitchen", "own_licence": "CC0-1.0"},
    }
    return Config.model_validate(settings)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("accepted")
    dump(folder)
    build(config(), folder / "run", folder=folder)
    return folder / "run"


@pytest.fixture(scope="module")
def released(run: Path) -> Path:
    out = run.with_name("release")
    assert release(run, out, "1.0.0").provenance.kind == "release"
    return out


def rows(folder: Path) -> list[Row]:
    return [row for row in load_release(folder) if isinstance(row, Row)]


def test_each_pair_is_the_accepted_answer_and_its_match(run: Path) -> None:
    pairs = list(iterate_pairs(run))
    assert len(pairs) == 11
    for pair in pairs:
        assert pair.chosen.startswith("Brown the ")
        assert pair.rejected.startswith("Buy a better stock")
        assert len(pair.profile) == 2
        assert pair.response_sources is not None
        chosen, rejected = (source.score or 0 for source in pair.response_sources.both)
        assert 0 < chosen <= rejected == 5
        assert pair.rubric.aspects == ()
    problems = read_lines(RunFolder(run).problems, SourceProblem)
    (problem,) = (one for one in problems if one.reason == "no_match")
    assert (problem.id, problem.where) == ("cooking_1002", f"https://{SITE}/q/1002")


def test_a_release_needs_no_study_and_names_every_author_by_address(released: Path) -> None:
    assert verify(released).kind == "release"
    with (released / "attribution.csv").open(encoding="utf-8") as file:
        addresses = {line["address"] for line in csv.DictReader(file)}
    for row in rows(released):
        assert (sources := row.response_sources) is not None
        assert {answer.licence for answer in sources.both} == {"CC-BY-SA-3.0"}
        assert {answer.source_url for answer in sources.both} <= addresses
        assert f"https://{SITE}/a/" in (sources.chosen.source_url or "")
        assert row.dyad is not None
        assert (row.twin_id, row.votes, row.verified) == (None, None, False)


def test_a_leaderboard_reports_them_apart(released: Path, tmp_path: Path) -> None:
    evaluate(released, None, tmp_path / "results", names=["longer", "overlap"])
    board = leaderboard([tmp_path / "results"], tmp_path / "board")
    assert {ranking.mode for ranking in board.rankings} == {"accepted"}
    assert "Accepted answers" in (tmp_path / "board" / "leaderboard.md").read_text(encoding="utf-8")


def test_scores_within_the_tie_margin_are_a_tie(released: Path, tmp_path: Path) -> None:
    lines = ["pair,condition,response,score"]
    for n, row in enumerate(rows(released)):
        lines += [f"{row.id},profile,chosen,{n / 10}", f"{row.id},profile,rejected,0.35"]
    (tmp_path / "scores.csv").write_text("\n".join(lines), encoding="utf-8")
    table = '[scorers.near]\nkind = "scores"\npath = "scores.csv"\ntie_margin = 0.2\n'
    (tmp_path / "scorers.toml").write_text(table, encoding="utf-8")
    results = tmp_path / "results"
    evaluate(released, tmp_path / "scorers.toml", results, names=["near"], conditions=["profile"])
    (result,) = read_results(results)
    # The chosen scores are 0, .1, ... 1: .2 to .5 are within .2 of .35.
    assert (result.about.scorer.tie_margin, result.about.ties) == (0.2, 4)
    choices = [decision.choice for decision in result.decisions()]
    assert choices == ["rejected"] * 2 + ["tie"] * 4 + ["chosen"] * 5
    (tmp_path / "scorers.toml").write_text(
        '[endpoints.e]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'
        '[scorers.judge]\nkind = "pairwise"\nendpoint = "e"\ntie_margin = 0.2\n',
        encoding="utf-8",
    )
    with pytest.raises(ConfigError, match="gives verdicts and no scores"):
        evaluate(released, tmp_path / "scorers.toml", tmp_path / "none", names=["judge"])


def test_authors_of_answers_can_be_forgotten(run: Path, tmp_path: Path) -> None:
    pair = next(iterate_pairs(run))
    item = next(one for one in read_lines(RunFolder(run).items, Item) if one.id == pair.item_id)
    assert pair.response_sources is not None
    assert item.accepted is not None
    author = item.accepted.match.user
    assert pair.response_sources.rejected.user == pseudonym(author)
    address = item.accepted.accepted.source_url
    removals, _ = forget(run, users=[author], urls=[address])
    assert [(one.items, one.pairs) for one in removals] == [(1, 1), (1, 1)]
    release(run, tmp_path / "again", "1.0.0")
    assert len(rows(tmp_path / "again")) == 10


def test_what_needs_annotators_refuses_them(run: Path) -> None:
    with pytest.raises(InputError, match="own choice"):
        export_tasks(run)


def test_the_mode_goes_with_a_dump_alone() -> None:
    with pytest.raises(ValueError, match="goes alone, and with"):
        config(format="posts", path="x.jsonl")
    with pytest.raises(ValueError, match="goes alone, and with"):
        Config.model_validate({**config().model_dump(), "modes": ["accepted", "twin"]})


def test_traits_that_are_alike_count_one_half() -> None:
    own, other = AnswerTraits(3, 90, "2015-01-02"), AnswerTraits(3, 100, "2015-01-03")
    assert own.favours("votes", other) == 0.5
    assert (own.favours("words", other), own.favours("time", other)) == (0.0, 1.0)
