"""The model that a reply names is compared with the one that was asked for."""

import json
from pathlib import Path

import pytest

from endpoint import altered, in_thread
from pairwright.construct.status import status
from pairwright.models.call import is_same_model
from study import Study, pairwright


@pytest.mark.parametrize(
    ("served", "asked", "same"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o", True),
        ("openai/gpt-4o-2024-08-06", "gpt-4o", True),
        ("gpt-4o", "openai/gpt-4o-2024-08-06", True),
        ("claude-3-5-sonnet@20240620", "claude-3-5-sonnet", True),
        ("claude-3-5-sonnet", "claude-3-5-sonnet-latest", True),
        ("gemini-1.5-pro-002", "models/gemini-1.5-pro", True),
        ("/srv/models/Qwen2.5-7B-Instruct/", "Qwen/Qwen2.5-7B-Instruct", True),
        ("llama3.1:latest", "llama3.1", True),
        ("gpt-4o-mini", "gpt-4o", False),
        ("gpt-4o-2024-08-06", "gpt-4o-2024-05-13", False),
        ("gpt-4-32k", "gpt-4", False),
        ("llama-3-8b", "llama-3-70b", False),
        ("llama3.1:8b", "llama3.1:70b", False),
        ("", "m", False),
    ],
)
def test_dates_paths_and_case_do_not_make_another_model_but_a_size_or_another_date_does(
    served: str, asked: str, same: bool
) -> None:
    assert is_same_model(served, asked) == same


def test_status_and_the_manifest_count_the_replies_of_other_models(tmp_path: Path) -> None:
    names = ("/srv/other-8b", "pairwright-double-20240806")
    with in_thread(
        altered(lambda asked, body: body.update(model=names[asked.number % 2]))
    ) as server:
        study = Study.make(tmp_path / "study", server.url, limit=3, modes=["violate"])
        done = study.build()
    assert done.code == 0, done.said
    assert done.err.count("replies name the model /srv/other-8b") == 1
    manifest = json.loads((study.run / "manifest.json").read_text())
    counts = manifest["served_models"]["pairwright-double"]
    assert counts["/srv/other-8b"] > 5
    assert sum(counts.values()) == manifest["calls"]["n"]
    others = {"pairwright-double": {"/srv/other-8b": counts["/srv/other-8b"]}}
    assert status(study.run).served == others
    printed = pairwright("status", study.run).out
    assert "for pairwright-double, with replies that name /srv/other-8b" in printed
    assert "20240806" not in printed
