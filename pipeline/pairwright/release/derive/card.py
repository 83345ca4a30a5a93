"""README.md: the dataset card, as the Hugging Face Hub shows it."""

from pairwright.release.derive import baselines, cautions, making, people
from pairwright.release.derive.audited import Audited, audited
from pairwright.release.derive.built import built
from pairwright.release.derive.changelog import errata
from pairwright.release.derive.columns import COLUMNS
from pairwright.release.derive.front_matter import front_matter
from pairwright.release.derive.human import HumanSummary, human_summary
from pairwright.release.derive.known import Known
from pairwright.release.derive.licences import meaning
from pairwright.release.derive.markdown import Markdown, code, page, points, table
from pairwright.release.derive.units import unit_counts
from pairwright_human_eval.report.findings_records import Findings


def card(known: Known) -> str:
    """The whole file."""
    primary, summary = known.primary, known.summary
    made, study = built(primary.stated, known.layout), human_summary(known)
    audit = audited(primary, known.layout)
    modes = {of.mode for of in summary.configs}
    return front_matter(known) + page(
        "card.md.jinja",
        known=known, info=primary.stated.info, summary=summary, built=made, audit=audit,
        trial=cautions.trial(known),
        who=people.verified_by(summary, study),
        # Of the few characters that a path may have; they stand in blocks of code.
        first=Markdown(summary.parts[0].config), split=Markdown(summary.parts[0].split),
        what=[making.PAIR]
        + [text for mode, text in (("twin", making.TWIN), ("violate", making.VIOLATE))
           if mode in modes],
        configs=_configs(known), columns=_columns(), source=list(making.source(made)),
        models=_models(making.models(made)), calls=making.calls(made),
        stages=_stages(known), prompts=_prompts(made.prompts),
        human=human_tables(known, study), nobody=people.NOBODY, audited=_audit(audit),
        asked=study and people.who(study),
        languages=", ".join(primary.stated.info.languages), twins="twin" in modes,
        baselines=_baselines(audit), ended=audit and ended(audit),
        uses=points(cautions.uses(known, study)), misuses=points(cautions.misuses(known)),
        sensitive=points(cautions.sensitive(known)),
        biases=points(cautions.biases(known, study)), limits=points(cautions.limits(known)),
        licences=table(("licence", "posts"), _counted(summary.licences)),
        meaning=list(meaning(known)), errata=errata(primary.errata), citation=citation(known),
    )  # fmt: skip


def citation(known: Known) -> Markdown:
    """The makers' own; else an entry that names exactly this release."""
    return code(known.primary.stated.info.citation.strip() or entry(known), "bibtex")


def entry(known: Known) -> str:
    """A BibTeX entry made of what is known."""
    return (
        f"@misc{{{known.name},\n  title = {{{known.name}}},\n  version = {{{known.version}}},\n"
        f"  note = {{Canary {known.canary}}}\n}}"
    )


def human_tables(known: Known, study: HumanSummary | None) -> dict[str, Markdown] | None:
    """What people were asked and said, by section; None where nobody was asked."""
    findings = known.findings
    if study is None or findings is None:
        return None
    return {
        "protocol": points(people.protocol(study)),
        "states": table(people.states_head(findings, study), people.states(findings)),
        "by_chance": points(people.by_chance(findings)),
        "agreement": _agreement(findings),
        "preferred": table(
            ("preference votes", "votes", "chosen, of choices", "chosen, of all votes"),
            people.preferred(findings),
        ),
        "besides": points([*people.controls(findings), *people.judge(findings, people.who(study))]),
    }


def _agreement(findings: Findings) -> Markdown:
    head = ("question", "items", "answers", "annotators", "agreement", "Krippendorff's alpha")
    return table(head, people.agreement(findings))


def _configs(known: Known) -> Markdown:
    rows: list[tuple[str, ...]] = []
    for of in known.summary.configs:
        splits = [part for part in known.summary.parts if part.config == of.config]
        rows.append(
            (
                of.config, ", ".join(f"{part.split} {part.rows:,}" for part in splits),
                f"{of.rows:,}", f"{of.subjects:,}", f"{of.users:,}", f"{of.posts:.1f}",
                f"{of.aspects:.1f}", f"{of.words_chosen:.0f}", f"{of.words_rejected:.0f}",
            )
        )  # fmt: skip
    whole = (f"{known.summary.rows:,}", f"{known.summary.subjects:,}", f"{known.summary.users:,}")
    rows.append(("all", "", *whole, "", "", "", ""))
    head = (
        "configuration", "pairs by split", "pairs", "twins or single pairs", "users",
        "posts a user", "aspects", "words, chosen", "words, rejected",
    )  # fmt: skip
    return table(head, rows, left=2)


def _columns() -> Markdown:
    return table(("column", "what it holds"), COLUMNS.items(), left=2)


def _models(rows: list[making.Row]) -> Markdown | None:
    return table(("role", "model", "sampling"), rows, left=3) if rows else None


def _stages(known: Known) -> Markdown | None:
    rows = making.stages(unit_counts(known.primary.units))
    return table(("mode", "outcome", "stage", "reason", "n"), rows, left=4) if rows else None


def _prompts(hashes: dict[str, str]) -> Markdown | None:
    return table(("prompt", "hash"), sorted(hashes.items()), left=2) if hashes else None


def _counted(counts: dict[str, int]) -> list[tuple[str, str]]:
    return [(name, f"{n:,}") for name, n in counts.items()]


def ended(audit: Audited) -> str:
    """How the checks of the audit ended."""
    n = {status: audit.checks.get(status, 0) for status in ("fail", "too_few", "pass", "note")}
    return (
        f"Of {n['fail'] + n['too_few'] + n['pass']:,} checks of the audit that are held to a limit,"
        f" {n['fail']:,} failed, {n['pass']:,} passed, and {n['too_few']:,} had too few pairs to"
        f" decide. {n['note']:,} more are figures without a limit."
    )


def _baselines(audit: Audited | None) -> dict[str, Markdown] | None:
    """The table of simple ways of choosing, and what to know to read it."""
    if audit is None or not (rows := baselines.rows(audit)):
        return None
    return {"table": table(baselines.HEAD, rows), "notes": points(baselines.notes(audit))}


def _audit(audit: Audited | None) -> Markdown | None:
    if audit is None or not audit.failed:
        return None
    rows = [(of.family, of.name, of.config or "all") for of in audit.failed]
    return table(("family", "check that failed", "configuration"), rows, left=3)
