"""index.md: the table of README.md by what a reader has, and the order of all pages."""

from pathlib import Path

from reference.markdown import page_of

README = Path(__file__).resolve().parents[2] / "README.md"
PARTS = {
    "Start": ("install", "tour", "how_it_works"),
    "Guides": (
        *("generate", "choices", "first_study", "study", "audit", "evaluate", "release"),
        *("downstream", "train", "serving", "paper"),
    ),
    "Understand": ("limitations", "statistics"),
    "Reference": ("commands", "config", "checks", "python"),
}


def index_page() -> str:
    section = README.read_text(encoding="utf-8").partition("\n## Use it\n")[2].partition("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    return page_of(
        "# Pairwright",
        "Pairwright builds personalized preference benchmarks, has people verify them, audits them,"
        " and ranks reward models and LLM judges on them. The [tour](tour.md) of the demo takes ten"
        " minutes. [How it works](how_it_works.md) explains twins and placebos.",
        "## Start with what you have",
        "\n".join(table).replace("](docs/", "]("),
        "To judge a result, read [what it does not show](limitations.md) and [how the numbers are"
        " computed](statistics.md). Every command, key and reason is in the reference:"
        " [commands](commands.md), [configuration](config.md), [checks and reasons](checks.md),"
        " [Python](python.md).",
        *(
            "\n".join(["```{toctree}", f":caption: {part}", ":hidden:", "", *pages, "```"])
            for part, pages in PARTS.items()
        ),
    )
