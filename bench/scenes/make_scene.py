#!/usr/bin/env python3
"""Large, realistic, deterministic raster scenes for benchmarks (NumPy only).

    make_scene.py OUT.npy --shape T,B,Y,X --dtype uint16 [--preset s2] [--seed 7]

The array is always (T, B, Y, X) and is written strip by strip through a memory
map, so a 4 GB scene needs a few hundred MB of memory. The same arguments give
the same bytes on every run (NumPy's SFC64 stream, one child seed per strip).

What a scene has: fractal relief, parcels with flat reflectance and sharp edges,
water, band-to-band correlation, seasonal change per parcel and a per-date gain,
fine texture shared by all bands, sensor noise, clouds with shadow (not in all
dates), and a slanted nodata border that is the same in all bands.

Presets (noise and texture are tuned so that the lossless ratios of
planar>zigzag>zstd and of deflate with horizontal predictor lie close to the
real crop named here):
    l8   uint16  Landsat-8 OLI L1TP, DN 5000..25000     data/real/l8_oli_b234_u16.tif
    s2   uint16  Sentinel-2 10 m reflectance x 10000    data/real/s2_l2a_10m_u16.tif
    l7   uint8   Landsat-7 ETM+                         data/real/l7_etm_6band_u8.tif
    dem  int16   global relief, metres                  data/real/dem_global_5min_i16.tif
    demf float32 lidar terrain, metres                  data/real/dem_lidar_f32.tif
    refl float32 reflectance index, -1..1               data/real/s2_ndvi_68t_f32.tif
"""
import argparse
import numpy as np

#            level  amp: parcels, relief octaves, fine texture (2 px), white noise; unique band noise
PRESETS = {
    "l8":   dict(dtype="uint16", level=8600., parcel=700., relief=260., mid=150., fine=108., white=8., bandmix=0.33, border=0.10, clouds=0.03, cloud=9000., nodata=0, lo=1, hi=65535),
    "s2":   dict(dtype="uint16", level=900., parcel=420., relief=120., mid=140., fine=150., white=24., bandmix=0.45, border=0.0, clouds=0.03, cloud=6500., nodata=0, lo=1, hi=20000),
    "l7":   dict(dtype="uint8", level=75., parcel=22., relief=7., mid=5., fine=7.5, white=1.9, bandmix=0.45, border=0.0, clouds=0.0, cloud=150., nodata=0, lo=1, hi=255),
    "dem":  dict(dtype="int16", level=500., parcel=0., relief=420., mid=55., fine=24., white=0.0, bandmix=0.0, border=0.0, clouds=0.0, cloud=0., nodata=-32768, lo=-500, hi=8900, water=0.35),
    "demf": dict(dtype="float32", level=300., parcel=0., relief=12., mid=0.8, fine=0.35, white=0.05, bandmix=0.0, border=0.0, clouds=0.0, cloud=0., nodata=-9999.0, lo=-500., hi=9000., grain=2.0 ** -13),
    "refl": dict(dtype="float32", level=0.45, parcel=0.18, relief=0.05, mid=0.05, fine=0.04, white=0.01, bandmix=0.3, border=0.0, clouds=0.03, cloud=-0.4, nodata=-9999.0, lo=-1., hi=1.),
}
DEFAULT = {"uint16": "s2", "uint8": "l7", "int16": "dem", "float32": "refl"}
STRIP = 256


class Noise:
    """One octave of value noise: a coarse normal grid, bilinearly enlarged."""

    def __init__(self, rng, Y, X, step):
        self.step = step
        self.gy, self.gx = Y // step + 3, X // step + 3
        self.grid = rng.standard_normal((self.gy, self.gx), dtype=np.float32)
        fx = np.arange(X, dtype=np.float32) / step
        self.ix = fx.astype(np.int32)
        self.wx = (fx - self.ix).astype(np.float32)

    def rows(self, y0, y1):
        fy = np.arange(y0, y1, dtype=np.float32) / self.step
        iy = fy.astype(np.int32)
        wy = (fy - iy).astype(np.float32)[:, None]
        g = self.grid[iy] * (1 - wy) + self.grid[iy + 1] * wy
        a = g[:, self.ix]
        a += (g[:, self.ix + 1] - a) * self.wx
        return a


class Scene:
    def __init__(self, shape, dtype=None, preset=None, seed=7, **override):
        self.T, self.B, self.Y, self.X = shape
        if preset is None:
            preset = DEFAULT[np.dtype(dtype or "uint16").name]
        self.p = dict(PRESETS[preset])
        self.p.update(override)
        self.dtype = np.dtype(dtype or self.p["dtype"])
        self.seed = seed
        rng = np.random.Generator(np.random.SFC64([seed, 1]))
        Y, X = self.Y, self.X
        self.relief = [(Noise(rng, Y, X, s), a) for s, a in ((512, 1.0), (128, .55), (32, .28))]
        self.mid = [(Noise(rng, Y, X, s), a) for s, a in ((8, 1.0), (4, .6))]
        self.fine = Noise(rng, Y, X, 2)
        self.fine_b = Noise(rng, Y, X, 2)
        self.cls_a, self.cls_b = Noise(rng, Y, X, 48), Noise(rng, Y, X, 96)
        self.wet = Noise(rng, Y, X, 400)
        self.cloud = [(Noise(rng, Y, X, 300), 1.0), (Noise(rng, Y, X, 64), .4)]
        self.band_gain = np.linspace(0.8, 1.35, self.B).astype(np.float32) if self.B > 1 else np.ones(1, np.float32)
        # 64 parcel classes: a mean per band (correlated through a first factor) and a season
        f = rng.standard_normal((64, 1), dtype=np.float32)
        self.cls_mean = (0.8 * f + 0.6 * rng.standard_normal((64, self.B), dtype=np.float32)).astype(np.float32)
        self.phase = rng.uniform(0, 2 * np.pi, 64).astype(np.float32)
        self.date_gain = (1 + 0.03 * rng.standard_normal(self.T)).astype(np.float32)
        self.cloudy = rng.random(self.T) < 0.5 if self.T > 1 else np.array([True])
        self.cloud_shift = rng.integers(0, X, self.T)

    def strip(self, y0, y1):
        """All (T, B) planes of the rows y0..y1."""
        p, T, B, X = self.p, self.T, self.B, self.X
        rng = np.random.Generator(np.random.SFC64([self.seed, 2, y0]))
        h = y1 - y0
        relief = sum(a * n.rows(y0, y1) for n, a in self.relief)
        mid = sum(a * n.rows(y0, y1) for n, a in self.mid)
        fine, fine_b = self.fine.rows(y0, y1), self.fine_b.rows(y0, y1)
        cls = ((np.floor(self.cls_a.rows(y0, y1) * 2.2) * 7 + np.floor(self.cls_b.rows(y0, y1) * 3)).astype(np.int64)) & 63
        water = self.wet.rows(y0, y1) < (-1.5 if p.get("water") is None else np.float32(_q(p["water"])))
        y = np.arange(y0, y1, dtype=np.float32)[:, None]
        x = np.arange(X, dtype=np.float32)[None]
        off = None
        if p["border"]:
            w = np.float32(p["border"] * X)
            off = (x + 0.22 * y < w) | (x + 0.22 * y > X - w + 0.22 * self.Y)
        cl = None
        if p["clouds"]:
            c = sum(a * n.rows(y0, y1) for n, a in self.cloud)
            cl = np.clip((c - np.float32(_q(1 - p["clouds"]) * 1.077)) * 2, 0, 1)
        out = np.empty((T, B, h, X), self.dtype)
        info = self.dtype.kind in "iu"
        dry = np.where(water, np.float32(0.12), np.float32(1.0))
        for t in range(T):
            season = np.cos(2 * np.pi * t / 24 + self.phase)[cls] if T > 1 else np.float32(0)
            if cl is not None and self.cloudy[t]:
                c_t = np.roll(cl, int(self.cloud_shift[t]), axis=1)
            else:
                c_t = None
            for b in range(B):
                m = np.float32(p["bandmix"])
                a = self.cls_mean[:, b][cls] * np.float32(p["parcel"])
                if T > 1:
                    a += season * np.float32(0.35 * p["parcel"])
                a += np.float32(p["mid"]) * mid
                a += np.float32(p["fine"]) * ((1 - m) * fine + m * (fine_b if b & 1 else -fine_b))
                a *= dry
                a += np.float32(p["relief"]) * relief
                a *= self.band_gain[b]
                a += np.float32(p["level"]) * self.band_gain[b]
                if p["white"]:
                    a += np.float32(p["white"]) * rng.standard_normal((h, X), dtype=np.float32)
                if p.get("water"):
                    a[water] = 0
                a *= self.date_gain[t] if T > 1 else np.float32(1)
                if c_t is not None:
                    a += c_t * np.float32(p["cloud"])
                np.clip(a, p["lo"], p["hi"], out=a)
                if p.get("grain"):
                    a = np.rint(a / np.float32(p["grain"])) * np.float32(p["grain"])
                if off is not None:
                    a[off] = p["nodata"]
                out[t, b] = np.rint(a) if info else a
        return out

    def array(self, out=None):
        if out is None:
            out = np.empty((self.T, self.B, self.Y, self.X), self.dtype)
        for y0 in range(0, self.Y, STRIP):
            y1 = min(self.Y, y0 + STRIP)
            out[:, :, y0:y1] = self.strip(y0, y1)
        return out


def _q(p):
    """Normal quantile (bisection; enough for thresholds)."""
    from math import erf, sqrt
    lo, hi = -6.0, 6.0
    for _ in range(60):
        mid = (lo + hi) / 2
        if 0.5 * (1 + erf(mid / sqrt(2))) < p:
            lo = mid
        else:
            hi = mid
    return lo


def make(shape, dtype=None, preset=None, seed=7, out=None):
    return Scene(shape, dtype, preset, seed).array(out)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out", nargs="?")
    ap.add_argument("--shape", default="1,4,2048,2048", help="T,B,Y,X")
    ap.add_argument("--dtype")
    ap.add_argument("--preset", choices=sorted(PRESETS))
    ap.add_argument("--seed", type=int, default=7)
    a = ap.parse_args()
    shape = tuple(int(v) for v in a.shape.split(","))
    if len(shape) != 4:
        ap.error("--shape needs four numbers")
    s = Scene(shape, a.dtype, a.preset, a.seed)
    m = np.lib.format.open_memmap(a.out, "w+", s.dtype, shape)
    s.array(m)
    m.flush()


if __name__ == "__main__":
    main()
