"""How often the language of a text is told, and whether it is right.

python benchmarks/languages.py FOLDER

FOLDER holds translated messages as gettext's `.po` files in `locale/CODE/LC_MESSAGES`, such as the
unpacked wheel of Django, which has them in about 100 languages; without it the benchmark is
skipped. Messages that equal the English ones are left out. English is measured on the originals.

For each class of length, in words as `word_count` counts them: messages, the share that is told,
and how many of these are wrong; languages that py3langid does not know are counted apart. Also, for
scripts without spaces, characters for each English word of the same messages. The last line is
JSON.
"""

import ast
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from unicodedata import category

from pairwright import text

LENGTHS = (3, 6, 10, 20)
_PLACES = re.compile(r"%\(\w+\)[sd]|%[sd]|\{[^}]*\}|<[^>]+>|&\w+;")
_CODES = {"nb": "no", "nn": "no"}
# Serbian in Latin letters reads as Croatian does.
_LEFT_OUT = {"sr_Latn"}
# py3langid 0.4 has no Sorbian, Sorani, Asturian, Ido, Interlingua and Udmurt.
_UNKNOWN = {"dsb", "hsb", "ckb", "ast", "io", "ia", "udm"}
_UNSPACED = ("zh_Hans", "zh_Hant", "ja", "th", "km", "my")


def main(folder: Path) -> None:
    by_language = messages(folder)
    if not by_language:
        print(json.dumps({"skipped": f"no .po files below {folder}"}))
        return
    told: Counter[int] = Counter()
    wrong: Counter[int] = Counter()
    of: Counter[int] = Counter()
    mistaken: Counter[tuple[str, str]] = Counter()
    others = taken = 0
    for name, pairs in sorted(by_language.items()):
        code = _CODES.get(name, name.split("_")[0])
        for said in sorted({one for _, one in pairs}):
            least = max((n for n in LENGTHS if n <= text.word_count(said)), default=None)
            if least is None:
                continue
            found = text.language(said)
            if code in _UNKNOWN:
                others += 1
                taken += found is not None
                continue
            of[least] += 1
            told[least] += found is not None
            if found not in (None, code):
                wrong[least] += 1
                mistaken[code, str(found)] += 1
    for n in LENGTHS:
        share = told[n] / max(1, of[n])
        print(f"{n:>3} words or more: {of[n]:>6,} messages, {share:.3f} told, {wrong[n]} wrong")
    print("mistaken:", ", ".join(f"{a} for {b}: {n}" for (b, a), n in mistaken.most_common(8)))
    print(f"of {others:,} messages in languages it does not know, {taken:,} are taken for others")
    for name in _UNSPACED:
        characters, words = counted(by_language.get(name, []))
        print(f"{name}: {characters / max(1, words):.2f} characters for each of {words:,} words")
    print(json.dumps({"told_20": round(told[20] / max(1, of[20]), 3), "wrong": wrong.total()}))


def messages(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """By the folder's code, the messages with their originals; English by `en`."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in sorted(folder.glob("**/locale/*/LC_MESSAGES/*.po")):
        name = path.parts[-3]
        if name.startswith("en") or name in _LEFT_OUT:
            continue
        for original, said in read(path):
            if said != original:
                found[name].append((original, said))
                found["en"].append((original, original))
    return found


def read(path: Path) -> Iterator[tuple[str, str]]:
    """The messages of one file, without what is put in for values."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        parts: dict[str, str] = {}
        key = ""
        for line in block.splitlines():
            keyed = re.match(r"(msg\w+(?:\[\d\])?) (\".*\")$", line)
            if keyed:
                key = keyed[1]
            quoted = keyed[2] if keyed else line if line.startswith('"') else ""
            if key and quoted:
                parts[key] = parts.get(key, "") + ast.literal_eval(quoted)
        if parts.get("msgid") and parts.get("msgstr"):
            original, said = (_PLACES.sub(" ", parts[name]) for name in ("msgid", "msgstr"))
            yield " ".join(original.split()), " ".join(said.split())


def counted(pairs: list[tuple[str, str]]) -> tuple[int, int]:
    """Letters and vowel signs outside of ASCII, and the words of the originals that they stand for:
    without those that are there as they were."""
    kinds = (category(one)[0] for _, said in pairs for one in said if not one.isascii())
    characters = sum(kind in "LM" for kind in kinds)
    kept = sum(len(re.findall(r"[A-Za-z]+", said)) for _, said in pairs)
    return characters, sum(len(original.split()) for original, _ in pairs) - kept


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        print(json.dumps({"skipped": "no folder of .po files was named"}))
