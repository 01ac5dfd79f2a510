"""The calls on NumPy's arrays, which the sim works on, against NumPy."""

from __future__ import annotations

import ctypes
import doctest
import gc
import importlib
import subprocess
import sys
import threading
from pathlib import Path

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import upsweep

settings.register_profile("upsweep", deadline=None, max_examples=25, suppress_health_check=list(HealthCheck), derandomize=True)
settings.load_profile("upsweep")

key_types = ["bool", "int8", "uint8", "int16", "uint16", "float16", "int32", "uint32", "float32", "int64", "uint64", "float64"]
summed_types = [t for t in key_types if t != "float16"]
run_types = ["int32", "uint32", "int64", "uint64", "float32", "float64"]
lengths = st.integers(0, 700)


def rows(dtypes, n=lengths):
    """One axis of some type, with few different values as often as with many."""

    def of(dtype, n, seed, few):
        r = numpy.random.default_rng(seed)
        if dtype == "bool":
            return r.integers(0, 2, n).astype(bool)
        if dtype.startswith("float"):
            return (r.integers(-3, 3, n) if few else r.standard_normal(n) * 100).astype(dtype)
        info = numpy.iinfo(dtype)
        low, high = (max(info.min, -3), 3) if few else (info.min, info.max)
        return r.integers(low, high, n, dtype=dtype, endpoint=True)

    return st.builds(of, st.sampled_from(dtypes), n, st.integers(0, 1 << 30), st.booleans())


@given(rows(key_types), st.booleans())
def test_sort(x, descending):
    expected = numpy.sort(x, kind="stable")
    before = x.copy()
    got = upsweep.sort(x, descending=descending)
    numpy.testing.assert_array_equal(got, expected[::-1] if descending else expected)
    numpy.testing.assert_array_equal(x, before)
    assert got.dtype == x.dtype


@given(rows(key_types))
def test_argsort(x):
    got = upsweep.argsort(x)
    assert got.dtype == numpy.int32
    numpy.testing.assert_array_equal(got, numpy.argsort(x, kind="stable"))


@given(rows(["float16", "float32", "float64"]), st.booleans(), st.sampled_from(["last", "first"]), st.integers(0, 1 << 30))
def test_nans_go_where_they_are_told(x, descending, nan, seed):
    r = numpy.random.default_rng(seed)
    x[r.integers(0, 2, x.size).astype(bool)] = numpy.nan
    x = numpy.copysign(x, r.choice([-1, 1], x.size)).astype(x.dtype)
    numbers = numpy.flatnonzero(~numpy.isnan(x))
    order = numpy.argsort(-x[numbers] if descending else x[numbers], kind="stable")
    nans = numpy.flatnonzero(numpy.isnan(x))
    parts = [numbers[order], nans] if nan == "last" else [nans, numbers[order]]
    numpy.testing.assert_array_equal(upsweep.argsort(x, descending=descending, nan=nan), numpy.concatenate(parts))
    assert upsweep.sort(x, descending=descending, nan=nan).tobytes() == x[numpy.concatenate(parts)].tobytes()


@given(rows(["uint32", "uint8", "uint64"]), st.integers(0, 7), st.integers(0, 7))
def test_sort_by_some_bits(x, a, b):
    begin, end = min(a, b), max(a, b)
    part = (x >> x.dtype.type(begin)) & x.dtype.type((1 << (end - begin)) - 1)
    numpy.testing.assert_array_equal(upsweep.sort(x, bits=(begin, end)), x[numpy.argsort(part, kind="stable")])


@given(rows(key_types), st.sampled_from([1, 2, 3, 4, 8, 24]), st.integers(0, 3))
def test_sort_by_key(keys, width, how_many):
    values = [numpy.random.default_rng(i).integers(0, 256, (keys.size, width), dtype=numpy.uint8) for i in range(how_many)]
    got = upsweep.sort_by_key(keys, *values)
    order = numpy.argsort(keys, kind="stable")
    assert len(got) == how_many + 1
    for g, v in zip(got, (keys, *values)):
        numpy.testing.assert_array_equal(g, v[order])


@given(rows(run_types), st.lists(st.integers(0, 700), max_size=20), st.booleans())
def test_segmented_sort(x, cuts, with_values):
    offsets = numpy.array([0, *sorted(min(c, x.size) for c in cuts), x.size], numpy.int64)
    values = numpy.arange(x.size, dtype=numpy.float32)
    got = upsweep.segmented_sort(x, offsets, values=values if with_values else None)
    order = numpy.concatenate([a + numpy.argsort(x[a:b], kind="stable") for a, b in zip(offsets, offsets[1:])])
    numpy.testing.assert_array_equal(got[0] if with_values else got, x[order])
    if with_values:
        numpy.testing.assert_array_equal(got[1], values[order])


@given(rows(run_types), st.integers(0, 900), st.booleans())
def test_topk(x, k, largest):
    ascending = numpy.argsort(x, kind="stable")
    descending = x.size - 1 - numpy.argsort(x[::-1], kind="stable")[::-1]
    order = (descending if largest else ascending)[:k]
    values, places = upsweep.topk(x, k, largest=largest)
    numpy.testing.assert_array_equal(places, order)
    numpy.testing.assert_array_equal(values, x[order])


@given(rows(run_types), rows(["int32"]))
def test_merge_and_searchsorted(a, b):
    a, b = numpy.sort(a), numpy.sort(b.astype(a.dtype))
    numpy.testing.assert_array_equal(upsweep.merge(a, b), numpy.sort(numpy.concatenate([a, b])))
    for side in ("left", "right"):
        numpy.testing.assert_array_equal(upsweep.searchsorted(a, b, side=side), numpy.searchsorted(a, b, side))


@given(rows(summed_types), st.booleans(), st.sampled_from([None, "int32", "uint64", "float64"]), st.booleans())
def test_sums_of_a_row(x, exclusive, dtype, reverse):
    if x.dtype.kind == "f":
        x, dtype = numpy.round(x).astype(x.dtype), None
    elif dtype == "float64" and x.dtype.itemsize == 8:
        x = x % 1000  # sums that no order rounds
    expected = numpy.cumsum(x[::-1] if reverse else x, dtype=dtype)
    if exclusive:
        expected = numpy.concatenate([numpy.zeros(1, expected.dtype), expected])[: x.size]
    if reverse:
        expected = expected[::-1]
    got = (upsweep.exclusive_sum if exclusive else upsweep.cumsum)(x, dtype=dtype, reverse=reverse)
    assert got.dtype == expected.dtype
    numpy.testing.assert_array_equal(got, expected)


@given(arrays.arrays(st.sampled_from(["int32", "float32", "int64", "bool"]), arrays.array_shapes(max_dims=4, max_side=9, min_side=0),
                     elements=st.integers(0, 1)), st.data())
def test_sums_along_an_axis(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    got = upsweep.cumsum(x, axis=axis)
    expected = numpy.cumsum(x, axis=axis)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    numpy.testing.assert_array_equal(got, expected)


@given(rows(["int32", "uint64", "float32", "float64", "bool"]), st.booleans(), st.lists(st.integers(0, 700), max_size=20))
def test_sums_by_key_and_of_segments(x, exclusive, cuts):
    x = numpy.round(x).astype(x.dtype)
    call = upsweep.exclusive_sum if exclusive else upsweep.cumsum
    offsets = numpy.array([0, *sorted(min(c, x.size) for c in cuts), x.size], numpy.int64)
    sums = [numpy.cumsum(x[a:b]) for a, b in zip(offsets, offsets[1:])]
    if exclusive:
        sums = [numpy.concatenate([numpy.zeros(1, s.dtype), s])[: s.size] for s in sums]
    expected = numpy.concatenate(sums)
    got = call(x, segments=offsets)
    assert got.dtype == expected.dtype
    numpy.testing.assert_array_equal(got, expected)
    keys = numpy.repeat(numpy.arange(offsets.size - 1), numpy.diff(offsets))
    for type in ("int64", "uint32"):
        numpy.testing.assert_array_equal(call(x, keys=keys.astype(type)), expected)


@given(rows(["float32", "float64"]))
def test_reproducible_sums(x):
    got = upsweep.cumsum(x, reproducible=True)
    numpy.testing.assert_allclose(got, numpy.cumsum(x, dtype=numpy.float64), rtol=1e-3, atol=1e-2)
    assert got.tobytes() == upsweep.cumsum(x, reproducible=True).tobytes()


@given(rows(["int32", "uint32", "int64", "uint64", "float32", "float64"]), st.booleans(), st.data())
def test_scans(x, exclusive, data):
    ops = {"max": numpy.maximum, "min": numpy.minimum, "sum": numpy.add}
    if x.dtype.kind != "f":
        ops |= {"and": numpy.bitwise_and, "or": numpy.bitwise_or, "xor": numpy.bitwise_xor, "product": numpy.multiply}
    else:
        x = numpy.round(x).astype(x.dtype)
    op = data.draw(st.sampled_from(sorted(ops)))
    init = x.dtype.type(data.draw(st.integers(0, 5)))
    with numpy.errstate(over="ignore"):
        expected = ops[op].accumulate(numpy.concatenate([[init], x]).astype(x.dtype), dtype=x.dtype)
    got = upsweep.scan(x, op, exclusive=exclusive, init=init)
    numpy.testing.assert_array_equal(got, expected[:-1] if exclusive else expected[1:])


@given(rows(["int32", "uint32", "int64", "uint64", "float32", "float64"]), st.booleans(), st.lists(st.integers(0, 700), max_size=20),
       st.data())
def test_scans_by_key_and_of_segments(x, exclusive, cuts, data):
    ops = {"max": numpy.maximum, "min": numpy.minimum, "sum": numpy.add}
    if x.dtype.kind != "f":
        ops |= {"and": numpy.bitwise_and, "or": numpy.bitwise_or, "xor": numpy.bitwise_xor, "product": numpy.multiply}
    else:
        x = numpy.round(x).astype(x.dtype)
    op = data.draw(st.sampled_from(sorted(ops)))
    init = x.dtype.type(data.draw(st.integers(0, 5))) if exclusive else None
    offsets = numpy.array([0, *sorted(min(c, x.size) for c in cuts), x.size], numpy.int64)
    expected = numpy.empty_like(x)
    for a, b in zip(offsets, offsets[1:]):
        items = numpy.concatenate([[init], x[a : b - 1]]).astype(x.dtype) if exclusive and a < b else x[a:b]
        with numpy.errstate(over="ignore"):
            expected[a:b] = ops[op].accumulate(items, dtype=x.dtype)
    got = upsweep.scan(x, op, exclusive=exclusive, init=init, segments=offsets)
    assert got.dtype == x.dtype
    numpy.testing.assert_array_equal(got, expected)
    keys = numpy.repeat(numpy.arange(offsets.size - 1), numpy.diff(offsets))
    for type in ("int64", "uint32"):
        got = upsweep.scan(x, op, exclusive=exclusive, init=init, keys=keys.astype(type))
        numpy.testing.assert_array_equal(got, expected)
    if x.dtype.kind != "f" or op == "sum":
        return
    n = x.size // 2  # what comes after n changes nothing before it
    got = upsweep.scan(x, op, exclusive=exclusive, init=init, keys=keys, n=n)
    numpy.testing.assert_array_equal(got[:n], expected[:n])


@given(arrays.arrays(st.sampled_from(["float32", "float64", "float16"]), arrays.array_shapes(max_dims=3, max_side=40, min_side=0),
                     elements=st.floats(-100, 100, width=16)), st.booleans(), st.booleans(), st.data())
def test_reproducible_sums_along_an_axis(x, exclusive, reverse, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    call = upsweep.exclusive_sum if exclusive else upsweep.cumsum
    got = call(x, axis, reverse=reverse, reproducible=True)
    expected = numpy.cumsum(numpy.flip(x, axis) if reverse else x, axis, dtype=numpy.float64)
    expected = numpy.flip(expected, axis) if reverse else expected
    assert got.dtype == x.dtype and got.shape == x.shape
    near = {"rtol": 1e-2, "atol": 1} if x.dtype == "float16" else {"rtol": 1e-4, "atol": 1e-2}
    numpy.testing.assert_allclose(got, expected - x if exclusive else expected, **near)
    assert got.tobytes() == call(x, axis, reverse=reverse, reproducible=True).tobytes()


def test_new_results_are_of_the_shape_and_type_that_they_are_to_be():
    x = numpy.arange(12, dtype=numpy.float32)[::-1].copy()
    ordered, places, sums = upsweep.sort(x), upsweep.argsort(x), upsweep.cumsum(x)
    assert (ordered.dtype, places.dtype, sums.dtype) == (numpy.float32, numpy.int32, numpy.float32)
    assert all(type(a) is numpy.ndarray and a.base is None for a in (ordered, places, sums))
    assert upsweep.argsort(x, dtype="int64").dtype == numpy.int64 and upsweep.cumsum(x.astype("int32")).dtype == numpy.int64
    with pytest.raises(ValueError, match="dense"):
        upsweep.sort(x[::2])
    with pytest.raises(ValueError, match="one axis is sorted"):
        upsweep.argsort(x.reshape(3, 4))
    with pytest.raises(ValueError, match="axis is 1; x has 1 axes"):
        upsweep.cumsum(x, 1, out=x.copy())
    assert upsweep.cumsum(x.reshape(3, 4), 0).shape == (3, 4) and upsweep.cumsum(x.reshape(3, 4)).shape == (12,)


def test_long_lines_are_summed_in_one_order():
    # Lines of many tiles, whose sums depend on the order.
    r = numpy.random.default_rng(5)
    for shape, axis in (((70_001, 3), 0), ((2, 40_003), 1), ((60_000,), 0)):
        x = r.standard_normal(shape).astype(numpy.float32)
        for reverse in (False, True):
            told = {upsweep.cumsum(x, axis, reverse=reverse, reproducible=True).tobytes() for _ in range(4)}
            assert len(told) == 1
            expected = numpy.cumsum(numpy.flip(x, axis) if reverse else x, axis, dtype=numpy.float64)
            got = numpy.frombuffer(told.pop(), numpy.float32).reshape(shape)
            numpy.testing.assert_allclose(numpy.flip(got, axis) if reverse else got, expected, rtol=1e-4, atol=1e-2)


def test_reproducible_sums_of_segments_are_those_of_segments():
    x = numpy.random.default_rng(6).standard_normal(9000).astype(numpy.float32)
    offsets = numpy.array([0, 4000, 4001, 9000])
    got = upsweep.cumsum(x, segments=offsets, reproducible=True)
    assert got.tobytes() == upsweep.cumsum(x, segments=offsets).tobytes()


@given(rows(key_types), st.integers(0, 1 << 30), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_select_and_partition(x, seed, share):
    mask = numpy.random.default_rng(seed).random(x.size) < share
    numpy.testing.assert_array_equal(upsweep.select(x, mask), x[mask])
    numpy.testing.assert_array_equal(upsweep.nonzero(mask), numpy.flatnonzero(mask))
    assert upsweep.nonzero(mask, dtype="int32").dtype == numpy.int32
    moved, kept = upsweep.partition(x, mask)
    assert kept == mask.sum()
    numpy.testing.assert_array_equal(moved, numpy.concatenate([x[mask], x[~mask]]))
    room = x.size // 3
    some, count = upsweep.select(x, mask, capacity=room, count="device")
    assert int(count) == min(room, mask.sum()) and some.size == room
    numpy.testing.assert_array_equal(some[: int(count)], x[mask][:room])


@given(arrays.arrays(st.sampled_from(["uint8", "float64"]), arrays.array_shapes(max_dims=3, max_side=12),
                     elements=st.integers(0, 9)), st.integers(0, 1 << 30))
def test_rows_and_several_arrays(x, seed):
    mask = numpy.random.default_rng(seed).integers(0, 2, x.shape[0]).astype(bool)
    numpy.testing.assert_array_equal(upsweep.select(x, mask), x[mask])
    whole = x > 4
    numpy.testing.assert_array_equal(upsweep.select(x, whole), x[whole])
    numbers = numpy.arange(x.shape[0])
    got = upsweep.compact([numbers, x, numbers.astype(numpy.int16)], mask)
    for g, e in zip(got, (numbers, x, numbers.astype(numpy.int16))):
        numpy.testing.assert_array_equal(g, e[mask])


@given(arrays.array_shapes(max_dims=3, max_side=6, min_side=0), st.sampled_from(["int64", "float32", "uint8"]), st.data())
def test_strides(shape, dtype, data):
    """What is dense is taken whatever made it so; anything else is refused before it is read or written."""
    x = numpy.arange(numpy.prod(shape) + 1).astype(dtype)[data.draw(st.integers(0, 1)) :][: numpy.prod(shape)].reshape(shape)
    for axis in range(x.ndim):
        begin, step = data.draw(st.integers(0, 2)), data.draw(st.sampled_from([1, 1, 1, 1, 2, -1]))
        x = numpy.moveaxis(numpy.moveaxis(x, axis, 0)[begin::step], 0, axis)
    x = x.transpose(data.draw(st.permutations(range(x.ndim))))
    if data.draw(st.integers(0, 4)) == 0:
        x = numpy.broadcast_to(x[..., :1], (*x.shape[:-1], min(3, x.shape[-1] * 3)))
    mask, held = numpy.ascontiguousarray(x % 3 > 0), x.copy()
    axis = data.draw(st.integers(0, x.ndim - 1))
    calls = [
        (lambda: upsweep.cumsum(x), lambda: numpy.cumsum(x)),
        (lambda: upsweep.cumsum(x, axis), lambda: numpy.cumsum(x, axis)),
        (lambda: upsweep.select(x, mask), lambda: x[mask]),
        (lambda: upsweep.sort_by_key(numpy.arange(x.shape[0])[::-1].copy(), x)[1], lambda: x[::-1]),
    ]
    for call, expected in calls[: 3 if x.size == 0 else 4]:
        if x.flags.c_contiguous or x.size == 1:
            numpy.testing.assert_array_equal(call(), expected())
        else:
            with pytest.raises(ValueError, match="is not dense in row-major order; pass a copy"):
                call()
    if x.flags.writeable and x.dtype == numpy.int64:
        ones = numpy.ones(x.shape, numpy.int64)
        if x.flags.c_contiguous or x.size == 1:
            assert upsweep.cumsum(ones, out=x) is x
            numpy.testing.assert_array_equal(x.ravel(), numpy.arange(1, x.size + 1))
        else:
            with pytest.raises(ValueError, match="out is not dense in row-major order"):
                upsweep.cumsum(ones, out=x)
            numpy.testing.assert_array_equal(x, held)


@given(rows(run_types))
def test_runs(x):
    starts = numpy.flatnonzero(numpy.concatenate([[True], x[1:] != x[:-1]])[: x.size])
    ends = numpy.append(starts[1:], x.size) if x.size else starts
    kept, lengths = upsweep.run_length_encode(x)
    numpy.testing.assert_array_equal(kept, x[starts])
    numpy.testing.assert_array_equal(lengths, ends - starts)
    values = numpy.arange(x.size, dtype=numpy.int64)
    kept, sums = upsweep.reduce_by_key(x, values)
    numpy.testing.assert_array_equal(kept, x[starts])
    numpy.testing.assert_array_equal(sums, [values[a:b].sum() for a, b in zip(starts, ends)])


@given(rows(run_types))
def test_unique(x):
    for got, expected in zip(
        upsweep.unique(x, counts=True, inverse=True), numpy.unique(x, return_inverse=True, return_counts=True)
    ):
        numpy.testing.assert_array_equal(got, expected)


@given(st.integers(0, 900), st.integers(1, 40), st.integers(1, 5), st.integers(0, 1 << 30))
def test_groups(n, how_many, multiple, seed):
    groups = numpy.random.default_rng(seed).integers(-1, how_many + 1, n).astype(numpy.int32)
    places, offsets, inverse = upsweep.group_by(groups, how_many, inverse=True, multiple=multiple)
    for g in range(how_many):
        items = numpy.flatnonzero(groups == g)
        part = places[offsets[g] : offsets[g + 1]]
        numpy.testing.assert_array_equal(part[: items.size], items)
        assert part.size == -(-items.size // multiple) * multiple and (part[items.size :] == -1).all()
        numpy.testing.assert_array_equal(places[inverse[items]], items)
    counts = numpy.bincount(groups[(groups >= 0) & (groups < how_many)], minlength=how_many)
    numpy.testing.assert_array_equal(upsweep.histogram(groups, how_many), counts)
    items, begins = upsweep.expand(numpy.maximum(groups, 0), offsets=True)
    numpy.testing.assert_array_equal(items, numpy.repeat(numpy.arange(n), numpy.maximum(groups, 0)))
    numpy.testing.assert_array_equal(begins, numpy.concatenate([[0], numpy.cumsum(numpy.maximum(groups, 0))]))


@given(rows(["int32", "float32", "uint64"]), st.integers(0, 800))
def test_counts_that_stay_on_the_device(x, count):
    n = upsweep.DeviceCount(numpy.array([count]), x.size)
    here = min(count, x.size)
    assert int(n) == here
    numpy.testing.assert_array_equal(upsweep.sort(x, n=n)[:here], numpy.sort(x[:here]))
    numpy.testing.assert_array_equal(upsweep.argsort(x, n=n)[:here], numpy.argsort(x[:here], kind="stable"))
    y = numpy.round(x).astype(x.dtype) % 100
    numpy.testing.assert_array_equal(upsweep.cumsum(y, n=n, dtype=y.dtype)[:here], numpy.cumsum(y[:here], dtype=y.dtype))
    numpy.testing.assert_array_equal(upsweep.select(x, x > 0, n=n), x[:here][x[:here] > 0])
    numpy.testing.assert_array_equal(upsweep.nonzero(x > 0, n=n), numpy.flatnonzero(x[:here] > 0))


def wrong_behind(x, count):
    """x, with something else after the items that count."""
    y = x.copy()
    y[count:] = numpy.random.default_rng(5).integers(0, 9, x.size - count).astype(x.dtype)
    return y


@given(rows(["int32", "float32", "uint64"]), rows(["int32"]), st.integers(0, 800), st.integers(0, 800))
def test_every_call_takes_a_count(x, other, count, of_other):
    here, there = min(count, x.size), min(of_other, other.size)
    n = upsweep.DeviceCount(numpy.array([count]), x.size)
    m = upsweep.DeviceCount(numpy.array([of_other]), other.size)
    front = x[:here]
    order = numpy.argsort(front, kind="stable")
    for width in (4, 8, 12):
        values = numpy.random.default_rng(width).integers(0, 256, (x.size, width), dtype=numpy.uint8)
        keys, moved = upsweep.sort_by_key(x, values, n=n)
        numpy.testing.assert_array_equal(keys[:here], front[order])
        numpy.testing.assert_array_equal(moved[:here], values[:here][order])
    values, places = upsweep.topk(x, 9, largest=False, n=n)
    numpy.testing.assert_array_equal(values[: min(9, here)], front[order][:9])
    numpy.testing.assert_array_equal(places[: min(9, here)], order[:9])
    ordered = wrong_behind(numpy.concatenate([numpy.sort(front), x[here:]]), here)
    second = numpy.concatenate([numpy.sort(other[:there].astype(x.dtype)), other[there:].astype(x.dtype)])
    numpy.testing.assert_array_equal(
        upsweep.merge(ordered, second, n_a=n, n_b=m)[: here + there],
        numpy.sort(numpy.concatenate([ordered[:here], second[:there]])),
    )
    for side in ("left", "right"):
        found = upsweep.searchsorted(ordered, second, side=side, n_keys=n, n_needles=m)
        numpy.testing.assert_array_equal(found[:there], numpy.searchsorted(ordered[:here], second[:there], side))
    for got, expected in zip(upsweep.run_length_encode(ordered, n=n), numpy.unique(ordered[:here], return_counts=True)):
        numpy.testing.assert_array_equal(got, expected)
    kept, sums, runs = upsweep.reduce_by_key(ordered, numpy.ones(x.size), n=n, count="device")
    expected, lengths = numpy.unique(ordered[:here], return_counts=True)
    assert int(runs) == expected.size
    numpy.testing.assert_array_equal(kept[: expected.size], expected)
    numpy.testing.assert_array_equal(sums[: expected.size], lengths)
    told = upsweep.unique(x, counts=True, inverse=True, n=n, count="device")
    assert int(told[3]) == expected.size
    for got, wanted in zip(told, numpy.unique(front, return_inverse=True, return_counts=True)):
        numpy.testing.assert_array_equal(got[: wanted.size], wanted)
    op = "min" if x.dtype.kind == "f" else "xor"
    ufunc = numpy.minimum if op == "min" else numpy.bitwise_xor
    numpy.testing.assert_array_equal(upsweep.scan(x, op, n=n)[:here], ufunc.accumulate(front) if here else front)


@given(st.integers(0, 900), st.integers(0, 900), st.integers(0, 1 << 30))
def test_groups_and_segments_take_a_count(size, count, seed):
    r = numpy.random.default_rng(seed)
    groups, here = r.integers(0, 9, size).astype(numpy.int32), min(count, size)
    n = upsweep.DeviceCount(numpy.array([count]), size)
    places, offsets = upsweep.group_by(groups, 9, n=n)
    numpy.testing.assert_array_equal(places[:here], numpy.argsort(groups[:here], kind="stable"))
    counts = numpy.bincount(groups[:here], minlength=9)
    numpy.testing.assert_array_equal(numpy.diff(offsets), counts)
    numpy.testing.assert_array_equal(upsweep.histogram(groups, 9, n=n), counts)
    room = int(groups[:here].sum()) // 2 + 3
    items, total = upsweep.expand(groups, total=room, n=n, count="device")
    expected = numpy.repeat(numpy.arange(here), groups[:here])[:room]
    assert int(total) == expected.size
    numpy.testing.assert_array_equal(items[: expected.size], expected)
    x = r.standard_normal(size).astype(numpy.float32)
    cuts = numpy.sort(r.integers(0, here + 1, 5))
    cuts = numpy.concatenate([[0], cuts, [here]])
    got, moved = upsweep.segmented_sort(x, cuts, values=x.astype(numpy.float64), n=n)
    expected = numpy.concatenate([numpy.sort(x[a:b]) for a, b in zip(cuts, cuts[1:])])
    numpy.testing.assert_array_equal(got[:here], expected)
    numpy.testing.assert_array_equal(moved[:here], expected)
    numpy.testing.assert_array_equal(
        upsweep.cumsum(groups, segments=cuts, n=n)[:here],
        numpy.concatenate([numpy.cumsum(groups[a:b]) for a, b in zip(cuts, cuts[1:])]),
    )
    numpy.testing.assert_array_equal(upsweep.cumsum(groups, keys=groups * 0, n=n)[:here], numpy.cumsum(groups[:here]))


@given(rows(["float32", "float64"], st.integers(0, 900)), st.booleans(), st.sampled_from(["last", "first"]), st.integers(0, 1 << 30))
def test_nan_orders_of_all_sorts(x, descending, nan, seed):
    r = numpy.random.default_rng(seed)
    x[r.random(x.size) < 0.3] = numpy.nan
    numbers, nans = numpy.flatnonzero(~numpy.isnan(x)), numpy.flatnonzero(numpy.isnan(x))
    order = numbers[numpy.argsort(-x[numbers] if descending else x[numbers], kind="stable")]
    order = numpy.concatenate([order, nans] if nan == "last" else [nans, order])
    how = {"descending": descending, "nan": nan}
    places = numpy.arange(x.size, dtype=numpy.int32)
    for width in ("int32", "int64"):
        numpy.testing.assert_array_equal(upsweep.sort_by_key(x, places.astype(width), **how)[1], order)
        whole = numpy.array([0, x.size])
        numpy.testing.assert_array_equal(upsweep.segmented_sort(x, whole, values=places.astype(width), **how)[1], order)
    numpy.testing.assert_array_equal(upsweep.topk(x, 30, largest=descending, nan=nan)[1], order[:30])
    half = x.size // 2
    a, b = upsweep.sort(x[:half], **how), upsweep.sort(x[half:], **how)
    assert upsweep.merge(a, b, **how).tobytes() == x[order].tobytes()
    ordered = x[order]
    first = upsweep.searchsorted(ordered, x, **how)
    last = upsweep.searchsorted(ordered, x, side="right", **how)
    assert (first < last).all()
    for i in range(0, x.size, 50):
        same = numpy.isnan(ordered) if numpy.isnan(x[i]) else ordered == x[i]
        numpy.testing.assert_array_equal(numpy.flatnonzero(same), numpy.arange(first[i], last[i]))


def test_first_nans_of_many_keys():
    # In a tile that is not full no key need have the last digit: what pads it must not come first.
    for dtype, n in (("float16", 70_001), ("float32", 20_003)):
        x = numpy.random.default_rng(n).standard_normal(n).astype(dtype)
        x[::7] = numpy.nan
        order = numpy.concatenate([numpy.flatnonzero(numpy.isnan(x)), numpy.argsort(x, kind="stable")[: n - (n + 6) // 7]])
        numpy.testing.assert_array_equal(upsweep.argsort(x, nan="first"), order)


@given(arrays.arrays(st.sampled_from(["int32", "uint64", "int64", "float32"]), arrays.array_shapes(max_dims=3, max_side=9, min_side=0),
                     elements=st.integers(0, 100)), st.data())
def test_scans_along_an_axis(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    ops = {"max": numpy.maximum, "min": numpy.minimum, "product": numpy.multiply}
    if x.dtype.kind != "f":
        ops |= {"and": numpy.bitwise_and, "or": numpy.bitwise_or, "xor": numpy.bitwise_xor}
    else:
        x %= 3
    op, reverse = data.draw(st.sampled_from(sorted(ops))), data.draw(st.booleans())
    if x.dtype.kind == "i":
        x = x - 50
    there = numpy.flip(x, axis) if reverse else x
    expected = ops[op].accumulate(there, axis, dtype=x.dtype) if x.size else x
    got = upsweep.scan(x, op, axis, reverse=reverse)
    numpy.testing.assert_array_equal(got, numpy.flip(expected, axis) if reverse else expected)
    init = x.dtype.type(3)
    first = numpy.full_like(numpy.take(x, [0], axis) if x.size else x, init)
    got = upsweep.scan(x, op, axis, exclusive=True, init=3)
    if x.size and x.ndim > 1:
        shifted = numpy.concatenate([first, numpy.delete(x, -1, axis)], axis)
        numpy.testing.assert_array_equal(got, ops[op].accumulate(shifted, axis, dtype=x.dtype))


@given(arrays.arrays(st.sampled_from(["int32", "uint64", "float32"]), arrays.array_shapes(max_dims=3, max_side=9),
                     elements=st.integers(0, 100)), st.data())
def test_a_count_along_an_axis(x, data):
    axis, op = data.draw(st.integers(-x.ndim, x.ndim - 1)), data.draw(st.sampled_from(["sum", "max", "min"]))
    reverse, stays = data.draw(st.booleans()), data.draw(st.booleans())
    count = data.draw(st.integers(0, x.shape[axis]))
    n = upsweep.DeviceCount(numpy.array([count]), 1000) if stays else count
    front = numpy.take(x, range(count), axis)
    f = {"sum": numpy.add, "max": numpy.maximum, "min": numpy.minimum}[op]
    there = numpy.flip(front, axis) if reverse else front
    expected = f.accumulate(there, axis, dtype=x.dtype) if front.size else front
    expected = numpy.flip(expected, axis) if reverse else expected
    before = x.copy()
    got = upsweep.scan(x, op, axis, reverse=reverse, n=n)
    numpy.testing.assert_array_equal(numpy.take(got, range(count), axis), expected)
    numpy.testing.assert_array_equal(x, before)
    if op == "sum":
        got = upsweep.cumsum(x, axis, x.dtype, reverse=reverse, n=n, out=x)
        assert got is x
        numpy.testing.assert_array_equal(numpy.take(got, range(count), axis), expected)


def test_an_n_along_an_axis_is_checked():
    with pytest.raises(ValueError, match="n is 4; x has 3 items along the axis"):
        upsweep.cumsum(numpy.zeros((3, 5)), 0, n=4)


def test_places_of_many_flags():
    flags = numpy.random.default_rng(1).integers(0, 3, 600_001, dtype=numpy.uint8)
    for x in (flags, flags[1:], flags[16:] > 0):
        places = upsweep.nonzero(x)
        assert places.dtype == numpy.int32
        numpy.testing.assert_array_equal(places, numpy.flatnonzero(x))
        places, n = upsweep.nonzero(x, dtype="int64", count="device")
        numpy.testing.assert_array_equal(places[: int(n)], numpy.flatnonzero(x))


def test_sorts_into_arrays():
    x = numpy.random.default_rng(1).standard_normal(3000).astype(numpy.float32)
    x[::7] = numpy.nan
    places = numpy.empty(3000, numpy.int32)
    assert upsweep.argsort(x, out=places) is places
    numpy.testing.assert_array_equal(places, numpy.argsort(x, kind="stable"))
    assert upsweep.sort(x, nan="first", out=(out := numpy.empty_like(x))) is out
    assert numpy.isnan(out[: numpy.isnan(x).sum()]).all()
    with pytest.raises(ValueError, match="out"):
        upsweep.sort(x, out=x[1:])
    with pytest.raises(TypeError, match="out"):
        upsweep.argsort(x, out=x.copy())


def test_plans_with_a_count():
    x = numpy.random.default_rng(1).standard_normal(3000).astype(numpy.float32)
    out, places, n = numpy.empty_like(x), numpy.empty(x.size, numpy.int32), numpy.array([1234])
    upsweep.sort_plan(x, counted=True)(x, out, n)
    numpy.testing.assert_array_equal(out[:1234], numpy.sort(x[:1234]))
    upsweep.argsort_plan(x, counted=True)(x, places, n)
    numpy.testing.assert_array_equal(places[:1234], numpy.argsort(x[:1234]))
    upsweep.cumsum_plan(numpy.round(x), counted=True)(numpy.round(x), out, n)
    numpy.testing.assert_array_equal(out[:1234], numpy.cumsum(numpy.round(x)[:1234]))
    mask, count = x > 0, numpy.zeros(1, numpy.int64)
    upsweep.select_plan(x, mask, counted=True)(x, mask, out, count, n)
    numpy.testing.assert_array_equal(out[: count[0]], x[:1234][mask[:1234]])


def test_select_into_what_is_given():
    for x in (numpy.arange(500), numpy.arange(600, dtype=numpy.uint8).reshape(200, 3)):
        mask = numpy.random.default_rng(1).random(x.shape[0]) < 0.5
        out, n = numpy.zeros_like(x), upsweep.DeviceCount.empty(x, x.shape[0])
        got, count = upsweep.select(x, mask, out=out, count=n)
        assert got is out and count is n and int(n) == mask.sum()
        numpy.testing.assert_array_equal(out[: int(n)], x[mask])
    for wrong, words in (
        ((x, mask[:3], out, n), "mask has shape"),
        ((x, mask, out[:9], n), "out has 27 elements"),
        ((x, mask, out.astype("int8"), n), "out is int8"),
        ((x, mask, read_only(out.copy()), n), "out is read-only"),
        ((x, mask, out, upsweep.DeviceCount(numpy.zeros(1, numpy.int32), 9)), "count is int32"),
        ((x, mask, x, n), None),
    ):
        if words is None:  # in place is one of the ways
            assert upsweep.select(wrong[0], wrong[1], out=wrong[2], count=wrong[3])[0] is x
            continue
        with pytest.raises((TypeError, ValueError), match=words):
            upsweep.select(wrong[0], wrong[1], out=wrong[2], count=wrong[3])


def test_runs_and_groups_into_what_is_given():
    x = numpy.array([4, 4, 1, 1, 1, 4], numpy.int32)
    room = numpy.zeros(9, numpy.int32), numpy.zeros(9, numpy.int32)  # more than is needed
    for call, expected in (
        (upsweep.run_length_encode, ([4, 1, 4], [2, 3, 1])),
        (lambda x, **more: upsweep.reduce_by_key(x, x, **more), ([4, 1, 4], [8, 3, 4])),
        (lambda x, **more: upsweep.unique(x, counts=True, **more), ([1, 4], [3, 3])),
    ):
        for got, o, e in zip(call(x, out=room), room, expected):
            assert numpy.shares_memory(got, o) and got.tolist() == e
        told = call(x, out=room, count="device")
        assert told[0] is room[0] and told[1] is room[1] and int(told[2]) == len(expected[0])
    kept, inverse = numpy.zeros(6, numpy.int32), numpy.zeros((2, 3), numpy.int32)
    told = upsweep.unique(x.reshape(2, 3), inverse=True, out=(kept, inverse))
    assert told[1] is inverse and inverse.tolist() == [[1, 1, 0], [0, 0, 1]] and told[0].tolist() == [1, 4]
    assert upsweep.unique(x, out=kept).tolist() == [1, 4] and kept[:2].tolist() == [1, 4]
    groups = numpy.array([1, 0, 1, 7], numpy.int64)
    outs = numpy.zeros(4, numpy.int32), numpy.zeros(3, numpy.int64), numpy.zeros(4, numpy.int32)
    for got, o in zip(upsweep.group_by(groups, 2, inverse=True, out=outs), outs):
        assert got is o
    assert [o.tolist() for o in outs] == [[1, 0, 2, 0], [0, 1, 3], [1, 0, 2, -1]]
    for dtype in (numpy.int32, numpy.int64):
        assert upsweep.histogram(groups, 3, out=(counts := numpy.zeros(3, dtype))) is counts and counts.tolist() == [1, 2, 0]
    places, begins = numpy.zeros(5, numpy.int32), numpy.zeros(4, numpy.int64)
    told = upsweep.expand(numpy.array([2, 0, 3], numpy.int32), offsets=True, out=(places, begins))
    assert told[0] is places and places.tolist() == [0, 0, 2, 2, 2] and begins.tolist() == [0, 2, 2, 5]
    assert upsweep.expand(numpy.array([2, 3]), total=5, out=places) is places and places.tolist() == [0, 0, 1, 1, 1]


def test_plans():
    x = numpy.random.default_rng(1).standard_normal(3000).astype(numpy.float32)
    for nan in ("last", "bits"):
        out, places = numpy.empty_like(x), numpy.empty(x.size, numpy.int32)
        upsweep.sort_plan(x, nan=nan)(x, out)
        numpy.testing.assert_array_equal(out, numpy.sort(x))
        upsweep.argsort_plan(x, nan=nan)(x, places)
        numpy.testing.assert_array_equal(places, numpy.argsort(x))
    whole = numpy.arange(3000, dtype=numpy.float32)
    for reproducible in (False, True):
        upsweep.cumsum_plan(whole, exclusive=True, reproducible=reproducible)(whole, out)
        numpy.testing.assert_array_equal(out, numpy.cumsum(whole) - whole)
    mask, count = x > 0, numpy.zeros(1, numpy.int64)
    plan = upsweep.select_plan(x, mask)
    plan(x, mask, out, count)
    numpy.testing.assert_array_equal(out[: count[0]], x[mask])
    assert "select(x, mask, out, count)" in repr(plan)
    with pytest.raises(TypeError, match=r"the plan takes \(x, mask, out, count\)"):
        plan(x, mask)
    with pytest.raises(ValueError, match="mask is float32 of shape .* the plan expects a dense bool of shape"):
        plan(x, x, out, count)
    with pytest.raises(ValueError, match="out shares memory with x"):
        plan(x, mask, x, count)
    with pytest.raises(ValueError, match="out shares memory with n"):
        n = numpy.array([3, 1, 2])
        upsweep.sort_plan(n, counted=True)(n, out := n.copy(), out[:1])
    with pytest.raises(TypeError, match=r"the plan takes \(x, mask, out, count\), by position"):
        plan(x, mask, out=x, count=count)
    upsweep.cumsum_plan(whole)(whole, whole)  # as out=x of cumsum
    numpy.testing.assert_array_equal(whole, numpy.cumsum(numpy.arange(3000), dtype=numpy.float32))


def test_what_a_call_writes_to():
    x = numpy.array([3, 1, 2], numpy.int32)
    out = numpy.empty_like(x)
    assert upsweep.sort(x, out=out) is out
    numpy.testing.assert_array_equal(out, [1, 2, 3])
    assert upsweep.cumsum(x, dtype="int32", out=x) is x
    numpy.testing.assert_array_equal(x, [3, 4, 6])


def read_only(x):
    x.flags.writeable = False
    return x


x3 = numpy.array([3, 1, 2], numpy.int32)


class Derived(numpy.ndarray):
    """An array of a type of somebody else."""


def ends(*places):
    return numpy.array(places, numpy.int64)


def counted_in(x):
    return upsweep.DeviceCount(x[:1], x.size)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: upsweep.sort([3, 1]), TypeError, "list is not an array.*numpy.asarray"),
        (lambda: upsweep.sort(numpy.arange(9)[::2]), ValueError, "x is not dense.*ascontiguousarray"),
        (lambda: upsweep.sort(x3.astype(">i4")), ValueError, "another byte order"),
        (lambda: upsweep.sort(x3.astype(complex)), TypeError, "x has elements of type complex128"),
        (lambda: upsweep.sort(numpy.array(["a"])), TypeError, "x has elements of type"),
        (lambda: upsweep.sort(numpy.eye(2)), ValueError, r"x has shape \(2, 2\); one axis is sorted"),
        (lambda: upsweep.sort(numpy.float32(1)), ValueError, r"x has shape \(\)"),
        (lambda: upsweep.sort(x3, out=read_only(numpy.zeros(3, numpy.int32))), ValueError, "out is read-only"),
        (lambda: upsweep.sort(x3, out=numpy.zeros(3)), TypeError, "out is float64 of shape .* expected elements of type int32"),
        (lambda: upsweep.sort(x3, out=numpy.zeros(2, numpy.int32)), ValueError, "out has 2 elements; expected 3"),
        (lambda: upsweep.sort(x3, out=x3), ValueError, "out shares memory with x"),
        (lambda: upsweep.sort(x3, nan="sideways"), ValueError, 'nan is \'sideways\'; expected "last", "first" or "bits"'),
        (lambda: upsweep.sort(x3, bits=(0, 99)), ValueError, r"bits is \(0, 99\); expected .* <= 32, of int32"),
        (lambda: upsweep.sort(x3, bits=(0, -1)), ValueError, r"bits is \(0, -1\); expected"),
        (lambda: upsweep.sort(x3.astype("float16"), bits=5), ValueError, "bits is 5; expected .* <= 16, of float16"),
        (lambda: upsweep.sort_plan(x3, bits=(5, 3)), ValueError, r"bits is \(5, 3\); expected"),
        (lambda: upsweep.sort(x3, n=2.5), TypeError, "n is 2.5; expected an int"),
        (lambda: upsweep.sort(x3, n=-1), ValueError, "n is -1; expected 0 or more"),
        (lambda: upsweep.sort(x3, stream="a"), TypeError, "stream is not a number; expected that of a stream"),
        (lambda: upsweep.sort(numpy.array(["2026-01-01"], "M8[D]")), TypeError, r"datetime64\[D\]; .* as x.view\('int64'\)"),
        (lambda: upsweep.sort(numpy.array([1, None])), TypeError, "x has elements of type object"),
        (lambda: upsweep.sort(numpy.ma.masked_array(x3, [0, 1, 0])), TypeError, "x is a masked array.*x.compressed"),
        (lambda: upsweep.sort(x3.astype(">i4").view(Derived)), ValueError, "another byte order"),
        (lambda: upsweep.argsort(x3, dtype="int8"), ValueError, "dtype is int8; expected int32 or int64"),
        (lambda: upsweep.histogram(x3, 4, dtype="float32"), ValueError, "dtype is float32; expected int32 or int64"),
        (lambda: upsweep.nonzero(x3, dtype=float), ValueError, "dtype is float64; expected int32 or int64"),
        (lambda: upsweep.compact([x3, x3], x3 > 1, out=[x3.copy()]), ValueError, "out is 1 arrays; expected a tuple of 2"),
        (lambda: upsweep.compact([x3, -x3], x3 > 1, out=[o := x3.copy(), o]), ValueError, "out shares memory with another out"),
        (lambda: upsweep.compact([x3, y := -x3], x3 > 1, out=[y, x3.copy()]), ValueError, "out shares memory with another x"),
        (lambda: upsweep.compact(numpy.eye(3), x3 > 1), TypeError, "arrays is one ndarray; expected a list of arrays"),
        (lambda: upsweep.compact((x for x in [x3]), x3 > 1), TypeError, "arrays is one generator; expected a list"),
        (lambda: upsweep.compact([], x3 > 1), ValueError, "arrays is an empty list; expected at least one"),
        (lambda: upsweep.select(ends(1, 2), x3[:2] > 1, out=(o := ends(0, 0)), count=counted_in(o)), ValueError, "count shares memory with out"),
        (lambda: upsweep.select(o := ends(1, 2), x3[:2] > 1, count=counted_in(o)), ValueError, "count shares memory with x"),
        (lambda: upsweep.nonzero(x3 > 1, out=(o := ends(0, 0, 0)), count=counted_in(o)), ValueError, "count shares memory with out"),
        (lambda: upsweep.run_length_encode(x3, out=x3.copy()), ValueError, "out is one ndarray; expected a tuple of 2: items, lengths"),
        (lambda: upsweep.run_length_encode(x3, out=(x3, x3.copy())), ValueError, r"out\[0\] shares memory with x"),
        (lambda: upsweep.reduce_by_key(x3, -x3, out=(o := x3.copy(), o)), ValueError, r"out\[1\] shares memory with out\[0\]"),
        (lambda: upsweep.reduce_by_key(x3, y := -x3, out=(y, x3.copy())), ValueError, r"out\[0\] shares memory with values"),
        (lambda: upsweep.run_length_encode(x3, out=(x3[:2].copy(), x3.copy())), ValueError, "out has 2 elements; expected at least 3"),
        (lambda: upsweep.unique(x3, counts=True, out=x3.copy()), ValueError, "out is one ndarray; expected a tuple of 2: items, counts"),
        (lambda: upsweep.unique(x3, out=x3), ValueError, "out shares memory with x"),
        (lambda: upsweep.unique(x3, counts=True, out=(x3.copy(), x3)), ValueError, r"out\[1\] shares memory with x"),
        (lambda: upsweep.unique(x3, inverse=True, out=(o := x3.copy(), o)), ValueError, r"out\[1\] shares memory with out\[0\]"),
        (lambda: upsweep.topk(ends(3, 2), 2, n=counted_in(o := ends(2, 0)), out=(o, ends(0, 0))), ValueError, r"out\[0\] shares memory with n"),
        (lambda: upsweep.sort_by_key(x3, numpy.zeros((3, 0))), ValueError, r"values has shape \(3, 0\), rows of no items; leave it away"),
        (lambda: upsweep.group_by(x3, 4, out=(x3, ends(0, 0, 0, 0, 0))), ValueError, r"out\[0\] shares memory with groups"),
        (lambda: upsweep.group_by(x3, 4, out=(x3.copy(), ends(0))), ValueError, r"out\[1\] has 1 elements; expected 5"),
        (lambda: upsweep.histogram(x3, 3, out=x3), ValueError, "out shares memory with groups"),
        (lambda: upsweep.histogram(x3, 3, out=numpy.zeros(3)), TypeError, "out is float64 of shape .* expected elements of type int64"),
        (lambda: upsweep.expand(x3, total=3, out=x3), ValueError, "out shares memory with counts"),
        (lambda: upsweep.scan(x3.astype("float32"), init=1e300), ValueError, r"init is 1e\+300; expected a number that float32 can hold"),
        (lambda: upsweep.cumsum(x3.astype("f2"), out=x3.astype("f2")), TypeError, "pass dtype=\"float32\" with an out of that type"),
        (lambda: upsweep.sort_by_key(x3, x3, out=x3.copy()), ValueError, "out is one ndarray; expected a tuple of 2: keys, values"),
        (lambda: upsweep.sort_by_key(x3, x3, out=(o := x3.copy(), o)), ValueError, r"out shares memory with out\[0\]"),
        (lambda: upsweep.sort_by_key(x3, y := -x3, out=(y, x3.copy())), ValueError, r"out\[0\] shares memory with values"),
        (lambda: upsweep.sort_by_key(x3, numpy.zeros((3, 70000), "u1")), ValueError, "rows of 70000 bytes; at most 65536"),
        (lambda: upsweep.topk(x3, 2, out=x3[:2].copy()), ValueError, "out is one ndarray; expected a tuple of 2: items, places"),
        (lambda: upsweep.topk(numpy.arange(3), 2, out=(o := numpy.zeros(2, int), o)), ValueError, r"out\[1\] shares memory"),
        (lambda: upsweep.topk(x3, 1.5), TypeError, "k is 1.5; expected an int"),
        (lambda: upsweep.segmented_sort(x3, ends(0, 9)), ValueError, "offsets has 9; expected places in x, 0 to 3"),
        (lambda: upsweep.segmented_sort(x3, ends(-5, 2)), ValueError, "offsets has -5; expected places in x"),
        (lambda: upsweep.segmented_sort(x3, ends(0, 3), values=-x3, out=(o := x3.copy(), o)), ValueError, "out.* shares memory"),
        (lambda: upsweep.cumsum(x3, segments=ends(-1, 3)), ValueError, "segments has -1; expected places in x, 0 to 3"),
        (lambda: upsweep.scan(x3, "max", segments=ends(0, 4)), ValueError, "segments has 4; expected places in x, 0 to 3"),
        (lambda: upsweep.scan(x3, "max", keys=x3[:2]), ValueError, "keys has 2 items and x has 3"),
        (lambda: upsweep.scan(x3, "max", keys=x3 * 0.5), TypeError, "keys is float64 .* expected integers of 32 or 64 bits"),
        (lambda: upsweep.scan(x3, "max", keys=x3, segments=ends(0, 3)), NotImplementedError, "keys and segments are two ways"),
        (lambda: upsweep.scan(x3, "max", keys=x3, reverse=True), NotImplementedError, "keys= goes with one axis, and not with reverse="),
        (lambda: upsweep.scan(x3, "max", keys=x3, init=1), NotImplementedError, "init= .* of parts is available with exclusive=True"),
        (lambda: upsweep.scan(x3, "max", keys=(k := x3.copy()), out=k), ValueError, "out shares memory with keys"),
        (lambda: upsweep.scan(x3.reshape(1, 3), "max", 1, segments=ends(0, 3)), NotImplementedError, "segments= goes with one axis"),
        (lambda: upsweep.cumsum(x3 * 0.5, keys=x3, reproducible=True), NotImplementedError, "reproducible=True is not available by keys="),
        (lambda: upsweep.select(x3, x3 > 1, capacity=-1), ValueError, "capacity is -1; expected 0 or more"),
        (lambda: upsweep.select(x3, x3 > 1, capacity=1.5), TypeError, "capacity is 1.5; expected an int"),
        (lambda: upsweep.group_by(x3, 4, multiple=0), ValueError, "multiple is 0; expected 1 or more"),
        (lambda: upsweep.group_by(x3 * 0.5, 4), TypeError, "groups is float64 of shape .* expected integers"),
        (lambda: upsweep.expand(numpy.array([9, -7])), ValueError, "counts has -7; expected 0 or more"),
        (lambda: upsweep.expand(numpy.array([9, -7]), total=4), ValueError, "counts has -7; expected 0 or more"),
        (lambda: upsweep.expand(numpy.array([-7], "i4")), ValueError, "counts has -7; expected 0 or more"),
        (lambda: upsweep.expand(numpy.array([-7], "i1"), total=4), ValueError, "counts has -7; expected 0 or more"),
        (
            lambda: upsweep.expand(numpy.array([1 << 32, 1]), total=4, offsets=True),
            ValueError,
            "counts has 4294967296; expected 2147483647 or less",
        ),
        (
            lambda: upsweep.expand(numpy.array([1, 1 << 63], "u8"), total=4),
            ValueError,
            "counts has 9223372036854775808; expected 2147483647 or less",
        ),
        (lambda: upsweep.expand(x3, total=-1), ValueError, "total is -1; expected 0 or more"),
        (lambda: upsweep.scan(x3, numpy.add), ValueError, "op is <ufunc 'add'>; expected one of sum"),
        (lambda: upsweep.scan(x3, init=2.5), ValueError, "init is 2.5; expected a number that int32 can hold"),
        (lambda: upsweep.scan(x3, init=1 << 40), ValueError, "init is 1099511627776; expected a number that int32 can hold"),
        (lambda: upsweep.scan(x3, init=x3), ValueError, r"init is array\(.*; expected a number"),
        (lambda: upsweep.scan(numpy.eye(2), axis=(0, 1)), TypeError, r"axis is \(0, 1\); expected an int"),
        (lambda: upsweep.cumsum(x3, axis=0.5), TypeError, "axis is 0.5; expected an int"),
        (lambda: int(upsweep.DeviceCount(x3[:1], 9)), TypeError, "the array of a count is int32 .*; expected one int64"),
        (lambda: upsweep.DeviceCount(numpy.array([3]), -9), ValueError, "bound is -9; expected 0 or more"),
        (lambda: upsweep.sort(x3, n=4), ValueError, "n is 4; x has 3 items"),
        (lambda: upsweep.select(x3, x3), TypeError, "mask is int32 of shape .*expected bool: pass mask != 0"),
        (lambda: upsweep.select(x3, x3[:2] > 1), ValueError, r"mask has shape \(2,\) and x has shape \(3,\)"),
        (lambda: upsweep.select(x3, x3 > 1, count="maybe"), ValueError, "count is 'maybe'"),
        (lambda: upsweep.select(x3, x3 > 1, out=x3[:1].copy()), ValueError, "out has 1 elements; expected at least 3"),
        (lambda: upsweep.scan(x3, "average"), ValueError, "op is 'average'; expected one of sum, product, min"),
        (lambda: upsweep.scan(x3.astype("int16"), "max"), NotImplementedError, "there is no max of int16"),
        (lambda: upsweep.scan(x3.astype("float32"), "xor"), NotImplementedError, "there is no xor of float32"),
        (lambda: upsweep.scan(numpy.eye(2), "max"), ValueError, r"x has shape \(2, 2\); pass axis="),
        (lambda: upsweep.expand(x3, count="device"), ValueError, "asks for total="),
        (lambda: upsweep.group_by(x3, 70000), ValueError, "how_many is 70000; expected 1 to 65536"),
        (lambda: upsweep.histogram(x3, 0), ValueError, "how_many is 0; expected 1 to 65536"),
        (lambda: upsweep.topk(x3.astype("int8"), 1), NotImplementedError, "x is int8.*convert it to 32 or 64 bits"),
        (lambda: upsweep.cumsum(x3, axis=1), ValueError, "axis is 1; x has 1 axes"),
        (lambda: upsweep.cumsum(x3, dtype="int16"), TypeError, "dtype is int16"),
        (lambda: upsweep.cumsum(x3, dtype="int32", out=x3[::-1]), ValueError, "out is not dense"),
        (lambda: upsweep.segmented_sort(x3, x3), TypeError, "offsets is int32 of shape .* expected int64"),
        (lambda: upsweep.sort_by_key(x3, x3[:2]), ValueError, "expected 3 rows"),
        (lambda: upsweep.unique(x3.astype("int16")), TypeError, "x is int16.*convert it"),
    ],
)
def test_mistakes_are_told_in_a_sentence(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_types_are_named_as_numpy_takes_them():
    for dtype in ("f4", "float32", numpy.float32, numpy.dtype("float32")):
        assert upsweep.cumsum(x3, dtype=dtype).dtype == numpy.float32
    assert upsweep.cumsum(x3, dtype=int).dtype == numpy.int64 and upsweep.cumsum(x3, dtype=float).dtype == numpy.float64
    for call in (upsweep.argsort, upsweep.nonzero, lambda x, dtype: upsweep.histogram(x, 4, dtype=dtype)):
        assert call(x3, dtype=numpy.int64).dtype == numpy.int64 and call(x3, dtype="i4").dtype == numpy.int32


def test_integers_of_64_bits_do_not_wrap():
    for far, dtype in (([1 << 32, -(1 << 40), 1, 1 << 62], "int64"), ([1 << 32, 1 << 63, 1, (1 << 64) - 1], "uint64")):
        x = numpy.array(far, dtype)
        numpy.testing.assert_array_equal(upsweep.histogram(x, 3), [0, 1, 0])
        numpy.testing.assert_array_equal(upsweep.group_by(x, 3)[1], [0, 0, 1, 1])
    # Of those that count alone, the largest there are.
    far = numpy.array([(1 << 31) - 1, 1, 1 << 40, -7])
    count = upsweep.DeviceCount(numpy.array([2]), 4)
    for counts, n, begins in (
        (far, 2, [0, (1 << 31) - 1, 1 << 31]),
        (far, count, [0, (1 << 31) - 1, 1 << 31]),
        (numpy.array([(1 << 32) - 1, 1], "u4"), None, [0, (1 << 32) - 1, 1 << 32]),
    ):
        places, told = upsweep.expand(counts, total=3, offsets=True, n=n)
        numpy.testing.assert_array_equal(places, [0, 0, 0])
        numpy.testing.assert_array_equal(told[:3], begins)


def test_arrays_of_derived_types():
    x = numpy.arange(9, dtype=numpy.int32)[::-1].copy()
    numpy.testing.assert_array_equal(upsweep.sort(x.view(Derived)), numpy.arange(9))
    upsweep.sort(x, out=(out := numpy.empty_like(x)).view(Derived))
    numpy.testing.assert_array_equal(out, numpy.arange(9))


def test_the_inverse_of_unique_has_the_shape_of_x():
    for x in (numpy.array([[5, 2, 5], [2, 2, 9]]), numpy.array(3)):
        kept, inverse = upsweep.unique(x, inverse=True)
        assert inverse.shape == x.shape
        numpy.testing.assert_array_equal(kept[inverse], x)


def test_no_items_anywhere():
    none, of_one = numpy.zeros(0, numpy.int32), numpy.zeros((0, 3))
    assert [a.shape for a in upsweep.sort_by_key(none, of_one)] == [(0,), (0, 3)]
    assert upsweep.merge(none, x3).tolist() == [3, 1, 2] and upsweep.searchsorted(none, x3).tolist() == [0, 0, 0]
    assert [a.size for a in upsweep.topk(none, 3)] == [0, 0]
    assert upsweep.expand(none, offsets=True)[1].tolist() == [0]
    assert upsweep.group_by(none, 3, multiple=4)[1].tolist() == [0] * 4 and upsweep.histogram(none, 3).tolist() == [0] * 3
    assert [a.size for a in upsweep.run_length_encode(none)] == [0, 0]
    assert [a.size for a in upsweep.unique(none, counts=True, inverse=True)] == [0, 0, 0]
    assert upsweep.segmented_sort(none, ends(0, 0)).size == 0 and upsweep.cumsum(none, segments=ends(0, 0)).size == 0
    assert upsweep.scan(none, "max", init=3).size == 0 and int(upsweep.nonzero(none, count="device")[1]) == 0
    assert upsweep.compact([of_one], none > 0)[0].shape == (0, 3) and upsweep.partition(none, none > 0)[1] == 0
    upsweep.sort_plan(none)(none, none.copy())


def test_threads_at_once():
    def work(seed):
        r = numpy.random.default_rng(seed)
        for _ in range(8):
            x = r.integers(-9, 9, r.integers(1, 3000)).astype(numpy.float32)
            told.append((upsweep.sort(x) == numpy.sort(x)).all() and (upsweep.select(x, x > 0) == x[x > 0]).all())

    told = []
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(told) == 32 and all(told)


def test_nothing_is_held_of_arrays():
    x, out = numpy.arange(9, dtype=numpy.int32), numpy.empty(9, numpy.int32)
    mask, count = x > 3, upsweep.DeviceCount.empty(x, 9)
    plan = upsweep.sort_plan(x)
    held = [sys.getrefcount(a) for a in (x, out, mask, count.array)]
    for _ in range(50):
        upsweep.sort(x, out=out)
        upsweep.select(x, mask, out=out, count=count)
        plan(x, out)
        for wrong in (x[::2], [1], x.astype(complex)):
            with pytest.raises((TypeError, ValueError)):
                upsweep.sort(wrong)
        with pytest.raises(ValueError, match="the plan expects"):
            plan(x, mask)
    assert [sys.getrefcount(a) for a in (x, out, mask, count.array)] == held


def test_no_call_leaves_anything_behind():
    x, offsets = numpy.array([3, 1, 2, 1], numpy.int32), ends(0, 3, 4)
    mask, f, plan = x > 1, x.astype(numpy.float32), upsweep.sort_plan(x)
    for name, call in {
        "sort": lambda: upsweep.sort(x, nan="first"),
        "argsort": lambda: upsweep.argsort(f, dtype="int64"),
        "sort_by_key": lambda: upsweep.sort_by_key(x, f, x),
        "segmented_sort": lambda: upsweep.segmented_sort(x, offsets, values=f),
        "topk": lambda: upsweep.topk(f, 2),
        "merge": lambda: upsweep.merge(x, x),
        "searchsorted": lambda: upsweep.searchsorted(x, x),
        "select": lambda: upsweep.select(x, mask),
        "select, count": lambda: upsweep.select(x, mask, count="device"),
        "compact": lambda: upsweep.compact([x, f], mask),
        "partition": lambda: upsweep.partition(x, mask),
        "nonzero": lambda: upsweep.nonzero(x),
        "cumsum": lambda: upsweep.cumsum(x, keys=x),
        "cumsum, segments": lambda: upsweep.cumsum(x, segments=offsets),
        "scan": lambda: upsweep.scan(f.reshape(2, 2), "max", axis=0),
        "scan, keys": lambda: upsweep.scan(f, "max", keys=x),
        "scan, segments": lambda: upsweep.scan(f, "min", segments=offsets),
        "cumsum, reproducible": lambda: upsweep.cumsum(f.reshape(2, 2), 0, reproducible=True),
        "unique": lambda: upsweep.unique(x, counts=True, inverse=True),
        "reduce_by_key": lambda: upsweep.reduce_by_key(x, f, count="device"),
        "group_by": lambda: upsweep.group_by(x, 4, inverse=True),
        "histogram": lambda: upsweep.histogram(x, 4),
        "expand": lambda: upsweep.expand(x, offsets=True),
        "plan": lambda: plan(x, x.copy()),
        "DLPack": lambda: upsweep.histogram(Exchanged(x, False), 4),
    }.items():
        for _ in range(5):
            call()
        gc.collect()  # Python's lists of free objects, too
        before = sys.getallocatedblocks()
        for _ in range(100):
            call()
        gc.collect()
        assert sys.getallocatedblocks() - before < 60, name  # one a call would be 100; Python keeps some 20 of its own


def test_arrays_of_no_items_and_of_no_axes():
    for dtype in key_types:
        none = numpy.zeros(0, dtype)
        assert upsweep.sort(none).size == 0 and upsweep.argsort(none).size == 0
        assert upsweep.select(none, none.astype(bool)).size == 0
    assert upsweep.cumsum(numpy.array(3.0)).shape == (1,)
    assert upsweep.cumsum(numpy.zeros((0, 3)), axis=0).shape == (0, 3)
    assert upsweep.cumsum(numpy.zeros((3, 0)), axis=0).shape == (3, 0)


class Exchanged:
    """An array of a library that nobody knows: it speaks DLPack, in its old form or in the new one."""

    def __init__(self, x, is_old):
        self.x, self.is_old = x, is_old

    def __dlpack__(self, **more):
        if self.is_old and "max_version" in more:
            raise TypeError("max_version")
        return self.x.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


@pytest.mark.parametrize("is_old", [False, True])
def test_arrays_of_an_unknown_library(is_old):
    x = numpy.array([3, 1, 2], numpy.int32)
    of = lambda y: Exchanged(y, is_old)  # noqa: E731
    held = sys.getrefcount(x)
    assert upsweep.sort(of(x)).tolist() == [1, 2, 3] and upsweep.select(of(x), of(x > 1)).tolist() == [3, 2]
    assert upsweep.nonzero(of(x > 1)).tolist() == [0, 2]
    assert upsweep.expand(of(x)).tolist() == [0, 0, 0, 1, 2, 2]
    assert upsweep.segmented_sort(of(x), of(ends(0, 2, 3))).tolist() == [1, 3, 2]
    assert upsweep.cumsum(of(x.astype(float)), segments=of(ends(0, 2, 3))).tolist() == [3, 4, 2]
    with pytest.raises(TypeError, match='out is a Exchanged, of which no part can be returned; pass count="device"'):
        upsweep.select(of(x), of(x > 1), out=of(x.copy()))
    with pytest.raises(ValueError, match="counts has -3; expected 0 or more"):
        upsweep.expand(of(-x), total=1)
    upsweep.sort(of(x), out=of(out := numpy.empty_like(x)))
    assert out.tolist() == [1, 2, 3] and sys.getrefcount(x) == held
    for call, words in (
        (lambda: upsweep.sort(of(numpy.arange(9)[::-2])), "x is not dense"),
        (lambda: upsweep.sort(of(x + 0j)), "complex128"),
        (lambda: upsweep.cumsum(of(x)), "are not converted; pass an array of int64"),
        (lambda: upsweep.nonzero(of(x * 0.5)), "are not converted; pass an array of bool"),
        (lambda: upsweep.histogram(of(x.astype("uint64")), 4), "are not converted; pass an array of int32"),
        (lambda: upsweep.unique(of(numpy.eye(2))), r"x has shape \(2, 2\); expected 1 axis"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            call()
    if not is_old:  # which does not tell
        with pytest.raises(ValueError, match="out is read-only"):
            upsweep.sort(of(x), out=of(read_only(out)))


class Told:
    """An array of three int32 as a capsule of DLPack tells it, of any version, with an offset and without strides."""

    def __init__(self, major, **fields):
        class Tensor(ctypes.Structure):
            _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                        ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]

        class Managed(ctypes.Structure):
            _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor)]

        self.freed = 0
        self.items, self.shape = (ctypes.c_int32 * 5)(-1, -1, 3, 1, 2), (ctypes.c_int64 * 1)(3)
        self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.free)
        tensor = {"data": ctypes.addressof(self.items), "kind": 1, "ndim": 1, "code": 0, "bits": 32, "lanes": 1,
                  "shape": ctypes.addressof(self.shape), "byte_offset": 8} | fields
        self.managed = Managed(major=major, deleter=ctypes.cast(self.deleter, ctypes.c_void_p).value, tensor=Tensor(**tensor))

    def free(self, _):
        self.freed += 1

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor_versioned", None)


def test_what_a_capsule_may_say():
    x = Told(1)
    assert upsweep.sort(x).tolist() == [1, 2, 3] and x.freed >= 1
    for x, words in (
        (Told(2), "x comes by DLPack version 2; expected version 1"),
        (Told(1, lanes=2), "x has elements of type DLPack code 0 of 32 bits with lanes"),
        (Told(1, bits=4), "DLPack code 0 of 4 bits"),
        (Told(1, code=7), "DLPack code 7 of 32 bits"),
        (Told(1, kind=10), "x lies on a device of DLPack type 10; expected the host or a GPU of CUDA"),
        (Told(1, ndim=17), "x has 17 axes; at most 16 are taken"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            upsweep.sort(x)
        assert x.freed == 1  # once, though nothing came of it


def test_input_that_is_read_only():
    x = read_only(numpy.array([2, 1], numpy.int32))
    numpy.testing.assert_array_equal(upsweep.sort(x), [1, 2])


@pytest.mark.parametrize("module", ["", "._arrays", "._scan", "._compact", "._runs", "._sort", "._plans", "._load"])
def test_examples(module):
    m = importlib.import_module(upsweep.__name__ + module)
    result = doctest.testmod(m, extraglobs={**vars(upsweep), "numpy": numpy})
    assert result.failed == 0 and (result.attempted > 0)


def test_the_script_about_particles():
    script = Path(__file__).parents[1] / "examples" / "particles.py"
    told = subprocess.run([sys.executable, script, "--count", "700"], capture_output=True, text=True)
    r = numpy.random.default_rng(1)
    r.standard_normal((700, 3))
    living = int((r.uniform(-1, 1, 700).astype(numpy.float32) > 0).sum())
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith(f"{living} of 700 particles live")


def test_the_first_calls():
    script = Path(__file__).parents[1] / "examples" / "first_calls.py"
    told = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert told.stdout == "2 different depths\n"
