"""CPU and memory of auditing 100,000 pairs beside 10,000, and of releasing and checking 100,000;
each command in a process of its own.

    .venv/bin/python benchmarks/audit.py [SMALL LARGE]

The pairs are synthetic (`pairs.py`); with other sizes than 10,000 and 100,000 the names of the
figures stay, and their targets do not hold: `audit_cpu_100k` and `audit_cpu_100k_long` 300 s,
`audit_rss_mb_100k` 1,200 MB, `audit_growth` 12, `release_cpu_100k` and `check_cpu_100k` 180 s.

`audit_cpu_100k_long` is for rows of 4 kB as Parquet (ten posts of 95 words), what rows that show
real users' posts take; those of the other figures take 1.8 kB.

A release audits itself, and `check` derives that audit again: `release_cpu_100k` and
`check_cpu_100k` are CPU of the whole commands, and what an audit of the release takes is printed
beside them. Nobody was asked about the 100,000; SMALL pairs are released and checked with a whole
study, too (seven or eight verdicts a pair), and both commands grow in proportion:
`release_cpu_judged_10k`, `check_cpu_judged_10k`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent


class Spent(NamedTuple):
    """What a process took."""

    cpu: float
    """Seconds, user and system."""
    mb: float
    """Peak of resident memory, in 10^6 bytes."""
    code: int


def main(small: int, large: int) -> None:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        before = audited(Path(scratch), small)
        after = audited(Path(scratch), large)
        long = audited(Path(scratch), large, "long")
        whole = released(Path(scratch), large)
        judged = released(Path(scratch), small, "judged")
    figures["audit_cpu_100k"] = round(after.cpu, 1)
    figures["audit_cpu_100k_long"] = round(long.cpu, 1)
    figures["audit_rss_mb_100k_long"] = round(long.mb)
    figures["audit_rss_mb_100k"] = round(after.mb)
    figures["audit_growth"] = round(after.cpu / before.cpu, 2)
    figures["release_cpu_100k"], figures["check_cpu_100k"] = whole
    figures["release_cpu_judged_10k"], figures["check_cpu_judged_10k"] = judged
    print(json.dumps(figures))


def audited(scratch: Path, pairs: int, *history: str) -> Spent:
    """Makes the pairs and audits them. An audit that found failures ends with 1."""
    data, out = scratch / f"pairs-{pairs}", scratch / f"audit-{pairs}"
    shutil.rmtree(data, ignore_errors=True)
    # In a process of its own: a child's peak begins at its parent's memory.
    subprocess.run([sys.executable, HERE / "pairs.py", data, str(pairs), *history], check=True)
    spent = run("audit", str(data), "--out", str(out))
    if spent.code not in (0, 1):
        sys.exit(f"the audit ended with {spent.code}")
    page = (out / "report.html").stat().st_size / 1e6
    size = sum(file.stat().st_size for file in data.rglob("*.parquet")) / pairs / 1e3
    print(
        f"{pairs:>9,} pairs of {size:.1f} kB: {spent.cpu:.0f} s of CPU, {spent.mb:,.0f} MB,"
        f" page {page:.1f} MB"
    )
    return spent


def released(scratch: Path, pairs: int, *options: str) -> tuple[float, float]:
    """Makes a run, releases and checks it: seconds of CPU of both."""
    folder, out = scratch / f"run-{pairs}", scratch / f"release-{pairs}"
    subprocess.run([sys.executable, HERE / "runs.py", folder, str(pairs), *options], check=True)
    trial = () if options else ("--trial",)
    release = run("release", str(folder), "--out", str(out), "--version", "1.0.0", *trial)
    check = run("check", str(out))
    audit = run("audit", str(out), "--out", str(scratch / f"again-{pairs}"))
    if release.code or check.code or audit.code not in (0, 1):
        sys.exit(f"ended with {release.code}, {check.code} and {audit.code}")
    study = "judged by people" if options else "nobody was asked"
    print(
        f"{pairs:>9,} pairs, {study}: released in {release.cpu:.0f} s of CPU and {release.mb:,.0f}"
        f" MB, of which an audit takes {audit.cpu:.0f} s;"
        f" checked in {check.cpu:.0f} s and {check.mb:,.0f} MB"
    )
    return round(release.cpu, 1), round(check.cpu, 1)


def run(*arguments: str) -> Spent:
    """A command of pairwright, and what it took."""
    script = "import sys; from pairwright.cli import main; sys.argv[0] = 'pairwright'; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    return Spent(
        used.ru_utime + used.ru_stime,
        used.ru_maxrss * 1024 / 1e6,
        os.waitstatus_to_exitcode(status),
    )


if __name__ == "__main__":
    sizes = [int(argument) for argument in sys.argv[1:3]] or [10_000, 100_000]
    main(*sizes)
