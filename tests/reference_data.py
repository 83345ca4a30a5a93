"""Data of others that ships with the tests; data/ORIGIN.md says where each file comes from."""

from pathlib import Path

_DATA = Path(__file__).resolve().parent / "data"

REFERENCE = _DATA / "reference"
LLMBAR = _DATA / "llmbar"
LABEL_STUDIO = _DATA / "label_studio"
# Conversations of Polis, beside the project and not in it.
POLIS = Path(__file__).resolve().parents[2] / "shared" / "data" / "polis"
