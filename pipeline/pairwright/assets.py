"""Where the content files are: inside the package of a wheel, or at the root of a checkout."""

from pathlib import Path

_FOLDERS = Path(__file__).resolve().parents
ROOT = next(folder for folder in _FOLDERS if (folder / "prompts").is_dir())
PROMPTS, RUBRICS, DOCS = ROOT / "prompts", ROOT / "rubrics", ROOT / "docs"
HUMAN_EVAL, EXAMPLES = ROOT / "human_eval", ROOT / "examples"
