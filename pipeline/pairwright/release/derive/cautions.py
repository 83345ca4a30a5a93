"""What must be known before these pairs are used: sentences for card, datasheet and Croissant.

Plain text: whoever puts it on a page escapes it.
"""

import math
from collections.abc import Iterator

from pairwright.release.derive.human import HumanSummary
from pairwright.release.derive.known import Known


def trial(known: Known) -> str:
    """Why this is no benchmark; empty in an ordinary release."""
    if not known.trial:
        return ""
    because = "; ".join(known.primary.stated.trial_because) or "no reason was recorded"
    return f"THIS IS A TRIAL AND NO BENCHMARK: {because}. Report no result on it."


def uses() -> Iterator[str]:
    """What the pairs are for."""
    yield (
        "Measuring whether a reward model or judge prefers, of two answers to one question, the"
        " one that fits a given user, when it is shown that user's earlier posts."
    )
    yield (
        "Comparing what scorers gain from the right history: the same scorer without a history,"
        " and with another user's, beside it."
    )
    yield (
        "Studying agreement of people and judges on personal fit: all votes are here, on refused"
        " pairs too."
    )


def misuses() -> Iterator[str]:
    """What they are not for."""
    yield (
        "Training or tuning a model that is then measured on them. The canary is there to find such"
        " models."
    )
    yield (
        "Profiling, identifying or contacting the people who wrote the posts, or deciding anything"
        " about them."
    )
    yield (
        "Judging which answers are correct: both responses of a pair are meant to be equally good"
        " to someone who does not know the user."
    )
    yield (
        "Reporting one figure over the modes twin and violate together: they measure different"
        " things."
    )


def sensitive(known: Known) -> Iterator[str]:
    """Of personal information."""
    summary = known.summary
    addressed = summary.posts - summary.hosts.get("none", 0)
    yield (
        f"The histories are {summary.posts:,} posts by {summary.users:,} users, in their own words;"
        f" {addressed:,} of the posts come with the address they stand at."
    )
    yield (
        "People appear under pseudonyms, which are hashes of their ids in the source. A pseudonym"
        " keeps people apart and hides nobody: whoever has the source, or follows an address,"
        " learns who wrote a post."
    )
    yield (
        "Posts may speak of health, faith, money, family or work, of those who wrote them and of"
        " others. Pairwright takes nothing out of them to hide that."
    )
    if known.primary.audit is not None:
        yield (
            "What an automatic search found in them, such as e-mail addresses and phone numbers, is"
            " in the section on people of audit/report.html."
        )
    if known.primary.public:
        yield (
            "Annotators appear as annotator-01 and so on. Their names and comments are not in the"
            " release, nor the days and hours they worked at: only how long each answer took."
        )


def biases(known: Known, study: HumanSummary | None) -> Iterator[str]:
    """Whom and what the pairs favour."""
    hosts = ", ".join(sorted(set(known.summary.hosts) - {"none"}))
    where = f"people who post in public at {hosts}" if hosts else "those of the source"
    yield (
        f"The users are {where}. They are no sample of any population, and those who write much are"
        " the ones whose preferences can be inferred."
    )
    origins = set(known.summary.origins)
    if "planner" in origins:
        yield (
            "What a user prefers was inferred by a model from earlier posts. The users themselves"
            " were not asked."
        )
    if "gold" in origins:
        yield "Some rubrics came with the source, with whatever bias they were made with."
    if "narrative" in origins:
        yield (
            "Some rubrics were drawn from the asker's own explanation of the question, which the"
            " earlier posts need not show."
        )
    generators = ", ".join(sorted(known.summary.generators))
    yield (
        f"All responses were written by {generators}. A scorer of the same family may favour or"
        " know that way of writing."
    )
    if study:
        yield (
            "Pairs on which annotators differed were not verified, so that hard cases are missing."
            " Annotators judge for a stranger whose posts they have read, not for themselves."
        )


def limits(known: Known) -> Iterator[str]:
    """What the pairs cannot show."""
    modes = {of.mode for of in known.summary.configs}
    if "twin" in modes:
        yield (
            "Twins: two users, one question, the same two responses with chosen and rejected"
            " swapped. A deterministic scorer that cannot see the user therefore scores exactly"
            " 50 % on complete twins, ties counted one half. That is arithmetic. It is no evidence"
            " that the pairs are good, or that what they measure is personal."
        )
        yield (
            "In one half of a twin the user never asked the question (the column “asked” is false):"
            " that half is counterfactual, and the halves are to be reported apart too."
        )
    if "violate" in modes:
        yield (
            "Mode violate: the rejected response was written against the rubric, so that missing"
            " aspects, length or tone can give it away to a scorer that knows nothing of the user."
            " These configurations are expected to fail the audit's blind checks; accuracy on them"
            " is no evidence of personalization unless a scorer without the history does worse."
        )
    yield (
        "Size: pairs that share a user are not independent, and there are at most"
        f" {known.summary.dyads:,} groups of users that are. Over all of them an accuracy of one"
        f" half is known to ±{_half_width(known.summary.dyads):.0f} percentage points (95 %) at"
        " best; in one configuration it is known less well."
    )
    yield (
        "The posts stood in public, or may have: a scorer may have read them, or the user's later"
        " posts, in training. An audit finds overlap only with texts that it is given."
    )


def _half_width(n: int, z: float = 1.959964) -> float:
    """Half of Wilson's interval (1927, eq. 6) at one half of n, in percentage points."""
    return 50 * z / math.sqrt(n + z * z)
