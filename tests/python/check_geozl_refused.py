#!/usr/bin/env python3
"""Hold the `sillar` command against the rumi cases whose frames were made with GeoZL, whose codecs it does not have yet.

    check_geozl_refused.py CORPUS_DIR [--cli ./sillar] [--jobs 2] [--list N]

`info` opens every such file. Where a frame names one of GeoZL's codecs, `read` refuses it with exit code 5, names a
codec that is there, and leaves no output. GeoZL also makes frames of standard codecs alone, where a tile is stored or a
recipe has no step of its own: those are read right. The last line is the figure:
`geozl: 152 of 152 cases hold (132 refused, 20 read)`.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# The numbers of GeoZL's codecs; a frame holds them as LEB128.
CODECS = [*range(0x72D701, 0x72D713), *range(0x72D780, 0x72D784)]


def leb128(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def codecs_in(root, case):
    """GeoZL's codecs that are named between the first frame and the trailer."""
    where = case["metadata"]
    frames = (root / case["file"]).read_bytes()[where["base_frame_offset"]:where["trailer_offset"]]
    return {codec for codec in CODECS if leb128(codec) in frames}


def run(cli, *args):
    return subprocess.run([cli, *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)


def judge(cli, root, case):
    """(what is wrong, whether the samples were to be read)"""
    path, wanted = root / case["file"], codecs_in(root, case)
    info = run(cli, "info", "--json", path)
    if info.returncode:
        return [f"info: exit {info.returncode}"], not wanted
    bad = []
    if json.loads(info.stdout)["rumi"]["header_blob"] != case["header_blob"]:
        bad.append("info: another header blob")
    with tempfile.TemporaryDirectory() as room:
        out = pathlib.Path(room) / "out.raw"
        read = run(cli, "read", path, "--to", "raw", "-o", out)
        said = read.stderr.decode("utf-8", "replace").strip()
        if not wanted:
            if read.returncode or hashlib.sha256(out.read_bytes()).hexdigest() != case["sha256"]:
                bad.append(f"read: exit {read.returncode}, or other samples, of standard frames: {said}")
            return bad, True
        named = re.search(r"0x(72d7[0-9a-f]{2}) \(geozl\.\w+\)", said)
        if read.returncode != 5:
            bad.append(f"read: exit {read.returncode}, expected 5: {said}")
        elif not named or int(named[1], 16) not in wanted:
            bad.append(f"read: the error names no codec of the file: {said}")
        left = [p.name for p in pathlib.Path(room).iterdir()]
        if left:
            bad.append(f"read: left {left}")
    return bad, False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--cli", default=os.environ.get("SILLAR", "./sillar"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", type=int, default=20, help="failing cases to print")
    options = parser.parse_args()
    manifest = json.loads((options.corpus / "manifest.json").read_text())
    cases = [c for c in manifest["valid"] if c["codec"] == "geozl"]
    failed = read = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (bad, to_read) in zip(cases, pool.map(lambda c: judge(options.cli, options.corpus, c), cases)):
            read += to_read
            failed += bool(bad)
            if bad and failed <= options.list:
                print(f"{case['name']} ({case['graph']}): {'; '.join(bad)}"[:400])
    print(f"geozl: {len(cases) - failed} of {len(cases)} cases hold ({len(cases) - read} refused, {read} read)")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
