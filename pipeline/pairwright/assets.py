"""The installed Pairwright: its version, its content files, and the command that adds an extra."""

import shlex
import sys
from pathlib import Path

__version__ = "0.1.0"
# Inside the package of a wheel, or at the root of a checkout.
_FOLDERS = Path(__file__).resolve().parents
ROOT = next(folder for folder in _FOLDERS if (folder / "prompts").is_dir())
PROMPTS, RUBRICS, DOCS = ROOT / "prompts", ROOT / "rubrics", ROOT / "docs"
HUMAN_EVAL, EXAMPLES = ROOT / "human_eval", ROOT / "examples"


def install(extra: str) -> str:
    """The command that installs an extra, for this Python. Pairwright is on no package index, so
    the extra comes from the checkout."""
    pip = [sys.executable, "-m", "pip", "install"]
    if (ROOT / "pyproject.toml").is_file():
        return shlex.join([*pip, "--editable", f"{ROOT}[{extra}]"])
    return f"{shlex.join([*pip, f'.[{extra}]'])} in the checkout of Pairwright"
