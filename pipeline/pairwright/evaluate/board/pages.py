"""The leaderboard as two pages: the whole one, and a summary of one page to read."""

from collections.abc import Callable, Iterator

from pairwright.evaluate.board import plots
from pairwright.evaluate.board.board import Leaderboard, gain_over, people_of
from pairwright.evaluate.board.cells import (
    by_accuracy,
    count,
    label,
    people_row,
    percent,
    points,
    rows,
    value,
    words,
)
from pairwright.evaluate.board.flips import clusters_needed
from pairwright.evaluate.board.ranking import BoardEntry, Ranking
from pairwright.evaluate.board.tables import comparisons, costs, order, parts, people, scorers
from pairwright.evaluate.builders import tie_sentence
from pairwright.evaluate.conditions import CONDITIONS, ConditionName
from pairwright.evaluate.measure import FIGURES, leaning, leans
from pairwright.evaluate.results import TRIAL
from pairwright.intervals import LEVEL
from pairwright.modes import is_twin, mode_title
from pairwright.records import Mode
from pairwright.report import Block, Fold, Page, Section, Table
from pairwright.text import number_of, visible


def board_page(board: Leaderboard) -> Page:
    """The whole page."""
    modes = dict.fromkeys(ranking.mode for ranking in board.rankings)
    return Page(
        title=f"Leaderboard of {visible(f'{board.release.name} {board.release.version}')}",
        warnings=tuple(warnings(board)),
        sections=(
            *(Section(mode_title(mode), tuple(_mode_blocks(board, mode))) for mode in modes),
            Section("What it takes", (costs(board),)),
            Section("How to read it", tuple(_whole_method(board))),
            Section("What was evaluated", (scorers(board),)),
        ),
    )


def warnings(board: Leaderboard) -> Iterator[str]:
    """What a reader must know before any number."""
    if board.release.trial:
        yield TRIAL
    if board.limit is not None:
        yield f"Only the first {number_of(board.limit, 'subject was', 'subjects were')} scored."
    if board.split is not None:
        yield f"Only the split {visible(board.split)} was scored."
    if any(entry.about.simulated for entry in board.entries.values()):
        yield "Rows marked as simulated are answers of the embedded model, and not results."
    yield from _self_preferences(board)
    yield from _position_biases(board)
    for ranking in board.rankings:
        if ranking.test and ranking.test.least >= LEVEL:
            yield (
                f"{mode_title(ranking.mode)}, condition {ranking.condition}: no two rows can be"
                f" distinguished. The least p that {number_of(ranking.test.clusters, 'cluster')} of"
                f" pairs can give is {ranking.test.least:.2g}; it takes"
                f" {clusters_needed()} or more."
            )
    for condition, names in board.missing.items():
        yield (
            f"No results of the baselines {', '.join(names)} in condition {condition}. To have"
            f" them: pairwright evaluate RELEASE --out RESULTS{_same(board, condition)} --condition"
            f" {condition} {' '.join(f'--scorer {name}' for name in names)}"
        )


def _self_preferences(board: Leaderboard) -> Iterator[str]:
    """A sentence for each scorer that has something to do with the build."""
    ties = {one.about.scorer.name: one.build_ties for one in board.entries.values()}
    yield from (tie_sentence(name, some) for name, some in ties.items() if some)


def _position_biases(board: Leaderboard) -> Iterator[str]:
    """A sentence for each scorer that leans to a place in some condition."""
    by_scorer: dict[str, list[str]] = {}
    for entry in board.entries.values():
        leanings = [
            f"condition {entry.about.condition}, {leaning(figure)}"
            for figure in entry.figures
            if leans(figure)
        ]
        by_scorer.setdefault(entry.about.scorer.name, []).extend(leanings)
    for name, biases in by_scorer.items():
        if biases:
            yield (
                f"Position bias of {name}, the share of its verdicts for the response in the first"
                f" place (even is 50 %): {'; '.join(biases)}."
            )


def _same(board: Leaderboard, condition: ConditionName) -> str:
    """The options without which other results could not be compared with these."""
    record = CONDITIONS[condition]
    chosen = record.shows_posts and any(
        one.about.history and not one.about.as_people for one in board.entries.values()
    )
    settings = " --scorers FILE.toml" if record.needs == "planner" or chosen else ""
    limit = f" --limit {board.limit}" if board.limit is not None else ""
    split = f" --split {visible(board.split)}" if board.split is not None else ""
    return settings + limit + split


def not_part(ranking: Ranking) -> Iterator[str]:
    """A sentence on the pairs that are not part of a ranking's condition."""
    if ranking.apart:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in ranking.apart.items())
        yield f"Pairs that are not part of this condition, and are not counted: {reasons}."


def why_unranked(board: Leaderboard, ranking: Ranking) -> Iterator[str]:
    """A sentence for each reason why rows are shown and not ranked."""
    reasons: dict[str, list[str]] = {}
    for name in by_accuracy(board, ranking):
        # That a whole table ranks nothing is said above it.
        if not CONDITIONS[ranking.condition].unranked:
            reasons.setdefault(ranking.unranked[name], []).append(
                board.entries[name].about.scorer.name
            )
    for why, names in reasons.items():
        yield f"Not ranked: {', '.join(names)} ({why})."


def floor(ranking: Ranking) -> str:
    """What the test of a ranking could find at best."""
    assert ranking.test
    test = ranking.test
    flips = "all" if test.exact else f"{test.flips:,} random"
    return (
        f"{mode_title(ranking.mode)}, condition {ranking.condition}: the least p that two of"
        f" {len(ranking.ranked)} rows can have with {number_of(test.clusters, 'cluster')} is"
        f" {test.least:.2g} ({flips} flips)."
    )


def posts_sentences(board: Leaderboard) -> Iterator[str]:
    """Which posts of a history the scorers were shown, and whether people saw the same."""
    shown = [
        one.about for one in board.entries.values() if CONDITIONS[one.about.condition].shows_posts
    ]
    if not shown:
        return
    if all(about.as_people for about in shown):
        yield "Scorers were shown of each history the posts that people saw in the study."
        return
    people = " People saw fewer or other posts." if board.people else ""
    if any(about.history for about in shown):
        yield f"Scorers were shown posts by the rules of [history] in their file.{people}"
    else:
        yield f"Scorers were shown all posts of each history that fit.{people}"


def people_sentences(board: Leaderboard) -> Iterator[str]:
    """What the rows of people are."""
    shown = [people for ranking in board.rankings if (people := people_of(board, ranking))]
    if shown:
        pairs = ", ".join(
            f"{people.pairs:,} pairs of mode {people.mode} ({people.annotators:,} annotators,"
            f" {people.tied:,} of {people.accuracy.n:,} votes count one half)"
            for people in shown
        )
        yield (
            "People: one reader against the majority of the others, on all sampled pairs, verified"
            f" or not: {pairs}. A vote counts one half where the others have no majority for a"
            " response, or the reader took neither. Scorers are held to the chosen responses of"
            " released pairs, so people are shown beside them and not ranked."
        )


def _mode_blocks(board: Leaderboard, mode: Mode | None) -> Iterator[Block]:
    yield plots.accuracies(board, mode)
    if gained := plots.gains(board, mode):
        yield gained
    for ranking in board.rankings:
        if ranking.mode == mode:
            table = rows(board, ranking)
            note = " ".join((*not_part(ranking), *why_unranked(board, ranking)))
            yield f"{CONDITIONS[ranking.condition].title} (condition {ranking.condition})."
            yield Table(table.head, table.rows, left=2 if ranking.ranked else 1, note=note)
    yield Fold("Gains, configurations and halves", (parts(board, mode),))
    yield Fold("Users, and people's votes", (people(board, mode),))
    judges = order(board, mode)
    if judges.rows:
        yield Fold("Judges, and the order of the responses", (judges,))
    yield Fold("Every two ranked rows", (comparisons(board, mode),))


def test_in_words() -> str:
    """How rows are compared."""
    return (
        "Rows are ranked within a mode and a condition. Rows that share a letter cannot be"
        " distinguished: all pairs of rows of a table are compared at once, by flipping the sign"
        " of whole clusters, with the step-down max-T procedure of Westfall and Young (1993),"
        " which keeps the chance of any false difference in the table at 5 %."
    )


def _whole_method(board: Leaderboard) -> Iterator[Block]:
    yield board.rule
    yield (
        "Intervals are 95 % Wilson intervals at the effective number of pairs, by cluster: the two"
        " users of a twin, the user, or the prompt."
    )
    yield test_in_words()
    yield "The p to the next row is one of these."
    yield from map(floor, (ranking for ranking in board.rankings if ranking.test))
    yield from posts_sentences(board)
    yield from people_sentences(board)
    yield (
        "A tie counts one half. A pair without a score counts as wrong, so that leaving out what is"
        " hard does not pay; the accuracy of the scored is beside it. Coverage is of twins with"
        " both halves scored, or of pairs. Below 95 % a row is not ranked."
    )
    meanings = tuple((words(name), kind.meaning) for name, kind in FIGURES.items())
    yield Table(("figure", "what it is"), meanings, left=2)


def summary_page(board: Leaderboard) -> Page:
    """The page."""
    first = [
        _first(board, mode) for mode in dict.fromkeys(ranking.mode for ranking in board.rankings)
    ]
    names = dict.fromkeys(name for one in first for name in (*one.ranked, *one.unranked))
    cost_table = costs(board, tuple(names))
    return Page(
        title=f"Leaderboard of {visible(f'{board.release.name} {board.release.version}')}",
        warnings=tuple(warnings(board)),
        sections=(
            *(Section(mode_title(one.mode), tuple(_mode_summary(board, one))) for one in first),
            *((Section("What it takes", (cost_table,)),) if cost_table.rows else ()),
            Section("How to read it", tuple(_brief_method(board))),
        ),
    )


def _first(board: Leaderboard, mode: Mode | None) -> Ranking:
    """The ranking that a mode's table is in the order of: the first that ranks anything."""
    of_mode = [ranking for ranking in board.rankings if ranking.mode == mode]
    return next((one for one in of_mode if one.ranked), of_mode[0])


def _mode_summary(board: Leaderboard, ranking: Ranking) -> Iterator[Block]:
    title = CONDITIONS[ranking.condition].title
    yield f"{title} (condition {ranking.condition}); other conditions are beside it."
    yield _table(board, ranking)
    yield from why_unranked(board, ranking)
    if ranking.test:
        yield floor(ranking)


def _table(board: Leaderboard, ranking: Ranking) -> Table:
    """A row a scorer; those that were not evaluated in the table's own condition come last."""
    mode = ranking.mode
    by_condition = {
        one.condition: {board.entries[name].about.scorer.name: board.entries[name]
                        for name in (*one.ranked, *by_accuracy(board, one))}
        for one in board.rankings if one.mode == mode
    }  # fmt: skip
    own = by_condition.pop(ranking.condition)
    scorers = dict.fromkeys([*own, *(name for some in by_condition.values() for name in some)])
    columns: dict[str, Callable[[BoardEntry], str]] = {
        "group": lambda one: ranking.groups.get(one.name, ""),
        "accuracy, %": lambda one: percent(one.figure("accuracy", mode)),
        "n": lambda one: count(one.figure("accuracy", mode)),
    }
    if is_twin(mode):
        columns["both right, %"] = lambda one: percent(one.figure("both_right", mode))
    elif (controls := CONDITIONS[ranking.condition].compared_with) and controls[0] in by_condition:
        gain = gain_over(controls[0])
        columns[f"{gain}, points"] = lambda one: points(one.figure(gain, mode))
    columns["whole twins, %" if is_twin(mode) else "scored, %"] = lambda one: value(
        one.figure("coverage", mode)
    )
    rows = [
        (
            label(next(some[name] for some in (own, *by_condition.values()) if name in some)),
            *(cell(own[name]) if name in own else "" for cell in columns.values()),
            *(_accuracy(mode, some.get(name)) for some in by_condition.values()),
        )
        for name in scorers
    ]
    head = ("scorer", *columns, *map(_in_condition, by_condition))
    if people := people_of(board, ranking):
        rows.append(people_row(people, head))
    return Table(head, tuple(rows), left=2)


def _accuracy(mode: Mode | None, entry: BoardEntry | None) -> str:
    return "" if entry is None else percent(entry.figure("accuracy", mode))


def _in_condition(condition: ConditionName) -> str:
    return f"{condition}, %"


def _brief_method(board: Leaderboard) -> Iterator[Block]:
    yield board.rule
    yield test_in_words()
    yield from posts_sentences(board)
    yield from people_sentences(board)
    yield (
        "In brackets: 95 % intervals by cluster. A tie counts one half, a pair without a score as"
        " wrong. leaderboard.html has plots, every condition's own table, configurations, halves"
        " of twins, users, votes, judges' consistency and every comparison; leaderboard.json has"
        " all of it for a program."
    )
