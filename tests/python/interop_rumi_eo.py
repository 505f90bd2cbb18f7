#!/usr/bin/env python3
"""sillar and rumi-eo, each reading what the other wrote.

    interop_rumi_eo.py --cli build/release/bin/sillar [--list 20]

Runs in a Python that has rumi-eo and numpy. Both sides meet through files alone: `sillar` is called as a command.
Every case compares all samples bit for bit, the metadata (bands, times, CRS, transform, kind of pixels) and the
external header blob. Prints a line a group, and the figure at the end: `310 passed, 0 failed`. Exit status 0 when
nothing failed.
"""
import argparse
import collections
import ctypes
import datetime
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import geozl
import numpy as np
import openzl.ext as zl
import rumi

# What NumPy has no type for is handled as words of the same size.
NUMPY_TYPES = {"bool": "?", "uint8": "u1", "uint16": "<u2", "uint32": "<u4", "uint64": "<u8", "int8": "i1",
               "int16": "<i2", "int32": "<i4", "int64": "<i8", "float16": "<f2", "float32": "<f4", "float64": "<f8",
               "complex64": "<c8", "complex128": "<c16"}
PLAIN_TYPES = {"complex32": 4, "bfloat16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e8m0fnu": 1,
               "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1}
TYPES = [*NUMPY_TYPES, *PLAIN_TYPES]

UNITS = range(10)
# The pattern that rumi-eo has for each frame unit; `a` is the one axis that exceeds 1.
PATTERNS = ["row col b t (h w)", "row col (a h w)", "row col (h w a)", "row col (b t h w)", "row col (t b h w)",
            "row col (b h w t)", "row col (t h w b)", "row col (h w b t)", "row col (h w t b)", "row col t b (h w)"]

DAY = 86400
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class Mismatch(Exception):
    pass


def expect(true, what):
    if not true:
        raise Mismatch(what)


def equal(what, got, wanted):
    expect(got == wanted, f"{what}: got {got!r}, expected {wanted!r}"[:300])


# ---------------------------------------------------------------- samples
def width_of(name):
    return PLAIN_TYPES.get(name) or np.dtype(NUMPY_TYPES[name]).itemsize


def words_of(name, raw, shape):
    """Raw bytes as the array that both sides take."""
    if name in NUMPY_TYPES:
        return np.frombuffer(raw, NUMPY_TYPES[name]).reshape(shape)
    return np.frombuffer(raw, f"V{PLAIN_TYPES[name]}").reshape(shape)


def samples(name, shape, look, seed=1):
    """An array (t, b, y, x) of a type and a look."""
    rng = np.random.default_rng(seed)
    count, width = int(np.prod(shape)), width_of(name)
    if name == "bool":
        data = rng.integers(0, 2, count, dtype=np.uint8)
        if look == "constant":
            data[:] = 1
        return words_of(name, data.tobytes(), shape)
    if look == "noise" or (look == "nan payloads" and name not in ("float16", "float32", "float64")):
        return words_of(name, rng.bytes(count * width), shape)
    y, x = np.indices(shape[2:])
    plane = 200 + 40 * np.sin(y / 11.0) + 30 * np.cos(x / 7.0) + y - x / 3
    cube = plane + 5 * np.arange(shape[1])[:, None, None] + 9 * np.arange(shape[0])[:, None, None, None]
    if look == "constant":
        cube = np.full(shape, 77.0)
    elif look == "classes":
        cube = np.floor(cube / 90) * 3
    if name in ("float16", "float32", "float64", "complex64", "complex128"):
        array = (cube / 3).astype(NUMPY_TYPES[name])
    else:
        width = PLAIN_TYPES.get(name, width)
        array = cube.astype("<i8").astype(f"<u{width}") if width <= 8 else cube
    if look == "nan payloads":
        bits = array.view(f"<u{width}").copy()
        exponent = {2: 0x7C00, 4: 0x7F800000, 8: 0x7FF0000000000000}[width]
        flat = bits.reshape(-1)
        holes = rng.random(count) < 0.3
        payload = rng.integers(0, {2: 0x3FF, 4: 0x7FFFFF, 8: 2**52 - 1}[width], count, dtype=np.uint64).astype(bits.dtype)
        sign = rng.integers(0, 2, count).astype(bits.dtype) << bits.dtype.type(8 * width - 1)
        flat[holes] = (payload | bits.dtype.type(exponent) | sign)[holes]
        array = bits
    return words_of(name, np.ascontiguousarray(array).tobytes(), shape)


# ---------------------------------------------------------------- times
def text_of(seconds):
    return (EPOCH + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def seconds_of(value):
    """What rumi-eo gives back for a time, in seconds."""
    if isinstance(value, tuple):
        return tuple(map(seconds_of, value))
    if isinstance(value, datetime.datetime):
        return (value - EPOCH) // datetime.timedelta(seconds=1)
    return (value - EPOCH.date()).days * DAY


def moment_of(seconds):
    """What rumi-eo takes for a time."""
    if isinstance(seconds, tuple):
        return tuple(map(moment_of, seconds))
    return EPOCH + datetime.timedelta(seconds=seconds)


def days(count):
    return [(19000 + 16 * i) * DAY for i in range(count)]


# ---------------------------------------------------------------- sillar
class Sillar:
    def __init__(self, cli, folder):
        self.cli, self.folder, self.count = cli, pathlib.Path(folder), 0

    def path(self, suffix):
        self.count += 1
        return self.folder / f"{self.count}{suffix}"

    def run(self, *args, code=0):
        done = subprocess.run([self.cli, *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        if done.returncode != code:
            raise Mismatch(f"sillar {' '.join(map(str, args))[:200]}: exit {done.returncode}, expected {code}: "
                           f"{done.stderr.decode('utf-8', 'replace').strip()[-300:]}")
        return done.stdout

    def output(self, suffix, *args):
        path = self.path(suffix)
        self.run(*args, "-o", path)
        data = path.read_bytes()
        path.unlink()
        return data

    def document(self, *args):
        return json.loads(self.run(*args))


class Content:
    """All that a file holds but its layout: what goes in, and what has to come back."""

    def __init__(self, shape, times=None, epsg=None, transform=None, point=False, bands=None):
        self.bands = bands or [f"B{i + 1}, μm {i}" for i in range(shape[1])]
        self.times = times or days(shape[0])
        self.epsg, self.transform, self.point = epsg, transform, point


def check_metadata(what, content, got):
    """`got` is what one of the readers says: bands, times in seconds, epsg, transform, point."""
    equal(f"{what}: bands", list(got["bands"]), content.bands)
    equal(f"{what}: times", got["times"], content.times)
    equal(f"{what}: crs", got["epsg"], content.epsg)
    if content.epsg is not None:
        equal(f"{what}: transform", tuple(got["transform"]), tuple(map(float, content.transform)))
        equal(f"{what}: pixel_is_point", got["point"], content.point)
    else:
        expect(got["transform"] is None, f"{what}: a transform without a CRS")


def bits(array):
    return np.ascontiguousarray(array).tobytes()


# ---------------------------------------------------------------- rumi-eo
class DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class DlVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", DlTensor)]


def raw_of_dlpack(array, width):
    """The bytes of a tensor that only DLPack can carry."""
    capsule = array.__dlpack__(max_version=(1, 1))
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = DlVersioned.from_address(pointer(capsule, b"dltensor_versioned")).tensor
    shape = [tensor.shape[i] for i in range(tensor.ndim)]
    dense = list(itertools.accumulate([1, *shape[:0:-1]], lambda a, b: a * b))[::-1]
    if tensor.strides:
        equal("DLPack strides", [tensor.strides[i] for i in range(tensor.ndim)], dense)
    return ctypes.string_at(tensor.data + tensor.byte_offset, int(np.prod(shape)) * width)


def read_with_eo(name, path, header, **selection):
    if name in NUMPY_TYPES:
        array = rumi.read(str(path), header, **selection)
        equal("rumi-eo: dtype", array.dtype, np.dtype(NUMPY_TYPES[name]))
        return bits(array)
    return raw_of_dlpack(rumi.read(str(path), header, framework="dlpack", **selection), width_of(name))


def eo_metadata(path, header=None):
    meta = rumi.info(source=str(path), header=header)
    crs = meta.crs
    return meta, {"bands": meta.bands, "times": [seconds_of(t) for t in meta.time], "epsg": crs,
                  "transform": meta.transform, "point": meta.pixel_is_point}


def shape_for_eo(shape):
    return shape if shape[0] > 1 else shape[1:]


# ---------------------------------------------------------------- the two ways
def sillar_to_eo(sillar, name, array, content, tile="16", unit=0, windows=0, options=()):
    """sillar converts an array to rumi; rumi-eo reads it, and says what sillar said."""
    source, path, blob_path = sillar.path(".npy"), sillar.path(".rumi"), sillar.path(".blob")
    np.save(source, array)
    args = ["convert", source, path, "--tile", tile, "--unit", unit, "--header", blob_path, *options]
    if name in PLAIN_TYPES:
        args += ["--dtype", name]
    for band in content.bands:
        args += ["--set-bands", band]
    for time in content.times:
        args += ["--set-time", "/".join(map(text_of, time)) if isinstance(time, tuple) else text_of(time)]
    if content.epsg is not None:
        args += ["--set-crs", f"EPSG:{content.epsg}", "--set-transform=" + ",".join(map(repr, map(float, content.transform)))]
        args += ["--set-point"] if content.point else []
    sillar.run(*args)
    blob = blob_path.read_bytes()
    judge_by_eo(name, array, content, path, blob, tile, windows)
    equal("sillar header", sillar.output(".blob", "header", path), blob)
    for file in (source, path, blob_path):
        file.unlink()


def judge_by_eo(name, array, content, path, blob, tile, windows=0):
    meta, got = eo_metadata(path, blob)
    equal("rumi-eo: header", meta.header, blob)
    equal("rumi-eo: shape", tuple(meta.shape), shape_for_eo(array.shape))
    equal("rumi-eo: dtype", meta.dtype.name, name)
    sides = tuple(map(int, str(tile).split("x")))
    equal("rumi-eo: tile", tuple(meta.tile), sides if len(sides) == 2 else sides * 2)
    check_metadata("rumi-eo", content, got)
    expect(read_with_eo(name, path, blob) == bits(array), "rumi-eo: the samples differ")
    rng = np.random.default_rng(windows)
    for _ in range(windows):
        part, options, _ = pick(array, rng)
        expect(read_with_eo(name, path, blob, **options) == bits(part), f"rumi-eo: the samples of {options} differ")


def pick(array, rng):
    """A random part of an array, as rumi-eo and as sillar select it."""
    t, b, y, x = array.shape
    row, col = int(rng.integers(0, y)), int(rng.integers(0, x))
    height, width = int(rng.integers(1, y - row + 1)), int(rng.integers(1, x - col + 1))
    bands = [int(i) for i in rng.permutation(b)[:rng.integers(1, b + 1)]]
    times = sorted(int(i) for i in rng.permutation(t)[:rng.integers(1, t + 1)])
    part = array[np.ix_(times, bands, range(row, row + height), range(col, col + width))]
    options = {"window": (row, col, height, width), "bands": bands}
    if t > 1:
        options["time"] = times
    words = ["--window", f"{row},{col},{height},{width}", "--bands", ",".join(map(str, bands)),
             "--times", ",".join(map(str, times))]
    return part, options, words


def eo_to_sillar(sillar, name, array, content, compress, tile=16, unit=0, windows=0, recode=()):
    """rumi-eo writes frames that hold standard codecs alone; sillar reads, judges and copies the file."""
    path = sillar.path(".rumi")
    t, b = array.shape[:2]
    left = "t b (row h) (col w)" if t > 1 else "b (row h) (col w)"
    right = PATTERNS[unit].replace("(a", "(t" if t > 1 else "(b").replace("a)", "t)" if t > 1 else "b)")
    if t == 1:
        right = right.replace(" t", "")
    elif b == 1 and unit in (1, 2):  # every axis has its place, also one of length 1
        right = right.replace("col (", "col b (")
    table = rumi.frames(array if t > 1 else array[0], f"{left} -> {right}", tile)
    for frame in table:
        frame.compressed = compress(frame.data)
    _, header = rumi.write(str(path), table, bands=content.bands, time=[moment_of(s) for s in content.times],
                           crs=content.epsg, transform=content.transform, pixel_is_point=content.point)

    judged = sillar.document("validate", "--json", path)["files"][0]
    equal("validate", (judged["valid"], judged["findings"]), (True, []))
    told = sillar.document("info", "--json", path)["rumi"]
    equal("info: header_blob", bytes.fromhex(told["header_blob"]), header)
    equal("info: shape", tuple(told["shape"]), array.shape)
    equal("info: dtype", told["dtype"], name)
    equal("info: frame_unit", told["frame_unit"], unit)
    coordinates = [int(c) * told["time_scale"] for c in told["time_coords"]]
    times = list(zip(coordinates[::2], coordinates[1::2])) if told["time_type"] == 1 else coordinates
    check_metadata("info", content, {"bands": told["band_texts"], "times": times, "epsg": told["epsg"],
                                     "transform": told["transform"], "point": told["pixel_is_point"]})
    _, by_eo = eo_metadata(path)
    check_metadata("rumi-eo", content, by_eo)
    equal("header", sillar.output(".blob", "header", path), header)
    blob = sillar.path(".blob")
    blob.write_bytes(header)
    expect(sillar.output(".raw", "read", path, "--to", "raw") == bits(array), "read: the samples differ")
    expect(sillar.output(".raw", "read", path, "--to", "raw", "--header", blob) == bits(array),
           "read --header: the samples differ")
    rng = np.random.default_rng(windows)
    for _ in range(windows):
        part, _, words = pick(array, rng)
        expect(sillar.output(".raw", "read", path, "--to", "raw", "--header", blob, *words) == bits(part),
               f"read {words}: the samples differ")
    copy = sillar.path(".rumi")
    sillar.run("convert", path, copy)
    expect(copy.read_bytes() == path.read_bytes(), "convert: the copy differs")
    copy.unlink()
    if recode:
        sillar.run("convert", path, copy, "--tile", recode[0], "--unit", recode[1], "--header", blob, "--overwrite")
        judge_by_eo(name, array, content, copy, blob.read_bytes(), recode[0])
        copy.unlink()
    for file in (path, blob):
        file.unlink()


# ---------------------------------------------------------------- compression for rumi-eo's side
def numeric(array):
    """An array as the unsigned words that OpenZL takes; complex numbers as their parts."""
    width = array.dtype.itemsize // 2 if array.dtype.kind == "c" else array.dtype.itemsize
    return np.ascontiguousarray(array).reshape(-1).view(f"<u{width}")


def by_graph(build):
    def compress(data):
        compressor = zl.Compressor()
        compressor.select_starting_graph(build(compressor))
        context = zl.CCtx()
        context.ref_compressor(compressor)
        context.set_parameter(zl.CParam.FormatVersion, 24)
        return context.compress([zl.Input(zl.Type.Numeric, numeric(data))])
    return compress


def by_recipe(recipe):
    def compress(data):
        words = numeric(data).reshape(data.shape[0], -1)  # bit patterns: no hole is looked for in them
        return geozl.compress(words, graph=geozl.graph(words, recipe))
    return compress


GRAPHS = {
    "store": by_graph(lambda c: zl.graphs.Store()(c)),
    "zstd": by_graph(lambda c: zl.graphs.Zstd()(c)),
    "zstd 19": by_graph(lambda c: zl.graphs.Zstd(compression_level=19)(c)),
    "field_lz": by_graph(lambda c: zl.graphs.FieldLz()(c)),
    "compress": by_graph(lambda c: zl.graphs.Compress()(c)),
    "delta>zigzag>zstd": by_graph(lambda c: zl.nodes.DeltaInt()(c, zl.nodes.Zigzag()(c, zl.graphs.Zstd()(c)))),
    "delta>zigzag>field_lz": by_graph(lambda c: zl.nodes.DeltaInt()(c, zl.nodes.Zigzag()(c, zl.graphs.FieldLz()(c)))),
    "zigzag>compress": by_graph(lambda c: zl.nodes.Zigzag()(c, zl.graphs.Compress()(c))),
    "range_pack>compress": by_graph(lambda c: zl.nodes.RangePack()(c, zl.graphs.Compress()(c))),
    "tokenize": by_graph(lambda c: zl.nodes.Tokenize(type=zl.Type.Numeric, sort=True)(c, zl.graphs.Compress()(c), zl.graphs.Compress()(c))),
    "geozl id>zstd": by_recipe("id>zstd"),
    "geozl id>field_lz": by_recipe("id>field_lz"),
    "geozl id>transpose>zstd": by_recipe("id>transpose>zstd"),
    "geozl id>entropy": by_recipe("id>entropy"),
    "geozl id>categorical": by_recipe("id>categorical"),
    "geozl delta_1d>zstd": by_recipe("delta_1d>zstd"),
    "geozl delta_1d>field_lz": by_recipe("delta_1d>field_lz"),
}

# The widths of words that a graph takes, where not all.
GRAPH_WIDTHS = {"geozl id>transpose>zstd": (2, 4, 8), "geozl id>entropy": (1, 2), "geozl id>categorical": (1, 2)}

# ---------------------------------------------------------------- the cases
UNIT_SHAPES = {"image": (1, 3, 37, 53), "series": (4, 1, 37, 53), "cube": (3, 2, 37, 53)}
NORTH_UP = (10.0, 0.0, 399960.0, 0.0, -10.0, 4200000.0)
ROTATED = (9.5, -2.25, 399960.125, 1.75, -10.5, 4200000.7)
DEGREES = (1 / 3600, 0.0, -68.25, 0.0, -1 / 3600, -14.5)


def is_valid(unit, shape):
    t, b = shape[:2]
    return unit == 0 or ((t > 1) != (b > 1) if unit in (1, 2) else t > 1 and b > 1)


def georeferences():
    yield "none", {}
    yield "projected", dict(epsg=32719, transform=NORTH_UP)
    yield "projected, rotated", dict(epsg=32719, transform=ROTATED)
    yield "projected, points", dict(epsg=3035, transform=NORTH_UP, point=True)
    yield "geographic", dict(epsg=4326, transform=DEGREES)
    yield "geographic, points", dict(epsg=4258, transform=DEGREES, point=True)
    yield "geographic 3D", dict(epsg=4979, transform=DEGREES)
    yield "web mercator", dict(epsg=3857, transform=(152.8740565703525, 0.0, -20037508.342789244, 0.0, -152.8740565703525, 20037508.342789244))
    yield "tiny and negative", dict(epsg=27700, transform=(-1e-3, 0.0, 0.1, 0.0, 1e-3, -0.3))
    yield "least code", dict(epsg=2000, transform=NORTH_UP)
    yield "great code", dict(epsg=32766, transform=NORTH_UP)


def time_axes():
    yield "days, even", days(5)
    yield "days, uneven", [DAY * d for d in (19000, 19003, 19004, 19050, 19051)]
    yield "days, before 1970", [DAY * d for d in (-9000, -365, -1, 0, 1)]
    yield "seconds, even", [1700000000 + 5 * i for i in range(5)]
    yield "seconds, uneven", [1700000000, 1700000001, 1700086400, 1800000000, 1800000007]
    yield "equal instants", [1700000000] * 5
    yield "seconds, half steps", [0, 1, 3, 4, 6]
    yield "far apart", [-62135596800, -1, 0, 253402300799, 253402300799]
    yield "intervals of months", [(DAY * a, DAY * b) for a, b in ((19000, 19031), (19031, 19059), (19059, 19090), (19090, 19120), (19120, 19151))]
    yield "intervals with gaps", [(1700000000 + 1000 * i, 1700000000 + 1000 * i + 10 + i) for i in range(5)]
    yield "one long interval first", [(-DAY * 4000, 0), (0, DAY), (DAY, 2 * DAY), (2 * DAY, 2 * DAY + 1), (3 * DAY, 4 * DAY)]


def forward(sillar):
    """(group, name, call) of what sillar writes."""
    for name, (look, unit) in itertools.product(TYPES, (("noise", 0), ("smooth", 1), ("constant", 2))):
        shape = (1, 3, 25, 31)
        yield "encodings", f"{name} {look}", lambda n=name, lo=look, u=unit, s=shape: sillar_to_eo(
            sillar, n, samples(n, s, lo), Content(s), unit=u)
    for (kind, shape), unit, name in itertools.product(UNIT_SHAPES.items(), UNITS, ("uint16", "float32")):
        if is_valid(unit, shape):
            yield "frame units", f"{unit} {kind} {name}", lambda n=name, s=shape, u=unit: sillar_to_eo(
                sillar, n, samples(n, s, "smooth"), Content(s), unit=u, windows=4)
    for look, name in itertools.product(("constant", "noise", "smooth", "classes", "nan payloads"),
                                        ("uint8", "uint16", "int16", "float16", "float32", "float64")):
        shape = (2, 2, 100, 130)
        yield "looks of data", f"{look} {name}", lambda n=name, lo=look, s=shape: sillar_to_eo(
            sillar, n, samples(n, s, lo), Content(s), tile="64", unit=3)
    for tile, (y, x), unit in itertools.product(("1", "7", "16", "8x24", "24x8", "1x64", "200", "65535"), ((1, 1), (1, 50), (50, 1), (40, 47)), (0, 4)):
        if tile == "1" and y * x > 100:
            continue
        shape = (2, 3, y, x)
        yield "tiles and edges", f"{tile} {y}x{x} unit {unit}", lambda s=shape, ti=tile, u=unit: sillar_to_eo(
            sillar, "int16", samples("int16", s, "smooth"), Content(s), tile=ti, unit=u, windows=2)
    for what, times in time_axes():
        shape = (5, 2, 9, 9)
        yield "times", what, lambda s=shape, ti=times: sillar_to_eo(sillar, "uint8", samples("uint8", s, "noise"), Content(s, ti), unit=9)
        yield "times", f"{what}, the first alone", lambda ti=times: sillar_to_eo(
            sillar, "uint8", samples("uint8", (1, 1, 9, 9), "noise"), Content((1, 1, 9, 9), ti[:1]))
    for what, geo in georeferences():
        shape = (1, 2, 20, 20)
        yield "georeferences", what, lambda s=shape, g=geo: sillar_to_eo(sillar, "uint16", samples("uint16", s, "smooth"), Content(s, **g))
    for unit, tile in itertools.product(UNITS, ("32", "16x48")):
        for kind, shape in (("image", (1, 5, 120, 90)), ("cube", (3, 4, 120, 90))):
            if is_valid(unit, shape):
                yield "windows", f"unit {unit} {tile} {kind}", lambda s=shape, u=unit, ti=tile: sillar_to_eo(
                    sillar, "uint16", samples("uint16", s, "noise"), Content(s), tile=ti, unit=u, windows=25)
    for bands in (["ñandú", "B4, Red, 664.5nm (S2A) / 665nm (S2B)", "🌍", "a,b", " ", "name:x"], [f"b{i}" for i in range(300)]):
        shape = (1, len(bands), 3, 3)
        yield "band texts", f"{len(bands)} bands", lambda s=shape, b=bands: sillar_to_eo(
            sillar, "uint8", samples("uint8", s, "noise"), Content(s, bands=b), unit=1)
    shape = (3, 4, 300, 260)
    for threads in (1, 4):
        yield "threads", f"{threads}", lambda s=shape, n=threads: sillar_to_eo(
            sillar, "uint16", samples("uint16", s, "smooth"), Content(s), tile="64", options=("--threads", n))


def backward(sillar):
    """(group, name, call) of what rumi-eo writes."""
    for name, graph in itertools.product(NUMPY_TYPES, ("store", "zstd", "compress", "delta>zigzag>zstd")):
        shape = (1, 3, 25, 31)
        yield "encodings", f"{name} {graph}", lambda n=name, g=graph, s=shape: eo_to_sillar(
            sillar, n, samples(n, s, "noise" if g == "store" else "smooth"), Content(s), GRAPHS[g], unit=1)
    for graph, name in itertools.product(GRAPHS, ("uint8", "uint16", "float32", "int64")):
        if width_of(name) not in GRAPH_WIDTHS.get(graph, (1, 2, 4, 8)):
            continue
        shape = (1, 2, 40, 47)
        yield "graphs", f"{graph} {name}", lambda n=name, g=graph, s=shape: eo_to_sillar(
            sillar, n, samples(n, s, "classes"), Content(s), GRAPHS[g])
    for look in ("constant", "noise", "smooth", "classes", "nan payloads"):
        shape = (2, 2, 100, 130)
        for name in ("uint16", "float32"):
            yield "looks of data", f"{look} {name}", lambda n=name, lo=look, s=shape: eo_to_sillar(
                sillar, n, samples(n, s, lo), Content(s), GRAPHS["compress"], tile=64, unit=3)
    for (kind, shape), unit in itertools.product(UNIT_SHAPES.items(), UNITS):
        if is_valid(unit, shape):
            yield "frame units", f"{unit} {kind}", lambda s=shape, u=unit: eo_to_sillar(
                sillar, "uint16", samples("uint16", s, "smooth"), Content(s), GRAPHS["zstd"], unit=u, windows=5)
    for tile, (y, x) in itertools.product((1, 7, 16, 200), ((1, 1), (1, 50), (50, 1), (40, 47))):
        if tile == 1 and y * x > 100:
            continue
        shape = (2, 3, y, x)
        yield "tiles and edges", f"{tile} {y}x{x}", lambda s=shape, ti=tile: eo_to_sillar(
            sillar, "int16", samples("int16", s, "smooth"), Content(s), GRAPHS["zstd"], tile=ti, windows=2)
    for what, times in time_axes():
        shape = (5, 2, 9, 9)
        yield "times", what, lambda s=shape, ti=times: eo_to_sillar(
            sillar, "uint8", samples("uint8", s, "noise"), Content(s, ti), GRAPHS["zstd"], unit=9)
    for what, geo in georeferences():
        shape = (1, 2, 20, 20)
        yield "georeferences", what, lambda s=shape, g=geo: eo_to_sillar(
            sillar, "uint16", samples("uint16", s, "smooth"), Content(s, **g), GRAPHS["zstd"])
    for bands in (["ñandú", "🌍", "a,b", " "], [f"b{i}" for i in range(300)]):
        shape = (1, len(bands), 3, 3)
        yield "band texts", f"{len(bands)} bands", lambda s=shape, b=bands: eo_to_sillar(
            sillar, "uint8", samples("uint8", s, "noise"), Content(s, bands=b), GRAPHS["zstd"], unit=1)
    for (kind, shape), unit in itertools.product(UNIT_SHAPES.items(), UNITS):
        if is_valid(unit, shape):
            yield "read, written again, read", f"to unit {unit} {kind}", lambda s=shape, u=unit: eo_to_sillar(
                sillar, "float32", samples("float32", s, "nan payloads"), Content(s), GRAPHS["compress"], recode=("20x12", u))


def run_all(title, cases, listed):
    tally = collections.defaultdict(lambda: [0, []])
    for group, name, call in cases:
        tally[group][0] += 1
        try:
            call()
        except Mismatch as why:
            tally[group][1].append((name, str(why)))
        except Exception as why:  # what rumi-eo refuses
            tally[group][1].append((name, f"{type(why).__name__}: {why}"[:400]))
    passed = failed = 0
    for group, (count, bad) in tally.items():
        print(f"{title}: {group}: {count - len(bad)} of {count}", flush=True)
        for name, why in bad[:listed]:
            print(f"    {name}: {why}")
        passed, failed = passed + count - len(bad), failed + len(bad)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=os.environ.get("SILLAR", "./sillar"))
    parser.add_argument("--list", type=int, default=20, help="failing cases of a group to print")
    options = parser.parse_args()
    rumi.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        sillar = Sillar(options.cli, folder)
        there = run_all("sillar writes, rumi-eo reads", forward(sillar), options.list)
        back = run_all("rumi-eo writes, sillar reads", backward(sillar), options.list)
        left = sorted(p.name for p in pathlib.Path(folder).iterdir() if p.name.startswith("."))
        if left:
            print(f"temporaries were left: {left}")
    passed, failed = there[0] + back[0], there[1] + back[1] + len(left)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
