"""Whether doing well on a benchmark goes with doing well downstream, from a table of models."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pairwright.errors import InputError
from pairwright.evaluation.correlation.correlations import (
    Correlations,
    DownstreamFacts,
    correlation_page,
)
from pairwright.evaluation.correlation.correlations import correlate as correlate_models
from pairwright.evaluation.correlation.table import ModelTable, one_line, read_models
from pairwright.options import Doc
from pairwright.workflows.output import output_folder, write_page
from pairwright.workflows.progress import Progress, counter, log_notes


@dataclass(frozen=True, slots=True)
class CorrelationResult:
    """How benchmarks go with downstream scores over the same models."""

    correlations: Correlations
    models: ModelTable


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
    judge: Annotated[str | None, Doc("Who judged the downstream outputs.", "TEXT")] = None,
    overlap: Annotated[
        str | None, Doc("Questions that benchmark and downstream share.", "TEXT")
    ] = None,
    gain: Annotated[
        Literal["rank", "score"], Doc("Gain of a model in NDCG: its downstream rank or score.")
    ] = "rank",
    p: Annotated[float, Doc("Persistence p of RBO: the weight of lower ranks, 0 to 1.")] = 0.9,
    seed: Annotated[int, Doc("Seed of the random orders.", least=0)] = 0,
    progress: Progress = log_notes,
) -> CorrelationResult:
    """Correlate benchmark scores with downstream scores over the same models.

    Greater must be better in every column.

    Spearman, weighted tau, NDCG and RBO have 95 % intervals; below 10 models
    nothing is claimed. Raises InputError and StoreError.

        >>> correlate("models.csv", "accuracy", "best_of_16").correlations.n
        12
    """
    folder = output_folder(out)
    names = (benchmarks,) if isinstance(benchmarks, str) else tuple(dict.fromkeys(benchmarks))
    models = read_models(Path(table), names, downstream, model, lineage)
    facts = DownstreamFacts(judge=judge, overlap=overlap, lineage=lineage)
    count = counter(progress, "orders", total=6 * len(names))
    try:
        correlations = correlate_models(
            models, one_line(downstream), facts, gain=gain, p=p, seed=seed, done=count
        )
    except ValueError as error:
        where = "--p" if "p is" in str(error) else f"{table} [{downstream}]"
        fix = "Give --p a number such as 0.9, and --gain score no score below zero."
        raise InputError(str(error), where=where, fix=fix) from None
    if folder:
        write_page(folder, "report", correlation_page(models, correlations), correlations)
    return CorrelationResult(correlations, models)
