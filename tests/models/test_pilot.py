"""What a build will cost, by a pilot."""

import asyncio
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from endpoint import ask
from pairwright.construct.estimate import QUANTITIES, Expected, Pilot, PilotEstimate, read_pilot
from pairwright.construct.outcomes import Outcome
from pairwright.errors import InputError
from pairwright.models import Answer, Call, Completion
from pairwright.models.store import Store
from pairwright.records import Rejected, Twin
from released import twinned
from scripted import settings
from study import pairwright


def pilot(*users: tuple[int, int, int]) -> Pilot:
    """(items, kept, calls) of each user; ten tokens a call, and a cost of a tenth."""
    rows = [(n, kept, calls, 10 * calls, calls, calls / 10) for n, kept, calls in users]
    return Pilot("twin", np.array(rows, dtype=float), simulated=False)


def named(estimate: PilotEstimate) -> dict[str, Expected]:
    return {one.name: one for one in estimate.expected}


def test_what_is_expected_is_the_ratio_of_sums_over_all_users() -> None:
    some = pilot((1, 1, 30), (1, 0, 10), (2, 1, 40))
    found = some.expect(kept=100)
    assert (found.users, found.items, found.kept, found.given) == (3, 4, 2, "kept")
    by_name = named(found)
    assert set(by_name) == set(QUANTITIES) - {"kept"}
    assert {name: by_name[name].value for name in ("items", "calls", "cost")} == {
        "items": 200, "calls": 4000, "cost": pytest.approx(400),
    }  # fmt: skip
    by_name = named(some.expect(items=60))
    assert (by_name["kept"].value, by_name["calls"].value) == (30, 1200)
    assert by_name["kept"].low == 0


def test_the_interval_has_the_width_of_the_users_spread() -> None:
    """Half of the users give a twin at 30 calls, half none at 10: the calls for a twin are 40, and
    with n users its logarithm has about the spread of the share of keepers."""
    few, many, again = (
        named(pilot(*[(1, 1, 30), (1, 0, 10)] * n).expect(kept=1))["calls"] for n in (10, 160, 160)
    )
    assert again == many
    assert few.value == many.value == 40
    assert few.low < many.low < 40 < many.high < few.high
    # By the delta method: 10 sqrt(4 / 320) is the standard error, of 160 couples.
    spread = 1.96 * 10 * (4 / 320) ** 0.5
    assert many.high - many.low == pytest.approx(2 * spread, rel=0.15)


def test_where_a_draw_may_have_kept_nothing_there_is_no_upper_end() -> None:
    found = named(pilot((1, 1, 30), *[(1, 0, 10)] * 9).expect(kept=1))
    assert found["calls"].high == float("inf")
    assert found["calls"].low < found["calls"].value == 120


def test_a_pilot_that_kept_nothing_tells_nothing_of_a_target() -> None:
    nothing = pilot((1, 0, 30), (1, 0, 10))
    with pytest.raises(InputError, match="the pilot has kept nothing"):
        nothing.expect(kept=10)
    assert named(nothing.expect(items=10))["kept"].high == 0


def completed(store: Store, text: str) -> Call:
    """Store a call of 100 and 10 tokens."""
    request = ask(text)
    completion = Completion(request.key, "x", "stop", prompt_tokens=100, completion_tokens=10)
    asyncio.run(store.put(request, Answer(b"{}", completion)))
    return Call("plan", request.key)


def test_a_run_is_read_by_user_and_a_shared_call_counts_once(tmp_path: Path) -> None:
    prices = {"price_in": 1.0, "price_out": 10.0}
    local = {"base_url": "http://127.0.0.1:8000/v1", "model": "m", **prices}
    config = settings(endpoints={"local": local})
    with closing(Store(tmp_path / "calls.sqlite")) as store:
        own, shared, other = (completed(store, text) for text in ("own", "shared", "other"))
        kept = Twin(id="t", halves=twinned(0))
        refused = Rejected(stage="partners", reason="no_partner")
        for n, (unit, user, result, calls) in enumerate(
            [
                ("twin:q1", "una", kept, (own, shared)),
                ("violate:q1", "una", refused, (own,)),
                ("twin:q2", "vic", refused, (shared, other)),
            ]
        ):
            mode, item = unit.split(":")
            outcome = Outcome.model_validate(
                {
                    "unit": unit, "mode": mode, "item_id": item, "user": user, "partner": None,
                    "posts": 3, "result": result, "calls": calls, "prompt_tokens": 0,
                    "completion_tokens": 0, "simulated": False,
                }
            )  # fmt: skip
            store.add_outcome(n, unit, outcome.kind, outcome.model_dump_json())
        found = read_pilot(store, config)
    assert found.mode == "twin"
    price = (100 * 1.0 + 10 * 10.0) / 1e6
    assert found.figures.tolist() == [
        [1, 1, 2, 200, 20, pytest.approx(2 * price)],
        [1, 0, 1, 100, 10, pytest.approx(price)],
    ]


def test_a_run_without_an_outcome_is_no_pilot(tmp_path: Path) -> None:
    with (
        closing(Store(tmp_path / "calls.sqlite")) as store,
        pytest.raises(InputError, match="no unit of it has ended"),
    ):
        read_pilot(store, settings())


def test_a_pilot_goes_with_a_dry_run_and_a_dry_target_with_a_pilot(tmp_path: Path) -> None:
    given = ("build", tmp_path / "run.toml", "--run", tmp_path / "run")
    done = pairwright(*given, "--pilot", tmp_path)
    assert (done.code, "Add --dry-run" in done.err) == (2, True)
    done = pairwright(*given, "--dry-run", "--target", 5)
    assert (done.code, "add --pilot" in done.err) == (2, True)
