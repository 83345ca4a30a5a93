"""Whether doing well on a benchmark goes with doing well downstream, from a table of models."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pairwright.evaluation.correlation.correlations import Correlations, correlation_page
from pairwright.evaluation.correlation.correlations import correlate as correlate_models
from pairwright.evaluation.correlation.table import one_line, read_models
from pairwright.options import Doc
from pairwright.workflows.output import output_folder, write_page


def correlate(
    table: Annotated[str | Path, Doc("One row a model, a header.", "TABLE.csv")],
    benchmarks: Annotated[
        str | Iterable[str],
        Doc("A benchmark's scores; twice to compare two.", "COL", name="--benchmark"),
    ],
    downstream: Annotated[
        str, Doc("Column with the downstream scores.", "COL", name="--downstream")
    ],
    out: Annotated[
        str | Path | None, Doc("Write report.html, report.md and .json.", "DIR", name="--out")
    ] = None,
    *,
    model: Annotated[str | None, Doc("Names of the models [first column].", "COL")] = None,
    lineage: Annotated[
        str | None, Doc("Which models descend from one another: left out together.", "COL")
    ] = None,
) -> Correlations:
    """Correlate benchmark scores with downstream scores over the same models.

    Greater must be better in every column. Spearman, weighted tau, NDCG and RBO have 95 %
    intervals from 5 models or lineages on. Raises InputError and StoreError.

        >>> correlate("models.csv", "accuracy", "best_of_16").n
        12
    """
    folder = output_folder(out)
    names = (benchmarks,) if isinstance(benchmarks, str) else tuple(dict.fromkeys(benchmarks))
    models = read_models(Path(table), names, downstream, model, lineage)
    correlations = correlate_models(models, one_line(downstream))
    if folder:
        write_page(folder, "report", correlation_page(correlations, models), correlations)
    return correlations
