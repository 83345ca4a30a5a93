"""The certificate as a page: what may be said, the scorers on both, and what it would take."""

from matplotlib.figure import Figure

from pairwright.estimate import p_text, p_value
from pairwright.evaluate.board.flips import POWER
from pairwright.evaluate.certificate.certificate import SCORERS_NEEDED, Certificate
from pairwright.evaluate.correlation.correlations import CLAIMS_FROM
from pairwright.evaluate.correlation.table import LEAST_MODELS
from pairwright.pages import Page, render_page
from pairwright.pages.plots import BLUE, GREY, WIDTH, Plot, drawing, plot

LABELLED = 30
"""Scorers up to which each point has its name beside it."""


def certificate_page(certificate: Certificate, *, drawn: bool = True) -> Page:
    """The page of a certificate; a terminal does without the drawing."""
    return render_page(
        "certificate",
        {"scatter": _scatter(certificate)} if certificate.scorers and drawn else {},
        certificate=certificate,
        needed=SCORERS_NEEDED,
        power=POWER,
        claims_from=CLAIMS_FROM,
        least=LEAST_MODELS,
        p_text=p_text,
        p_value=p_value,
    )


def _scatter(certificate: Certificate) -> Plot:
    with drawing():
        figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
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
        return plot(figure, caption, name="scatter")
