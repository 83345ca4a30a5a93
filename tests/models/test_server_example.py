"""The container file for annotators from outside: what it runs, and what is open."""

import re
from pathlib import Path

from pairwright import assets

FOLDER = assets.EXAMPLES / "label-studio-server"


def test_the_tested_version_runs_only_the_front_is_open_and_no_secret_is_filled_in() -> None:
    compose = (FOLDER / "compose.yaml").read_text(encoding="utf-8")
    pins = Path(__file__).parents[1].joinpath("label-studio.txt").read_text(encoding="utf-8")
    (version,) = re.findall(r"^label-studio==(\S+)$", pins, re.MULTILINE)
    assert f"heartexlabs/label-studio:{version}\n" in compose
    assert re.findall(r'^ +- "(\d+:\d+)"$', compose, re.MULTILINE) == ["80:80", "443:443"]
    assert compose.index("front:") < compose.index("ports:")
    for closed in ('LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK: "true"', 'SENTRY_DSN: ""'):
        assert closed in compose
    example = (FOLDER / "env.example").read_text(encoding="utf-8")
    given = dict(re.findall(r"^([A-Z_]+)=(.*)$", example, re.MULTILINE))
    assert set(re.findall(r"\$\{([A-Z_]+)[:}]", compose)) == set(given)
    assert {given[name] for name in ("LEAD_PASSWORD", "DATABASE_PASSWORD", "LEAD_TOKEN")} == {""}
