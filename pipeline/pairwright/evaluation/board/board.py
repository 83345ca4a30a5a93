"""The leaderboard of one release: every result with its figures, ranked by mode and condition."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from pairwright.estimate import Estimate
from pairwright.evaluation.board.findings import ScorerFinding, adjust_findings, scorer_findings
from pairwright.evaluation.board.inputs import check_shown_alike, pairs_of
from pairwright.evaluation.board.ranking import (
    SET_APART,
    BoardEntry,
    Ranking,
    gain_over,
    rank,
    share_level,
)
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.accuracy import figures_of, gains, without_error
from pairwright.evaluation.measure.calibration import calibration_of
from pairwright.evaluation.measure.figure import RULE, ScorerFigure, by_mode
from pairwright.evaluation.measure.flips import UnitFlip, unit_flips
from pairwright.evaluation.measure.slices import FLOOR, overlap_slices, slice_figures
from pairwright.evaluation.release import BuildModel, ReleaseRef, build_ties, tells_family
from pairwright.evaluation.results import Result, ResultSummary
from pairwright.intervals import Floats
from pairwright.modes import MODES, has_no_preference, is_own_choice
from pairwright.records import Mode, Record

ORDER = tuple(sorted(CONDITIONS, key=lambda name: CONDITIONS[name].table))
"""The order of the tables."""


class Leaderboard(Record):
    """All that the leaderboard has. The page shows these values and computes none."""

    release: ReleaseRef
    builders: tuple[BuildModel, ...] = ()
    """The models that built the release; empty where no result says so."""
    limit: int | None
    split: str | None
    rule: str
    """The rule by which figures are averaged."""
    rankings: tuple[Ranking, ...]
    entries: dict[str, BoardEntry]
    """The rows by name, SCORER.CONDITION."""
    findings: tuple[ScorerFinding, ...] = ()
    """The tests of recall, of word overlap, of evidence and of the order; those that are found are
    sentences on the page. All together err in at most 5 % of leaderboards."""
    missing: dict[ConditionName, tuple[str, ...]]
    """Baselines without results, by condition."""

    @property
    def modes(self) -> tuple[Mode | None, ...]:
        """The modes that are ranked, in the order of their tables."""
        return tuple(dict.fromkeys(ranking.mode for ranking in self.rankings))

    def of_mode(self, mode: Mode | None) -> tuple[Ranking, ...]:
        """The rankings of a mode, in the order of its tables."""
        return tuple(ranking for ranking in self.rankings if ranking.mode == mode)

    def first(self, mode: Mode | None) -> Ranking:
        """The first ranking of a mode that ranks any row, or else its first."""
        rankings = self.of_mode(mode)
        return next((one for one in rankings if one.ranked), rankings[0])

    @property
    def flips_ranking(self) -> Ranking | None:
        """The first ranking by net right flips; None where no ranking is by them."""
        ranked = (self.first(mode) for mode in self.modes)
        return next((one for one in ranked if one.ranked_by == "net_right_flips"), None)

    def rows(self, ranking: Ranking) -> tuple[str, ...]:
        """All rows of a ranking by name: the ranked ones, then those that are set apart, and then
        the others, each by their figure."""

        def place(name: str) -> tuple[bool, float, str]:
            value = self.entries[name].value(ranking.ranked_by, ranking.mode)
            apart = ranking.unranked[name] == SET_APART
            return (not apart, 1.0 if value is None else -value, name)

        return (*ranking.ranked, *sorted(ranking.unranked, key=place))

    @property
    def of_unknown_family(self) -> tuple[str, ...]:
        """The scorers, and the models that built the release, whose names tell no family."""
        entries = self.entries.values()
        ranked = [one.about.scorer for one in entries if not one.baseline and not one.build_ties]
        scorers = (
            one.name
            for one in ranked
            if not tells_family(one.model) and not tells_family(one.beside)
        )
        models = (one.model for one in self.builders if ranked and not tells_family(one.model))
        return tuple(dict.fromkeys((*scorers, *models)))

    def rows_of_mode(self, mode: Mode | None) -> tuple[str, ...]:
        """The rows of all of a mode's rankings, in the order of its tables."""
        return tuple(name for ranking in self.of_mode(mode) for name in self.rows(ranking))


def leaderboard(results: Sequence[Result], done: Callable[[], None] = lambda: None) -> Leaderboard:
    """Rank results that `gather_results` accepted; `done` is called after each result.

    Raises InputError where two results have different pairs, or the lines of a result do not match
    its summary."""
    board = _Board(results)
    for _, of_scorer in groupby(results, key=lambda result: result.about.scorer.name):
        board.add(list(of_scorer), done)
    check_shown_alike(board.points, results, board.pairs)
    first = results[0].about
    shown = {entry.about.condition for entry in board.entries.values()}
    missing = {
        name: tuple(one for one in record.baselines if f"{one}.{name}" not in board.entries)
        for name, record in CONDITIONS.items()
        if name in shown
    }
    return Leaderboard(
        release=first.release,
        builders=first.release.builders,
        limit=first.limit,
        split=first.split,
        rule=RULE,
        rankings=tuple(share_level(list(board.rankings()))),
        entries=board.entries,
        findings=adjust_findings(board.findings),
        missing={condition: names for condition, names in missing.items() if names},
    )


def choices_of_others(board: Leaderboard, ranking: Ranking) -> Estimate | None:
    """What the choices of others tell of a ranking's pairs: a row below it where the labels are
    choices and scorers read the user's posts. None where only some of the release's pairs were
    scored."""
    shown = is_own_choice(ranking.mode) and CONDITIONS[ranking.condition].shows_own_posts
    return board.release.neighbours if shown and board.limit is None else None


class _Board:
    """What is read of all results, scorer by scorer."""

    def __init__(self, results: Sequence[Result]) -> None:
        self.pairs = pairs_of(results)
        self.entries: dict[str, BoardEntry] = {}
        self.points: dict[str, Floats] = {}
        """By row, of shape (pairs,)."""
        self.findings: list[ScorerFinding] = []
        self._flips: dict[str, dict[str, UnitFlip]] = {}
        """By row and unit, where the release has twins and placebos."""
        self._apart: dict[tuple[ConditionName, Mode | None], dict[str, int]] = {}
        self._overlap = {
            one.about.condition: overlap_slices(list(one.decisions()))
            for one in results
            if one.about.scorer.name == FLOOR and CONDITIONS[one.about.condition].shows_posts
        }
        """By condition and unit, where word overlap is right, tied or wrong."""

    def add(self, results: Sequence[Result], done: Callable[[], None]) -> None:
        """Read the results of one scorer: its entries, and what is found of it."""
        decided: dict[ConditionName, list[PairDecision]] = {}
        for result in results:
            decisions = list(result.decisions())
            self.pairs.check(result, decisions)
            decided[result.about.condition] = decisions
        for result in results:
            entry = _entry(result.about, decided, self._overlap)
            decisions = decided[entry.about.condition]
            self.entries[entry.name] = entry
            self.points[entry.name] = self.pairs.points(decisions)
            self._flips[entry.name] = unit_flips(decisions)
            for mode_pairs in by_mode(decisions):
                self._apart[entry.about.condition, mode_pairs.mode] = mode_pairs.inapplicable_pairs
            done()
        if not entry.baseline:
            name = entry.about.scorer.name
            self.findings += scorer_findings(name, decided, self._overlap)

    def rankings(self) -> Iterator[Ranking]:
        # Placebos have no accuracy: they are part of what ranks twins.
        for mode in (*(name for name in MODES if not has_no_preference(name)), None):
            places = self.pairs.of_mode(mode)
            clusters = self.pairs.clusters(places)
            for condition in ORDER:
                there = [
                    entry
                    for entry in self.entries.values()
                    if entry.about.condition == condition and entry.figure("coverage", mode)
                ]
                if not there:
                    continue
                own = {entry.name: self.points[entry.name][places] for entry in there}
                has_flips = any(entry.figure("net_right_flips", mode) for entry in there)
                flips = self._flips if has_flips else None
                ranking = rank(mode, condition, there, own, clusters, flips)
                yield ranking.model_copy(update={"apart": self._apart[condition, mode]})


def _entry(
    about: ResultSummary,
    decided: Mapping[ConditionName, list[PairDecision]],
    overlap: Mapping[ConditionName, Mapping[str, str]],
) -> BoardEntry:
    condition, scorer = about.condition, about.scorer
    decisions, gained = decided[condition], list[ScorerFigure]()
    cutoff = scorer.cutoff if CONDITIONS[condition].shows_posts else None
    sliced = slice_figures(decisions, overlap.get(condition, {}), cutoff)
    for control in CONDITIONS[condition].compared_with:
        if control in decided:
            of_twins = CONDITIONS[control].gains_on_twins
            name = gain_over(control)
            gained += gains(decisions, decided[control], name, of_twins=of_twins)

    def checked(figures: Sequence[ScorerFigure]) -> tuple[ScorerFigure, ...]:
        return tuple(without_error(condition, scorer.name, decisions, figures))

    return BoardEntry(
        about=about,
        figures=checked((*figures_of(decisions), *sliced)),
        gains=checked(gained),
        calibrations=tuple(
            found for mode_pairs in by_mode(decisions) if (found := calibration_of(mode_pairs))
        ),
        build_ties=build_ties((scorer.model, scorer.beside), about.release.builders),
    )
