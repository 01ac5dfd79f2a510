"""Runs of equal neighbours, and groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core, _sort
from ._arrays import (
    DeviceCount,
    checked_counts,
    input_array,
    is_jax,
    library_of,
    number_of,
    output,
    outputs,
    through_xla,
    type_name,
    want_axes,
    whole,
)
from ._compact import _count, _taken
from ._core import Array

_key_types = ("int32", "uint32", "int64", "uint64", "float32", "float64")


def _keys(x: Any, name: str) -> Array:
    a = input_array(x, name)
    want_axes(a, 1, name, f"pass {name}.reshape(-1)")
    _check_key_type(a, name)
    return a


def _check_key_type(a: Array, name: str) -> None:
    if a.dtype not in _key_types:
        raise TypeError(f"{name} is {a!r}; runs are of int32, uint32, int64, uint64, float32 or float64: convert it")


def _runs(
    x: Any,
    values: Any,
    outs: Sequence[Any],
    count: str | DeviceCount,
    n: int | DeviceCount | None,
    stream: int | None,
) -> tuple[Any, Any, int | DeviceCount]:
    a = _keys(x, "x")
    v = None
    if values is not None:
        v = _keys(values, "values")
        _core.check_same_device(v, "values", a, "x")
        if v.items != a.items:
            raise ValueError(f"values has {v.items} items and the keys have {a.items}")
    kept, k = output(outs[0], "out", x, a, a.dtype, (a.items,), False)
    sums, s = output(outs[1], "out", x, a, v.dtype if v else "int32", (a.items,), False)
    bound, place = number_of(n, a)
    told, written = _count(count, x, a, a.items)
    runs = _core.reduce_by_key(a, k, v, s, written, bound, place, stream)
    if told is not None:
        return kept, sums, told
    return _taken(kept, x, runs, stream), _taken(sums, x, runs, stream), runs


def run_length_encode(
    x: Any,
    *,
    out: Sequence[Any] | None = None,
    count: str | DeviceCount = "host",
    n: int | DeviceCount | None = None,
    stream: int | None = None,
) -> Any:
    """The first item of each run of equal neighbours in x, and the lengths of the runs.

    :param x: one axis of int32, uint32, int64, uint64, float32 or float64; NaNs are equal to nothing
    :param out: where they go: a tuple of an array of the type of x and one of int32, each with room for as many as x has
    :param count, n: as for `select`
    :returns: the items and their lengths in int32; with a device count that as a third

    >>> run_length_encode(numpy.array([4, 4, 1, 1, 1, 4], numpy.int32))
    (array([4, 1, 4], dtype=int32), array([2, 3, 1], dtype=int32))
    """
    kept, lengths, runs = _runs(x, None, outputs(out, ["items", "lengths"]), count, n, stream)
    return (kept, lengths, runs) if isinstance(runs, DeviceCount) else (kept, lengths)


def reduce_by_key(
    keys: Any,
    values: Any,
    *,
    out: Sequence[Any] | None = None,
    count: str | DeviceCount = "host",
    n: int | DeviceCount | None = None,
    stream: int | None = None,
) -> Any:
    """The key of each run of equal neighbouring keys, and the sum of its values.

    :param keys: one axis of int32, uint32, int64, uint64, float32 or float64
    :param values: as many, of one of these types; integers wrap around
    :param out: where they go: a tuple of an array of the type of the keys and one of that of the values, each with room for all
    :param count, n: as for `select`
    :returns: the keys and the sums; with a device count that as a third

    >>> reduce_by_key(numpy.array([1, 1, 2], numpy.int32), numpy.array([10, 20, 30], numpy.int32))
    (array([1, 2], dtype=int32), array([30, 30], dtype=int32))
    """
    kept, sums, runs = _runs(keys, values, outputs(out, ["keys", "sums"]), count, n, stream)
    return (kept, sums, runs) if isinstance(runs, DeviceCount) else (kept, sums)


def unique(
    x: Any,
    *,
    counts: bool = False,
    inverse: bool = False,
    out: Any = None,
    count: str | DeviceCount = "host",
    n: int | DeviceCount | None = None,
    stream: int | None = None,
) -> Any:
    """The different items of x, sorted.

    :param x: an array of any shape of int32, uint32, int64, uint64, float32 or float64; each NaN is different from all
    :param counts: return also how often each occurs in x, in int32
    :param inverse: return also the index of each item of x among the different ones, in int32, in the shape of x
    :param out: where they go, no part of x: an array of the type of x; with `counts` or `inverse` a tuple of it and an array of int32 for
        each of these, in the order in which they are returned. Each has room for as many items as x has
    :param count, n: as for `select`
    :returns: the items, or a tuple of what is asked for, in NumPy's order: items, inverse, counts; with a device count that
        as the last

    Cost: a sort, and a pass; two sorts more for the inverse. Waits for the number of different items, unless it stays on
    the device.

    >>> unique(numpy.array([3, 1, 3]), counts=True)
    (array([1, 3]), array([1, 2], dtype=int32))
    """
    a = input_array(x, "x")
    shape = None if a.axes == 1 else a.shape
    if shape is not None:
        if not hasattr(x, "reshape"):
            want_axes(a, 1, "x", "pass an array of one axis")
        x = x.reshape(-1)
        a = input_array(x, "x")
    _check_key_type(a, "x")
    outs = {"items": out}
    if counts or inverse:
        asked = ["items"] + ["inverse"] * inverse + ["counts"] * counts
        outs = dict(zip(asked, outputs(out, asked)))
        given = [(f"out[{i}]", input_array(o, "out")) for i, o in enumerate(outs.values()) if o is not None]
        for i, (name, o) in enumerate(given):
            for its_name, other in given[:i]:
                _core.check_apart(o, name, other, its_name)
    kept, k = output(outs["items"], "out", x, a, a.dtype, (a.items,), False)
    lengths, of_runs = None, None
    if counts or inverse:
        lengths, of_runs = output(outs.get("counts"), "out", x, a, "int32", (a.items,), False)
    bound, place = number_of(n, a)
    runs, written = _count(count, x, a, a.items)
    number = _core.unique(a, k, of_runs, written, bound, place, stream)
    if runs is None:
        kept = _taken(kept, x, number, stream)
        lengths = None if lengths is None else _taken(lengths, x, number, stream)
    told = [kept]
    if inverse:
        places = _sort.argsort(x, n=n, stream=stream)
        owners = expand(lengths, total=a.items, n=runs, stream=stream)
        to = outs["inverse"]
        back = _sort.sort_by_key(places, owners, n=n, out=None if to is None else (None, to), stream=stream)[1]
        told.append(back if shape is None or to is not None else back.reshape(shape))
    if counts:
        told.append(lengths)
    if runs is not None:
        told.append(runs)
    return tuple(told) if len(told) > 1 else kept


def _small_integers(x: Any, name: str) -> tuple[Any, Array]:
    """x in 32 bits, of which those that do not fit become -1, or the largest."""
    a = input_array(x, name)
    want_axes(a, 1, name, f"pass {name}.reshape(-1)")
    if a.dtype not in ("int32", "uint32"):
        if "float" in a.dtype:
            raise TypeError(f"{name} is {a!r}; expected integers")
        library = library_of(x)
        if a.dtype in ("int64", "uint64") and hasattr(x, "clip"):  # else it is not converted
            x = library.viewed(x, "int64") if a.dtype == "uint64" else x
            x = x.clip(-1, (1 << 31) - 1)
        x = library.cast(x, "int32")
        a = input_array(x, name)
    return x, a


def _checked_how_many(how_many: Any) -> int:
    number = whole(how_many, "how_many", -1 << 63)
    if not 1 <= number <= 65536:
        raise ValueError(f"how_many is {number}; expected 1 to 65536")
    return number


def group_by(
    groups: Any,
    how_many: int,
    *,
    inverse: bool = False,
    multiple: int = 1,
    out: Sequence[Any] | None = None,
    n: int | DeviceCount | None = None,
    stream: int | None = None,
) -> tuple[Any, ...]:
    """The indices of the items in the order of their groups.

    :param groups: one axis of integers, the number of each item's group; items whose number is not in 0 to how_many - 1 are
        left out
    :param how_many: how many groups there are, 1 to 65536
    :param inverse: return also where each item is in that order, -1 if it is left out
    :param multiple: each group is padded with indices of -1 to a multiple of this many
    :param out: where they go: a tuple of arrays of int32, int64, and with the inverse int32, of the sizes that are returned
    :param n: how many items count: an int, or a `DeviceCount`
    :param stream: the stream, as a number; None: the current one of the library of groups
    :returns: the indices in int32, and how_many + 1 offsets in int64: where each group begins, and the last one ends; then
        the inverse, if asked for

    >>> group_by(numpy.array([1, 0, 1], numpy.int32), 2)
    (array([1, 0, 2], dtype=int32), array([0, 1, 3]))
    """
    how_many, multiple = _checked_how_many(how_many), whole(multiple, "multiple", 1)
    if is_jax(groups) and not inverse:
        told = through_xla("group_by", groups, how_many, multiple=multiple, n=n, out=out, stream=stream)
        return told  # type: ignore[no-any-return]
    like, g = _small_integers(groups, "groups")
    room = 0 if g.items == 0 else g.items + min(g.items, how_many) * (multiple - 1)
    outs = outputs(out, ["places", "offsets"] + ["inverse"] * inverse)
    places, p = output(outs[0], "out[0]", like, g, "int32", (room,))
    offsets, o = output(outs[1], "out[1]", like, g, "int64", (how_many + 1,))
    back, b = output(outs[2], "out[2]", like, g, "int32", (g.items,)) if inverse else (None, None)
    bound, count = number_of(n, g, "groups")
    _core.group_by(g, p, b, o, how_many, multiple, bound, count, stream)
    finish = library_of(like).finish
    told = (finish(places, stream), finish(offsets, stream))
    return told + (finish(back, stream),) if inverse else told


def histogram(
    groups: Any,
    how_many: int,
    *,
    dtype: str = "int64",
    out: Any = None,
    n: int | DeviceCount | None = None,
    stream: int | None = None,
) -> Any:
    """How many items each group has.

    :param groups: one axis of integers; those that are not in 0 to how_many - 1 are not counted
    :param how_many: how many groups there are, 1 to 65536
    :param dtype: "int64" or "int32"; JAX's arrays have int32
    :param out: where they go: an array of how_many items of one of these types
    :param n: how many items count: an int, or a `DeviceCount`
    :param stream: the stream, as a number; None: the current one of the library of groups
    :returns: an array of how_many counts

    >>> histogram(numpy.array([1, 0, 1], numpy.int32), 3)
    array([1, 2, 0])
    """
    how_many = _checked_how_many(how_many)
    if is_jax(groups):
        return through_xla("histogram", groups, how_many, n=n, out=out, stream=stream)
    if (dtype := type_name(dtype)) not in ("int32", "int64"):
        raise ValueError(f"dtype is {dtype}; expected int32 or int64")
    if out is not None and (dtype_of_out := input_array(out, "out").dtype) in ("int32", "int64"):
        dtype = dtype_of_out
    like, g = _small_integers(groups, "groups")
    counts, c = output(out, "out", like, g, dtype, (how_many,))
    bound, count = number_of(n, g, "groups")
    _core.histogram(g, c, bound, count, stream)
    return library_of(like).finish(counts, stream)


def expand(
    counts: Any,
    *,
    total: int | None = None,
    offsets: bool = False,
    out: Any = None,
    count: str | DeviceCount = "host",
    n: int | DeviceCount | None = None,
    stream: int | None = None,
) -> Any:
    """The index of each item as often as its count says: numpy.repeat of 0, 1, 2, ...

    :param counts: one axis of integers from 0 to 2**31 - 1, of uint32 to 2**32 - 1; others are refused on the host, and give
        unspecified results on a GPU
    :param total: their sum, or with a device count how many indices there is room for; None: the library adds them, and the
        host waits
    :param offsets: return also where the indices of each item begin: one more int64 than there are items
    :param out: where they go: an array of int32 of as many as are returned, with offsets a tuple of it and of one of int64
    :param count, n: as for `select`; a device count needs `total`
    :returns: the indices in int32, then the offsets and the device count, if asked for. If the counts add up to less than
        `total`, the rest is unspecified

    >>> expand(numpy.array([2, 0, 3], numpy.int32))
    array([0, 0, 2, 2, 2], dtype=int32)
    """
    like, c = _small_integers(counts, "counts")
    bound, place = number_of(n, c, "counts")
    if total is None:
        if place is not None or count != "host":
            raise ValueError("total is None; a count that stays on the device asks for total=, the most places there may be")
    as_they_came = counts  # in c, those of 64 bits that do not fit are others
    if c.device < 0:
        as_they_came = checked_counts(counts, min(bound, int(n)) if isinstance(n, DeviceCount) else bound)
    if total is None:
        total = int(as_they_came[:bound].sum()) if bound else 0
    total = whole(total, "total")
    if is_jax(counts) and count == "host":
        told = through_xla("expand", counts, total, offsets=offsets, n=n, out=out, stream=stream)[:-1]
        return told if offsets else told[0]
    outs = outputs(out, ["places", "offsets"]) if offsets else [out]
    items, i = output(outs[0], "out", like, c, "int32", (total,))
    begins, b = output(outs[1], "out[1]", like, c, "int64", (c.items + 1,)) if offsets else (None, None)
    told, written = _count("device" if count == "host" else count, like, c, total)
    if total or offsets or count != "host":
        _core.expand(c, i, b, written, bound, place, stream)
    finish = library_of(like).finish
    results = [finish(items, stream)] + ([finish(begins, stream)] if offsets else [])
    if count != "host":
        results.append(told)
    return tuple(results) if len(results) > 1 else results[0]
