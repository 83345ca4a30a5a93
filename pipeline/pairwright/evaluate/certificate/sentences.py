"""The sentences of a certificate, on its page and on the terminal."""

from collections.abc import Iterator, Sequence

from pairwright.estimate import p_text
from pairwright.evaluate.board.flips import POWER
from pairwright.evaluate.certificate.certificate import (
    SCORERS_NEEDED,
    Certificate,
    PostsRule,
    correlation_found,
)
from pairwright.evaluate.correlation.page import interval_in_words, no_claim
from pairwright.evaluate.correlation.table import LEAST_MODELS
from pairwright.evaluate.measure.figure import ScorerFigure
from pairwright.intervals import LEVEL, z_of
from pairwright.text import number_of


def warnings(certificate: Certificate) -> Iterator[str]:
    """What a reader must know before any number."""
    for side, release in (("generated", certificate.generated), ("natural", certificate.natural)):
        if release.trial:
            yield f"The release of {side} twins is a trial, and not a benchmark."
    if certificate.limit is not None:
        yield (
            f"Only the first {number_of(certificate.limit, 'subject was', 'subjects were')} of each"
            " release scored."
        )
    if certificate.users_in_both:
        yield (
            f"{number_of(certificate.users_in_both, 'user is', 'users are')} in both releases, and"
            " the intervals of differences take the releases to have different users."
        )
    if len(certificate.scorers) > 1 and not certificate.has_families:
        yield "No families of scorers were named: each counts as independent of the others."
    if certificate.generated_posts != certificate.natural_posts:
        yield (
            "The scorers were shown posts by another rule on generated twins than on natural ones,"
            " so what differs may come from the posts: evaluate both with the same [history]."
        )


def posts_sentence(certificate: Certificate) -> str:
    """Which posts the scorers were shown on each side."""
    own, other = map(_posts, (certificate.generated_posts, certificate.natural_posts))
    return f"Posts that the scorers were shown: on generated twins {own}, on natural twins {other}."


def _posts(rule: PostsRule | None) -> str:
    if rule is None:
        return "nothing is known of them, or none are"
    if rule.as_people:
        return "those that people saw in the study"
    if rule.history:
        return f"those by the rules of [history] ({rule.history[:12]})"
    return "all of each history that fit"


def claims(certificate: Certificate) -> Iterator[str]:
    """The sentences that the numbers support."""
    if certificate.correlations is None:
        yield no_correlation(certificate)
        return
    if not certificate.claims_allowed:
        yield no_claim(certificate.correlations, "scorers", "families")
        return
    yield _correlation_claim(certificate)
    yield _difference_claim(certificate)


def no_correlation(certificate: Certificate) -> str:
    """Why there is no correlation."""
    n = len(certificate.scorers)
    if not n:
        return "No scorer is ranked on both releases, so there is nothing to compare."
    if n < LEAST_MODELS:
        return (
            f"{number_of(n, 'scorer is', 'scorers are')} ranked on both releases, and a"
            f" correlation takes {LEAST_MODELS}: nothing can be said of how their accuracies go"
            " together."
        )
    sides = [
        side
        for side in ("generated", "natural")
        if len({getattr(one, side).value for one in certificate.scorers}) == 1
    ]
    return (
        f"All {n} scorers have the same accuracy on {' and on '.join(sides)} twins, so they have no"
        " order there, and nothing can be said of how their accuracies go together."
    )


def _correlation_claim(certificate: Certificate) -> str:
    primary = certificate.primary
    assert primary, "there is a correlation"
    facts = (
        f"Spearman {primary.value:.2f}, 95 % interval {interval_in_words(primary.interval)},"
        f" {p_text(primary.chance.p)}, n = {number_of(len(certificate.scorers), 'scorer')} of"
        f" {number_of(certificate.families, 'family', 'families')}"
    )
    if primary.sure:
        how = "alike" if primary.value > 0 else "in opposite orders"
        return f"Generated and natural twins rank these scorers {how} ({facts})."
    if primary.is_significant and primary.beyond_chance:
        return (
            f"Nothing is claimed ({facts}): the means of the families go one way"
            f" ({primary.chance.lineage_value or 0.0:.2f}), and the scorers the other."
        )
    return f"No rank correlation was found ({facts}). {' '.join(_what_was_findable(certificate))}"


def _what_was_findable(certificate: Certificate) -> Iterator[str]:
    """What a certificate that finds nothing would have found."""
    rho = correlation_found(certificate.families)
    size = number_of(certificate.families, "independent scorer")
    yield (
        f"That is no evidence that there is none: {size} find a true correlation of {rho:g} with a"
        f" probability of {100 * POWER:.0f} %, and a smaller one less often."
        if rho is not None
        else f"That is no evidence that there is none: {size} find even a true correlation of"
        f" {max(SCORERS_NEEDED):g} with a probability of less than {100 * POWER:.0f} %."
    )
    for side in ("generated", "natural"):
        figures = [getattr(one, side) for one in certificate.scorers]
        if _order_unclear(figures):
            fewest = min(figures, key=lambda one: one.clusters)
            yield (
                f"On {side} twins the scorers differ hardly more than by the errors of their"
                f" accuracies (n = {number_of(fewest.n, 'pair')} in"
                f" {number_of(fewest.clusters, 'cluster')}), so their order there is"
                " unclear, and a correlation would be found less often still."
            )


def _order_unclear(figures: Sequence[ScorerFigure]) -> bool:
    """Whether at least half of the variance of the accuracies is that of their errors."""
    values = [one.value or 0.0 for one in figures]
    centre = sum(values) / len(values)
    variance = sum((value - centre) ** 2 for value in values) / (len(values) - 1)
    errors = [
        ((one.high - one.low) / (2 * z_of(LEVEL))) ** 2
        for one in figures
        if one.low is not None and one.high is not None
    ]
    return bool(errors) and sum(errors) / len(errors) >= variance / 2


def _difference_claim(certificate: Certificate) -> str:
    found = [one for one in certificate.scorers if one.differs]
    lower = sum(one.difference < 0 for one in found)
    return (
        f"Of {number_of(len(certificate.scorers), 'scorer')}, {lower} can be said to be less"
        f" accurate on natural twins than on generated ones, and {len(found) - lower} to be more"
        " accurate (p after Holm over the scorers below .05)."
    )


NEEDED_HEAD = ("true rank correlation", "independent scorers")


def needed_rows() -> tuple[tuple[str, str], ...]:
    """How many scorers it takes, a row for each true correlation."""
    return tuple((f"{rho:g}", f"{n:,}") for rho, n in SCORERS_NEEDED.items())


def needed_note() -> str:
    """How the numbers of scorers are meant."""
    return (
        f"With so many scorers, or families, a true Spearman correlation is claimed here with a"
        f" probability of {100 * POWER:.0f} % (simulated). Errors of the accuracies make a"
        " correlation smaller than the true one, so it may take more."
    )
