"""The pages beside the card: DATASHEET.md and CHANGELOG.md.

The datasheet has the seven sections of Gebru et al. (2021), Datasheets for Datasets, CACM 64(12).
What the run can say answers them; the rest is what the makers wrote, or "Not stated."
"""

from pairwright.modes import is_twin
from pairwright.release.derive import build_summary, cautions
from pairwright.release.derive.card import errata_table, study_tables
from pairwright.release.derive.context import ReleaseContext
from pairwright.release.derive.licences import meaning
from pairwright.release.derive.markdown import Markdown, page, points, table
from pairwright.release.derive.own_choice import own_choice_words
from pairwright.release.derive.study_sentences import nobody_sentence, verified_sentence
from pairwright.release.primary import Version


def datasheet(release: ReleaseContext) -> str:
    """Write the whole DATASHEET.md."""
    primary, summary = release.primary, release.summary
    info, models = primary.provenance.info, build_summary.model_rows(release.build)
    return page(
        "datasheet.md.jinja",
        release=release, info=info, summary=summary, trial=cautions.trial(release),
        pair=build_summary.pair_sentence(summary),
        source=points(build_summary.source_sentences(release.build)),
        models=points(f"{role}: {model} ({sampling})" for role, model, sampling in models),
        calls=build_summary.call_sentence(release.build), study=release.study,
        human=study_tables(release),
        nobody=nobody_sentence(summary), own_choice=own_choice_words(summary),
        uses=points(cautions.uses(release)),
        misuses=points(cautions.misuses(release)),
        verified=verified_sentence(summary, release.study),
        preparation=points(build_summary.preparation_sentences(summary, release.units)),
        languages=", ".join(info.languages),
        addressed=summary.posts - summary.hosts.get("none", 0),
        twins=any(is_twin(config.mode) for config in summary.configs),
        sensitive=points(cautions.sensitive(release)),
        biases=points(cautions.biases(release)), limits=points(cautions.limits(release)),
        meaning=points(meaning(release)),
        hosts=", ".join(
            f"{'no address' if name == 'none' else name} {n:,}" for name, n in summary.hosts.items()
        ),
        categories=", ".join(f"{name or 'none'} {n:,}" for name, n in summary.categories.items()),
        kept=sum(unit.outcome == "kept" for unit in primary.units), units=len(primary.units),
    )  # fmt: skip


def changelog(release: ReleaseContext) -> str:
    """Write the whole CHANGELOG.md: changes by version, the newest first, and known errors."""
    return page(
        "changelog.md.jinja",
        release=release,
        versions=[(version, _changes(version)) for version in reversed(release.primary.history)],
        errata=errata_table(release.primary.errata),
    )


def _changes(version: Version) -> Markdown | None:
    rows = [
        (change.config, change.what, change.reason, f"{change.pairs:,}")
        for change in version.changes
    ]
    return table(("configuration", "pairs", "because", "n"), rows, left=3) if rows else None
