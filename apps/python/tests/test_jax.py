"""Calls inside computations of JAX, on the host and on a GPU; skipped where JAX is not installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import upsweep

jax = pytest.importorskip("jax")
pytest.importorskip("jax.ffi")
from upsweep import jax as ups  # noqa: E402

jnp = jax.numpy


@pytest.fixture(params=["cpu", "gpu"], autouse=True)
def device(request):
    if request.param == "gpu" and not (upsweep.has_cuda() and jax.default_backend() == "gpu"):
        pytest.skip("no GPU for JAX and upsweep")
    with jax.default_device(jax.devices(request.param)[0]):
        yield request.param


def floats(n: int, seed: int = 1) -> numpy.ndarray:
    return numpy.random.default_rng(seed).standard_normal(n).astype(numpy.float32)


@pytest.mark.parametrize("n", [0, 1, 700, 5000])
def test_inside_and_outside_of_jit(n):
    x, mask = floats(n), floats(n, 2) > 0
    ints = (x * 100).astype(numpy.int32)
    calls = {
        "sort": (lambda a: ups.sort(a), numpy.sort(x)),
        "descending": (lambda a: ups.sort(a, descending=True), numpy.sort(x)[::-1]),
        "argsort": (lambda a: ups.argsort(a), numpy.argsort(x, kind="stable")),
        "topk": (lambda a: ups.topk(a, 5)[0], numpy.sort(x)[::-1][:5]),
        "topk's places": (lambda a: ups.topk(a, 5, largest=False)[1], numpy.argsort(x, kind="stable")[:5]),
        "cumsum": (lambda a: ups.cumsum(a.astype(jnp.int32)), numpy.cumsum(x.astype(numpy.int32))),
        "scan": (lambda a: ups.scan(a, "max"), numpy.maximum.accumulate(x) if n else x),
        "reverse": (lambda a: ups.scan(a, "min", reverse=True), numpy.minimum.accumulate(x[::-1])[::-1] if n else x),
    }
    for name, (call, expected) in calls.items():
        for run in (call, jax.jit(call)):
            numpy.testing.assert_array_equal(numpy.asarray(run(jnp.asarray(x))), expected, err_msg=name)
    keys, values, rows = ups.sort_by_key(jnp.asarray(ints % 7), jnp.asarray(x), jnp.asarray(x.repeat(3).reshape(-1, 3)))
    order = numpy.argsort(ints % 7, kind="stable")
    numpy.testing.assert_array_equal(numpy.asarray(keys), (ints % 7)[order])
    numpy.testing.assert_array_equal(numpy.asarray(values), x[order])
    numpy.testing.assert_array_equal(numpy.asarray(rows)[:, 2], x[order])
    kept, count = ups.select(jnp.asarray(x), jnp.asarray(mask))
    assert kept.shape == x.shape and int(count) == mask.sum()
    numpy.testing.assert_array_equal(numpy.asarray(kept)[: int(count)], x[mask])
    places, count = ups.nonzero(jnp.asarray(mask))
    numpy.testing.assert_array_equal(numpy.asarray(places)[: int(count)], numpy.flatnonzero(mask))
    groups, offsets = ups.group_by(jnp.asarray(ints % 7), 7)
    numpy.testing.assert_array_equal(numpy.asarray(groups)[: int(offsets[-1])], order)
    numpy.testing.assert_array_equal(numpy.diff(numpy.asarray(offsets)), numpy.bincount(ints % 7, minlength=7))


def test_a_frame_whose_counts_stay_in_it():
    @jax.jit
    def frame(x, mask):
        kept, n = ups.select(x, mask)
        places, values = ups.sort_by_key(kept, kept * 2, nan="first", n=n)
        return n, places, values, ups.cumsum(kept.astype(jnp.int32), n=n), ups.topk(kept, 3, n=n)

    for seed in range(3):
        x = floats(3000, seed)
        mask = x > seed / 2
        n, keys, values, sums, (most, _) = frame(jnp.asarray(x), jnp.asarray(mask))
        kept = x[mask]
        assert int(n) == kept.size
        numpy.testing.assert_array_equal(numpy.asarray(keys)[: kept.size], numpy.sort(kept))
        numpy.testing.assert_array_equal(numpy.asarray(values)[: kept.size], numpy.sort(kept) * 2)
        numpy.testing.assert_array_equal(numpy.asarray(sums)[: kept.size], numpy.cumsum(kept.astype(numpy.int32)))
        numpy.testing.assert_array_equal(numpy.asarray(most), numpy.sort(kept)[::-1][:3])


def test_segments_axes_and_rows():
    x = floats(600)
    offsets = numpy.array([0, 7, 7, 400, 600], numpy.int32)
    expected = numpy.concatenate([numpy.sort(x[a:b]) for a, b in zip(offsets, offsets[1:])])
    got, moved = ups.segmented_sort(jnp.asarray(x), jnp.asarray(offsets), values=jnp.asarray(x))
    numpy.testing.assert_array_equal(numpy.asarray(got), expected)
    numpy.testing.assert_array_equal(numpy.asarray(moved), expected)
    whole = numpy.round(x * 9).reshape(20, 30)
    for axis in (0, 1, -1):
        numpy.testing.assert_array_equal(numpy.asarray(ups.cumsum(jnp.asarray(whole), axis)), numpy.cumsum(whole, axis))
        numpy.testing.assert_array_equal(
            numpy.asarray(ups.scan(jnp.asarray(whole), "max", axis)), numpy.maximum.accumulate(whole, axis)
        )
    kept, n = ups.select(jnp.asarray(whole), jnp.asarray(whole[:, 0] > 0))
    numpy.testing.assert_array_equal(numpy.asarray(kept)[: int(n)], whole[whole[:, 0] > 0])


def test_sums_of_parts():
    x = numpy.round(floats(900) * 9)
    offsets = numpy.array([0, 7, 7, 400, 900], numpy.int32)
    keys = numpy.repeat(numpy.arange(4, dtype=numpy.int32), numpy.diff(offsets))
    expected = numpy.concatenate([numpy.cumsum(x[a:b]) for a, b in zip(offsets, offsets[1:])])
    for call in (ups.cumsum, jax.jit(ups.cumsum), upsweep.cumsum):
        for n in (None, 500):
            size = 900 if n is None else n
            got = call(jnp.asarray(x), keys=jnp.asarray(keys), n=n)
            assert isinstance(got, jax.Array)
            numpy.testing.assert_array_equal(numpy.asarray(got)[:size], expected[:size])
        numpy.testing.assert_array_equal(numpy.asarray(call(jnp.asarray(x), segments=jnp.asarray(offsets))), expected)
    before = ups.exclusive_sum(jnp.asarray(x), segments=jnp.asarray(offsets))
    numpy.testing.assert_array_equal(numpy.asarray(before), expected - x)


def test_scans_of_parts_and_sums_in_one_order():
    x = numpy.round(floats(900) * 9)
    offsets = numpy.array([0, 7, 7, 400, 900], numpy.int32)
    keys = numpy.repeat(numpy.arange(4, dtype=numpy.int32), numpy.diff(offsets))
    expected = numpy.concatenate([numpy.maximum.accumulate(x[a:b]) for a, b in zip(offsets, offsets[1:])])
    for call in (ups.scan, jax.jit(ups.scan, static_argnames=("op",)), upsweep.scan):
        for how in ({"keys": jnp.asarray(keys)}, {"segments": jnp.asarray(offsets)}):
            got = call(jnp.asarray(x), op="max", **how)
            assert isinstance(got, jax.Array)
            numpy.testing.assert_array_equal(numpy.asarray(got), expected)
    before = numpy.asarray(ups.scan(jnp.asarray(x), "max", exclusive=True, init=3, keys=jnp.asarray(keys)))
    assert before[[0, 7, 400]].tolist() == [3, 3, 3] and before[8] == max(3, x[7])
    rows = x.reshape(-1, 3)
    for reverse in (False, True):
        got = ups.cumsum(jnp.asarray(rows), 0, reverse=reverse, reproducible=True)
        assert numpy.asarray(got).tobytes() == upsweep.cumsum(rows, 0, reverse=reverse, reproducible=True).tobytes()
    with pytest.raises(NotImplementedError, match="of parts is available with exclusive=True"):
        ups.scan(jnp.asarray(x), "max", init=3, keys=jnp.asarray(keys))


def test_partitions_compactions_and_histograms():
    x, mask = floats(2000), floats(2000, 2) > 0
    rows = x.repeat(3).reshape(-1, 3)
    for jit in (lambda f: f, jax.jit):
        for n in (None, jnp.int32(1500)):
            size = 2000 if n is None else 1500
            kept = x[:size][mask[:size]]
            parted, count = jit(ups.partition)(jnp.asarray(x), jnp.asarray(mask), n=n)
            assert int(count) == kept.size
            numpy.testing.assert_array_equal(numpy.asarray(parted)[:size], numpy.r_[kept, x[:size][~mask[:size]]])
            (one, three), count = jit(ups.compact)([jnp.asarray(x), jnp.asarray(rows)], jnp.asarray(mask), n=n)
            assert int(count) == kept.size
            numpy.testing.assert_array_equal(numpy.asarray(one)[: kept.size], kept)
            numpy.testing.assert_array_equal(numpy.asarray(three)[: kept.size, 2], kept)
    groups = jnp.asarray((x * 3).astype(numpy.int32) % 7)
    for call in (ups.histogram, upsweep.histogram):
        numpy.testing.assert_array_equal(numpy.asarray(call(groups, 7)), numpy.bincount(numpy.asarray(groups), minlength=7))


def test_a_count_along_an_axis():
    x = numpy.round(floats(600) * 9).reshape(20, 30)
    n = jnp.int32(11)
    got = numpy.asarray(jax.jit(ups.cumsum, static_argnames="axis")(jnp.asarray(x), axis=0, n=n))
    numpy.testing.assert_array_equal(got[:11], numpy.cumsum(x[:11], 0))
    got = numpy.asarray(ups.scan(jnp.asarray(x), "max", 1, reverse=True, n=n))
    numpy.testing.assert_array_equal(got[:, :11], numpy.maximum.accumulate(x[:, 10::-1], 1)[:, ::-1])


def test_an_init_comes_first():
    x = floats(999)
    ints = (x * 100).astype(numpy.int32)
    for run in (ups.scan, jax.jit(ups.scan, static_argnames=("op", "init", "exclusive", "axis")), upsweep.scan):
        got = numpy.asarray(run(jnp.asarray(x), "max", init=1.5))
        numpy.testing.assert_array_equal(got, numpy.maximum.accumulate(numpy.maximum(x, numpy.float32(1.5))))
        got = numpy.asarray(run(jnp.asarray(ints), "sum", init=-7, exclusive=True))
        numpy.testing.assert_array_equal(got, numpy.cumsum(numpy.concatenate([[-7], ints[:-1]])))
        got = numpy.asarray(run(jnp.asarray(ints.reshape(9, -1)), "min", 0, init=3, exclusive=True))
        expected = numpy.minimum.accumulate(numpy.concatenate([numpy.full((1, 111), 3), ints.reshape(9, -1)[:-1]]))
        numpy.testing.assert_array_equal(got, expected)
    with pytest.raises(NotImplementedError, match="exclusive=True"):
        ups.scan(jnp.asarray(ints), "sum", init=1, reverse=True)


def test_runs_and_merges():
    x = numpy.sort((floats(3000) * 9).astype(numpy.int32))
    counted = 2500
    expected, lengths = numpy.unique(x[:counted], return_counts=True)
    for n, size in ((None, 3000), (counted, counted)):
        kept, told, runs = jax.jit(ups.run_length_encode)(jnp.asarray(x), n=n)
        different, often = numpy.unique(x[:size], return_counts=True)
        assert int(runs) == different.size
        numpy.testing.assert_array_equal(numpy.asarray(kept)[: different.size], different)
        numpy.testing.assert_array_equal(numpy.asarray(told)[: different.size], often)
        values = floats(3000, 2).round()
        kept, sums, runs = ups.reduce_by_key(jnp.asarray(x), jnp.asarray(values), n=n)
        summed = [values[:size][x[:size] == k].sum() for k in different]
        numpy.testing.assert_array_equal(numpy.asarray(sums)[: int(runs)], summed)
    shuffled = numpy.random.default_rng(3).permutation(x)
    kept, back, told, runs = jax.jit(ups.unique, static_argnames=("counts", "inverse"))(
        jnp.asarray(shuffled), counts=True, inverse=True
    )
    different, at, often = numpy.unique(shuffled, return_inverse=True, return_counts=True)
    numpy.testing.assert_array_equal(numpy.asarray(kept)[: int(runs)], different)
    numpy.testing.assert_array_equal(numpy.asarray(back), at)
    numpy.testing.assert_array_equal(numpy.asarray(told)[: int(runs)], often)
    numpy.testing.assert_array_equal(numpy.asarray(ups.unique(jnp.asarray(shuffled))[0])[: different.size], different)
    numpy.testing.assert_array_equal(numpy.asarray(upsweep.unique(jnp.asarray(shuffled))), different)
    _, back, told = upsweep.unique(jnp.asarray(shuffled), counts=True, inverse=True)
    numpy.testing.assert_array_equal(numpy.asarray(back), at)
    numpy.testing.assert_array_equal(numpy.asarray(told), often)
    begins = ups.expand(jnp.asarray(lengths), 4000, offsets=True)[1]
    numpy.testing.assert_array_equal(numpy.asarray(begins), numpy.concatenate([[0], numpy.cumsum(lengths)]))
    places, total = ups.expand(jnp.asarray(lengths), 4000)
    numpy.testing.assert_array_equal(numpy.asarray(places)[: int(total)], numpy.repeat(numpy.arange(lengths.size), lengths))

    far = jnp.asarray(numpy.array([(1 << 31) + 5, 1], "u4"))
    begins = ups.expand(far, 4, offsets=True)[1]
    numpy.testing.assert_array_equal(numpy.asarray(begins).view("u4"), [0, (1 << 31) + 5, (1 << 31) + 6])
    for wrong in (numpy.array([1 << 32, 1]), numpy.array([1, -7]), jnp.asarray(numpy.array([1, -7], "i4"))):
        if isinstance(wrong, numpy.ndarray) or wrong.devices() <= set(jax.devices("cpu")):
            with pytest.raises(ValueError, match="counts has (4294967296; expected 2147483647 or less|-7; expected 0 or more)"):
                ups.expand(wrong, 4)

    a, b = numpy.sort(floats(700)), numpy.sort(floats(500, 2))
    numpy.testing.assert_array_equal(numpy.asarray(upsweep.merge(jnp.asarray(a), jnp.asarray(b))), numpy.sort(numpy.r_[a, b]))
    got = jax.jit(ups.merge)(jnp.asarray(a), jnp.asarray(b), n_b=jnp.int32(300))
    numpy.testing.assert_array_equal(numpy.asarray(got)[:1000], numpy.sort(numpy.r_[a, b[:300]]))
    for side in ("left", "right"):
        got = upsweep.searchsorted(jnp.asarray(a), jnp.asarray(b), side=side)
        numpy.testing.assert_array_equal(numpy.asarray(got), numpy.searchsorted(a, b, side))
        got = ups.searchsorted(jnp.asarray(a), jnp.asarray(b), side=side, n_keys=400)
        numpy.testing.assert_array_equal(numpy.asarray(got), numpy.searchsorted(a[:400], b, side))


def test_eager_arrays_go_through_xla(monkeypatch):
    asked = []
    whole = upsweep._core.workspace_of_call
    monkeypatch.setattr(upsweep._core, "workspace_of_call", lambda name, *more: asked.append(name) or whole(name, *more))
    x = floats(913)
    for name, call, expected in (
        ("sort", lambda a: upsweep.sort(a), numpy.sort(x)),
        ("argsort", lambda a: upsweep.argsort(a), numpy.argsort(x)),
        ("sum", lambda a: upsweep.cumsum(a > 0), numpy.cumsum(x > 0)),
        ("topk", lambda a: upsweep.topk(a, 3)[0], numpy.sort(x)[::-1][:3]),
    ):
        got = call(jnp.asarray(x))
        assert isinstance(got, jax.Array) and asked.pop() == name
        numpy.testing.assert_array_equal(numpy.asarray(got), expected)
        numpy.testing.assert_array_equal(numpy.asarray(jax.jit(call)(jnp.asarray(x))), expected)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: ups.sort(x.reshape(1, -1)), ValueError, "expected one axis"),
        (lambda x: ups.select(x, x), TypeError, "expected bool"),
        (lambda x: ups.topk(x.astype(jnp.int8), 2), TypeError, "x is int8"),
        (lambda x: ups.cumsum(x, 3), ValueError, "axis is 3"),
        (lambda x: ups.sort(x, bits=(0, 99)), Exception, "expected .* <= 32, of int32"),
        (lambda x: upsweep.sort(x, n=upsweep.DeviceCount(numpy.array([3]), 5)), TypeError, "n is a DeviceCount"),
        (lambda x: ups.group_by(x, 0), Exception, "group_by"),
    ],
)
def test_mistakes_are_told_in_a_sentence(call, error, words):
    with pytest.raises(error, match=words):
        jax.block_until_ready(call(jnp.arange(5)))


def test_the_interface_is_that_of_xla(tmp_path):
    """What xla.hpp declares lies where XLA's own header has it."""
    compiler = shutil.which("c++")
    header = Path(__file__).parents[1] / "src" / "xla.hpp"
    if compiler is None or not header.exists():
        pytest.skip("there is no C++ compiler, or no sources")
    fields = {
        "call_frame XLA_FFI_CallFrame": "api api, context ctx, stage stage, arguments args, results rets, attributes attrs",
        "buffers XLA_FFI_Args": "size size, types types, items args",
        "buffers XLA_FFI_Rets": "size size, types types, items rets",
        "attributes XLA_FFI_Attrs": "size size, types types, names names, items attrs",
        "buffer XLA_FFI_Buffer": "type dtype, data data, rank rank, extents dims",
        "scalar XLA_FFI_Scalar": "type dtype, value value",
        "text XLA_FFI_ByteSpan": "data ptr, size len",
        "extension XLA_FFI_Extension_Base": "type type, next next",
        "metadata_request XLA_FFI_Metadata_Extension": "told metadata",
        "metadata XLA_FFI_Metadata": "api_version api_version, traits traits",
        "version XLA_FFI_Api_Version": "major major_version, minor minor_version",
        "api XLA_FFI_Api": "api_version api_version, make_error XLA_FFI_Error_Create, get_stream XLA_FFI_Stream_Get",
        "error_request XLA_FFI_Error_Create_Args": "message message, code errc",
        "stream_request XLA_FFI_Stream_Get_Args": "context ctx, stream stream",
    }
    lines = [f'#include "{header}"', '#include "xla/ffi/api/c_api.h"', "using namespace upsweep::python;"]
    if "XLA_FFI_InternalExtension" in (Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h").read_text():  # its newer name
        lines.append("#define XLA_FFI_Extension_Base XLA_FFI_InternalExtension")
    for types, pairs in fields.items():
        ours, theirs = types.split()
        for pair in pairs.split(", "):
            a, b = pair.split()
            lines.append(f"static_assert(offsetof(xla::{ours}, {a}) == offsetof({theirs}, {b}));")
            lines.append(f"static_assert(sizeof(xla::{ours}::{a}) == sizeof({theirs}::{b}));")
    for ours in "pred s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 bf16".split():
        lines.append(f"static_assert(int(xla::{ours}) == int(XLA_FFI_DataType_{ours.upper()}));")
    lines.append("static_assert(xla::is_scalar == XLA_FFI_AttrType_SCALAR && xla::is_text == XLA_FFI_AttrType_STRING);")
    lines.append("static_assert(int(xla::stage::execute) == XLA_FFI_ExecutionStage_EXECUTE);")
    source = tmp_path / "same.cpp"
    source.write_text("\n".join(lines) + "\n")
    told = subprocess.run(
        [compiler, "-std=c++20", "-Wno-invalid-offsetof", "-fsyntax-only", "-I", jax.ffi.include_dir(), source],
        capture_output=True, text=True,
    )
    assert told.returncode == 0, told.stderr


def test_unsigned_groups_do_not_wrap():
    groups = jnp.asarray(numpy.array([1, (1 << 32) - 1, 1 << 31, 2], numpy.uint32))
    numpy.testing.assert_array_equal(numpy.asarray(ups.histogram(groups, 3)), [0, 1, 1])
    with pytest.raises(TypeError, match="groups is float32; expected integers"):
        ups.histogram(jnp.ones(3), 3)


def test_the_frame():
    script = Path(__file__).parents[1] / "examples" / "jax_frame.py"
    told = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert told.stdout == "[2. 3. 5.]\n"
