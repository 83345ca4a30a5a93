"""Shortcuts: ways to pick the chosen response without knowing the user, or by word overlap.

trials.py        all ways of choosing, tried on the pairs of one configuration
response.py pair_features.py    the features that they use
classifiers.py   models of responses and questions
baselines.py     overlap with posts and aspects
private_words.py    words that the writer can have only from the posts
opinions.py      what others think: a judge that knows nobody, votes, and time
questions.py     questions with options: ways to pick the right one of k
gaps.py          whether twins are whole, and how unequal two responses are
"""

from collections.abc import Iterator
from typing import NamedTuple

from pairwright.audits.catalogue import names_of
from pairwright.audits.read.source import NO_INFO, ReadRow
from pairwright.audits.records import Check, LimitComparison
from pairwright.audits.shortcuts.gaps import length_matched, twin_gaps, twin_identity
from pairwright.audits.shortcuts.opinions import PreferenceLean, PublishedAnswers
from pairwright.audits.shortcuts.pair_features import PairFeatures
from pairwright.audits.shortcuts.private_words import LEAK_LIMITS, AuditWords
from pairwright.audits.shortcuts.trials import (
    BLIND,
    Trial,
    blind_trials,
    comparison,
    identity_note,
    note,
    source_accuracies,
)
from pairwright.estimate import Estimate
from pairwright.intervals import AccuracyLimits
from pairwright.modes import is_twin
from pairwright.settings.rules import ReleaseInfo

MAX_SHORTCUT = 0.58
SEED = 0
"""The seed of samples and folds: the same rows give the same checks."""


class _OverlapBound(NamedTuple):
    """The highest accuracy that word overlap may have, and whether the study set it itself."""

    most: float
    by_study: bool


def _overlap_bound(option: float | None, own: float | None) -> _OverlapBound | None:
    most = own if option is None else option
    return None if most is None else _OverlapBound(most, option is None)


class Shortcuts:
    """The part of an audit on shortcuts and informed baselines.

    It keeps numbers of every row, and more of at most `pair_features.SAMPLE` rows of each
    configuration. The same rows give the same checks on every machine.
    """

    names = names_of("shortcuts", "baselines")

    def __init__(
        self,
        *,
        max_shortcut: float = MAX_SHORTCUT,
        max_overlap: float | None = None,
        max_aspects_overlap: float | None = None,
        study: ReleaseInfo = NO_INFO,
    ) -> None:
        """`max_shortcut` bounds max(accuracy, 1 - accuracy) of blind checks: between 0.5 and 1.
        `max_overlap` and `max_aspects_overlap` bound the accuracy of word overlap with the posts
        and with the aspects; None: as the study did, or not at all."""
        self._bound = max_shortcut
        self._blind = AccuracyLimits(max_shortcut, max_shortcut)
        self._overlap = {
            "profile_overlap": _overlap_bound(max_overlap, study.max_overlap),
            "aspects_overlap": _overlap_bound(max_aspects_overlap, study.max_aspects_overlap),
        }
        self._words = AuditWords()
        self._features: dict[str, PairFeatures] = {}
        self._published = PublishedAnswers()
        self.by_source: dict[str, dict[str, Estimate]] = {}
        """After `checks`: see `source_accuracies`."""
        self._lean = PreferenceLean(self._blind)

    def add(self, line: ReadRow) -> None:
        """Count one row."""
        row = line.row
        features = self._features.get(row.config)
        if features is None:
            features = self._features[row.config] = PairFeatures(row.mode, SEED, self._words)
        features.add(row, line.choice)
        self._published.add(row)
        self._lean.add(row)

    def checks(self) -> Iterator[Check | LimitComparison]:
        """All checks of each configuration, after the last row."""
        tried = {
            config: list(blind_trials(config, features, SEED))
            for config, features in sorted(self._features.items())
        }
        for config, own in tried.items():
            features, by_name = self._features[config], {one.name: one for one in own}
            if features.sources:
                self.by_source |= source_accuracies(features, own)
            for trial in own:
                if features.questions:
                    yield self._question_check(trial, features)
                else:
                    yield self._pair_check(trial)
            if features.questions.has_places:
                yield features.questions.key_place(config, features.clusters, self._bound)
            if is_twin(features.mode):
                yield twin_identity(config, features, [by_name[name] for name in BLIND])
                yield from twin_gaps(config, features, by_name["profile_overlap"])
            else:
                yield length_matched(config, features)
        yield from self._lean.checks()
        yield from self._published.checks()

    def _pair_check(self, trial: Trial) -> Check | LimitComparison:
        bound = self._overlap.get(trial.name)
        if bound and bound.by_study:
            trial = trial._replace(
                why=f"The study set a bound of {bound.most:g}. {trial.why}".strip()
            )
        limits = self._limits(trial)
        return comparison(trial, limits) if limits else _note(trial)

    def _question_check(self, trial: Trial, features: PairFeatures) -> Check | LimitComparison:
        """The same of questions with options: a point says whether the right one was picked."""
        if trial.name == "profile_residual":
            return self._pair_check(trial)
        picks = features.questions.picks(trial.places, trial.points, trial.clusters)
        if trial.name not in BLIND:
            chance = f"Picks the right option of {len(picks.most):,} questions; chance is"
            question_trial = trial._replace(
                places=trial.places[picks.first], points=picks.most, clusters=picks.clusters,
                like=trial.like[picks.first], why=f"{chance} {picks.chance:.3f}. {trial.why}",
            )  # fmt: skip
            return self._pair_check(question_trial)
        compared = picks.comparison(trial.name, trial.config, self._bound)
        if compared is None:
            return self._pair_check(trial)
        return compared._replace(why=trial.why, flags=trial.flags)

    def _limits(self, trial: Trial) -> AccuracyLimits | None:
        """What decides on a trial: on blind ones where no identity makes them 50 %, on private
        words where there is anything to count, and on overlap where somebody set a bound."""
        name = trial.name
        if bound := self._overlap.get(name):
            return AccuracyLimits(bound.most, bound.most, either_side=False)
        if name == "profile_residual":
            return LEAK_LIMITS if len(trial.points) else None
        return self._blind if name in BLIND and not is_twin(trial.mode) else None


def _note(trial: Trial) -> Check:
    return identity_note(trial) if trial.name in BLIND else note(trial)
