"""Calls on JAX's arrays that go through XLA: inside `jax.jit` and outside, on JAX's stream, without waiting.

    from upsweep import jax as ups
    ordered = jax.jit(lambda x: ups.sort(x * 2))(x)

Sizes of results are known when a function is traced: what keeps some of its items gives an array with room for all, and how
many there are, as an int32 array of no axes, which the other calls take as `n`. What lies after n items is unspecified.
There are no gradients. The parameters are those of the functions of the same names in `upsweep`; arrays of 64 bits need JAX's
x64. Places are int32.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import numpy
from jax import numpy as jnp

from . import _core
from ._scan import _sum_type, _summed, check_parts, checked_init
from ._arrays import bit_range, checked_counts, library_of
from ._sort import _nan_order, _wide

_target = "upsweep"
jax.ffi.register_ffi_target(_target, _core.xla_on_the_host, platform="cpu")
if _core.has_cuda():
    jax.ffi.register_ffi_target(_target, _core.xla_on_a_gpu, platform="CUDA")

_Struct = jax.ShapeDtypeStruct


def _described(arrays: Sequence[Any]) -> list[tuple[str, list[int]]]:
    return [(str(a.dtype), list(a.shape)) for a in arrays]


def _small_integers(x: Any, name: str) -> Any:
    """x in int32, of which those that do not fit become -1, or the largest; or in uint32 as it is."""
    x = _row(x, name)
    if not jnp.issubdtype(x.dtype, jnp.integer) and x.dtype != jnp.bool_:
        raise TypeError(f"{name} is {x.dtype}; expected integers")
    if x.dtype == jnp.uint32:
        return x
    if x.dtype in (jnp.int64, jnp.uint64):
        x = jnp.where(x > (1 << 31) - 1, jnp.array((1 << 31) - 1, x.dtype), x)
        if x.dtype == jnp.int64:
            x = jnp.maximum(x, -1)
    return x.astype(jnp.int32)


def _wide_pairs(x: Any) -> Any:
    """Numbers of 32 bits as halves of such of 64, the low one first."""
    low = jnp.maximum(jnp.asarray(x), 0).astype(jnp.uint32)
    return jnp.stack([low, jnp.zeros_like(low)], axis=-1)


def _pairs(n: int) -> Any:
    return _Struct((n, 2), jnp.uint32)


def _narrow(pairs: Any) -> Any:
    return pairs[..., 0].astype(jnp.int32)


def _call(name: str, arguments: Sequence[Any], results: Sequence[Any], *counts: Any, op: str = "", **numbers: Any) -> Any:
    """The results of a call: `results` are their types and shapes, `counts` how many items each array has that count, or None."""
    counted = sum(1 << i for i, n in enumerate(counts) if n is not None)
    arguments = [*arguments, *(_wide_pairs(n) for n in counts if n is not None)]
    told = {"descending": 0, "nans": 0, "begin": 0, "end": -1, "counted": counted, "has_init": 0}
    told |= {k: int(v) for k, v in numbers.items()}
    room = _core.workspace_of_call(name, op, told, _described(arguments), _described(results))
    call = jax.ffi.ffi_call(_target, [*results, _Struct((room,), jnp.uint8)], vmap_method="sequential")
    attributes = {k: numpy.int64(v) for k, v in told.items()}
    return call(*arguments, call=name, op=op, **attributes)[:-1]


def _like(x: Any) -> Any:
    return _Struct(x.shape, x.dtype)


def _row(x: Any, name: str, types: Sequence[str] = ()) -> Any:
    x = jnp.asarray(x)
    if x.ndim != 1:
        raise ValueError(f"{name} has shape {x.shape}; expected one axis: pass {name}.reshape(-1)")
    if types and str(x.dtype) not in types:
        raise TypeError(f"{name} is {x.dtype}; expected one of {', '.join(types)}")
    return x


def _order(x: Any, descending: bool, nan: str, bits: tuple[int, int] | None) -> dict[str, Any]:
    begin, end = bit_range(bits, str(x.dtype))
    return {"descending": descending, "nans": _nan_order(nan, str(x.dtype)), "begin": begin, "end": end}


_static = ("descending", "nan", "bits")


@partial(jax.jit, static_argnames=_static)
def sort(
    x: Any, *, descending: bool = False, nan: str = "last", bits: tuple[int, int] | None = None, n: Any = None
) -> Any:
    """The items of x, sorted stably."""
    x = _row(x, "x")
    return _call("sort", [x], [_like(x)], n, **_order(x, descending, nan, bits))[0]


@partial(jax.jit, static_argnames=_static)
def argsort(
    x: Any, *, descending: bool = False, nan: str = "last", bits: tuple[int, int] | None = None, n: Any = None
) -> Any:
    """The indices that sort x stably."""
    x = _row(x, "x")
    return _call("argsort", [x], [_Struct(x.shape, jnp.int32)], n, **_order(x, descending, nan, bits))[0]


@partial(jax.jit, static_argnames=_static)
def sort_by_key(
    keys: Any,
    *values: Any,
    descending: bool = False,
    nan: str = "last",
    bits: tuple[int, int] | None = None,
    n: Any = None,
) -> tuple[Any, ...]:
    """The keys sorted stably, and of each array of values the rows in the order of their keys."""
    keys = _row(keys, "keys")
    rows = [jnp.asarray(v) for v in values]
    for v in rows:
        if v.ndim == 0 or v.shape[0] != keys.size:
            raise ValueError(f"values has shape {v.shape}; expected {keys.size} rows, one for each key")
    all_of = [keys, *rows]
    return tuple(_call("sort_by_key", all_of, [_like(a) for a in all_of], n, **_order(keys, descending, nan, bits)))


@partial(jax.jit, static_argnames=_static)
def segmented_sort(
    x: Any,
    offsets: Any,
    *,
    values: Any = None,
    descending: bool = False,
    nan: str = "last",
    bits: tuple[int, int] | None = None,
    n: Any = None,
) -> Any:
    """The items of each segment of x, sorted stably; with values a tuple of both. What lies in no segment means nothing.

    :param offsets: one axis of int32: segment s is x[offsets[s]:offsets[s + 1]]
    """
    x = _row(x, "x", _wide)
    offsets = _row(offsets, "offsets")
    moved = [x] if values is None else [x, _row(values, "values", _wide)]
    if moved[-1].size != x.size:
        raise ValueError(f"values has {moved[-1].size} items and x has {x.size}")
    arguments = [x, _wide_pairs(offsets), *moved[1:]]
    told = _call("segmented_sort", arguments, [_like(a) for a in moved], n, **_order(x, descending, nan, bits))
    return told[0] if values is None else tuple(told)


@partial(jax.jit, static_argnames=("k", "largest", "nan", "bits"))
def topk(
    x: Any, k: int, *, largest: bool = True, nan: str = "last", bits: tuple[int, int] | None = None, n: Any = None
) -> tuple[Any, Any]:
    """The k largest, or least, items of x, sorted, and their places; of n items the smaller of n and k."""
    x = _row(x, "x", _wide)
    if k < 0:
        raise ValueError(f"k is {k}; expected 0 or more")
    room = min(k, x.size)
    if room == 0:
        return x[:0], jnp.zeros(0, jnp.int32)
    values, places = _call("topk", [x], [_Struct((room,), x.dtype), _pairs(room)], n, **_order(x, largest, nan, bits))
    return values, _narrow(places)


def _checked_mask(x: Any, mask: Any) -> None:
    if mask.dtype != jnp.bool_ or x.shape[: mask.ndim] != mask.shape:
        raise TypeError(f"mask is {mask.dtype} of shape {mask.shape} and x has shape {x.shape}; expected bool of its first axes")


@jax.jit
def select(x: Any, mask: Any, *, n: Any = None) -> tuple[Any, Any]:
    """The items, or rows, of x where the mask is true, at the front of an array with room for all, and how many they are.

    :param mask: bool, of the shape of x or of its first axes; the first n of its items count
    """
    x, mask = jnp.asarray(x), jnp.asarray(mask)
    _checked_mask(x, mask)
    kept = _Struct((mask.size, *x.shape[mask.ndim :]), x.dtype)
    if x.size == 0:
        return jnp.zeros(kept.shape, kept.dtype), jnp.int32(0)
    items, count = _call("select", [x, mask], [kept, _pairs(1)], n)
    return items, _narrow(count[0])


@jax.jit
def compact(arrays: Sequence[Any], mask: Any, *, n: Any = None) -> tuple[list[Any], Any]:
    """The rows of several arrays where one mask is true, as `select` gives them, and how many they are."""
    rows, mask = [jnp.asarray(x) for x in arrays], jnp.asarray(mask)
    for x in rows:
        _checked_mask(x, mask)
        if x.size == 0:
            raise ValueError("compact of arrays without items")
    kept = [_Struct((mask.size, *x.shape[mask.ndim :]), x.dtype) for x in rows]
    *items, count = _call("compact", [mask, *rows], [*kept, _pairs(1)], n)
    return items, _narrow(count[0])


@jax.jit
def partition(x: Any, mask: Any, *, n: Any = None) -> tuple[Any, Any]:
    """The items, or rows, where the mask is true, and after them the others, and how many come first."""
    x, mask = jnp.asarray(x), jnp.asarray(mask)
    _checked_mask(x, mask)
    parted = _Struct((mask.size, *x.shape[mask.ndim :]), x.dtype)
    if x.size == 0:
        return jnp.zeros(parted.shape, parted.dtype), jnp.int32(0)
    items, count = _call("partition", [x, mask], [parted, _pairs(1)], n)
    return items, _narrow(count[0])


@jax.jit
def nonzero(x: Any, *, n: Any = None) -> tuple[Any, Any]:
    """The places of the items that are not zero, with room for all, and how many they are."""
    x = _row(x, "x")
    if x.size == 0:
        return jnp.zeros(0, jnp.int32), jnp.int32(0)
    mask = x if x.dtype == jnp.bool_ else x != 0
    places, count = _call("nonzero", [mask], [_Struct(x.shape, jnp.int32), _pairs(1)], n)
    return places, _narrow(count[0])


@partial(jax.jit, static_argnames=("how_many",))
def histogram(groups: Any, how_many: int, *, n: Any = None) -> Any:
    """How many items each group has, in int32."""
    groups = _small_integers(groups, "groups")
    if groups.size == 0:
        return jnp.zeros(how_many, jnp.int32)
    return _call("histogram", [groups], [_Struct((how_many,), jnp.int32)], n)[0]


@partial(jax.jit, static_argnames=("how_many", "multiple"))
def group_by(groups: Any, how_many: int, *, multiple: int = 1, n: Any = None) -> tuple[Any, Any]:
    """The places of items in the order of their groups, and where each group begins, and the last one ends, in int32."""
    groups = _small_integers(groups, "groups")
    size = groups.size
    room = 0 if size == 0 else size + min(size, how_many) * (multiple - 1)
    results = [_Struct((room,), jnp.int32), _pairs(how_many + 1)]
    places, offsets = _call("group_by", [groups], results, n, how_many=how_many, multiple=multiple)
    return places, _narrow(offsets)


def _lines(x: Any, axis: int | None) -> tuple[int, int, int]:
    if axis is None or x.ndim <= 1:
        return 1, x.size, 1
    axis = axis % x.ndim
    return int(numpy.prod(x.shape[:axis])), x.shape[axis], int(numpy.prod(x.shape[axis + 1 :]))


def _bits_of(init: Any, x: Any) -> dict[str, int]:
    """What is told of an init: a number, as an item of x."""
    if init is None:
        return {}
    item = checked_init(init, str(x.dtype))
    return {"has_init": 1, "init": int(numpy.frombuffer(item.tobytes().ljust(8, b"\0"), "<i8")[0])}


def _scanned(name: str, x: Any, op: str, axis: int | None, reverse: bool, n: Any, **numbers: Any) -> Any:
    if axis is not None and not -max(x.ndim, 1) <= axis < max(x.ndim, 1):
        raise ValueError(f"axis is {axis}; x has {x.ndim} axes")
    out = _Struct(x.shape if axis is not None else (x.size,), x.dtype)
    if x.size == 0:
        return jnp.zeros(out.shape, out.dtype)
    if (axis is None or x.ndim <= 1) and not reverse:
        return _call(name, [x], [out], n, op=op, **numbers)[0]
    _check_init(numbers)
    outer, length, inner = _lines(x, axis)
    lines = {"outer": outer, "length": length, "inner": inner, "reverse": reverse}
    return _call("scan_axis", [x], [out], n, op=op, **{"reproducible": 0} | numbers, **lines)[0]


def _check_init(numbers: dict[str, Any]) -> None:
    if numbers.get("has_init") and not numbers["exclusive"]:
        raise NotImplementedError("init= along an axis, in reverse or of parts is available with exclusive=True")


def _scan_of_parts(x: Any, op: str, keys: Any, segments: Any, n: Any, **numbers: Any) -> Any:
    if keys is not None:
        keys = _row(keys, "keys", ("int32", "uint32", "int64", "uint64"))
        if keys.size != x.size:
            raise ValueError(f"keys has {keys.size} items and x has {x.size}")
        return _call("scan_by_key", [x, keys], [_like(x)], n, op=op, **numbers)[0] if x.size else x
    offsets = _row(segments, "segments", ("int32", "uint32", "int64", "uint64"))
    if x.size == 0 or offsets.size < 2:
        return x
    return _call("scan_segmented", [x, _wide_pairs(offsets)], [_like(x)], n, op=op, **numbers)[0]


@partial(jax.jit, static_argnames=("axis", "dtype", "reverse", "reproducible", "exclusive"))
def cumsum(
    x: Any,
    axis: int | None = None,
    dtype: Any = None,
    *,
    exclusive: bool = False,
    reverse: bool = False,
    reproducible: bool = False,
    n: Any = None,
    keys: Any = None,
    segments: Any = None,
) -> Any:
    """The sums of the items up to and with each one; `exclusive`: before each one.

    :param keys: sums begin anew at each that differs from the one before it
    :param segments: offsets in int32: segment s is x[segments[s]:segments[s + 1]]; what lies in none means nothing
    """
    x = jnp.asarray(x)
    wanted = str(jnp.dtype(_sum_type(str(x.dtype), library_of(x)) if dtype is None else dtype))
    worked_in = "float32" if wanted in ("float16", "bfloat16") else wanted
    if worked_in not in _summed:
        raise TypeError(f"dtype is {wanted}; sums are of integers of 32 or 64 bits, or floats")
    is_reproducible = reproducible and worked_in.startswith("float")
    if keys is not None or segments is not None:
        check_parts(keys, segments, x.ndim, reverse, is_reproducible)
        return _scan_of_parts(x.astype(worked_in), "sum", keys, segments, n, exclusive=exclusive).astype(wanted)
    sums = _scanned(
        "sum", x.astype(worked_in), "sum", axis, reverse, n, exclusive=exclusive, reproducible=is_reproducible
    )
    return sums.astype(wanted)


def exclusive_sum(x: Any, axis: int | None = None, dtype: Any = None, **more: Any) -> Any:
    """The sums of the items before each one; the other parameters are those of `cumsum`."""
    return cumsum(x, axis, dtype, exclusive=True, **more)


@partial(jax.jit, static_argnames=("op", "axis", "exclusive", "init", "reverse"))
def scan(
    x: Any,
    op: str = "sum",
    axis: int | None = None,
    *,
    exclusive: bool = False,
    init: Any = None,
    reverse: bool = False,
    n: Any = None,
    keys: Any = None,
    segments: Any = None,
) -> Any:
    """Combines the items up to each one by an operator: sum, product, min, max, and, or, xor.

    :param init: combined before the first item: a number that is known when a function is traced
    :param keys: the scan begins anew at each that differs from the one before it
    :param segments: offsets in int32: segment s is x[segments[s]:segments[s + 1]]; what lies in none means nothing
    """
    x = jnp.asarray(x)
    if axis is None and x.ndim > 1:
        raise ValueError(f"x has shape {x.shape}; pass axis= to scan along one, or x.reshape(-1)")
    if str(x.dtype) not in _summed or (op in ("and", "or", "xor") and not jnp.issubdtype(x.dtype, jnp.integer)):
        raise TypeError(f"there is no {op} of {x.dtype}; convert x to integers or floats of 32 or 64 bits")
    how = {"exclusive": exclusive, **_bits_of(init, x)}
    if keys is None and segments is None:
        return _scanned("scan", x, op, axis, reverse, n, **how)
    check_parts(keys, segments, x.ndim, reverse, False)
    _check_init(how)
    return _scan_of_parts(x, op, keys, segments, n, **how)


def _runs(keys: Any, sums: Any, arguments: Sequence[Any], n: Any) -> tuple[Any, Any, Any]:
    if keys.size == 0:
        return keys, jnp.zeros(0, sums), jnp.int32(0)
    kept, told, count = _call("runs", [keys, *arguments], [_like(keys), _Struct(keys.shape, sums), _pairs(1)], n)
    return kept, told, _narrow(count[0])


@jax.jit
def run_length_encode(x: Any, *, n: Any = None) -> tuple[Any, Any, Any]:
    """The items with equal neighbours told once, and their lengths, both with room for all, and how many these are."""
    return _runs(_row(x, "x", _wide), jnp.int32, [], n)


@jax.jit
def reduce_by_key(keys: Any, values: Any, *, n: Any = None) -> tuple[Any, Any, Any]:
    """Of each run of equal keys the key, and the sum of its values, both with room for all, and how many these are."""
    keys, values = _row(keys, "keys", _wide), _row(values, "values", _wide)
    if values.size != keys.size:
        raise ValueError(f"values has {values.size} items and the keys have {keys.size}")
    return _runs(keys, values.dtype, [values], n)


@partial(jax.jit, static_argnames=("counts", "inverse"))
def unique(x: Any, *, counts: bool = False, inverse: bool = False, n: Any = None) -> tuple[Any, ...]:
    """The different items of x, sorted, with room for all; what else is asked for; and how many these are."""
    x = jnp.asarray(x).reshape(-1)
    kept, lengths, runs = run_length_encode(sort(x, n=n), n=n)
    told = [kept]
    if inverse:
        owners, _ = expand(lengths, x.size, n=runs)
        told.append(sort_by_key(argsort(x, n=n), owners, n=n)[1])
    return (*told, lengths, runs) if counts else (*told, runs)


def _is_on_the_host(x: Any) -> bool:
    """Whether the values of x are known, and can be looked at without a GPU."""
    if isinstance(x, jax.core.Tracer):
        return False
    return not isinstance(x, jax.Array) or all(d.platform == "cpu" for d in x.devices())


def expand(counts: Any, total: int, *, offsets: bool = False, n: Any = None) -> tuple[Any, ...]:
    """The place of each item as often as its count says, with room for `total`; where those of each item begin; how many.

    :param counts: one axis of integers from 0 to 2**31 - 1, of uint32 to 2**32 - 1; others are refused on the host outside of
        `jax.jit`, else they mean nothing
    """
    if _is_on_the_host(counts) and _is_on_the_host(n) and numpy.ndim(counts) == 1:
        checked_counts(counts, None if n is None else max(0, int(n)))
    return _expanded(counts, total, offsets=offsets, n=n)


@partial(jax.jit, static_argnames=("total", "offsets"))
def _expanded(counts: Any, total: int, *, offsets: bool, n: Any) -> tuple[Any, ...]:
    counts = _small_integers(counts, "counts")
    if counts.size == 0:
        places, begins, count = jnp.zeros(total, jnp.int32), jnp.zeros(1, jnp.int32), jnp.int32(0)
    else:
        results = [_Struct((total,), jnp.int32), _pairs(counts.size + 1), _pairs(1)]
        places, pairs, counted = _call("expand", [counts], results, n)
        begins, count = _narrow(pairs), _narrow(counted[0])
    return (places, begins, count) if offsets else (places, count)


def _two_rows(a: Any, b: Any, names: tuple[str, str]) -> tuple[Any, Any]:
    a, b = _row(a, names[0]), _row(b, names[1])
    if a.dtype != b.dtype:
        raise TypeError(f"{names[0]} is {a.dtype} and {names[1]} is {b.dtype}; expected one type")
    return a, b


@partial(jax.jit, static_argnames=("descending", "nan"))
def merge(a: Any, b: Any, *, descending: bool = False, nan: str = "last", n_a: Any = None, n_b: Any = None) -> Any:
    """Two sorted arrays as one; of equal items those of a come first."""
    a, b = _two_rows(a, b, ("a", "b"))
    order: dict[str, Any] = {"descending": descending, "nans": _nan_order(nan, str(a.dtype))}
    return _call("merge", [a, b], [_Struct((a.size + b.size,), a.dtype)], n_a, n_b, **order)[0]


@partial(jax.jit, static_argnames=("side", "descending", "nan"))
def searchsorted(
    keys: Any,
    needles: Any,
    *,
    side: str = "left",
    descending: bool = False,
    nan: str = "last",
    n_keys: Any = None,
    n_needles: Any = None,
) -> Any:
    """For each needle, the first, or last, index in the sorted keys at which it could be inserted."""
    keys, needles = _two_rows(keys, needles, ("keys", "needles"))
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}; expected left or right")
    order: dict[str, Any] = {"descending": descending, "nans": _nan_order(nan, str(keys.dtype))}
    order["upper"] = side == "right"
    return _narrow(_call("searchsorted", [keys, needles], [_pairs(needles.size)], n_keys, n_needles, **order)[0])
