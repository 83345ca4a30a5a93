"""What a new release is short of, and what its maker can do about it."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.modes import has_own_choices
from pairwright.releases.run_notes import ERRATA_FILE
from pairwright.releases.summary import Summary
from pairwright.settings.rules import ReleaseInfo
from pairwright.text import number_of
from pairwright.workflows.new_release import ReleaseResult

FAILED = 8
"""Failed checks that are named."""


def advise(result: ReleaseResult, run: Path) -> Iterator[str]:
    """What the maker of a release should know of it, a sentence or two each."""
    if result.failed_units:
        yield (
            f"{number_of(result.failed_units, 'unit')} of the build failed, and the release says"
            " that it is short: build again to ask for them."
        )
    share, splits = (
        result.provenance.validation_share,
        {part.split for part in result.summary.parts},
    )
    if share and "validation" not in splits:
        yield "No user is in the split `validation`: it takes users by hash, and they are few."
    if share and "test" not in splits:
        yield (
            "No user is left in the split `test`, on which results are compared: `validation` takes"
            " users by hash, and they are few. A smaller --validation leaves more of them."
        )
    if result.errata_left_out:
        errata = number_of(result.errata, "erratum", "errata")
        yield (
            f"{result.errata_left_out:,} of {errata} left out: no pair that may be"
            f" named, of this release or the one before, has their id. See {run / ERRATA_FILE}."
        )
    before = result.previous
    if before and share < before.validation_share and result.moved_users:
        earlier = f"{before.validation_share:.12g}"
        yield (
            f"{before.name} {before.version} had a share of {earlier} of its users in the split"
            f" `validation`, and this has {share:.12g}: {number_of(result.moved_users, 'user')} of"
            " that split are in `test` now, where scorers that were tuned on them should not be"
            f" tested. --validation {earlier} leaves them."
        )
    if failed := result.failed_checks:
        checks = number_of(len(failed), "check")
        more = len(failed) - FAILED
        named = "; ".join(failed[:FAILED]) + (f"; and {more:,} more" if more > 0 else "")
        yield f"{checks} of its audit failed: {named}. audit/report.html says where and what to do."
    if empty := _not_stated(result.provenance.info, result.summary):
        yield (
            f'The pages say "Not stated." of {", ".join(empty)}: state them in [release] of'
            f" {run / 'config.toml'}, or in the configuration of the build, and build again."
        )


def _not_stated(info: ReleaseInfo, summary: Summary) -> list[str]:
    """The fields that are empty, in their order. A licence is needed where a post has none."""
    needless = {"max_overlap", "max_aspects_overlap"}
    if "unknown" not in summary.licences:
        needless |= {"licence"} - summary.licences.keys()
    if not (info.licence or "").startswith("CC-BY"):
        needless.add("attribution")
    if has_own_choices(config.mode for config in summary.configs):
        needless |= {"own_licence", "annotators", "payment"}
    return [name for name, value in info if not value and name not in needless]
