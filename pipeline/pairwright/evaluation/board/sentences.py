"""The sentences of a leaderboard, on its pages and on the terminal: what a reader must know first,
what a table leaves out, and how its rows are compared.
"""

from collections.abc import Iterator

from pairwright.blind_preference import preference_sentence
from pairwright.evaluation.board.board import Leaderboard, choices_of_others
from pairwright.evaluation.board.cells import in_words, unranked_by_accuracy
from pairwright.evaluation.board.finding_sentences import position_biases
from pairwright.evaluation.board.flips import clusters_needed
from pairwright.evaluation.board.ranking import Ranking, level_sharers
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.release import tie_sentence
from pairwright.evaluation.results import TRIAL
from pairwright.evaluation.scorers.scorer import MANNER
from pairwright.intervals import LEVEL
from pairwright.modes import MODES, is_twin, mode_title
from pairwright.records import Mode
from pairwright.text import number_of, visible

_UNITS: dict[Mode | None, str] = {
    "twin": "dyad", "natural": "couple", "violate": "user", "accepted": "user",
}  # fmt: skip
"""What a mode's pairs are clustered by: what is independent."""


def standing(board: Leaderboard) -> Iterator[str]:
    """Why the figures are no result, or none of the whole release."""
    if board.release.trial:
        yield TRIAL
    if board.limit is not None:
        yield f"Only the first {number_of(board.limit, 'subject was', 'subjects were')} scored."
    if board.split is not None:
        yield f"Only the split {visible(board.split)} was scored."
    if any(entry.about.simulated for entry in board.entries.values()):
        yield "Rows marked as simulated are answers of a simulated model, and not results."


def warnings(board: Leaderboard) -> Iterator[str]:
    """What a reader must know before any number, the gravest first."""
    yield from standing(board)
    yield from _self_preferences(board)
    yield from position_biases(board.findings)


def advice(board: Leaderboard) -> Iterator[str]:
    """What would make the leaderboard tell more."""
    sharers = level_sharers(board.rankings)
    for ranking in board.rankings:
        # That blind scorers are alike is no lack of clusters.
        if ranking.test and ranking.test.can_distinguish and ranking.test.least >= LEVEL:
            yield (
                f"{mode_title(ranking.mode)}, condition {ranking.condition}: no two rows can be"
                f" distinguished. The least p that {number_of(ranking.test.clusters, 'cluster')} of"
                f" pairs can give is {ranking.test.least:.2g}{_shared(sharers)}; it takes"
                f" {'more' if ranking.test.crossed else f'{clusters_needed(sharers)} or more'}."
            )
    yield from _missing_embeddings(board)
    for condition, names in board.missing.items():
        yield (
            f"No results of the baselines {', '.join(names)} in condition {condition}. To have"
            f" them: pairwright evaluate RELEASE --out RESULTS{_same(board, condition)} --condition"
            f" {condition} {' '.join(f'--scorer {name}' for name in names)}"
        )


def _shared(sharers: int) -> str:
    return f", times the {sharers} tables that share 5 %" if sharers > 1 else ""


def _missing_embeddings(board: Leaderboard) -> Iterator[str]:
    """A sentence for each condition that shows the user's posts and has no embedding's cosine."""
    shown = [one.about for one in board.entries.values()]
    bare = {about.condition for about in shown if CONDITIONS[about.condition].shows_own_posts} - {
        about.condition for about in shown if about.scorer.kind == "embedding"
    }
    for condition in sorted(bare):
        yield (
            f"No results of an embedding baseline in condition {condition}, which is a second one"
            " beside word overlap. To have them: install the extra '.[dense]', write"
            ' [scorers.near] with kind = "embedding" and model ='
            ' "facebook/contriever-msmarco" in FILE.toml, and run pairwright evaluate RELEASE --out'
            f" RESULTS{_same(board, condition, with_file=True)} --condition {condition}"
            " --scorer near"
        )


def _self_preferences(board: Leaderboard) -> Iterator[str]:
    """A sentence for each scorer that has something to do with the build, or that nobody knows."""
    ties = {one.about.scorer.name: one.build_ties for one in board.entries.values()}
    yield from (tie_sentence(name, some) for name, some in ties.items() if some)
    models = any(one.about.scorer.model for one in board.entries.values())
    written = any(ranking.mode and not MODES[ranking.mode].own_choice for ranking in board.rankings)
    if models and written and not board.builders:
        yield (
            "No result names the models that built the release, so scorers that had a part in it"
            " cannot be marked: evaluate again with this version."
        )


def _same(board: Leaderboard, condition: ConditionName, *, with_file: bool = False) -> str:
    """The options without which other results could not be compared with these."""
    record = CONDITIONS[condition]
    chosen = record.shows_posts and any(
        one.about.history and not one.about.as_people for one in board.entries.values()
    )
    with_file = with_file or record.needs == "planner" or chosen
    settings = " --scorers FILE.toml" if with_file else ""
    limit = f" --limit {board.limit}" if board.limit is not None else ""
    split = f" --split {visible(board.split)}" if board.split is not None else ""
    return settings + limit + split


def independent_units(board: Leaderboard, ranking: Ranking) -> Iterator[str]:
    """How many independent units the pairs of a table are of."""
    names = (*ranking.ranked, *ranking.unranked)
    figure = board.entries[names[0]].figure("accuracy", ranking.mode)
    if figure and figure.n:
        units = number_of(figure.clusters, _UNITS.get(ranking.mode, "cluster"))
        if ranking.mode and is_twin(ranking.mode) and MODES[ranking.mode].own_choice:
            yield (
                f"n = {number_of(figure.n, 'pair')} of {units}. Couples and responses are crossed:"
                " pairs that share a couple or a response are not independent."
            )
        else:
            yield f"n = {number_of(figure.n, 'pair')} of {units}, which are the independent units."


def manner_sentences(board: Leaderboard, ranking: Ranking) -> Iterator[str]:
    """A sentence for each manner that tells more than one half of a table's choices: what each user
    took so far."""
    for name in (*ranking.ranked, *ranking.unranked):
        entry = board.entries[name]
        figure = entry.figure("accuracy", ranking.mode)
        scorer = entry.about.scorer.name
        if scorer in MANNER and figure and (figure.low or 0) > 0.5:
            yield (
                f"A taste for {MANNER[scorer]} tells much here: {scorer}, the {MANNER[scorer]} that"
                f" each user took so far, is right in {in_words(figure)}, n = {figure.n:,}. A"
                " scorer reads more of a person only where it is ahead of that (every two ranked"
                " rows)."
            )


def blind_sentences(board: Leaderboard, ranking: Ranking) -> Iterator[str]:
    """What taking or avoiding the better response gives without any user; of twins one half."""
    for figure in board.release.preferences:
        if figure.mode == ranking.mode and figure.share and not is_twin(figure.mode):
            yield preference_sentence(figure)


def not_part(ranking: Ranking) -> Iterator[str]:
    """A sentence on the pairs that are not part of a ranking's condition."""
    if ranking.apart:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in ranking.apart.items())
        yield f"Pairs that are not part of this condition, and are not counted: {reasons}."


def why_unranked(board: Leaderboard, ranking: Ranking) -> Iterator[str]:
    """A sentence for each reason why rows are shown and not ranked."""
    reasons: dict[str, list[str]] = {}
    for name in unranked_by_accuracy(board, ranking):
        # That a whole table ranks nothing is said above it.
        if not CONDITIONS[ranking.condition].unranked:
            reasons.setdefault(ranking.unranked[name], []).append(
                board.entries[name].about.scorer.name
            )
    for why, names in reasons.items():
        yield f"Not ranked: {', '.join(names)} ({why})."


def least_p(board: Leaderboard, ranking: Ranking) -> str:
    """What the test of a ranking could find at best."""
    assert ranking.test
    test = ranking.test
    flips = "all flips" if test.exact else f"{test.flips:,} random flips"
    if test.crossed:
        flips = "by the interval of a row that is ahead on every pair"
    return (
        f"{mode_title(ranking.mode)}, condition {ranking.condition}: the least p that two of"
        f" {len(ranking.ranked)} rows can have with {number_of(test.clusters, 'cluster')} is"
        f" {test.least:.2g}{_shared(level_sharers(board.rankings))} ({flips})."
    )


def posts_sentences(board: Leaderboard) -> Iterator[str]:
    """Which posts of a history the scorers were shown, and whether people saw the same."""
    posts = [
        one.about for one in board.entries.values() if CONDITIONS[one.about.condition].shows_posts
    ]
    if names := dict.fromkeys(one.scorer.name for one in posts if one.scorer.of_file):
        yield f"Nothing says which posts the scores of {', '.join(names)} are based on."
    shown = [about for about in posts if not about.scorer.of_file]
    if not shown:
        return
    if all(about.as_people for about in shown):
        yield "Scorers were shown of each history the posts that people saw in the study."
        return
    if any(about.history for about in shown):
        yield "Scorers were shown posts by the rules of [history] in their file."
    else:
        yield "Scorers were shown all posts of each history that fit."


def others_sentences(board: Leaderboard) -> Iterator[str]:
    """What the rows of the choices of others are."""
    if any(choices_of_others(board, ranking) for ranking in board.rankings):
        yield (
            "The choices of others: how often those who choose like the user elsewhere, each"
            " weighed by the cosine of their choices, lean more to what the user took; equal"
            " leanings count one half. Other ways to weigh them can be defended and give other"
            " figures. No scorer is shown these choices: the row is a point of comparison, and"
            " nobody knows whether texts can tell as much, or more."
        )


def test_in_words() -> str:
    """How rows are compared."""
    return (
        "Rows are ranked within a mode and a condition. Rows that share a letter cannot be"
        " distinguished: all pairs of rows of a table are compared at once, by flipping the sign"
        " of whole clusters, with the step-down max-T procedure of Westfall and Young (1993),"
        " and their p is multiplied by the number of tables that can distinguish rows. So the"
        " chance of any false difference on the whole leaderboard is at most 5 %."
    )


def crossed_sentences(board: Leaderboard) -> Iterator[str]:
    """How rows are compared where couples and responses are crossed."""
    if any(ranking.test and ranking.test.crossed for ranking in board.rankings):
        yield (
            "Natural twins are tested in another way, because no flip of couples keeps what pairs"
            " with a common response share: a p is the least level at which the interval of the"
            " difference, with couples and responses as crossed, leaves out 0, and Holm's procedure"
            " adjusts the p of a table."
        )


def identity_sentences(board: Leaderboard) -> Iterator[str]:
    """What a figure by identity is, where there is any."""
    if any(figure.by_identity for one in board.entries.values() for figure in one.figures):
        yield (
            "By identity: a scorer that cannot see the user has one point on each whole twin,"
            " whatever the data, so there is no interval."
        )


def ranking_sentences(board: Leaderboard, ranking: Ranking) -> Iterator[str]:
    """What is said below a ranking's table: its units, what is not in it, and its test."""
    yield from independent_units(board, ranking)
    yield from manner_sentences(board, ranking)
    yield from blind_sentences(board, ranking)
    yield from not_part(ranking)
    yield from why_unranked(board, ranking)
    if ranking.test:
        yield least_p(board, ranking)


def closing_sentences(board: Leaderboard) -> Iterator[str]:
    """What is said below all tables."""
    yield from others_sentences(board)
    yield from identity_sentences(board)
    yield board.rule
    yield (
        "Rows that share a letter cannot be distinguished (step-down sign-flip test of all pairs"
        " of rows, shared among the tables). In brackets: 95 % intervals by cluster."
    )
    yield from crossed_sentences(board)
