"""Pairwright: personalized preference benchmarks. Each function does what the command of its name
does, and returns a record."""

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pairwright.assets import __version__ as __version__

if TYPE_CHECKING:
    __all__: list[str]
    from pairwright.audits.run import AuditResult as AuditResult
    from pairwright.audits.run import audit as audit
    from pairwright.construct.build import BuildResult as BuildResult
    from pairwright.construct.build import build as build
    from pairwright.construct.outcomes import load_release as load_release
    from pairwright.construct.status import RunStatus as RunStatus
    from pairwright.construct.status import status as status
    from pairwright.evaluation.correlate import correlate as correlate
    from pairwright.evaluation.downstream import Downstream as Downstream
    from pairwright.evaluation.evaluate import EvaluationResult as EvaluationResult
    from pairwright.evaluation.evaluate import evaluate as evaluate
    from pairwright.evaluation.evaluate import leaderboard as leaderboard
    from pairwright.evaluation.leaderboard import Leaderboard as Leaderboard
    from pairwright.modes.placebo import build_placebo as build_placebo
    from pairwright.modes.twin import build_twin as build_twin
    from pairwright.modes.violate import build_violate as build_violate
    from pairwright.pairs import Row as Row
    from pairwright.progress import run_async as run_async
    from pairwright.records import Dropped as Dropped
    from pairwright.records import Kept as Kept
    from pairwright.records import Pair as Pair
    from pairwright.releases.check import CheckedRelease as CheckedRelease
    from pairwright.releases.check import check as check
    from pairwright.releases.diff import ReleaseDiff as ReleaseDiff
    from pairwright.releases.diff import diff as diff
    from pairwright.releases.write import ReleaseResult as ReleaseResult
    from pairwright.releases.write import release as release
    from pairwright_human_eval.answers import ImportedAnswers as ImportedAnswers
    from pairwright_human_eval.answers import import_answers as import_answers
    from pairwright_human_eval.report import DecisionReport as DecisionReport
    from pairwright_human_eval.report import decide as decide
    from pairwright_human_eval.study import StudyTasks as StudyTasks
    from pairwright_human_eval.study import export_tasks as export_tasks
    from pairwright_human_eval.study import plan_study as plan_study
else:
    # Imported when asked for, so that a command's --help does not wait for numpy and scipy.
    _HOMES = {
        name.name: line.module
        for line in ast.walk(ast.parse(Path(__file__).read_text(encoding="utf-8")))
        if isinstance(line, ast.ImportFrom) and line.module.startswith("pairwright")
        for name in line.names
    }
    __all__ = sorted(_HOMES)

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            return getattr(import_module(_HOMES[name]), name)
        raise AttributeError(f"module 'pairwright' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOMES})
