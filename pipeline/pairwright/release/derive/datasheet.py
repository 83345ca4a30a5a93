"""DATASHEET.md: the seven sections of Gebru et al. (2021), Datasheets for Datasets, CACM 64(12).

Answered from the run as far as a run can tell; the rest is the makers', or "Not stated."
"""

from pairwright.release.derive import cautions, making, people
from pairwright.release.derive.built import built
from pairwright.release.derive.card import human_tables
from pairwright.release.derive.human import human_summary
from pairwright.release.derive.known import Known
from pairwright.release.derive.licences import meaning
from pairwright.release.derive.markdown import page, points
from pairwright.release.derive.units import unit_counts


def datasheet(known: Known) -> str:
    """The whole file."""
    primary, summary = known.primary, known.summary
    made, study = built(primary.stated, known.layout), human_summary(known)
    return page(
        "datasheet.md.jinja",
        known=known, info=primary.stated.info, summary=summary, trial=cautions.trial(known),
        built=made, pair=making.PAIR, source=points(making.source(made)),
        models=points(f"{role}: {model} ({sampled})" for role, model, sampled in
                      making.models(made)),
        calls=making.calls(made), study=study, human=human_tables(known, study),
        nobody=people.NOBODY, uses=points(cautions.uses(known, study)),
        misuses=points(cautions.misuses(known)), who=people.verified_by(summary, study),
        preparation=points(making.preparation(summary, unit_counts(primary.units))),
        languages=", ".join(primary.stated.info.languages),
        addressed=summary.posts - summary.hosts.get("none", 0),
        twins=any(of.mode == "twin" for of in summary.configs),
        sensitive=points(cautions.sensitive(known)),
        biases=points(cautions.biases(known, study)), limits=points(cautions.limits(known)),
        meaning=points(meaning(known)),
        hosts=", ".join(
            f"{'no address' if name == 'none' else name} {n:,}" for name, n in summary.hosts.items()
        ),
        categories=", ".join(f"{name or 'none'} {n:,}" for name, n in summary.categories.items()),
        kept=sum(of.outcome == "kept" for of in primary.units), units=len(primary.units),
    )  # fmt: skip
