"""The records of best-of-n."""

from pairwright.estimate import Estimate
from pairwright.evaluate.release import ReleaseRef
from pairwright.evaluate.results import ScorerRef
from pairwright.records import Record


class PolicySample(Record):
    """One answer of the policy."""

    response: str
    adherence: float | None = None
    """What the judge says of it, 0 to 1; None where it has no verdict."""
    unscored: str = ""
    detail: str = ""


class SampledQuestion(Record):
    """A question with its samples, in the order of the draws."""

    pair: str
    item_id: str
    domain: str
    cluster: str
    """The user whose question it is."""
    posts: int = 0
    """Posts that the policy was shown."""
    samples: tuple[PolicySample, ...] = ()
    unscored: str = ""
    """Why it does not count: a sample or a judgement is missing. Empty where it counts."""
    detail: str = ""


class SampleScores(Record):
    """What a scorer says of one question's samples."""

    pair: str
    scorer: str
    scores: tuple[float, ...] = ()
    """The scores in the order of the draws."""
    posts: int = 0
    """Posts that the scorer was shown, the same for all samples."""
    left_out: int = 0
    unscored: str = ""
    detail: str = ""


class Point(Record):
    """The mean adherence of what was picked from k samples, over questions."""

    k: int
    first: Estimate
    """The mean over the first k."""
    subsets: Estimate
    """The mean over all subsets of k of the N."""
    gain: Estimate
    """The same less the mean of the question's samples."""


class Curve(Record):
    """One scorer, at every k."""

    scorer: ScorerRef
    questions: int
    """Questions that count."""
    unscored: dict[str, int]
    """Questions that do not count, by reason."""
    shortened: int
    """Questions whose history did not fit whole."""
    points: tuple[Point, ...]

    @property
    def mean(self) -> float:
        """The mean adherence without a pick."""
        first = self.points[0]
        return (first.subsets.value or 0.0) - (first.gain.value or 0.0)


class BestOfN(Record):
    """The whole result of best-of-n."""

    release: ReleaseRef
    limit: int | None
    n: int
    policy: ScorerRef
    judge: ScorerRef
    history: str = ""
    """Hash of the rules by which posts were shown to scorers; empty for all that fit."""
    simulated: bool
    """Whether the embedded model had a part in it: then it is not a result."""
    questions: int
    """Questions that were asked."""
    sampled: int
    """Questions with all N samples and a judgement of each."""
    unscored: dict[str, int]
    """Questions without, by reason."""
    ceiling: Curve | None
    """What a scorer would reach that is the judge itself; None where nothing was sampled."""
    curves: tuple[Curve, ...]

    @property
    def lines(self) -> tuple[Curve, ...]:
        """The curves, the ceiling last."""
        return (*self.curves, *([self.ceiling] if self.ceiling else []))

    @property
    def best(self) -> Curve | None:
        """The curve that ends highest; None where no scorer has one."""
        ended = [curve for curve in self.curves if curve.points]
        return max(ended, key=lambda curve: curve.points[-1].subsets.value or 0.0, default=None)
