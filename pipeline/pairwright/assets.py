"""The installed Pairwright: its version, its content files, and the command that adds an extra."""

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

__version__ = "0.1.0"
# Inside the package of a wheel, or at the root of a checkout.
_FOLDERS = Path(__file__).resolve().parents
ROOT = next(folder for folder in _FOLDERS if (folder / "prompts").is_dir())
PROMPTS, RUBRICS, DOCS = ROOT / "prompts", ROOT / "rubrics", ROOT / "docs"
HUMAN_EVAL, EXAMPLES = ROOT / "human_eval", ROOT / "examples"


def install(extra: str) -> str:
    """The command that installs an extra, for this Python. Pairwright is on no package index, so
    the extra comes from the checkout, wheel or repository that pip noted in `direct_url.json` (PEP
    610)."""
    try:
        origin = json.loads(distribution("pairwright").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    url, vcs = urlsplit(origin.get("url", "")), origin.get("vcs_info")
    path = Path(unquote(url.path))
    pip = [sys.executable, "-m", "pip", "install"]
    pip += ["--editable"] if origin.get("dir_info", {}).get("editable") else []
    if vcs:
        wanted = f"pairwright[{extra}] @ {vcs['vcs']}+{origin['url']}@{vcs['commit_id']}"
        return shlex.join([*pip, wanted])
    if url.scheme == "file" and path.exists():
        return shlex.join([*pip, f"{path}[{extra}]"])
    return f"{shlex.join([*pip, f'.[{extra}]'])} in the checkout of Pairwright"
