"""Where the content files are, in a checkout and in a wheel: prompts/, rubrics/, human_eval/,
examples/ and the pages of docs/."""

from pathlib import Path

_HERE = Path(__file__).resolve().parent

# The nearest enclosing folder that holds prompts/: the package itself in a wheel,
# the repository root in a checkout.
ROOT = next(folder for folder in (_HERE, *_HERE.parents) if (folder / "prompts").is_dir())

PROMPTS = ROOT / "prompts"
RUBRICS = ROOT / "rubrics"
HUMAN_EVAL = ROOT / "human_eval"
EXAMPLES = ROOT / "examples"
DOCS = ROOT / "docs"
