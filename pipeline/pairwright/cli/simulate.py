"""`pairwright simulate`."""

from typing import Annotated

import typer


def simulate_command(
    port: Annotated[int, typer.Option(help="Port on loopback; 0 takes a free one.")] = 8000,
    defect: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND=RATE", help="Plant a defect at a rate; may be repeated."),
    ] = None,
    latency: Annotated[float, typer.Option(help="Seconds before each reply.")] = 0.0,
) -> None:
    """Serve the embedded model as an OpenAI-compatible endpoint.

    A small deterministic program that plans, writes and judges from the words of the prompt.
    It shows how the tool works and tests its plumbing; what it makes is not a benchmark. A
    planted defect is named in the reply's `pairwright` field, as ground truth for tests.

    Examples:

      pairwright simulate --port 8000

      pairwright simulate --port 8000 --defect leaked_rubric=0.2 --defect http_429=0.05
    """

    # What serves takes a while to import, and other commands do without.
    from pairwright.workflows.simulated_endpoint import serve_simulated

    def ready(url: str) -> None:
        typer.echo(f"Serving {url} (model pairwright-simulated). Ctrl-C stops it.")

    serve_simulated(port, defect or [], latency, ready=ready)
