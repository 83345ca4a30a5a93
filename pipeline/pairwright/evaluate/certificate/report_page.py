"""The certificate as a page: what may be said, the scorers on both, and what it would take."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from pairwright.estimate import p_value
from pairwright.evaluate.certificate.certificate import Certificate, CertificateScorer
from pairwright.evaluate.certificate.sentences import (
    NEEDED_HEAD,
    claims,
    needed_note,
    needed_rows,
    no_correlation,
    posts_sentence,
    warnings,
)
from pairwright.evaluate.correlation.measures import PRIMARY
from pairwright.evaluate.correlation.page import correlation_head, measure_cells
from pairwright.evaluate.measure.figure import ScorerFigure
from pairwright.evaluate.release import ReleaseRef
from pairwright.report import BLUE, GREY, Block, Page, Plot, Section, Table, drawing, plot
from pairwright.text import number_of, visible

LABELLED = 30
"""Scorers up to which each point has its name beside it."""


def certificate_page(certificate: Certificate) -> Page:
    """The page of a certificate."""
    return Page(
        title="Generated twins compared with people's own choices",
        warnings=tuple(warnings(certificate)),
        sections=(
            Section("What may be said", tuple(claims(certificate))),
            Section("The scorers on both", tuple(_scorers(certificate))),
            Section("How the accuracies go together", tuple(_correlations(certificate))),
            Section("How many scorers it takes", (_needed(),)),
            Section("What was compared", tuple(_compared(certificate))),
        ),
    )


def scorer_rows(certificate: Certificate) -> tuple[tuple[str, ...], ...]:
    """A scorer a row: accuracies and their difference, with intervals and n."""
    return tuple(
        (
            one.scorer,
            *((visible(one.family),) if certificate.has_families else ()),
            _accuracy(one.generated, one.generated_twins),
            _accuracy(one.natural, one.natural_twins),
            _difference(one),
            p_value(one.adjusted) if one.adjusted is not None else "none",
        )
        for one in certificate.scorers
    )


def scorer_head(certificate: Certificate) -> tuple[str, ...]:
    """The head of `scorer_rows`."""
    family = ("family",) if certificate.has_families else ()
    return (
        "scorer",
        *family,
        "generated twins",
        "natural twins",
        "natural less generated",
        "p (Holm)",
    )


def _accuracy(figure: ScorerFigure, twins: int) -> str:
    sizes = ((figure.n, "pair"), (twins, "twin"), (figure.clusters, "cluster"))
    n = f"n = {', '.join(number_of(size, unit) for size, unit in sizes)}"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f} ({n})"
    return f"{figure.value:.3f} ({figure.low:.3f} to {figure.high:.3f}, {n})"


def _difference(one: CertificateScorer) -> str:
    if one.low is None or one.high is None:
        return f"{one.difference:+.3f}"
    return f"{one.difference:+.3f} ({one.low:+.3f} to {one.high:+.3f})"


def _scorers(certificate: Certificate) -> Iterator[Block]:
    if certificate.scorers:
        yield _scatter(certificate)
        yield Table(
            scorer_head(certificate),
            scorer_rows(certificate),
            left=2 if certificate.has_families else 1,
            note="Accuracies with 95 % intervals by couple. The two releases are taken to have"
            " different users, so the interval of a difference follows from the two (Newcombe 1998,"
            " method 10). p (Holm) is that of the difference, over the scorers.",
        )
    if certificate.left_out:
        yield Table(
            ("not compared", "why"),
            tuple((name, visible(why)) for name, why in certificate.left_out.items()),
            left=2,
        )


def _scatter(certificate: Certificate) -> Plot:
    with drawing():
        figure = Figure(figsize=(8.6, 5.2), layout="constrained")
        axes = figure.add_subplot()
        axes.plot((0, 1), (0, 1), color=GREY.light, linewidth=1, linestyle="--")
        for one in certificate.scorers:
            x, y = one.generated, one.natural
            if x.low is not None and x.high is not None:
                axes.hlines(y.value or 0.0, x.low, x.high, color=BLUE.light, alpha=0.5)
            if y.low is not None and y.high is not None:
                axes.vlines(x.value or 0.0, y.low, y.high, color=BLUE.light, alpha=0.5)
            axes.plot(x.value or 0.0, y.value or 0.0, "o", color=BLUE.light, markersize=5)
            if len(certificate.scorers) <= LABELLED:
                axes.annotate(
                    one.scorer[:30], (x.value or 0.0, y.value or 0.0), xytext=(5, 4),
                    textcoords="offset points", fontsize=8,
                )  # fmt: skip
        ends = [
            end
            for one in certificate.scorers
            for side in (one.generated, one.natural)
            for end in (side.low, side.high, side.value)
            if end is not None
        ]
        low_end, high_end = max(0.0, min(ends) - 0.03), min(1.0, max(ends) + 0.03)
        axes.set_xlim(low_end, high_end)
        axes.set_ylim(low_end, high_end)
        axes.set_xlabel("accuracy on generated twins")
        axes.set_ylabel("accuracy on natural twins")
        caption = (
            "Each scorer on both, with 95 % intervals by couple. On the dashed line it is as"
            " accurate on one as on the other."
        )
        return plot(figure, caption, name="certificate")


def _correlations(certificate: Certificate) -> Iterator[Block]:
    if certificate.correlations is None:
        yield no_correlation(certificate)
        return
    (correlations,) = certificate.correlations.found.values()
    yield Table(
        correlation_head(correlations),
        tuple(measure_cells(one, correlations) for one in correlations),
        note=f"{PRIMARY} is decided on; the others describe, and their p (Holm) is over the three."
        " p is that of orders of the scorers; with families, of orders of the families'"
        " means. Intervals leave out one scorer, or one family, at a time.",
    )


def _needed() -> Table:
    return Table(NEEDED_HEAD, needed_rows(), note=needed_note())


def _compared(certificate: Certificate) -> Iterator[Block]:
    yield (
        f"Generated: {_release(certificate.generated)}. Natural: {_release(certificate.natural)}."
        f" Condition: {certificate.condition}. {number_of(len(certificate.scorers), 'scorer')} of"
        f" {number_of(certificate.families, 'family', 'families')}."
    )
    yield posts_sentence(certificate)
    yield (
        "Natural twins are people's own choices, and no answers to their questions: agreeing with a"
        " statement is not preferring an answer. Here they are only the standard of comparison;"
        " they do not replace generated twins."
    )


def _release(release: ReleaseRef) -> str:
    return (
        f"{visible(release.name)} {visible(release.version)} ({number_of(release.pairs, 'pair')})"
    )
