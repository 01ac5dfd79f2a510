"""Calls that are made ready once, for loops that count microseconds.

A plan holds for arrays of the types and sizes that it was made from, on their device. It is called with its arrays by
position, on the current stream of the library of the first one, and returns nothing: results are in the arrays. With
counted=True it takes one more array after them, of one int64: how many of the items count, such as `DeviceCount.array`.
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import bit_range, input_array
from ._compact import _mask
from ._sort import _nan_order, _row


def sort_plan(
    x: Any,
    *,
    descending: bool = False,
    nan: str = "last",
    bits: tuple[int, int] | None = None,
    counted: bool = False,
    stream: int | None = None,
) -> _core.Plan:
    """plan(x, out) does what sort(x, out=out) does, with the parameters of `sort`.

    :param counted: the plan takes an array of one int64 after out: how many items count
    :returns: the plan, for arrays of the type and size of x on its device

    >>> x = numpy.array([3, 1, 2], numpy.int32)
    >>> plan, out = sort_plan(x), numpy.empty_like(x)
    >>> plan(x, out); out
    array([1, 2, 3], dtype=int32)
    """
    a = _row(x, "x")
    return _core.sort_plan(a, False, descending, _nan_order(nan, a.dtype), counted, *bit_range(bits, a.dtype), stream)


def argsort_plan(
    x: Any,
    *,
    descending: bool = False,
    nan: str = "last",
    bits: tuple[int, int] | None = None,
    counted: bool = False,
    stream: int | None = None,
) -> _core.Plan:
    """plan(x, out) does what argsort(x, out=out) does, with the parameters of `argsort`; out is int32.

    :param counted: the plan takes an array of one int64 after out: how many items count
    :returns: the plan, for arrays of the type and size of x on its device

    >>> x = numpy.array([3, 1, 2], numpy.int32)
    >>> plan, out = argsort_plan(x), numpy.empty_like(x)
    >>> plan(x, out); out
    array([1, 2, 0], dtype=int32)
    """
    a = _row(x, "x")
    return _core.sort_plan(a, True, descending, _nan_order(nan, a.dtype), counted, *bit_range(bits, a.dtype), stream)


def select_plan(x: Any, mask: Any, *, counted: bool = False, stream: int | None = None) -> _core.Plan:
    """plan(x, mask, out, count) does what select(x, mask, out=out, count=DeviceCount(count, n)) does; count is an array of
    one int64.

    :param counted: the plan takes an array of one int64 after these: how many items of the mask count
    :param stream: the stream, as a number; None: in each call the current one of the library of x
    :returns: the plan, for arrays of the types and sizes of x and mask on their device

    >>> x, count = numpy.array([3, 1, 2], numpy.int32), numpy.empty(1, numpy.int64)
    >>> plan, out = select_plan(x, x > 1), numpy.empty_like(x)
    >>> plan(x, x > 1, out, count); out[: count[0]]
    array([3, 2], dtype=int32)
    """
    a = input_array(x, "x")
    return _core.select_plan(a, _mask(mask, a), counted, stream)


def cumsum_plan(
    x: Any, *, exclusive: bool = False, reproducible: bool = False, counted: bool = False, stream: int | None = None
) -> _core.Plan:
    """plan(x, out) puts the sums of x, of one row, into out, an array of the type of x, or x itself.

    :param exclusive: the sums of the items before each one, as `exclusive_sum`
    :param reproducible: floats are added in an order that is the same on every GPU and on the host
    :param counted: the plan takes an array of one int64 after out: how many items count
    :param stream: the stream, as a number; None: in each call the current one of the library of x
    :returns: the plan, for arrays of the type and size of x on its device

    >>> x = numpy.array([3, 1, 2], numpy.int32)
    >>> plan, out = cumsum_plan(x), numpy.empty_like(x)
    >>> plan(x, out); out
    array([3, 4, 6], dtype=int32)
    """
    a = input_array(x, "x")
    if a.dtype not in ("int32", "uint32", "int64", "uint64", "float32", "float64"):
        raise TypeError(f"x is {a!r}; a plan converts nothing: pass integers of 32 or 64 bits, or floats of these")
    return _core.sum_plan(a, exclusive, reproducible and a.dtype.startswith("float"), counted, stream)
