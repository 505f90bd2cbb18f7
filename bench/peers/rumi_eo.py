#!/usr/bin/env python3
"""sillar beside rumi-eo on the same files: full reads, random windows, writing.

    bench/peers/rumi_eo.py --worker build/release/bench/rumi_worker [--tiff SCENE.tif] [--scene 1,4,4096,4096]
                           [--rounds 15] [--windows 100] [--json OUT]

Needs a Python with rumi-eo 0.26.1, numpy and tifffile (with imagecodecs):

    python3 -m venv v && v/bin/pip install rumi-eo==0.26.1 numpy tifffile imagecodecs

Both sides run in a process of their own, one thread each, everything in the page cache, and take turns; a
ratio is the median over the rounds of (time of rumi-eo / time of sillar). Both read the same file: the one
that sillar's `portable` profile wrote, with the header blob at hand. Contents are compared in an
untimed first round. rumi-eo writes by its own recipe, planar>zigzag>zstd.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


class Worker:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the worker died on {request['op']}")
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"{request['op']}: {answer['error']}")
        return answer


def sum_of(array):
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = len(raw) // 8 * 8
    total = int(raw[:whole].view(np.uint64).sum(dtype=np.uint64))
    return (total + int.from_bytes(raw[whole:].tobytes(), "little")) % 2**64


def serve():
    """The other side: rumi-eo behind the same requests."""
    import geozl
    import rumi
    rumi.set_num_threads(1)
    for line in sys.stdin:
        q = json.loads(line)
        header = bytes.fromhex(q.get("header", ""))
        total = 0
        if q["op"] == "full":
            start = time.perf_counter()
            array = rumi.read(q["path"], header)
            seconds = time.perf_counter() - start
            total = sum_of(array)
        elif q["op"] == "windows":
            bands = q.get("bands")
            start = time.perf_counter()
            for window in q["windows"]:
                array = rumi.read(q["path"], header, window=tuple(window), bands=bands)
                if q.get("check"):
                    total = (total + sum_of(array)) % 2**64
            seconds = time.perf_counter() - start
        else:
            t, b, y, x = q["shape"]
            array = np.fromfile(q["raw"], dtype=q["dtype"]).reshape(q["shape"])
            start = time.perf_counter()
            cube = t > 1
            pattern = "t b (row h) (col w) -> row col b t (h w)" if cube else "b (row h) (col w) -> row col b (h w)"
            frames = rumi.frames(array if cube else array[0], pattern, q["tile"])
            for frame in frames:
                frame.compressed = geozl.compress(frame.data, graph=geozl.graph(frame.data, "planar>zigzag>zstd"))
            if os.path.exists(q["path"]):
                os.remove(q["path"])
            rumi.write(q["path"], frames, bands=[f"b{i}" for i in range(b)], time=[f"2024-01-{i + 1:02d}" for i in range(t)])
            seconds = time.perf_counter() - start
        print(json.dumps({"t": seconds, "sum": total}), flush=True)


def windows_of(shape, count, size, seed):
    rng = np.random.default_rng(seed)
    y, x = shape[2], shape[3]
    h, w = min(size, y), min(size, x)
    return [[int(rng.integers(0, y - h + 1)), int(rng.integers(0, x - w + 1)), h, w] for _ in range(count)]


def compare(name, array, options, ours, theirs, folder):
    raw, path, other = folder / f"{name}.raw", folder / f"{name}.rumi", folder / f"{name}-eo.rumi"
    array.tofile(raw)
    job = dict(op="write", raw=str(raw), shape=list(array.shape), dtype=array.dtype.name, tile=options.tile)
    header = ours.ask(**job, path=str(path))["header"]
    theirs.ask(**job, path=str(other))
    read = dict(path=str(path), header=header)
    picks = windows_of(array.shape, options.windows, 256, 7)
    works = {
        "full read": dict(op="full", **read),
        "windows, all bands": dict(op="windows", windows=picks, **read),
        "windows, one band": dict(op="windows", windows=picks, bands=[0], **read),
    }
    for label, work in works.items():
        a, b = ours.ask(**work, check=True)["sum"], theirs.ask(**work, check=True)["sum"]
        if a != b:
            sys.exit(f"{name}: {label}: the samples differ")
    rows = {}
    for label, work in works.items():
        pairs = [(ours.ask(**work)["t"], theirs.ask(**work)["t"]) for _ in range(options.rounds)]
        touched = array.nbytes if work["op"] == "full" else sum(
            h * w for _, _, h, w in picks) * array.dtype.itemsize * array.shape[0] * (1 if "bands" in work else array.shape[1])
        rows[label] = row(pairs, touched)
    pairs = [(ours.ask(**job, path=str(path))["t"], theirs.ask(**job, path=str(other))["t"]) for _ in range(max(3, options.rounds // 3))]
    rows["write"] = row(pairs, array.nbytes)
    rows["write"]["ratio_sillar"] = array.nbytes / path.stat().st_size
    rows["write"]["ratio_rumi_eo"] = array.nbytes / other.stat().st_size
    print(f"\n{name}: {array.shape} {array.dtype.name}, {array.nbytes / 1e6:.1f} MB, tile {options.tile}")
    print(f"  {'':20} {'sillar':>10} {'rumi-eo':>10} {'times':>7}  (10 % - 90 % of the rounds)")
    for label, r in rows.items():
        print(f"  {label:20} {r['sillar_mb_s']:7.0f} MB/s {r['rumi_eo_mb_s']:6.0f} MB/s {r['times']:6.2f}x  ({r['low']:.2f} - {r['high']:.2f})")
    print(f"  compression ratio    {rows['write']['ratio_sillar']:10.3f} {rows['write']['ratio_rumi_eo']:10.3f}")
    return rows


def row(pairs, size):
    ratios = sorted(b / a for a, b in pairs)
    return {
        "times": statistics.median(ratios), "low": ratios[len(ratios) // 10], "high": ratios[-1 - len(ratios) // 10],
        "sillar_mb_s": size / statistics.median(a for a, _ in pairs) / 1e6,
        "rumi_eo_mb_s": size / statistics.median(b for _, b in pairs) / 1e6,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worker", required=True)
    parser.add_argument("--tiff", action="append", default=[])
    parser.add_argument("--scene", action="append", default=[], help="T,B,Y,X[,preset] of a synthetic scene")
    parser.add_argument("--tile", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--windows", type=int, default=100)
    parser.add_argument("--json")
    options = parser.parse_args()
    ours, theirs = Worker(options.worker), Worker(sys.executable, __file__, "--serve")
    report = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for tiff in options.tiff:
            import tifffile
            array = tifffile.imread(tiff)
            array = array[None, None] if array.ndim == 2 else array[None]
            name = pathlib.Path(tiff).stem
            report[name] = compare(name, np.ascontiguousarray(array), options, ours, theirs, folder)
        for text in options.scene:
            *shape, = text.split(",")
            preset = shape.pop() if not shape[-1].isdigit() else "s2"
            out = folder / "scene.npy"
            subprocess.run([sys.executable, HERE.parent / "scenes" / "make_scene.py", out, "--shape", ",".join(shape), "--preset", preset], check=True)
            name = f"scene-{preset}-" + "x".join(shape)
            report[name] = compare(name, np.load(out), options, ours, theirs, folder)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
