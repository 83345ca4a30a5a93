"""What must be known before these pairs are used: sentences for card, datasheet and Croissant.

The sentences are plain text: a page escapes them.
"""

import math
from collections.abc import Iterator

from pairwright.blind_preference import preference_sentence
from pairwright.modes import MODES
from pairwright.release.derive.audit_summary import blind_sentences
from pairwright.release.derive.context import ReleaseContext
from pairwright.release.derive.own_choice import (
    moderation_sentences,
    neighbour_sentences,
    own_choice_words,
    time_sentences,
    trait_sentences,
)
from pairwright.release.derive.study_summary import HumanSummary


def trial(release: ReleaseContext) -> str:
    """Why this is not a benchmark; empty in an ordinary release."""
    if not release.trial:
        return ""
    because = "; ".join(release.primary.provenance.trial_because) or "no reason was recorded"
    return f"THIS IS A TRIAL AND NO BENCHMARK: {because}. Report no result on it."


def uses(release: ReleaseContext) -> Iterator[str]:
    """What the pairs are for; of a trial, trying out."""
    if release.trial:
        yield "Trying out the tools that read a release. No result on these pairs means anything."
        return
    if words := own_choice_words(release.summary):
        yield from words.uses
        return
    yield (
        "Measuring whether a reward model or judge prefers, of two answers to one question, the"
        " one that fits a given user, when it is shown that user's earlier posts."
    )
    yield (
        "Comparing what scorers gain from the right history: the same scorer without a history,"
        " and with another user's, beside it."
    )
    if release.study:
        yield (
            "Studying agreement of people and judges on personal fit: the votes on"
            f" {release.study.subjects:,} twins and single pairs are here, released or not."
        )


def misuses(release: ReleaseContext) -> Iterator[str]:
    """What they are not for."""
    yield (
        "Training or tuning a model that is then measured on them. The canary is there to find such"
        " models."
    )
    yield (
        "Profiling, identifying or contacting the people who wrote the posts, or deciding anything"
        " about them."
    )
    words = own_choice_words(release.summary)
    yield (
        words.misuse
        if words
        else "Judging which answers are correct: both responses of a pair are meant to be equally"
        " good to someone who does not know the user."
    )
    modes = sorted({config.mode for config in release.summary.configs})
    if len(modes) > 1:
        yield (
            f"Reporting one figure over the modes {' and '.join(modes)} together: they measure"
            " different things."
        )


def sensitive(release: ReleaseContext) -> Iterator[str]:
    """Of personal information."""
    summary = release.summary
    addressed = summary.posts - summary.hosts.get("none", 0)
    yield (
        f"The histories are {summary.posts:,} posts of {summary.users:,} users, as the source has"
        f" them; {addressed:,} of the posts come with their address."
    )
    yield (
        "People appear under pseudonyms, which are hashes of their ids in the source. A pseudonym"
        " keeps people apart and hides nobody: with the source, or by following an address, one"
        " learns who wrote a post."
    )
    yield (
        "Posts may speak of health, faith, money, family or work, of those who wrote them and of"
        " others. Pairwright takes nothing out of them to hide that."
    )
    if words := own_choice_words(summary):
        yield from words.sensitive
        if release.build.source:
            yield from moderation_sentences(release.build.source.repaired)
    if release.primary.audit is not None:
        yield (
            "What an automatic search found in them, such as e-mail addresses and phone numbers, is"
            " in the section on people of audit/report.html."
        )
    if release.primary.public:
        yield (
            "Annotators appear as annotator-01 and so on. Their names and comments are not in the"
            " release, nor the days and hours they worked at: only how long each answer took."
        )


def biases(release: ReleaseContext) -> Iterator[str]:
    """Whom and what the pairs favour."""
    hosts = ", ".join(sorted(set(release.summary.hosts) - {"none"}))
    where = f"people who post in public at {hosts}" if hosts else "those of the source"
    yield (
        f"The users are {where}. Nothing here tells whether they are a sample of any population."
        " Preferences can be inferred only of users with enough posts."
    )
    origins = set(release.summary.origins)
    if "planner" in origins:
        yield (
            f"{_rubrics(release, 'planner')} were inferred by a model from the user's earlier"
            " posts. The users themselves were not asked."
        )
    if "gold" in origins:
        yield (
            f"{_rubrics(release, 'gold')} came with the source, with whatever bias they were made"
            " with."
        )
    if "narrative" in origins:
        yield (
            f"{_rubrics(release, 'narrative')} were drawn from the asker's own explanation of the"
            " question, which the earlier posts need not show."
        )
    yield from time_sentences(release.summary)
    if words := own_choice_words(release.summary):
        yield from words.biases
        yield from trait_sentences(release.summary)
        yield from neighbour_sentences(release.summary)
        return
    generators = ", ".join(sorted(release.summary.generators))
    yield (
        f"All responses were written by {generators}. A scorer of the same family may favour or"
        " know that way of writing."
    )
    if release.study:
        yield _divided(release)
        if missing := _missing(release.study):
            yield missing
        yield "Annotators judge for a stranger whose posts they have read, not for themselves."


def _rubrics(release: ReleaseContext, origin: str) -> str:
    return (
        f"The rubrics of {release.summary.origins[origin]:,} of the {release.summary.rows:,} pairs"
    )


def _divided(release: ReleaseContext) -> str:
    """How many of the pairs here annotators did not agree on."""
    summary = release.summary
    if not summary.voted:
        return "No annotator's preference vote on the pairs here counts."
    return (
        f"Of the {summary.voted:,} pairs here with preference votes, {summary.divided:,} have at"
        " least one that is not for the chosen response."
    )


def _missing(study: HumanSummary) -> str:
    """What is not verified; empty where everything is."""
    others = {state: n for state, n in study.states.items() if state != "verified" and n}
    if not others:
        return ""
    states = ", ".join(f"{state} {n:,}" for state, n in others.items())
    return (
        f"Of the {study.subjects:,} twins and single pairs of the study these are not here:"
        f" {states}."
    )


def limits(release: ReleaseContext) -> Iterator[str]:
    """What the pairs cannot show."""
    configs = release.summary.configs
    for mode in MODES.values():
        names = {config.config for config in configs if config.mode == mode.name}
        if names:
            yield from mode.limits
        if mode.against_rubric and release.audit:
            yield from blind_sentences(release.audit, names)
    yield from map(preference_sentence, release.summary.preferences)
    yield (
        "Size: pairs that share a user are not independent, and there are at most"
        f" {release.summary.dyads:,} groups of users that are. Over all of them an accuracy of one"
        f" half is known to ±{_half_width(release.summary.dyads):.0f} percentage points (95 %) at"
        " best; in one configuration it is known less well."
    )
    addressed = release.summary.posts - release.summary.hosts.get("none", 0)
    where = (
        f"{addressed:,} of the {release.summary.posts:,} posts have an address"
        if addressed
        else "No post has an address, and nothing here tells where they were published"
    )
    yield (
        f"{where}: a scorer may have read them, or their authors' other posts, in training. An"
        " audit finds overlap only with texts that it is given."
    )


def _half_width(n: int, z: float = 1.959964) -> float:
    """Half of Wilson's interval (1927, eq. 6) at one half of n, in percentage points."""
    return 50 * z / math.sqrt(n + z * z)
