"""The leaderboard as a page."""

from collections.abc import Iterator

from pairwright.evaluate.board import plots
from pairwright.evaluate.board.board import Leaderboard
from pairwright.evaluate.board.cells import (
    MODES,
    SHOWN,
    by_accuracy,
    chance,
    clusters,
    count,
    in_words,
    label,
    percent,
    rows,
    words,
)
from pairwright.evaluate.board.entry import UNRANKED, Entry
from pairwright.evaluate.board.ranking import Ranking
from pairwright.evaluate.measure import MEANING, Figure, whole
from pairwright.records import Mode
from pairwright.report import Block, Fold, Page, Section, Table
from pairwright.text import visible


def page(board: Leaderboard) -> Page:
    """The whole page."""
    modes = dict.fromkeys(of.mode for of in board.rankings)
    return Page(
        title=f"Leaderboard of {visible(f'{board.release.name} {board.release.version}')}",
        warnings=tuple(warnings(board)),
        sections=(
            *(Section(MODES[mode], tuple(_mode(board, mode))) for mode in modes),
            Section("What it takes", (_costs(board),)),
            Section("How to read it", tuple(_method(board))),
            Section("What was evaluated", (_scorers(board),)),
        ),
    )


def warnings(board: Leaderboard) -> Iterator[str]:
    """What a reader must know before any number."""
    if board.release.trial:
        yield "The release is a trial, and says itself that it is no benchmark."
    if board.limit is not None:
        yield f"Only the first {board.limit:,} subjects were scored."
    if any(of.about.simulated for of in board.entries.values()):
        yield "Rows marked as simulated are answers of the embedded model, and no result."
    for condition, names in board.missing.items():
        settings = " --scorers FILE.toml" if condition == "planner" else ""
        limit = f" --limit {board.limit}" if board.limit is not None else ""
        options = " ".join(f"--scorer {name}" for name in names)
        yield (
            f"No results of the baselines {', '.join(names)} in condition {condition}. To have"
            f" them: pairwright evaluate RELEASE --out RESULTS{settings}{limit} --condition"
            f" {condition} {options}"
        )


def why_unranked(board: Leaderboard, of: Ranking) -> Iterator[str]:
    """A sentence for each reason why rows are shown and not ranked."""
    reasons: dict[str, list[str]] = {}
    for name in by_accuracy(board, of):
        # That a whole table ranks nothing stands above it.
        if of.condition not in UNRANKED:
            reasons.setdefault(of.unranked[name], []).append(board.entries[name].about.scorer.name)
    for why, names in reasons.items():
        yield f"Not ranked: {', '.join(names)} ({why})."


def _mode(board: Leaderboard, mode: Mode | None) -> Iterator[Block]:
    yield plots.accuracies(board, mode)
    if gained := plots.gains(board, mode):
        yield gained
    for of in board.rankings:
        if of.mode == mode:
            made = rows(board, of)
            note = " ".join(why_unranked(board, of))
            yield f"{SHOWN[of.condition]} (condition {of.condition})."
            yield Table(made.head, made.rows, left=2 if of.ranked else 1, note=note)
    yield Fold("Gains, configurations and halves", (_parts(board, mode),))
    yield Fold("Users, and people's votes", (_people(board, mode),))
    compared = tuple(_comparisons(board, mode))
    if compared:
        yield Fold("Every two ranked rows", (Table(COMPARED, compared, left=2),))


PARTS = ("accuracy", "both_right", "interaction")
PEOPLE = ("users_above_chance", "vote_agreement", "brier")
COMPARED = ("", "", "difference, points", "n", "clusters", "p", "p (Holm)")


def _parts(board: Leaderboard, mode: Mode | None) -> Table:
    names = _names(board, mode)
    found = [(name, figure) for name in names for figure in _in_parts(board.entries[name], mode)]
    return Table(
        ("", "group", "", "%", "n", "clusters"),
        tuple(
            (name, visible(of.group), words(of.name), percent(of), count(of), clusters(of))
            for name, of in found
        ),
        left=3,
    )  # fmt: skip


def _in_parts(of: Entry, mode: Mode | None) -> Iterator[Figure]:
    """The gains, and figures of configurations and halves."""
    for figure in of.gains:
        if figure.mode == mode:
            yield figure
    for figure in of.figures:
        if figure.name in PARTS and figure.mode == mode and figure.group != whole(mode).name:
            yield figure


def _people(board: Leaderboard, mode: Mode | None) -> Table:
    figures = [
        (name, board.entries[name].figure(figure, mode))
        for figure in PEOPLE
        for name in _names(board, mode)
    ]
    told = tuple(
        (words(of.name), name, in_words(of), count(of), clusters(of), of.note)
        for name, of in figures
        if of is not None
    )
    return Table(("", "", "", "n", "clusters", ""), told, left=2)


def _comparisons(board: Leaderboard, mode: Mode | None) -> Iterator[tuple[str, ...]]:
    for ranking in board.rankings:
        for of in ranking.comparisons if ranking.mode == mode else ():
            yield (
                of.first, of.second, f"{100 * of.difference:+.1f}", f"{of.n:,}",
                f"{of.clusters:,}", chance(of.p), chance(of.adjusted),
            )  # fmt: skip


def _costs(board: Leaderboard) -> Table:
    made = []
    for name, entry in board.entries.items():
        about, timing = entry.about, entry.about.timing
        per = f"{about.tokens / about.scored:,.0f}" if about.scored and about.tokens else ""
        latency = f"{timing.latency_s:.3g}" if timing else ""
        rate = f"{timing.calls_per_s:.3g}" if timing else ""
        calls = f"{timing.calls:,}" if timing else ""
        made.append((name, per, latency, rate, calls, f"{about.shortened:,}", f"{about.pairs:,}"))
    return Table(
        ("", "tokens a decision", "seconds a call", "calls a second", "n calls",
         "histories shortened", "of pairs"),
        tuple(made),
        note="Times are those of the last run that sent calls, with as many in flight as its"
        " endpoint's concurrency lets; empty where nothing was sent, as by baselines.",
    )  # fmt: skip


def _method(board: Leaderboard) -> Iterator[Block]:
    yield board.rule
    yield (
        "Intervals are 95 % Wilson intervals at the effective number of pairs, by cluster: the two"
        " users of a twin, the user, or the prompt."
    )
    yield (
        "Rows are ranked within a mode and a condition. Rows that share a letter cannot be told"
        " apart: each two are compared on the pairs that both have a score for, by an exact"
        " sign-flip test of whole clusters, with Holm's correction over all pairs of rows in the"
        " table. The p to the next row is one of these."
    )
    yield (
        "A tie counts one half. A pair without a score counts nowhere, and of a twin both halves"
        " leave; worst and best case say what they could change. Below 95 % of pairs with a score a"
        " row is not ranked."
    )
    told = tuple((words(name), meaning) for name, meaning in MEANING.items())
    yield Table(("figure", "what it is"), told, left=2)


def _scorers(board: Leaderboard) -> Table:
    refs = {of.about.scorer.name: of for of in board.entries.values()}
    return Table(
        ("scorer", "kind", "model", "revision", "settings"),
        tuple(
            (label(of), *map(visible, (s.kind, s.model, s.revision or "", s.settings)))
            for of in refs.values()
            for s in (of.about.scorer,)
        ),
        left=5,
        note=f"{board.release.pairs:,} pairs; the release's digest is"
        f" {visible(board.release.digest)}.",
    )


def _names(board: Leaderboard, mode: Mode | None) -> list[str]:
    """All rows of a mode, in the order of its tables."""
    return [
        name
        for of in board.rankings
        if of.mode == mode
        for name in (*of.ranked, *by_accuracy(board, of))
    ]
