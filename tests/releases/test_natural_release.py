"""Natural twins go the way of all pairs: release, verification, audit, evaluation, leaderboard.
What needs a rubric or annotators refuses them in a sentence."""

from pathlib import Path

import pytest

from choosers import (
    CHOICES,
    TOPICS,
    built_conversation,
    table_of_choices,
    table_of_texts,
    write_csv,
)
from pairwright import build, check, evaluate, load_release, release
from pairwright.construct.outcomes import iterate_pairs
from pairwright.errors import InputError
from pairwright.evaluation.outputs import questions_by_id
from pairwright.pairs import Row, parts_of
from pairwright.releases.forget import forget
from pairwright.settings.config import Config
from pairwright.training.export_rl import export_rl
from pairwright_human_eval.study import export_tasks, plan_study

ATTRIBUTION = "Gathered by the ward, with attribution to its people."

CHOICES_OF = {"path": "choices.csv", "format": "choices", "default_category": "travel"}


def built(folder: Path, source: dict[str, str], **release: object) -> Path:
    """A run of natural twins of a source in the folder."""
    config = {"modes": ["natural"], "source": source, "release": release}
    build(Config.model_validate(config), folder / "run", folder=folder)
    return folder / "run"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_conversation(tmp_path_factory.mktemp("natural"), 16, attribution=ATTRIBUTION)


@pytest.fixture(scope="module")
def released(run: Path) -> Path:
    out = run.with_name("release")
    made = release(run, out, "1.0.0", validation_share=0.3)
    assert made.manifest["kind"] == "release"
    assert not made.left_out
    return out


def rows(folder: Path) -> list[Row]:
    return [row for row in load_release(folder) if isinstance(row, Row)]


def test_a_release_of_natural_twins_needs_no_study_and_verifies(run: Path, released: Path) -> None:
    assert not check(released).trial_because
    for row in rows(released):
        assert row.mode == "natural"
        assert row.rubric_aspects == ()
        assert (row.aspects_origin, row.generator, row.judge, row.votes) == (None, "", None, None)
        assert not row.verified
        assert row.source_url == "https://pol.is/ward"
        assert row.licence == "CC-BY-4.0"
    assert {part.split for part in parts_of(released)} == {"test", "validation"}
    users = {pair.user for pair in iterate_pairs(run)}
    assert users
    for path in released.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert not any(user.encode() in content for user in users), path


def test_each_half_has_the_time_and_the_address_of_its_own_choice(tmp_path: Path) -> None:
    """Of which only those of the web are released: a page may make a link of an address."""
    table = [
        [
            f"u{user}", f"How do I get to the {TOPICS[n]} from here?", f"Take the {TOPICS[n]}.",
            f"Walk round by the {TOPICS[n + 1]} and rest.", "ab"[user % 2],
            f"2024-05-{10 + 2 * n + user % 2}", "",
            "javascript:alert(1)" if n == 4 else f"https://example.org/u{user}/{n}",
        ]
        for user in range(4)
        for n in range(5)
    ]  # fmt: skip
    write_csv(tmp_path / "choices.csv", [*CHOICES, "url"], table)
    table_of_texts(tmp_path / "texts.csv", users=4)
    out, source = tmp_path / "1.0.0", CHOICES_OF | {"texts": "texts.csv"}
    run = built(tmp_path, source, name="ways", licence="CC-BY-4.0")
    assert '"reason":"bad_address"' in (run / "source_problems.jsonl").read_text(encoding="utf-8")
    release(run, out, "1.0.0")
    assert not check(out).trial_because
    found = rows(out)
    addressed = [row for row in found if row.source_url]
    assert 0 < len(addressed) < len(found)
    assert all("https://example.org/" in (row.source_url or "") for row in addressed)
    for first, other in zip(found[::2], found[1::2], strict=True):
        assert first.created != other.created
        assert first.source_url != other.source_url or not first.source_url
    partners = next(row.source_url for row in addressed if not row.asked)
    (removal,), _ = forget(run, urls=[partners or ""])
    assert removal.items


def test_what_needs_a_rubric_says_why_not(run: Path, released: Path, tmp_path: Path) -> None:
    for condition in ("rubric", "profile-without-evidence"):
        with pytest.raises(InputError, match="no pair can be shown"):
            evaluate(released, None, tmp_path / "r", names=["longer"], conditions=[condition])
    with pytest.raises(InputError, match="annotators cannot verify"):
        export_tasks(run)
    with pytest.raises(InputError, match="annotators cannot verify"):
        plan_study(run)
    with pytest.raises(InputError, match="without a rubric to judge outputs by"):
        questions_by_id(rows(released))
    export_rl(released, tmp_path / "rl", format="trl", split="test", allow_test_split=True)


def test_a_release_keeps_the_bound_and_attribution_that_it_states(tmp_path: Path) -> None:
    table_of_choices(tmp_path / "choices.csv", users=8, questions=6)
    table_of_texts(tmp_path / "texts.csv", users=8)
    stated = {"licence": "CC-BY-4.0", "attribution": ATTRIBUTION}
    run, out = built(tmp_path, CHOICES_OF | {"texts": "texts.csv"}, **stated), tmp_path / "1.0.0"
    made = release(run, out, "1.0.0")
    empty = ("motivation", "maintainers", "contact", "languages", "consent", "maintenance")
    assert made.not_stated == empty
    assert "licence" not in dict(made.manifest["audit"]["failed"])
    assert not check(out).trial_because
    assert any(row.narrative for row in rows(out)), "a reason is its user's narrative"
