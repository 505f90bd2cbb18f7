#!/usr/bin/env python3
"""Peak memory of a full read and of a streamed write.

    bench/memory.py --worker build/release/bench/rumi_worker --sillar build/release/bin/sillar
                    [--read SCENE.rumi] ... [--write SCENE.npy] ...

Read: the most that a process held above what it held before, less the samples themselves.
Write: the most that `sillar convert SCENE.npy OUT.rumi` held altogether.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

MIB = 1 << 20


def held(pid, field):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


def read_peak(worker, sillar, path):
    """Bytes of samples, and bytes held beyond them."""
    samples = json.loads(subprocess.check_output([sillar, "info", "--json", path]))["rumi"]["decoded_bytes"]
    blob = subprocess.check_output([sillar, "header", path, "-o", "-"])
    with subprocess.Popen([worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        def ask(**request):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            if "error" in answer:
                raise SystemExit(f"{path}: {answer['error']}")

        ask(op="windows", path=path, header=blob.hex(), windows=[])  # what the process is made of
        before = held(process.pid, "VmRSS")
        ask(op="full", path=path, header=blob.hex())
        peak = held(process.pid, "VmHWM")
        process.stdin.close()
    return samples, peak - before - samples


def write_peak(sillar, path, threads):
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path) or ".") as folder:
        command = [sillar, "convert", path, f"{folder}/out.rumi", "--undated", "--threads", str(threads), "-q"]
        process = subprocess.Popen(command)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{path}: the conversion failed")
    return usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worker", required=True)
    parser.add_argument("--sillar", required=True)
    parser.add_argument("--read", action="append", default=[])
    parser.add_argument("--write", action="append", default=[])
    options = parser.parse_args()
    for path in options.read:
        samples, beyond = read_peak(options.worker, options.sillar, path)
        print(f"full read of {path}: {samples / MIB:.1f} MiB of samples, {beyond / MIB:.1f} MiB beyond them")
    for path in options.write:
        for threads in (1, 2):
            peak = write_peak(options.sillar, path, threads)
            print(f"write of {path}, {os.path.getsize(path) / MIB:.0f} MiB, {threads} threads: {peak / MIB:.1f} MiB")


if __name__ == "__main__":
    main()
