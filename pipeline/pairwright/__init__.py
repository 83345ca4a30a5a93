"""Pairwright: personalized preference benchmarks, from user histories to gated pairs.

    from pairwright import build, export_tasks, import_answers, decide, release, evaluate

Each function does what the command of its name does, and gives a record.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pairwright.version import __version__

__all__ = [
    "AuditResult",
    "BuildResult",
    "Correlations",
    "DecisionReport",
    "Dropped",
    "EvaluationResult",
    "ImportedAnswers",
    "Kept",
    "Leaderboard",
    "Pair",
    "PlannedStudy",
    "ReleaseDiff",
    "ReleaseResult",
    "Row",
    "RunStatus",
    "TaskExport",
    "VerifiedRelease",
    "__version__",
    "audit",
    "build",
    "build_placebo",
    "build_twin",
    "build_violate",
    "correlate",
    "decide",
    "diff",
    "evaluate",
    "export_tasks",
    "import_answers",
    "leaderboard",
    "load_release",
    "plan_study",
    "release",
    "run_async",
    "status",
    "verify",
]

_HOMES = {
    "pairwright.construct.pairs": ("load_release",),
    "pairwright.pairs": ("Row",),
    "pairwright.evaluation.correlation.correlations": ("Correlations",),
    "pairwright.evaluation.leaderboard": ("Leaderboard",),
    "pairwright.modes.placebo": ("build_placebo",),
    "pairwright.modes.twin": ("build_twin",),
    "pairwright.modes.violate": ("build_violate",),
    "pairwright.notebook": ("run_async",),
    "pairwright.records": ("Dropped", "Kept", "Pair"),
    "pairwright.releases.verify": ("VerifiedRelease",),
    "pairwright_human_eval.intake": ("ImportedAnswers", "import_answers"),
    "pairwright_human_eval.report": ("DecisionReport", "decide"),
    "pairwright.workflows.evaluation": (
        "EvaluationResult",
        "correlate",
        "evaluate",
        "leaderboard",
    ),
    "pairwright.workflows.new_release": ("ReleaseResult", "release"),
    "pairwright.workflows.pair_audit": ("AuditResult", "audit"),
    "pairwright.workflows.releases": ("ReleaseDiff", "diff", "verify"),
    "pairwright.construct.build": ("BuildResult", "build"),
    "pairwright.construct.status": ("RunStatus", "status"),
    "pairwright_human_eval.study": ("PlannedStudy", "TaskExport", "export_tasks", "plan_study"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

if TYPE_CHECKING:
    from pairwright.construct.build import BuildResult, build
    from pairwright.construct.pairs import load_release
    from pairwright.construct.status import RunStatus, status
    from pairwright.evaluation.correlation.correlations import Correlations
    from pairwright.evaluation.leaderboard import Leaderboard
    from pairwright.modes.placebo import build_placebo
    from pairwright.modes.twin import build_twin
    from pairwright.modes.violate import build_violate
    from pairwright.notebook import run_async
    from pairwright.pairs import Row
    from pairwright.records import Dropped, Kept, Pair
    from pairwright.releases.verify import VerifiedRelease
    from pairwright.workflows.evaluation import EvaluationResult, correlate, evaluate, leaderboard
    from pairwright.workflows.new_release import ReleaseResult, release
    from pairwright.workflows.pair_audit import AuditResult, audit
    from pairwright.workflows.releases import ReleaseDiff, diff, verify
    from pairwright_human_eval.intake import ImportedAnswers, import_answers
    from pairwright_human_eval.report import DecisionReport, decide
    from pairwright_human_eval.study import PlannedStudy, TaskExport, export_tasks, plan_study
else:

    def __getattr__(name: str) -> object:
        # Deferred, so that a command's --help does not wait for numpy and scipy.
        if name in _HOME_OF:
            return getattr(import_module(_HOME_OF[name]), name)
        raise AttributeError(f"module 'pairwright' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
