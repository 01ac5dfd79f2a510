"""Sums and scans."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy

from . import _core
from ._arrays import (
    DeviceCount,
    Library,
    beside,
    checked_axis,
    input_array,
    is_jax,
    library_of,
    number_of,
    output,
    through_xla,
    type_name,
)
from ._core import Array

_summed = frozenset(("int32", "uint32", "int64", "uint64", "float32", "float64"))


def _sum_type(dtype: str, library: Library) -> str:
    """The type of a sum of items of `dtype`, as NumPy and torch have it."""
    if dtype.startswith(("float", "bfloat")):
        return dtype
    wide = library.wraps_sums_at
    return f"uint{wide}" if dtype[0] == "u" and library.unsigned_sums else f"int{wide}"


_ops = ("sum", "product", "min", "max", "and", "or", "xor")


def checked_init(init: Any, dtype: str) -> numpy.ndarray:
    """A number as an item of the scan."""
    value = numpy.asarray(init)
    fits = value.ndim == 0 and value.dtype.kind in "biuf"
    if fits and dtype.startswith("float"):
        fits = bool(not numpy.isfinite(value) or abs(value) <= numpy.finfo(dtype).max)
    elif fits:
        info = numpy.iinfo(dtype)
        fits = bool(numpy.isfinite(value)) and info.min <= int(value) <= info.max and int(value) == value
    if not fits:
        raise ValueError(f"init is {init!r}; expected a number that {dtype} can hold")
    return value.astype(dtype)


def _sums(
    x: Any,
    axis: int | None,
    dtype: Any,
    exclusive: bool,
    out: Any,
    n: int | DeviceCount | None,
    reverse: bool,
    reproducible: bool,
    keys: Any,
    segments: Any,
    stream: int | None,
) -> Any:
    is_whole = keys is None and segments is None
    is_row = axis is None or (type(axis) is int and -1 <= axis <= 0)
    if dtype is None and n is None and is_row and is_whole and not (reverse or reproducible or is_jax(x)):
        # The call of a loop: where everything fits there is nothing to say.
        to = beside(x, "sums") if out is None else out
        if to is not None and _core.sum_into(x, to, exclusive, stream):
            return to
    if is_jax(x):
        how = {"exclusive": exclusive, "reverse": reverse, "reproducible": reproducible, "n": n, "keys": keys, "segments": segments}
        return through_xla("cumsum", x, axis, dtype, **how, out=out, stream=stream)
    a = input_array(x, "x")
    library = library_of(x)
    wanted = _sum_type(a.dtype, library) if dtype is None else type_name(dtype)
    worked_in = "float32" if wanted in ("float16", "bfloat16") else wanted
    if worked_in not in _summed:
        raise TypeError(f"dtype is {wanted}; sums are of integers of 32 or 64 bits, or floats")
    if worked_in != a.dtype:
        x = library.cast(x, worked_in)
        a = input_array(x, "x")
    axis = checked_axis(axis, a.axes)
    shape = a.shape if axis is not None else (a.items,)
    if worked_in != wanted:
        if out is not None:
            raise TypeError(f"sums of {wanted} are made in float32: pass dtype=\"float32\" with an out of that type")
        total = _sums(x, axis, worked_in, exclusive, None, n, reverse, reproducible, keys, segments, stream)
        return library.cast(total, wanted)
    result, o = output(out, "out", x, a, wanted, shape)
    one_row = axis is None or a.axes <= 1
    lines = _lines(a, axis)
    bound, count = number_of(n, a, along=None if one_row else lines[1])
    in_order = reproducible and wanted.startswith("float")
    if not is_whole:
        check_parts(keys, segments, a.axes, reverse, in_order)
        _scan_of_parts(a, o, "sum", exclusive, None, keys, segments, bound, count, stream)
    elif one_row and not reverse:
        _core.sum(a, o, exclusive, in_order, bound, count, stream)
    elif a.items:
        _core.scan_axis(a, o, "sum", exclusive, None, *lines, reverse, in_order, bound, count, stream)
    return library.finish(result, stream)


def _lines(a: Array, axis: int | None) -> tuple[int, int, int]:
    """How many lines lie along the axis one after the other, the length of each, and how many lie side by side."""
    if axis is None or a.axes <= 1:
        return 1, a.items, 1
    at = axis % a.axes
    return prod(a.shape[:at]), a.shape[at], prod(a.shape[at + 1 :])


def check_parts(keys: Any, segments: Any, axes: int, reverse: bool, in_order: bool) -> None:
    """Refuses what a scan by keys or of segments cannot be told."""
    if keys is not None and segments is not None:
        raise NotImplementedError("keys and segments are two ways to tell the parts; pass one of them")
    name = "keys" if segments is None else "segments"
    if axes > 1 or reverse:
        raise NotImplementedError(f"{name}= goes with one axis, and not with reverse=")
    if in_order and keys is not None:
        raise NotImplementedError("reproducible=True is not available by keys=; of segments= sums always are")


def _scan_of_parts(
    a: Array,
    o: Array,
    op: str,
    exclusive: bool,
    init: bytes | None,
    keys: Any,
    segments: Any,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> None:
    if keys is not None:
        k = input_array(keys, "keys")
        _core.check_same_device(k, "keys", a, "x")
        if k.dtype not in ("int32", "uint32", "int64", "uint64"):
            raise TypeError(f"keys is {k!r}; expected integers of 32 or 64 bits")
        if k.items != a.items:
            raise ValueError(f"keys has {k.items} items and x has {a.items}")
        _core.scan_by_key(a, o, k, op, exclusive, init, bound, count, stream)
        return
    s = input_array(segments, "segments")
    _core.check_same_device(s, "segments", a, "x")
    if s.dtype != "int64" or s.axes != 1:
        raise TypeError(f"segments is {s!r}; expected one axis of int64: where each segment begins, and the last one ends")
    if s.items > 1 and a.items:
        begins, ends = s.part(0, s.items - 1), s.part(1, s.items)
        _core.scan_segmented(a, o, begins, ends, op, exclusive, init, bound, count, stream)


def cumsum(
    x: Any,
    axis: int | None = None,
    dtype: Any = None,
    *,
    out: Any = None,
    n: int | DeviceCount | None = None,
    reverse: bool = False,
    reproducible: bool = False,
    keys: Any = None,
    segments: Any = None,
    stream: int | None = None,
) -> Any:
    """The sums of the items up to and with each one.

    :param x: an array of any shape, dense in row-major order
    :param axis: the axis to sum along; None: all items in one row, as NumPy does
    :param dtype: the type of the sums; None: 64-bit integers for bool and integers, the type of x for floats
    :param out: where the sums go: an array of that type and as many items; may be x
    :param n: how many items count, along the axis: an int, or a `DeviceCount`. Results after it are unspecified
    :param reverse: from the last item to the first
    :param reproducible: floats are added in an order that the shape of x decides, the same on every GPU and on the host
    :param keys: as many integers of 32 or 64 bits: sums begin anew at each that differs from the one before it
    :param segments: int64 offsets: segment s is x[segments[s]:segments[s + 1]], and is summed separately; what lies in none
        is not written
    :param stream: the stream, as a number; None: the current one of the library of x
    :returns: an array of the library of x, of the shape of x, or of one axis where `axis` is None

    Errors: TypeError and ValueError for what is no such array, NotImplementedError for `reproducible` by keys, and for parts
    in reverse or of several axes.
    Cost: each item is read once and written once, twice in reverse with an `n`; where `dtype` is not that of x, the library converts x before.

    >>> cumsum(numpy.array([True, False, True]))
    array([1, 1, 2])
    >>> cumsum(numpy.ones((2, 3), numpy.float32), axis=0)
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    >>> cumsum(numpy.array([1, 2, 3, 4]), keys=numpy.array([7, 7, 7, 8]))
    array([1, 3, 6, 4])
    >>> cumsum(numpy.array([1, 2, 3, 4]), segments=numpy.array([0, 1, 4]))
    array([1, 2, 5, 9])
    >>> cumsum(numpy.float32([[1e8, 1], [1, 1], [-1e8, 1]]), axis=0, reverse=True, reproducible=True)
    array([[ 0.e+00,  3.e+00],
           [-1.e+08,  2.e+00],
           [-1.e+08,  1.e+00]], dtype=float32)
    """
    return _sums(x, axis, dtype, False, out, n, reverse, reproducible, keys, segments, stream)


def exclusive_sum(
    x: Any,
    axis: int | None = None,
    dtype: Any = None,
    *,
    out: Any = None,
    n: int | DeviceCount | None = None,
    reverse: bool = False,
    reproducible: bool = False,
    keys: Any = None,
    segments: Any = None,
    stream: int | None = None,
) -> Any:
    """The sums of the items before each one. The parameters, errors and cost are those of `cumsum`.

    >>> exclusive_sum(numpy.array([3, 1, 4]))
    array([0, 3, 4])
    """
    return _sums(x, axis, dtype, True, out, n, reverse, reproducible, keys, segments, stream)


def scan(
    x: Any,
    op: str = "sum",
    axis: int | None = None,
    *,
    exclusive: bool = False,
    init: Any = None,
    reverse: bool = False,
    keys: Any = None,
    segments: Any = None,
    n: int | DeviceCount | None = None,
    out: Any = None,
    stream: int | None = None,
) -> Any:
    """Combines the items up to each one by an operator.

    :param x: an array of int32, uint32, int64, uint64, float32 or float64, dense in row-major order
    :param op: "sum", "product", "min", "max", and of integers "and", "or", "xor"
    :param axis: the axis to scan along; None: x has one axis
    :param exclusive: without the item itself; the first result is `init`, or what changes nothing
    :param init: combined before the first item: a number. Along an axis, in reverse, or of parts, with exclusive=True
    :param reverse: from the last item to the first
    :param keys: as many integers of 32 or 64 bits: the scan begins anew at each that differs from the one before it
    :param segments: int64 offsets: segment s is x[segments[s]:segments[s + 1]], and is scanned separately; what lies in none
        is not written
    :param n: how many items count, along the axis: an int, or a `DeviceCount`. Results after it are unspecified
    :param out: where the results go: an array of the type and size of x; may be x
    :param stream: the stream, as a number; None: the current one of the library of x
    :returns: an array of the library, type and shape of x; integers wrap around

    Errors: ValueError for an operator without a name, NotImplementedError for a type that it does not combine, and for parts
    in reverse or of several axes.
    Cost: each item is read once and written once, of long segments read twice.

    >>> scan(numpy.array([2, 7, 1, 8], numpy.int32), "max")
    array([2, 7, 7, 8], dtype=int32)
    >>> scan(numpy.array([[2, 3], [4, 5]]), "product", axis=0)
    array([[ 2,  3],
           [ 8, 15]])
    >>> scan(numpy.array([2, 7, 1, 8]), "max", keys=numpy.array([0, 0, 5, 5]))
    array([2, 7, 1, 8])
    >>> scan(numpy.array([6, 2, 3, 5]), "min", exclusive=True, init=9, segments=numpy.array([0, 3, 4]))
    array([9, 6, 2, 9])
    """
    if op not in _ops:
        raise ValueError(f"op is {op!r}; expected one of {', '.join(_ops)}")
    if is_jax(x) and not is_jax(init):
        how = {"exclusive": exclusive, "init": None if init is None else numpy.asarray(init).item(), "reverse": reverse, "n": n}
        return through_xla("scan", x, op, axis, **how, keys=keys, segments=segments, out=out, stream=stream)
    a = input_array(x, "x")
    if axis is None and a.axes > 1:
        raise ValueError(f"x has shape {a.shape}; pass axis= to scan along one, or x.reshape(-1)")
    axis = checked_axis(axis, a.axes)
    if a.dtype not in _summed or (a.dtype.startswith("float") and op in ("and", "or", "xor")):
        raise NotImplementedError(f"there is no {op} of {a.dtype}; convert x to int32, uint32, int64, uint64, or a float")
    result, o = output(out, "out", x, a, a.dtype, a.shape)
    first = None if init is None else checked_init(init, a.dtype).tobytes()
    lines = _lines(a, axis)
    bound, count = number_of(n, a, along=None if a.axes <= 1 else lines[1])
    is_whole = keys is None and segments is None
    if is_whole and a.axes <= 1 and not reverse:
        _core.scan(a, o, op, exclusive, first, bound, count, stream)
    elif first is not None and not exclusive:
        raise NotImplementedError("init= along an axis, in reverse or of parts is available with exclusive=True")
    elif not is_whole:
        check_parts(keys, segments, a.axes, reverse, False)
        _scan_of_parts(a, o, op, exclusive, first, keys, segments, bound, count, stream)
    elif a.items:
        _core.scan_axis(a, o, op, exclusive, first, *lines, reverse, False, bound, count, stream)
    return library_of(x).finish(result, stream)
