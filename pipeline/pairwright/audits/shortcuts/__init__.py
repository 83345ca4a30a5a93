"""Shortcuts: ways to pick the chosen response without knowing the user, or by word overlap.

trials.py        all ways of choosing, tried on the pairs of one configuration
response.py pair_features.py    the features that they use
classifiers.py   models of responses and questions
informed.py      overlap with posts and aspects, and words that the writer can have only from posts
questions.py     questions with options: ways to pick the right one of k
figures.py       whether twins are whole, how unequal two responses are, and what others think
"""

from collections.abc import Iterator

from pairwright.audits.catalogue import names_of
from pairwright.audits.read.source import NO_INFO, ReadRow
from pairwright.audits.records import Check, LimitComparison
from pairwright.audits.shortcuts.figures import (
    PreferenceLean,
    length_matched,
    response_gaps,
    twin_gaps,
    twin_identity,
)
from pairwright.audits.shortcuts.informed import LEAK_LIMITS, AuditWords
from pairwright.audits.shortcuts.pair_features import PairFeatures
from pairwright.audits.shortcuts.trials import (
    BLIND,
    Trial,
    blind_trials,
    comparison,
    note,
    overlap_by_mode,
    source_accuracies,
)
from pairwright.estimate import Estimate
from pairwright.intervals import AccuracyLimits
from pairwright.modes import has_no_preference, is_twin
from pairwright.settings.rules import ReleaseInfo

MAX_SHORTCUT = 0.58
SEED = 0
"""The seed of samples and folds: the same rows give the same checks."""


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
        most_shared_words: int | None = None,
    ) -> None:
        """`max_shortcut` bounds max(accuracy, 1 - accuracy) of blind checks: between 0.5 and 1.
        `max_overlap` and `max_aspects_overlap` bound the accuracy of word overlap with the posts
        and with the aspects; None: as the study did, or not at all. `most_shared_words` is the
        bound that the build of the twins kept."""
        self._bound = max_shortcut
        self._blind = AccuracyLimits(max_shortcut, max_shortcut)
        self._overlap = {"profile_overlap": max_overlap, "aspects_overlap": max_aspects_overlap}
        self._by_study = {
            "profile_overlap": study.max_overlap, "aspects_overlap": study.max_aspects_overlap,
        }  # fmt: skip
        self._most_shared_words = most_shared_words
        self._words = AuditWords()
        self._features: dict[str, PairFeatures] = {}
        self.by_source: dict[str, dict[str, Estimate]] = {}
        """After `checks`: see `source_accuracies`."""
        self._lean = PreferenceLean(self._blind)

    def add(self, line: ReadRow) -> None:
        """Count one row."""
        row = line.row
        features = self._features.get(row.config)
        if features is None:
            features = self._features[row.config] = PairFeatures(
                row.config, row.mode, SEED, self._words
            )
        features.add(row, line.choice)
        self._lean.add(row)

    def checks(self) -> Iterator[Check | LimitComparison]:
        """All checks of each configuration, after the last row."""
        for features in self._features.values():
            features.measure()
        tried = {
            config: list(blind_trials(features, SEED))
            for config, features in sorted(self._features.items())
            if not has_no_preference(features.mode)
        }
        for config, features in sorted(self._features.items()):
            if config not in tried:
                # Its labels are drawn: what picks the chosen response says nothing.
                yield twin_identity(features, ())
                yield from response_gaps(features)
                continue
            own = tried[config]
            by_name = {one.name: one for one in own}
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
                yield twin_identity(features, [by_name[name] for name in BLIND])
                yield from response_gaps(features)
                yield from twin_gaps(features, by_name["profile_overlap"], self._most_shared_words)
            else:
                yield length_matched(features)
        yield from map(note, overlap_by_mode(self._features, tried))
        yield from self._lean.checks()

    def _pair_check(self, trial: Trial) -> Check | LimitComparison:
        """A comparison: of blind trials where no identity makes them 50 %, of private words where
        there is anything to count, and of overlap where somebody set a bound. Else a note."""
        name = trial.name
        blind, bound = name in BLIND, self._overlap.get(name)
        if bound is None and (bound := self._by_study.get(name)) is not None:
            trial = trial._replace(why=f"The study set a bound of {bound:g}. {trial.why}".strip())
        if bound is not None:
            return comparison(trial, AccuracyLimits(bound, bound, either_side=False))
        if name == "profile_residual" and len(trial.points):
            return comparison(trial, LEAK_LIMITS)
        if blind and not is_twin(trial.mode):
            return comparison(trial, self._blind)
        return note(trial, identity=blind)

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
