"""What a study will take, and what its release could show, before anybody is paid.

estimation.py puts the numbers together, records.py has their form, page.py shows them.
"""

from pairwright.workflows.study_plan.estimation import plan_study
from pairwright.workflows.study_plan.records import StudyEstimate

__all__ = ["StudyEstimate", "plan_study"]
