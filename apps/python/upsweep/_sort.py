"""Sorts and what works on sorted arrays."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import (
    DeviceCount,
    beside,
    bit_range,
    input_array,
    is_jax,
    library_of,
    number_of,
    output,
    outputs,
    through_xla,
    type_name,
    whole,
)
from ._core import Array

_nans = {"bits": 0, "last": 1, "first": 2}
_most_places = 1 << 31
_wide = ("int32", "uint32", "int64", "uint64", "float32", "float64")


def _nan_order(nan: str, dtype: str) -> int:
    """As the compiled module has it; keys that have no NaNs are sorted by their bits."""
    if nan not in _nans:
        raise ValueError(f'nan is {nan!r}; expected "last", "first" or "bits"')
    return _nans[nan] if dtype.startswith(("float", "bfloat")) else 0


def _row(x: Any, name: str) -> Array:
    a = input_array(x, name)
    if a.axes != 1:
        raise ValueError(
            f"{name} has shape {a.shape}; one axis is sorted: pass {name}.reshape(-1), or segmented_sort(...) for rows"
        )
    return a


def _wide_row(x: Any, name: str) -> Array:
    a = _row(x, name)
    if a.dtype not in _wide:
        raise NotImplementedError(f"{name} is {a!r}; convert it to 32 or 64 bits")
    return a


def sort(
    x: Any,
    *,
    descending: bool = False,
    nan: str = "last",
    bits: tuple[int, int] | None = None,
    n: int | DeviceCount | None = None,
    out: Any = None,
    stream: int | None = None,
) -> Any:
    """The items of x, sorted stably; x is left as it was.

    :param x: one axis of bool, integers of 8 to 64 bits, or floats of 16 to 64
    :param descending: the largest first; equal items stay in their order either way
    :param nan: where NaNs go: "last" or "first" whichever way numbers are sorted, or "bits": beyond the infinity of their
        sign, which is a little faster
    :param bits: the bits [begin, end) that are compared; None: all. Of floats, bits of their codes
    :param n: how many items count: an int, or a `DeviceCount`. Those after them are not written
    :param out: where they go: an array of the type and size of x, no part of x
    :param stream: the stream, as a number; None: the current one of the library of x

    Errors: TypeError and ValueError for what is no such array. Cost: a histogram and a pass for each 8 bits.

    >>> sort(numpy.array([3, 1, 2], numpy.uint8), descending=True)
    array([3, 2, 1], dtype=uint8)
    """
    if n is None and bits is None and nan in _nans and not is_jax(x):
        # The call of a loop: where everything fits there is nothing to say.
        to = beside(x) if out is None else out
        if to is not None and _core.sort_into(x, to, False, bool(descending), _nans[nan], stream):
            return to
    if is_jax(x):
        return through_xla("sort", x, descending=descending, nan=nan, bits=bits, n=n, out=out, stream=stream)
    a = _row(x, "x")
    begin, end = bit_range(bits, a.dtype)
    bound, count = number_of(n, a)
    result, o = output(out, "out", x, a, a.dtype, a.shape)
    _core.sort_keys(a, o, None, descending, _nan_order(nan, a.dtype), begin, end, bound, count, stream)
    return library_of(x).finish(result, stream)


def argsort(
    x: Any,
    *,
    descending: bool = False,
    nan: str = "last",
    bits: tuple[int, int] | None = None,
    n: int | DeviceCount | None = None,
    dtype: str = "int32",
    out: Any = None,
    stream: int | None = None,
) -> Any:
    """The indices that sort x stably: x[argsort(x)] is sorted.

    :param x: one axis of fewer than 2^31 items; the types and the other parameters are those of `sort`
    :param dtype: "int32", or "int64", which are converted in a separate pass
    :param out: where the places go: an array of int32 of the size of x

    >>> argsort(numpy.array([3.0, numpy.nan, 1.0]))
    array([2, 0, 1], dtype=int32)
    """
    if n is None and bits is None and nan in _nans and dtype == "int32" and not is_jax(x):
        # The call of a loop: where everything fits there is nothing to say.
        to = beside(x, "places") if out is None else out
        if to is not None and _core.sort_into(x, to, True, bool(descending), _nans[nan], stream):
            return to
    if dtype != "int32" and (dtype := type_name(dtype)) not in ("int32", "int64"):
        raise ValueError(f"dtype is {dtype}; expected int32 or int64")
    if is_jax(x) and dtype == "int32":
        return through_xla("argsort", x, descending=descending, nan=nan, bits=bits, n=n, out=out, stream=stream)
    a = _row(x, "x")
    if a.items >= _most_places:
        raise NotImplementedError(f"x has {a.items} items; places are int32, of fewer than 2^31")
    begin, end = bit_range(bits, a.dtype)
    bound, count = number_of(n, a)
    result, o = output(out, "out", x, a, "int32", a.shape)
    _core.sort_keys(a, None, o, descending, _nan_order(nan, a.dtype), begin, end, bound, count, stream)
    library = library_of(x)
    result = library.finish(result, stream)
    return library.cast(result, dtype) if dtype == "int64" and out is None else result


def sort_by_key(
    keys: Any,
    *values: Any,
    descending: bool = False,
    nan: str = "last",
    bits: tuple[int, int] | None = None,
    n: int | DeviceCount | None = None,
    out: tuple[Any, ...] | None = None,
    stream: int | None = None,
) -> tuple[Any, ...]:
    """The keys sorted stably, and of each array of values the rows in the order of their keys.

    :param keys: one axis of the types of `sort`
    :param values: arrays of as many rows, each of at most 65536 bytes, of any type
    :param out: where they go: a tuple of the keys and as many arrays
    :returns: a tuple of the keys and the values; the other parameters and errors are those of `sort`

    >>> sort_by_key(numpy.array([2, 1]), numpy.array(["b", "a"], "S1").view("u1"))
    (array([1, 2]), array([97, 98], dtype=uint8))
    """
    if is_jax(keys):
        return through_xla(  # type: ignore[no-any-return]
            "sort_by_key", keys, *values, descending=descending, nan=nan, bits=bits, n=n, out=out, stream=stream
        )
    a = _row(keys, "keys")
    begin, end = bit_range(bits, a.dtype)
    outs = outputs(out, ["keys"] + ["values"] * len(values))
    results, pairs = [], []
    sorted_keys, k = output(outs[0], "out", keys, a, a.dtype, a.shape)
    results.append((keys, sorted_keys))
    for v, o in zip(values, outs[1:]):
        b = input_array(v, "values")
        _core.check_same_device(b, "values", a, "keys")
        if b.axes == 0 or b.shape[0] != a.items:
            raise ValueError(f"values has shape {b.shape}; expected {a.items} rows, one for each key")
        if b.items == 0 and a.items:
            raise ValueError(f"values has shape {b.shape}, rows of no items; leave it away")
        r, w = output(o, "out", v, b, b.dtype, b.shape)
        results.append((v, r))
        pairs.append((b, w))
    bound, count = number_of(n, a, "keys")
    nans = _nan_order(nan, a.dtype)
    if pairs:
        _core.sort_by_key(a, k, pairs, descending, nans, begin, end, bound, count, stream)
    else:
        _core.sort_keys(a, k, None, descending, nans, begin, end, bound, count, stream)
    return tuple([library_of(like).finish(r, stream) for like, r in results])


def segmented_sort(
    x: Any,
    offsets: Any,
    *,
    values: Any = None,
    descending: bool = False,
    nan: str = "last",
    bits: tuple[int, int] | None = None,
    n: int | DeviceCount | None = None,
    out: Any = None,
    stream: int | None = None,
) -> Any:
    """The items of each segment of x, sorted stably.

    :param x: one axis of int32, uint32, int64, uint64, float32 or float64
    :param offsets: one axis of int64 beside x: segment s is x[offsets[s]:offsets[s + 1]]; what lies in none is not written
    :param values: as many of 4 or 8 bytes that go with the items
    :param n: how many items count: an int, or a `DeviceCount`. Segments that end after them are not written
    :param out: where the items go: an array of the type and size of x, no part of x; with values a tuple of both
    :returns: the sorted items, or with values a tuple of both; the other parameters and errors are those of `sort`

    >>> segmented_sort(numpy.array([3, 1, 2, 0], numpy.int32), numpy.array([0, 3, 4]))
    array([1, 2, 3, 0], dtype=int32)
    """
    if is_jax(x):
        order = {"descending": descending, "nan": nan, "bits": bits, "n": n}
        return through_xla("segmented_sort", x, offsets, values=values, **order, out=out, stream=stream)
    a = _wide_row(x, "x")
    ends = _row(offsets, "offsets")
    if ends.dtype != "int64":
        raise TypeError(f"offsets is {ends!r}; expected int64")
    _core.check_same_device(ends, "offsets", a, "x")
    begin, end = bit_range(bits, a.dtype)
    outs = (out, None) if values is None else outputs(out, ["items", "values"])
    result, o = output(outs[0], "out", x, a, a.dtype, a.shape)
    b = w = moved = None
    if values is not None:
        b = _row(values, "values")
        _core.check_same_device(b, "values", a, "x")
        if b.items != a.items:
            raise ValueError(f"values has {b.items} items and x has {a.items}")
        if b.dtype not in _wide:
            raise TypeError(f"values is {b!r}; expected elements of 4 or 8 bytes: sort places with x, and index by them")
        moved, w = output(outs[1], "out", values, b, b.dtype, b.shape)
    bound, count = number_of(n, a)
    if ends.items > 1:
        begins, behind = ends.part(0, ends.items - 1), ends.part(1, ends.items)
        nans = _nan_order(nan, a.dtype)
        _core.segmented_sort(a, o, b, w, begins, behind, descending, nans, begin, end, bound, count, stream)
    library = library_of(x)
    sorted_x = library.finish(result, stream)
    return sorted_x if values is None else (sorted_x, library.finish(moved, stream))


def topk(
    x: Any,
    k: int,
    *,
    largest: bool = True,
    indices: bool = True,
    nan: str = "last",
    bits: tuple[int, int] | None = None,
    n: int | DeviceCount | None = None,
    out: Any = None,
    stream: int | None = None,
) -> Any:
    """The k largest, or smallest, items of x, sorted; of equal ones those that come first.

    :param x: one axis of int32, uint32, int64, uint64, float32 or float64
    :param k: how many; all where x has fewer
    :param largest: True: the largest; False: the smallest
    :param indices: return also their indices in x, in int64
    :param nan: where NaNs are sorted: "last" after all numbers in either order, "first" before them, or "bits"
    :param bits: the bits [begin, end) that are compared; None: all. Of floats, bits of their codes
    :param n: how many items of x count: an int, or a `DeviceCount`; the smaller one of n and k is found
    :param out: where they go: an array of min(k, n) items, with indices a tuple of it and of one of int64
    :param stream: the stream, as a number; None: the current one of the library of x
    :returns: the items, or a tuple of items and indices

    >>> topk(numpy.array([4, 9, 9, 1]), 2)
    (array([9, 9]), array([1, 2]))
    """
    if is_jax(x):
        told = through_xla("topk", x, k, largest=largest, nan=nan, bits=bits, n=n, out=out, stream=stream)
        return told if indices else told[0]
    a = _wide_row(x, "x")
    k = whole(k, "k")
    begin, end = bit_range(bits, a.dtype)
    bound, count = number_of(n, a)
    room = min(k, bound)
    library = library_of(x)
    outs = outputs(out, ["items", "places"]) if indices else (out, None)
    result, o = output(outs[0], "out", x, a, a.dtype, (room,))
    nans = _nan_order(nan, a.dtype)
    places, p = output(outs[1], "out", x, a, "int64", (room,))
    if room:
        _core.topk(a, o, p, room, largest, nans, begin, end, bound, count, stream)
    items = library.finish(result, stream)
    return (items, library.finish(places, stream)) if indices else items


def merge(
    a: Any,
    b: Any,
    *,
    descending: bool = False,
    nan: str = "last",
    n_a: int | DeviceCount | None = None,
    n_b: int | DeviceCount | None = None,
    out: Any = None,
    stream: int | None = None,
) -> Any:
    """Two sorted arrays as one; of equal items those of a come first.

    :param a, b: one axis each, of one type of those of `sort`, and sorted as it sorts with these `descending` and `nan`
    :param n_a, n_b: how many items of each count: an int, or a `DeviceCount`; the result has as many as both
    :param out: where they go: an array of that type with room for all of both
    :param stream: the stream, as a number; None: the current one of the library of a

    >>> merge(numpy.array([1, 4]), numpy.array([2, 3, 5]))
    array([1, 2, 3, 4, 5])
    """
    if is_jax(a):
        return through_xla("merge", a, b, descending=descending, nan=nan, n_a=n_a, n_b=n_b, out=out, stream=stream)
    left, right = _row(a, "a"), _row(b, "b")
    _core.check_same_device(left, "a", right, "b")
    if left.dtype != right.dtype:
        raise TypeError(f"a is {left!r} and b is {right!r}; expected one type")
    of_a, count_a = number_of(n_a, left, "a")
    of_b, count_b = number_of(n_b, right, "b")
    result, o = output(out, "out", a, left, left.dtype, (left.items + right.items,))
    nans = _nan_order(nan, left.dtype)
    _core.merge(left, right, o, False, False, descending, nans, of_a, count_a, of_b, count_b, stream)
    return library_of(a).finish(result, stream)


def searchsorted(
    keys: Any,
    needles: Any,
    *,
    side: str = "left",
    descending: bool = False,
    nan: str = "last",
    n_keys: int | DeviceCount | None = None,
    n_needles: int | DeviceCount | None = None,
    out: Any = None,
    stream: int | None = None,
) -> Any:
    """For each needle, the first, or last, index in the sorted keys at which it could be inserted.

    :param keys: one axis, sorted as `sort` does with these `descending` and `nan`
    :param needles: one axis of the same type
    :param side: "left" for the first such index, "right" for the last one
    :param n_keys, n_needles: how many of each count: an int, or a `DeviceCount`
    :param out: where the indices go: an array of int64 of the size of needles
    :param stream: the stream, as a number; None: the current one of the library of needles
    :returns: indices in int64

    >>> searchsorted(numpy.array([1, 3, 3]), numpy.array([3, 0]), side="right")
    array([3, 0])
    """
    if is_jax(keys):
        order = {"side": side, "descending": descending, "nan": nan, "n_keys": n_keys, "n_needles": n_needles}
        return through_xla("searchsorted", keys, needles, **order, out=out, stream=stream)
    a, b = _row(keys, "keys"), _row(needles, "needles")
    _core.check_same_device(a, "keys", b, "needles")
    if a.dtype != b.dtype:
        raise TypeError(f"keys is {a!r} and needles is {b!r}; expected one type")
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}; expected left or right")
    of_a, count_a = number_of(n_keys, a, "keys")
    of_b, count_b = number_of(n_needles, b, "needles")
    result, o = output(out, "out", needles, b, "int64", (b.items,))
    nans = _nan_order(nan, a.dtype)
    _core.merge(a, b, o, True, side == "right", descending, nans, of_a, count_a, of_b, count_b, stream)
    return library_of(needles).finish(result, stream)
