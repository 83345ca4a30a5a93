"""What `pairwright train export-rl` writes, as TRL and verl read it."""

from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pytest
from rewarding import release

from pairwright.errors import InputError
from pairwright.evaluation.benchmark import Benchmark
from pairwright.lines import read_one
from pairwright.pairs import Row
from pairwright.training.export_rl import RlExport, held_out
from study import Done, pairwright

datasets.disable_progress_bars()
__all__ = ["release"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


def exported(release: Path, out: Path, *options: object, format: str = "trl") -> Done:
    return pairwright("train", "export-rl", release, "--format", format, "--out", out, *options)


def rows_of(release: Path, split: str = "validation") -> dict[str, Row]:
    return {row.id: row for row in Benchmark(release, split).rows()}


def loaded(folder: Path, config: str) -> dict[str, list[dict[str, Any]]]:
    found = datasets.load_dataset(str(folder), config)
    return {split: found[split].to_list() for split in found}


def test_trl_reads_prompts_and_preferences(release: Path, tmp_path: Path) -> None:
    done = exported(release, tmp_path / "out", "--validation-share", "0.3")
    assert done.code == 0, done.said
    command = f"train reward-server --release {release} --scorers scorers.toml --scorer NAME"
    assert command in done.out
    rows, found = rows_of(release), loaded(tmp_path / "out", "prompts")
    prompts = [*found["train"], *found["validation"]]
    asked = {(row.item_id, row.user) for row in rows.values()}
    assert sorted((p["item_id"], p["user"]) for p in prompts) == sorted(asked)
    assert len(rows) > len(asked), "a question is in a twin and in a violate pair"
    secret = {row.narrative for row in rows.values() if row.narrative}
    secret |= {aspect.aspect for row in rows.values() for aspect in row.rubric_aspects}
    assert secret
    for prompt in prompts:
        row = rows[prompt["id"]]
        [message] = prompt["prompt"]
        assert message["role"] == "user"
        assert row.question in message["content"]
        assert all(post.text in message["content"] for post in row.profile)
        assert not any(text in message["content"] for text in secret)
    preferences = loaded(tmp_path / "out", "preference")
    ids = {part: {pair["id"] for pair in pairs} for part, pairs in preferences.items()}
    assert ids["train"] | ids["validation"] == set(rows)
    for pair in (*preferences["train"], *preferences["validation"]):
        for side in ("chosen", "rejected"):
            said = getattr(rows[pair["id"]], side)
            assert pair[side] == [{"role": "assistant", "content": said}]
    # Users and their partners are in one of the two parts.
    for name in ("user", "dyad"):
        train, validation = ({getattr(rows[id], name) for id in own} for own in ids.values())
        assert (bool(train), bool(validation), train & validation) == (True, True, set())


def test_what_is_shown_and_kept_for_validation_is_as_asked(release: Path, tmp_path: Path) -> None:
    exported(release, tmp_path / "none", "--condition", "none", "--validation-share", "0")
    rows, found = rows_of(release), loaded(tmp_path / "none", "prompts")
    assert list(found) == ["train"]
    for prompt in found["train"]:
        assert prompt["prompt"] == [{"role": "user", "content": rows[prompt["id"]].question}]
    exported(release, tmp_path / "one", "--posts", "1")
    readme = (tmp_path / "one" / "README.md").read_text()
    assert "shown the question after 1 of the user's earlier posts at most." in readme
    train = loaded(tmp_path / "one", "prompts")["train"]
    assert all("Post 1 of 1" in str(prompt["prompt"]) for prompt in train)


def test_nobody_trains_on_labels_that_were_drawn(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = list(rows_of(release).values())
    drawn = [Row(**dict(row) | {"mode": "placebo"}) for row in rows if row.mode == "twin"]
    others = [row for row in rows if row.mode != "twin"]
    monkeypatch.setattr(Benchmark, "rows", lambda _: iter(drawn + others))
    assert exported(release, tmp_path / "out").code == 0
    found = loaded(tmp_path / "out", "preference")
    assert {pair["id"] for some in found.values() for pair in some} == {row.id for row in others}
    monkeypatch.setattr(Benchmark, "rows", lambda _: iter(drawn))
    done = exported(release, tmp_path / "no")
    assert (done.code, "no pairs whose label is a preference" in done.err) == (2, True)


def test_verl_reads_its_columns_and_the_truth_names_the_pair(release: Path, tmp_path: Path) -> None:
    assert exported(release, tmp_path / "out", format="verl").code == 0
    rows = rows_of(release)
    for split in ("train", "validation"):
        # As verl's own dataset loads it.
        path = str(tmp_path / "out" / f"{split}.parquet")
        lines = datasets.load_dataset("parquet", data_files=path)["train"].to_list()
        for index, line in enumerate(lines):
            row = rows[line["reward_model"]["ground_truth"]]
            assert (line["data_source"], line["ability"]) == ("pairwright/small-pairs", row.domain)
            assert line["prompt"][0]["role"] == "user"
            assert line["reward_model"]["style"] == "rule"
            about = {name: getattr(row, name) for name in ("id", "item_id", "user", "config")}
            assert line["extra_info"] == {"split": split, "index": index, **about}


@pytest.mark.parametrize(
    ("split", "message"),
    [("test", "--validation 0.1"), ("train", "no pairs in the split 'train'")],
)
def test_a_split_that_must_not_or_cannot_be_trained_on_is_refused(
    release: Path, tmp_path: Path, split: str, message: str
) -> None:
    done = exported(release, tmp_path / "out", "--split", split)
    assert (done.code, message in done.err, (tmp_path / "out").exists()) == (2, True, False)


def test_an_allowed_test_split_is_called_contaminated(release: Path, tmp_path: Path) -> None:
    done = exported(release, tmp_path / "out", "--split", "test", "--allow-test-split")
    assert (done.code, "contaminated" in done.out) == (0, True)
    assert "contaminated" in (tmp_path / "out" / "README.md").read_text()
    assert read_one(tmp_path / "out" / "export.json", RlExport).split == "test"


def test_users_who_cannot_be_parted_are_named() -> None:
    chain = pd.DataFrame({"subject": ["t", "t", "s", "s"], "user": ["a", "b", "b", "c"]})
    with pytest.raises(InputError, match="partners of each other"):
        held_out(chain, 0.5)
    assert not held_out(chain, 0).any()
