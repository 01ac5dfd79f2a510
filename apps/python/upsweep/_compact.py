"""Selections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._arrays import DeviceCount, input_array, is_jax, library_of, number_of, output, outputs, type_name, want_axes, whole
from ._core import Array

_mask_types = ("bool", "uint8", "int8")


def _mask(mask: Any, x: Array | None) -> Array:
    m = input_array(mask, "mask")
    if m.dtype not in _mask_types:
        raise TypeError(f"mask is {m!r}; expected bool: pass mask != 0")
    if x is not None:
        _core.check_same_device(m, "mask", x, "x")
        if x.shape[: m.axes] != m.shape:
            raise ValueError(f"mask has shape {m.shape} and x has shape {x.shape}; expected that of x or of its first axes")
    return m


def _count(count: str | DeviceCount, like: Any, lead: Array, bound: int) -> tuple[DeviceCount | None, Array | None]:
    """Where a count goes: nowhere where the host waits for it."""
    if isinstance(count, DeviceCount):
        return count, output(count.array, "count", like, lead, "int64", (1,))[1]
    if count == "host":
        return None, None
    if count != "device":
        raise ValueError(f'count is {count!r}; expected "host", "device" or a DeviceCount to write to')
    told = DeviceCount.empty(like, bound)
    return told, input_array(told.array, "count")


def _taken(raw: Any, like: Any, kept: int, stream: int | None) -> Any:
    told = library_of(like).finish(raw, stream)
    if not hasattr(told, "__getitem__"):
        raise TypeError(f'out is a {type(told).__name__}, of which no part can be returned; pass count="device"')
    return told[:kept]


def _select(
    xs: Sequence[Any],
    mask: Any,
    outs: Sequence[Any],
    count: str | DeviceCount,
    n: int | DeviceCount | None,
    capacity: int | None,
    behind: bool,
    stream: int | None,
) -> tuple[list[Any], int | DeviceCount]:
    reads = [input_array(x, "x") for x in xs]
    m = _mask(mask, reads[0])
    rows = m.items
    room = rows if capacity is None else min(whole(capacity, "capacity"), rows)
    results, pairs = [], []
    for x, a, out in zip(xs, reads, outs):
        if a is not reads[0]:
            _mask(mask, a)
        shape = (room,) + a.shape[m.axes :]
        result, o = output(out, "out", x, a, a.dtype, shape, False)
        results.append(result)
        pairs.append((a, o))
    if rows and reads[0].items == 0:
        raise ValueError("the rows of x have no items")
    bound, place = number_of(n, m, "mask")
    told, written = _count(count, xs[0], m, room)
    kept = _core.select(pairs, m, written, None, room, behind, bound, place, stream)
    if told is not None:
        return [library_of(x).finish(r, stream) for x, r in zip(xs, results)], told
    if behind:
        return [library_of(x).finish(r, stream) for x, r in zip(xs, results)], kept
    return [_taken(r, x, kept, stream) for x, r in zip(xs, results)], kept


def select(
    x: Any,
    mask: Any,
    *,
    out: Any = None,
    count: str | DeviceCount = "host",
    n: int | DeviceCount | None = None,
    capacity: int | None = None,
    stream: int | None = None,
) -> Any:
    """The items, or rows, of x where the mask is true, in their order: x[mask].

    :param x: an array of bool, integers of 8 to 64 bits or floats of 16 to 64, dense in row-major order
    :param mask: bool, or bytes of which those that are not 0 keep; of the shape of x or of its first axes
    :param out: where they go: an array of the type of x with room for all, or for `capacity` of them
    :param count: "host" waits for how many there are and returns so many; "device" returns the whole array and a
        `DeviceCount`, and waits for nothing; a DeviceCount is written and returned
    :param n: how many items of the mask count: an int, or a `DeviceCount`
    :param capacity: no more than that are kept
    :param stream: the stream, as a number; None: the current one of the library of x
    :returns: a view of the front of an array with room for all; with a device count the array and the count

    Errors: TypeError for a mask of another type, ValueError where shapes or devices do not belong together.
    Cost: each item is read once, each that is kept is written once.

    >>> select(numpy.arange(5), numpy.array([1, 0, 0, 1, 1], bool))
    array([0, 3, 4])
    """
    if out is not None and n is None and capacity is None and isinstance(count, DeviceCount):
        # The call of a frame: where everything fits there is nothing to make and nothing to say.
        if _core.select_into(x, mask, out, count.array, stream):
            return out, count
    results, kept = _select([x], mask, [out], count, n, capacity, False, stream)
    return (results[0], kept) if isinstance(kept, DeviceCount) else results[0]


def compact(
    arrays: Sequence[Any],
    mask: Any,
    *,
    out: Sequence[Any] | None = None,
    count: str | DeviceCount = "host",
    n: int | DeviceCount | None = None,
    capacity: int | None = None,
    stream: int | None = None,
) -> Any:
    """The rows of several arrays where one mask is true, in one pass over the mask.

    :param arrays: arrays of as many rows as the mask has items
    :param out: as many arrays; the other parameters, errors and cost are those of `select`
    :returns: a list of arrays; with a device count the list and the count

    >>> compact([numpy.arange(3), numpy.eye(3, dtype=numpy.int8)], numpy.array([False, True, True]))
    [array([1, 2]), array([[0, 1, 0],
           [0, 0, 1]], dtype=int8)]
    """
    if not isinstance(arrays, (tuple, list)):
        raise TypeError(f"arrays is one {type(arrays).__name__}; expected a list of arrays, such as [x]")
    if not arrays:
        raise ValueError("arrays is an empty list; expected at least one array")
    results, kept = _select(arrays, mask, outputs(out, ["x"] * len(arrays)), count, n, capacity, False, stream)
    return (results, kept) if isinstance(kept, DeviceCount) else results


def partition(
    x: Any,
    mask: Any,
    *,
    out: Any = None,
    count: str | DeviceCount = "host",
    n: int | DeviceCount | None = None,
    stream: int | None = None,
) -> tuple[Any, int | DeviceCount]:
    """The items where the mask is true, and after them the others, both in input order.

    :returns: an array of the shape of x and how many are in front: an int, or a `DeviceCount` as for `select`, whose
        other parameters, errors and cost these are

    >>> partition(numpy.arange(5), numpy.array([0, 1, 0, 1, 0], bool))
    (array([1, 3, 0, 2, 4]), 2)
    """
    results, kept = _select([x], mask, [out], count, n, None, True, stream)
    return results[0], kept


def nonzero(
    x: Any,
    *,
    dtype: str | None = None,
    out: Any = None,
    count: str | DeviceCount = "host",
    n: int | DeviceCount | None = None,
    stream: int | None = None,
) -> Any:
    """The indices of the items that are not zero.

    :param x: an array of one axis; a mask of bool or bytes is read as it is, other types are compared by their library first
    :param dtype: "int32" or "int64"; None: int32, as for `argsort`, unless x has 2^31 items or more
    :param out: where they go, of one of these types, with room for as many as x has; the other parameters are those of `select`
    :returns: an array of one axis; with a device count the array and the count

    >>> nonzero(numpy.array([0, 7, 0, 9]))
    array([1, 3], dtype=int32)
    """
    if out is not None and n is None and isinstance(count, DeviceCount) and not is_jax(x):
        if _core.nonzero_into(x, out, count.array, stream):
            return out, count
    if input_array(x, "x").dtype not in _mask_types:
        x = library_of(x).cast(x, "bool")
    m = _mask(x, None)
    want_axes(m, 1, "x", "pass x.reshape(-1)")
    if dtype is None:
        dtype = "int32" if m.items < 1 << 31 else "int64"
    elif (dtype := type_name(dtype)) not in ("int32", "int64"):
        raise ValueError(f"dtype is {dtype}; expected int32 or int64")
    if out is not None and (dtype_of_out := input_array(out, "out").dtype) in ("int32", "int64"):
        dtype = dtype_of_out
    result, o = output(out, "out", x, m, dtype, (m.items,), False)
    bound, place = number_of(n, m)
    told, written = _count(count, x, m, m.items)
    kept = _core.select([], m, written, o, m.items, False, bound, place, stream)
    if told is not None:
        return result, told
    return _taken(result, x, kept, stream)
