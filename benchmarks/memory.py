"""Peak memory of a build of 10,000 items beside one of 1,000, on an instant stub.

The first item is in Spanish, in both: its language has py3langid load its model, 70 MiB that any
build takes which meets a text that is not plainly English, once and whatever its size. Without it
10,000 items would meet such a text, and 1,000 would not.

    .venv/bin/python benchmarks/memory.py [SMALL LARGE]
"""

import json
import sys
import tempfile
from pathlib import Path

import building
import histories
from counting import Endpoint

QUESTION = "¿Cuál es una buena manera de preparar y guardar el pan en una cocina pequeña?"
POST = (
    "Vivo en un barco y no puedo dejarlo por mucho tiempo. Siempre tengo que pensar en mis hijos."
    " ¿Qué debería hacer con el pan que nos queda, y qué hacen los demás cuando no hay horno?"
)


def write(folder: Path, items: int) -> None:
    """The synthetic users of other benchmarks, the first of whom writes in Spanish."""
    first, *others = map(histories.item, range(items))
    posts = [{"id": f"p{n}", "text": f"{POST} Es mi pregunta número {n}."} for n in range(8)]
    lines = [{**first, "question": QUESTION, "profile": posts}, *others]
    with (folder / "histories.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def main(sizes: tuple[int, ...]) -> None:
    peaks = []
    print(f"{'items':>7} {'peak MiB':>9} {'seconds':>8} {'calls':>9}")
    for items in sizes:
        with tempfile.TemporaryDirectory() as scratch, Endpoint() as endpoint:
            config = building.prepare(Path(scratch), endpoint.url, items, write=False)
            write(Path(scratch), items)
            done = building.build(config, Path(scratch) / "run")
            if done.code:
                sys.exit(f"the build ended with {done.code}")
            calls = sum(endpoint.stats()["asked"].values())
        peaks.append(done.peak_mib)
        print(f"{items:>7,} {done.peak_mib:>9.0f} {done.seconds:>8.0f} {calls:>9,}", flush=True)
    print(json.dumps({"rss_ratio": round(peaks[-1] / peaks[0], 3), "peak_mib": round(peaks[-1])}))


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or (1000, 10000))
