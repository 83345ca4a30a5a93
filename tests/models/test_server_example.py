"""The container file for annotators from outside: what it runs, and what is open."""

import re
from pathlib import Path

from pairwright import assets

FOLDER = assets.EXAMPLES / "label-studio-server"
COMPOSE = (FOLDER / "compose.yaml").read_text(encoding="utf-8")


def test_it_runs_the_version_that_is_tested() -> None:
    pins = Path(__file__).parents[1].joinpath("label-studio.txt").read_text(encoding="utf-8")
    pinned = re.search(r"^label-studio==(\S+)$", pins, re.MULTILINE)
    assert pinned
    assert f"heartexlabs/label-studio:{pinned[1]}\n" in COMPOSE


def test_only_the_front_is_open_and_nothing_is_sent_out() -> None:
    assert re.findall(r'^ +- "(\d+:\d+)"$', COMPOSE, re.MULTILINE) == ["80:80", "443:443"]
    assert COMPOSE.index("front:") < COMPOSE.index("ports:")
    assert 'LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK: "true"' in COMPOSE
    assert 'SENTRY_DSN: ""' in COMPOSE


def test_every_variable_is_in_the_example_and_no_secret_is_filled_in() -> None:
    example = (FOLDER / "env.example").read_text(encoding="utf-8")
    given = dict(re.findall(r"^([A-Z_]+)=(.*)$", example, re.MULTILINE))
    assert set(re.findall(r"\$\{([A-Z_]+)[:}]", COMPOSE)) == set(given)
    assert {given[name] for name in ("LEAD_PASSWORD", "DATABASE_PASSWORD", "LEAD_TOKEN")} == {""}
