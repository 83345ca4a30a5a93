"""README.md: the dataset card, as the Hugging Face Hub shows it."""

from collections.abc import Iterable, Sequence

from pairwright.dataset.parquet import schema_of
from pairwright.modes import MODES, is_twin
from pairwright.records import FULL_ADHERENCE
from pairwright.release.derive import build_summary, cautions
from pairwright.release.derive.audit_summary import (
    AuditSummary,
    baseline_notes,
    baseline_rows,
)
from pairwright.release.derive.context import ReleaseContext
from pairwright.release.derive.front_matter import yaml_header
from pairwright.release.derive.licences import meaning
from pairwright.release.derive.markdown import Markdown, code, page, points, table
from pairwright.release.derive.own_choice import own_choice_words
from pairwright.release.derive.proof import proof_paragraph
from pairwright.release.derive.study_sentences import (
    agreement_rows,
    chance_sentences,
    control_sentences,
    judge_sentences,
    nobody_sentence,
    preference_rows,
    protocol_sentences,
    state_head,
    state_rows,
    verified_sentence,
    voters,
)
from pairwright.release.records import Erratum
from pairwright.release.summary import Summary
from pairwright.settings.release_info import ReleaseInfo
from pairwright_human_eval.report.words import foil_sentence, label_error_sentence

COLUMNS = {
    "id": (
        "Derived from item, user, mode and both responses, not from the texts of question and"
        " posts, of which build/units.jsonl has hashes."
    ),
    "question": "The question both responses answer.",
    "profile": (
        "The user's earlier posts, oldest first, with time, address and licence; in mode natural"
        " also later ones, where no time of the choice is known."
    ),
    "rubric_aspects": (
        "What this user expects in an answer: aspect, reason, evidence (its passages, one a line)"
        " and the posts it is from, and the judge's adherence scores of both responses"
        f" (0 to {FULL_ADHERENCE})."
        " `support` and `delivery` count annotators' answers: does what the user wrote support it,"
        " and which response delivers it; none where nobody was asked. What most did not find"
        " supported is not part of the answer key."
        " Empty where the label is the user's own choice."
        " `follows` says how the planner came to it: `stated` in a post, `inferred` from one, or a"
        " `pattern` of several. `confidence` has a value only where an older version made the pair."
    ),
    "narrative": (
        "The asker's own long explanation, where the source has one; in mode natural this user's"
        " own reason for the choice. Never show it to a scorer."
    ),
    "category": "Subcategory of the question, in the words of the source.",
    "chosen": "The response that is meant to fit this user, or that the user took or accepted.",
    "rejected": "The response that is meant not to, or that the user did not take.",
    "item_id": "The source's id of the question.",
    "domain": "The domain; a twin's is that of its question.",
    "mode": f"How the rejected response came about: {' or '.join(MODES)}.",
    "twin_id": "The twin this pair is one half of; none of single pairs.",
    "asked": (
        "Whether this user asked the question: false in a twin's counterfactual half. In mode"
        " natural true in the half that is named first, and no more than that."
    ),
    "user": "Pseudonym of the user whose preference it states.",
    "dyad": "Names the user, or a twin's two users. Draw whole dyads for intervals and folds.",
    "aspects_origin": (
        "Where the rubric is from: planner (inferred from posts), narrative, or gold (the source);"
        " none where the label is the user's own choice."
    ),
    "strategy": "How the rejected response was asked for.",
    "generator": "The model that wrote both responses; empty where people did.",
    "judge": "The model that scored them; none where nothing was judged.",
    "quality": "The judge's scores of both responses by quality scale.",
    "comparison": "The judge's verdict on quality, in both orders: parity is a tie.",
    "blind_preference": (
        "In how many of both orders, 0 to 2, the judge would rather have the chosen response, with"
        " no user shown and no tie allowed; none where it was not asked."
    ),
    "votes": "Annotators' preference votes of the first round; none where nobody was asked.",
    "label_error": (
        "How probable it is that people mean another label than the chosen response: the posterior"
        " of Dawid and Skene's model, fitted to all preference votes of the study; none where"
        " nobody could tell."
    ),
    "verified": "Whether people's answers verified the pair under the rule of its study.",
    "simulated": "Whether a program had a part in it: then it is not a benchmark.",
    "created": (
        "When the question was asked, in UTC; in mode natural, when this user chose. All posts of"
        " the profile with a time are older; a day without a time counts as its end."
    ),
    "source_url": "The address of the question; in mode natural, of this user's choice.",
    "licence": "SPDX id of the question's licence; none where it is not known.",
    "response_sources": (
        "Where chosen and rejected are from: author (a pseudonym), address, time, licence, and, in"
        " mode accepted, votes up less votes down. No scorer is shown any of it."
    ),
    "neighbours": (
        "How those who choose like this user elsewhere lean to chosen and rejected, from -2 to 2,"
        " and how many `others` that is. Neither this user's choice of the two nor the partner's is"
        " used. No scorer is shown any of it."
    ),
}
"""What each column of data/*.parquet holds, for the card and Croissant. The first eight are the
official benchmark's schema, in its order."""
NO_MODELS = "Models and their sampling are not stated."
_COLUMN_HEAD = ("column", "what it holds")
_CONFIG_HEAD = (
    "configuration", "pairs by split", "pairs", "twins or single pairs", "users",
    "posts a user", "aspects", "words, chosen", "words, rejected",
)  # fmt: skip
_MODEL_HEAD = ("role", "model", "sampling")
_FUNNEL_HEAD = ("mode", "stage", "of all items")
_STAGE_HEAD = ("mode", "outcome", "stage", "reason", "n")
_AGREEMENT_HEAD = (
    "question", "items", "answers", "annotators", "agreement", "Krippendorff's alpha",
)  # fmt: skip
_PREFERENCE_HEAD = ("preference votes", "votes", "chosen, of choices", "chosen, of all votes")


def _columns(summary: Summary) -> list[tuple[str, str]]:
    """The columns of its rows, each with what it holds."""
    return [(name, COLUMNS[name]) for name in schema_of(summary.mode_fields).names]


def dataset_card(release: ReleaseContext) -> str:
    """Write the whole file."""
    info, summary, audit = release.primary.provenance.info, release.summary, release.audit
    choices = own_choice_words(summary)
    modes = {config.mode for config in summary.configs}
    return yaml_header(release) + page(
        "card.md.jinja",
        release=release, info=info, summary=summary, audit=audit,
        trial=cautions.trial(release), verified=verified_sentence(summary, release.study),
        # Both are made of the few characters that a path may have; they go into blocks of code.
        first=Markdown(summary.parts[0].config), split=Markdown(summary.parts[0].split),
        what=[
            build_summary.pair_sentence(summary),
            *(MODES[mode].meaning for mode in MODES if mode in modes),
        ],
        configs=_configs(release), columns=table(_COLUMN_HEAD, _columns(summary), left=2),
        source=list(build_summary.source_sentences(release.build)),
        evidence=list(build_summary.evidence_sentences(summary)),
        models=_table_or_none(_MODEL_HEAD, build_summary.model_rows(release.build)),
        calls=build_summary.call_sentence(release.build),
        funnel=_table_or_none(_FUNNEL_HEAD, build_summary.funnel_rows(release.build)),
        stages=_table_or_none(_STAGE_HEAD, build_summary.stage_rows(release.units)),
        prompts=_prompt_hashes(release),
        human=study_tables(release), nobody=nobody_sentence(summary),
        no_models=choices.how if choices else NO_MODELS,
        proof=release.study and proof_paragraph(summary, release.study),
        failed=_failed_checks(audit),
        voters=release.study and voters(release.study),
        languages=", ".join(info.languages), twins=any(map(is_twin, modes)),
        baselines=_baselines(audit, info), verdict=audit and _audit_verdict(audit),
        uses=points(cautions.uses(release)), misuses=points(cautions.misuses(release)),
        sensitive=points(cautions.sensitive(release)),
        biases=points(cautions.biases(release)), limits=points(cautions.limits(release)),
        licences=table(
            ("licence", "posts"), ((name, f"{n:,}") for name, n in summary.licences.items())
        ),
        meaning=list(meaning(release)), errata=errata_table(release.primary.errata),
        citation=_citation(release),
    )  # fmt: skip


def study_tables(release: ReleaseContext) -> dict[str, Markdown] | None:
    """What people were asked and said, by section; None where nobody was asked."""
    study, findings = release.study, release.findings
    if study is None or findings is None:
        return None
    foil = [foil_sentence(findings.foils)] if findings.foils else []
    programs = (
        [
            f"{study.simulated_annotators:,} of the annotators are a program: here a pair counts as"
            " verified where its votes and theirs pass the rule."
        ]
        if study.simulated_annotators
        else []
    )
    by_votes = [*programs, label_error_sentence(findings), *chance_sentences(findings)]
    return {
        "protocol": points(protocol_sentences(study)),
        "states": table(state_head(findings, study), state_rows(findings)),
        "by_chance": points(by_votes),
        "agreement": table(_AGREEMENT_HEAD, agreement_rows(findings)),
        "preferred": table(_PREFERENCE_HEAD, preference_rows(findings)),
        "besides": points(
            [*control_sentences(findings), *foil, *judge_sentences(findings, voters(study))]
        ),
    }


def errata_table(errata: Iterable[Erratum]) -> Markdown | None:
    """Known errors, in the order of errata.jsonl; None where there is none."""
    rows = [(each.pair, each.versions, each.what, each.mended or "not yet") for each in errata]
    return _table_or_none(("pair", "in versions", "what is wrong", "mended"), rows)


def bibtex_entry(release: ReleaseContext) -> str:
    """A BibTeX entry that names exactly this release."""
    return (
        f"@misc{{{release.name},\n  title = {{{release.name}}},\n"
        f"  version = {{{release.version}}},\n  note = {{Canary {release.canary}}}\n}}"
    )


def _citation(release: ReleaseContext) -> Markdown:
    """The makers' own citation; else an entry that names exactly this release."""
    own = release.primary.provenance.info.citation.strip()
    return code(own or bibtex_entry(release), "bibtex")


def _prompt_hashes(release: ReleaseContext) -> Markdown | None:
    """None where no model read a prompt."""
    prompts = release.build.prompts if build_summary.has_models(release.build) else {}
    return _table_or_none(("prompt", "hash"), sorted(prompts.items()))


def _configs(release: ReleaseContext) -> Markdown:
    summary = release.summary
    splits = {
        config.config: ", ".join(
            f"{part.split} {part.rows:,}" for part in summary.parts if part.config == config.config
        )
        for config in summary.configs
    }
    rows: list[tuple[str, ...]] = [
        (
            each.config, splits[each.config], f"{each.rows:,}", f"{each.subjects:,}",
            f"{each.users:,}", f"{each.posts:.1f}", f"{each.aspects:.1f}",
            f"{each.words_chosen:.0f}", f"{each.words_rejected:.0f}",
        )
        for each in summary.configs
    ]  # fmt: skip
    whole = (f"{summary.rows:,}", f"{summary.subjects:,}", f"{summary.users:,}")
    return table(_CONFIG_HEAD, [*rows, ("all", "", *whole, "", "", "", "")], left=2)


def _table_or_none(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Markdown | None:
    """A table of words whose last column may hold numbers; None without rows."""
    numbers = head[-1] == "n"
    return table(head, rows, left=len(head) - numbers) if rows else None


def _audit_verdict(audit: AuditSummary) -> str:
    """How the audit ended, on top of the card."""
    n = {status: audit.checks.get(status, 0) for status in ("fail", "too_few", "pass", "note")}
    ended = "FAILED" if n["fail"] else "failed no check"
    return (
        f"The audit of this release {ended}: of"
        f" {n['fail'] + n['too_few'] + n['pass']:,} checks that are held to a limit,"
        f" {n['fail']:,} failed, {n['pass']:,} passed, and {n['too_few']:,} had too few pairs to"
        f" decide. {n['note']:,} more are figures without a limit."
    )


def _baselines(audit: AuditSummary | None, info: ReleaseInfo) -> dict[str, Markdown] | None:
    """The table of simple ways of choosing, and what to know to read it."""
    if audit is None or not (rows := baseline_rows(audit)):
        return None
    return {"table": table(rows[0], rows[1:]), "notes": points(baseline_notes(audit, info))}


def _failed_checks(audit: AuditSummary | None) -> Markdown | None:
    failed = audit.failed if audit else ()
    rows = [(check.family, check.name, check.config or "all") for check in failed]
    return _table_or_none(("family", "check that failed", "configuration"), rows)
