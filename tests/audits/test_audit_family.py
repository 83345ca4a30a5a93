"""Checks that an estimate decides are decided together, and none is decided outside."""

import ast
import math
import random
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest
from scipy.stats import norm, t

from audited import estimate, line
from pairwright.audits import run as audit_run
from pairwright.audits.catalogue import DEFINITIONS, ESTIMATE_CHECKS, decide
from pairwright.audits.human import AnnotatorComparison, ParityComparison, VoteComparison
from pairwright.audits.integrity.responses import Endings
from pairwright.audits.read import open_source
from pairwright.audits.records import Check, LimitComparison, Status
from pairwright.audits.shortcuts.classifiers import CLASSIFIERS
from pairwright.audits.shortcuts.trials import BLIND
from pairwright.dataset import Row
from pairwright.estimate import Estimate, share
from pairwright.intervals import LEVEL, Accuracy, AccuracyLimits, z_of
from pairwright.modes import Mode
from pairwright_human_eval.agreement.models import parity
from pairwright_human_eval.report.quality import ParityOf
from released import PAIRS, run_of, written

ESTIMATE = Estimate(value=0.7, low=0.6, high=0.8, n=100, clusters=100)


def check(name: str, status: Status, found: Estimate | None = None) -> Check:
    return Check(family="integrity", name=name, status=status, found=found)


@dataclass
class Fixed:
    """A comparison that fails at levels from `p` on."""

    p: float
    name: str = "breaks_off"

    def settled(self, level: float) -> bool:
        return self.p <= level

    def check(self, level: float) -> Check:
        found = check(self.name, "fail" if self.settled(level) else "too_few", ESTIMATE)
        return found.model_copy(update={"limit": level})


# Membership


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (check("new_check", "fail", ESTIMATE), "not with the others"),
        (check("new_check", "pass", ESTIMATE), "not with the others"),
        (check("position_bias", "fail"), "not with the others"),
        (Fixed(0.5, "new_check"), "needs by_estimate"),
    ],
    ids=["its own interval", "a pass", "one of the family", "a comparison without a name"],
)
def test_what_is_decided_alone_is_refused(found: Check | LimitComparison, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        decide([found])


def test_counts_and_notes_go_through_as_they_are() -> None:
    given = [check("duplicate_id", "fail"), check("profile_tfidf", "note", ESTIMATE)]
    assert decide(given) == given


# A module that takes up statistics may decide by them: then its check belongs to the family, and
# the module belongs in this list.
STATISTICS = {
    "catalogue", "shortcuts.trials", "shortcuts.figures", "shortcuts.questions", "human",
    "integrity.responses",
}  # fmt: skip
TOOLS = {"share", "exact", "accuracy", "mean", "difference", "holm", "z_of", "Accuracy", "p_value"}


def test_no_other_module_of_the_audit_uses_statistics() -> None:
    root = Path(audit_run.__file__).parent
    using = {
        ".".join(file.relative_to(root).with_suffix("").parts)
        for file in root.rglob("*.py")
        if _statistical(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert using == STATISTICS


def _statistical(module: ast.Module) -> bool:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
            if any(name.startswith(("scipy.stats", "statsmodels")) for name in names):
                return True
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module.startswith(("scipy.stats", "statsmodels")):
                return True
            tools = node.module in ("pairwright.estimate", "pairwright.intervals")
            if tools and TOOLS & {alias.name for alias in node.names}:
                return True
    return False


def test_an_audit_of_a_release_decides_every_comparison_together(tmp_path: Path) -> None:
    layout = written(run_of(tmp_path / "run", PAIRS[:12], wrong_profile=0.5), tmp_path / "out")
    comparisons: list[LimitComparison] = []

    def watched(found: Iterable[Check | LimitComparison]) -> list[Check]:
        found = list(found)
        comparisons.extend(one for one in found if not isinstance(one, Check))
        return decide(found)

    with patch.object(audit_run, "decide", watched):
        options = audit_run.Options(max_overlap=0.9, max_aspects_overlap=0.9)
        checks = audit_run.audit(open_source(str(layout.root)), options).checks
    names = {comparison.check(LEVEL).name for comparison in comparisons}
    # Nothing is learnt from so few users, the texts are too short to tell a language, and there are
    # no questions with options.
    assert names | {
        "other_language",
        "key_place",
        *CLASSIFIERS,
    } == set(ESTIMATE_CHECKS)
    assert set(ESTIMATE_CHECKS) <= set(DEFINITIONS)
    for one in checks:
        if one.status in ("pass", "fail") and one.name not in ESTIMATE_CHECKS:
            assert one.found is None or one.found.low is None, one.name


# Levels


def test_the_level_is_shared_by_all_comparisons_and_grows_as_they_settle() -> None:
    first, second, third = decide([Fixed(0.001), Fixed(0.02), Fixed(0.9)])
    assert [of.limit for of in (first, second, third)] == [LEVEL / 3, LEVEL / 2, LEVEL]
    assert [of.status for of in (first, second, third)] == ["fail", "fail", "too_few"]
    # By itself 0.03 would be enough.
    assert [of.status for of in decide([Fixed(0.03)] * 3)] == ["too_few"] * 3


def coin(number: int, config: int, chance: random.Random) -> Row:
    """One of two responses breaks off; a coin says which is chosen."""
    sides = ["It is whole.", "It is not"]
    chance.shuffle(sides)
    return Row(
        id=f"{config}-{number}", question=f"Question {number}?", domain=f"set {config}",
        chosen=sides[0], rejected=sides[1],
    )  # fmt: skip


@pytest.mark.real
def test_of_200_audits_of_coins_with_ten_configurations_few_fail() -> None:
    chance = random.Random(0)
    together = alone = 0
    for _ in range(200):
        endings = Endings()
        for config in range(10):
            for number in range(40):
                endings.add(line(coin(number, config, chance)))
        comparisons = list(endings.checks())
        together += any(of.status == "fail" for of in decide(comparisons))
        alone += any(of.check(LEVEL).status == "fail" for of in comparisons)
    assert alone > 40
    assert together <= 10


# What an audit can miss

PAGE = Path(__file__).resolve().parents[2] / "docs" / "audit.md"
BOUND = 0.58


def fails(pairs: int, cued: int, *, tests: int, tied: bool) -> bool:
    """A cue in `cued` rows, and in the others a tie or a coin; of `tests` estimates, none of which
    has settled yet."""
    share = cued / pairs
    found = Accuracy(0.5 + share / 2, 1 - share if tied else 0.0, pairs, pairs, 1.0)
    return found.settles(AccuracyLimits(BOUND, BOUND), z_of(LEVEL / tests)) == "fail"


def test_the_page_tells_the_smallest_share_of_rows_that_a_check_can_find() -> None:
    table = re.findall(
        r"^\| ([\d,]+) \| (\d+) % \| (\d+) % \| (\d+) % \| (\d+) % \|$",
        PAGE.read_text(encoding="utf-8"), re.MULTILINE,
    )  # fmt: skip
    assert len(table) == 8
    # The comparisons of one configuration without profiles.
    one = len(BLIND) + len(("breaks_off", "other_language"))
    for first, *told in table:
        pairs = int(first.replace(",", ""))
        least = [
            bisect_left(range(pairs), True, key=partial(fails, pairs, tests=tests, tied=tied))
            for tests in (one, 10 * one)
            for tied in (True, False)
        ]
        assert [int(of) for of in told] == [math.ceil(100 * of / pairs) for of in least]
    assert not any(fails(300, n, tests=1, tied=tied) for n in range(61) for tied in (True, False))


# What people said


def measure(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=90, clusters=30)


def test_a_claims_interval_is_the_bootstraps_widened_as_a_normal_one_is() -> None:
    claim = VoteComparison("preferred", "all", measure(0.6, 0.52, 0.66), bound=0.5, least=0.0)
    assert claim.check(LEVEL).status == "pass"
    found = estimate(claim.check(LEVEL))
    assert (found.low, found.high) == (0.52, 0.66)
    strict = claim.check(0.001)
    wider = norm.isf(0.0005) / norm.isf(0.025)
    assert strict.status == "too_few"
    assert estimate(strict).low == pytest.approx(0.6 - 0.08 * wider, abs=1e-5)
    assert estimate(strict).high == pytest.approx(0.6 + 0.06 * wider, abs=1e-5)
    against = VoteComparison("preferred", "all", measure(0.2, 0.1, 0.3), bound=0.5, least=0.0)
    assert against.check(0.001).status == "fail"
    end = estimate(against.check(1e-9))
    assert end.low == 0


def test_a_claim_without_an_interval_settles_nothing() -> None:
    none = Estimate(value=0.9, low=None, high=None, n=9, clusters=1, note="one dyad")
    claim = VoteComparison("preferred", "all", none, bound=0.5, least=0.0)
    assert not claim.settled(0.5)
    assert (claim.check(LEVEL).status, claim.check(LEVEL).detail) == ("too_few", "one dyad")


def compared(points: Sequence[float], mode: str = "twin") -> ParityComparison:
    rows = [
        (f"pair-{n}", f"annotator-{who}", point + (0.5 if who % 2 else -0.5))
        for n, point in enumerate(points)
        for who in range(6)
    ]
    return ParityComparison(ParityOf(mode=mode, scale="clarity", parity=parity(rows, 0.5)))


def test_parity_is_tested_at_the_level_it_has() -> None:
    given = compared([0.1, -0.2, 0.3, -0.1, 0.0, 0.2] * 5)
    of = given.scale.parity
    at = estimate(given.check(LEVEL))
    assert (at.low, at.high) == pytest.approx((of.low, of.high), abs=1e-6)
    assert of.mean is not None
    assert of.low is not None
    error = (of.mean - of.low) / t.isf(LEVEL, 5)
    strict = estimate(given.check(0.001))
    assert strict.low == pytest.approx(of.mean - t.isf(0.001, 5) * error, abs=1e-5)


@pytest.mark.parametrize("mode", ["twin", "violate"])
def test_a_difference_in_quality_fails_in_every_mode(mode: Mode) -> None:
    apart = [2.0, 2.1, 1.9, 2.2] * 10
    assert compared(apart, mode).check(0.001).status == "fail"
    assert compared(apart, mode).settled(0.001)


def test_annotators_share_the_level_of_their_check() -> None:
    counts = {"a": share(40, 50), "b": share(25, 50)}
    odd = AnnotatorComparison("position_bias", counts, [0.004, 1.0], "for the first response")
    assert (odd.check(LEVEL).status, odd.check(LEVEL).count) == ("fail", 1)
    assert odd.check(LEVEL).detail == "a: 40 of 50 for the first response"
    # Two annotators: 0.004 has to be at most half of the level.
    assert (odd.check(0.006).status, odd.check(0.006).detail) == ("pass", "")
    assert not odd.settled(0.006)
