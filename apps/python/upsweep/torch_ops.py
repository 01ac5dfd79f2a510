"""Calls as operators of torch, at which torch.compile does not break: `import upsweep.torch_ops`.

They are torch.ops.upsweep.sort and so on, and the functions of this module. Results are new tensors; there are no gradients.
"""

# No annotations as text here: torch reads them.

import torch

from typing import List, Optional

from . import _compact, _runs, _scan, _sort


def _sum_dtype(x: torch.Tensor) -> torch.dtype:
    return x.dtype if x.dtype.is_floating_point else torch.int64


@torch.library.custom_op("upsweep::sort", mutates_args=())
def sort(x: torch.Tensor, descending: bool = False, nan: str = "last") -> torch.Tensor:
    """upsweep.sort(x, descending=..., nan=...)"""
    return _sort.sort(x, descending=descending, nan=nan)


@sort.register_fake
def _(x, descending=False, nan="last"):  # type: ignore[no-untyped-def]
    return torch.empty_like(x)


@torch.library.custom_op("upsweep::argsort", mutates_args=())
def argsort(x: torch.Tensor, descending: bool = False, nan: str = "last") -> torch.Tensor:
    """upsweep.argsort(x, descending=..., nan=...), places in int32"""
    return _sort.argsort(x, descending=descending, nan=nan)


@argsort.register_fake
def _(x, descending=False, nan="last"):  # type: ignore[no-untyped-def]
    return torch.empty_like(x, dtype=torch.int32)


@torch.library.custom_op("upsweep::cumsum", mutates_args=())
def cumsum(x: torch.Tensor, axis: int, exclusive: bool = False) -> torch.Tensor:
    """upsweep.cumsum(x, axis), or with exclusive=True upsweep.exclusive_sum(x, axis)"""
    return (_scan.exclusive_sum if exclusive else _scan.cumsum)(x, axis)


@cumsum.register_fake
def _(x, axis, exclusive=False):  # type: ignore[no-untyped-def]
    return torch.empty_like(x, dtype=_sum_dtype(x))


@torch.library.custom_op("upsweep::select", mutates_args=())
def select(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """upsweep.select(x, mask): waits for how many are kept"""
    return _compact.select(x, mask)


@select.register_fake
def _(x, mask):  # type: ignore[no-untyped-def]
    kept = torch.library.get_ctx().new_dynamic_size()
    return x.new_empty((kept, *x.shape[mask.dim() :]))


@torch.library.custom_op("upsweep::select_counted", mutates_args=())
def select_counted(x: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """upsweep.select(x, mask, count="device"): an array with room for all, and how many are kept, as one int64"""
    kept, n = _compact.select(x, mask, count="device")
    return kept, n.array


@select_counted.register_fake
def _(x, mask):  # type: ignore[no-untyped-def]
    return x.new_empty((mask.numel(), *x.shape[mask.dim() :])), x.new_empty((1,), dtype=torch.int64)


@torch.library.custom_op("upsweep::sort_pairs", mutates_args=())
def sort_pairs(
    keys: torch.Tensor, values: torch.Tensor, descending: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """upsweep.sort_by_key(keys, values, descending=...)"""
    sorted_keys, moved = _sort.sort_by_key(keys, values, descending=descending)
    return sorted_keys, moved


@sort_pairs.register_fake
def _(keys, values, descending=False):  # type: ignore[no-untyped-def]
    return torch.empty_like(keys), torch.empty_like(values)


def _rows(x: torch.Tensor, mask: torch.Tensor) -> List[int]:
    return [mask.numel(), *x.shape[mask.dim() :]]


@torch.library.custom_op("upsweep::scan", mutates_args=())
def scan(x: torch.Tensor, op: str, axis: int, exclusive: bool = False, reverse: bool = False) -> torch.Tensor:
    """upsweep.scan(x, op, axis, exclusive=..., reverse=...)"""
    return _scan.scan(x, op, axis, exclusive=exclusive, reverse=reverse)


@scan.register_fake
def _(x, op, axis, exclusive=False, reverse=False):  # type: ignore[no-untyped-def]
    return torch.empty_like(x)


@torch.library.custom_op("upsweep::sum_of_parts", mutates_args=())
def sum_of_parts(
    x: torch.Tensor,
    keys: Optional[torch.Tensor] = None,
    segments: Optional[torch.Tensor] = None,
    exclusive: bool = False,
) -> torch.Tensor:
    """upsweep.cumsum(x, keys=...) or (x, segments=...), or with exclusive=True upsweep.exclusive_sum"""
    return (_scan.exclusive_sum if exclusive else _scan.cumsum)(x, keys=keys, segments=segments)


@sum_of_parts.register_fake
def _(x, keys=None, segments=None, exclusive=False):  # type: ignore[no-untyped-def]
    return torch.empty_like(x, dtype=_sum_dtype(x))


@torch.library.custom_op("upsweep::scan_of_parts", mutates_args=())
def scan_of_parts(
    x: torch.Tensor,
    op: str,
    keys: Optional[torch.Tensor] = None,
    segments: Optional[torch.Tensor] = None,
    exclusive: bool = False,
) -> torch.Tensor:
    """upsweep.scan(x, op, keys=..., exclusive=...) or (x, op, segments=..., exclusive=...)"""
    return _scan.scan(x, op, keys=keys, segments=segments, exclusive=exclusive)


@scan_of_parts.register_fake
def _(x, op, keys=None, segments=None, exclusive=False):  # type: ignore[no-untyped-def]
    return torch.empty_like(x)


@torch.library.custom_op("upsweep::compact_counted", mutates_args=())
def compact_counted(arrays: List[torch.Tensor], mask: torch.Tensor) -> List[torch.Tensor]:
    """upsweep.compact(arrays, mask, count="device"): arrays with room for all, then the count as one int64"""
    kept, n = _compact.compact(arrays, mask, count="device")
    return [*kept, n.array]


@compact_counted.register_fake
def _(arrays, mask):  # type: ignore[no-untyped-def]
    return [*(x.new_empty(_rows(x, mask)) for x in arrays), mask.new_empty((1,), dtype=torch.int64)]


@torch.library.custom_op("upsweep::partition_counted", mutates_args=())
def partition_counted(x: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """upsweep.partition(x, mask, count="device"): the array, and how many are in front, as one int64"""
    parted, n = _compact.partition(x, mask, count="device")
    return parted, n.array  # type: ignore[union-attr]


@partition_counted.register_fake
def _(x, mask):  # type: ignore[no-untyped-def]
    return x.new_empty(_rows(x, mask)), x.new_empty((1,), dtype=torch.int64)


@torch.library.custom_op("upsweep::nonzero_counted", mutates_args=())
def nonzero_counted(mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """upsweep.nonzero(mask, dtype="int32", count="device"): places with room for all, and how many, as one int64"""
    places, n = _compact.nonzero(mask, dtype="int32", count="device")
    return places, n.array


@nonzero_counted.register_fake
def _(mask):  # type: ignore[no-untyped-def]
    return mask.new_empty(mask.shape, dtype=torch.int32), mask.new_empty((1,), dtype=torch.int64)


@torch.library.custom_op("upsweep::unique_counted", mutates_args=())
def unique_counted(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """upsweep.unique(x, counts=True, count="device"): items and lengths with room for all, and how many, as one int64"""
    kept, lengths, n = _runs.unique(x, counts=True, count="device")
    return kept, lengths, n.array


@unique_counted.register_fake
def _(x):  # type: ignore[no-untyped-def]
    return x.new_empty((x.numel(),)), x.new_empty((x.numel(),), dtype=torch.int32), x.new_empty((1,), dtype=torch.int64)


@torch.library.custom_op("upsweep::reduce_by_key_counted", mutates_args=())
def reduce_by_key_counted(
    keys: torch.Tensor, values: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """upsweep.reduce_by_key(keys, values, count="device"): keys and sums with room for all, and how many, as one int64"""
    kept, sums, n = _runs.reduce_by_key(keys, values, count="device")
    return kept, sums, n.array


@reduce_by_key_counted.register_fake
def _(keys, values):  # type: ignore[no-untyped-def]
    return torch.empty_like(keys), torch.empty_like(values), keys.new_empty((1,), dtype=torch.int64)


@torch.library.custom_op("upsweep::histogram", mutates_args=())
def histogram(groups: torch.Tensor, how_many: int) -> torch.Tensor:
    """upsweep.histogram(groups, how_many)"""
    return _runs.histogram(groups, how_many)


@histogram.register_fake
def _(groups, how_many):  # type: ignore[no-untyped-def]
    return groups.new_empty((how_many,), dtype=torch.int64)


@torch.library.custom_op("upsweep::group_by", mutates_args=())
def group_by(groups: torch.Tensor, how_many: int) -> tuple[torch.Tensor, torch.Tensor]:
    """upsweep.group_by(groups, how_many): places in int32, offsets in int64"""
    places, offsets = _runs.group_by(groups, how_many)
    return places, offsets


@group_by.register_fake
def _(groups, how_many):  # type: ignore[no-untyped-def]
    return groups.new_empty(groups.shape, dtype=torch.int32), groups.new_empty((how_many + 1,), dtype=torch.int64)


@torch.library.custom_op("upsweep::segmented_sort", mutates_args=())
def segmented_sort(x: torch.Tensor, offsets: torch.Tensor, descending: bool = False) -> torch.Tensor:
    """upsweep.segmented_sort(x, offsets, descending=...)"""
    return _sort.segmented_sort(x, offsets, descending=descending)


@segmented_sort.register_fake
def _(x, offsets, descending=False):  # type: ignore[no-untyped-def]
    return torch.empty_like(x)


@torch.library.custom_op("upsweep::topk", mutates_args=())
def topk(x: torch.Tensor, k: int, largest: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    """upsweep.topk(x, k, largest=...): items, and places in int64"""
    values, places = _sort.topk(x, k, largest=largest)
    return values, places


@topk.register_fake
def _(x, k, largest=True):  # type: ignore[no-untyped-def]
    room = min(k, x.numel())
    return x.new_empty((room,)), x.new_empty((room,), dtype=torch.int64)


@torch.library.custom_op("upsweep::searchsorted", mutates_args=())
def searchsorted(keys: torch.Tensor, needles: torch.Tensor, side: str = "left") -> torch.Tensor:
    """upsweep.searchsorted(keys, needles, side=...), places in int64"""
    return _sort.searchsorted(keys, needles, side=side)


@searchsorted.register_fake
def _(keys, needles, side="left"):  # type: ignore[no-untyped-def]
    return torch.empty_like(needles, dtype=torch.int64)


@torch.library.custom_op("upsweep::merge", mutates_args=())
def merge(a: torch.Tensor, b: torch.Tensor, descending: bool = False) -> torch.Tensor:
    """upsweep.merge(a, b, descending=...)"""
    return _sort.merge(a, b, descending=descending)


@merge.register_fake
def _(a, b, descending=False):  # type: ignore[no-untyped-def]
    return a.new_empty((a.numel() + b.numel(),))


@torch.library.custom_op("upsweep::run_length_encode_counted", mutates_args=())
def run_length_encode_counted(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """upsweep.run_length_encode(x, count="device"): items and lengths with room for all, and how many, as one int64"""
    kept, lengths, n = _runs.run_length_encode(x, count="device")
    return kept, lengths, n.array


@run_length_encode_counted.register_fake
def _(x):  # type: ignore[no-untyped-def]
    return torch.empty_like(x), torch.empty_like(x, dtype=torch.int32), x.new_empty((1,), dtype=torch.int64)


@torch.library.custom_op("upsweep::expand_counted", mutates_args=())
def expand_counted(counts: torch.Tensor, total: int) -> tuple[torch.Tensor, torch.Tensor]:
    """upsweep.expand(counts, total=total, count="device"): places with room for `total`, and how many, as one int64"""
    places, n = _runs.expand(counts, total=total, count="device")
    return places, n.array


@expand_counted.register_fake
def _(counts, total):  # type: ignore[no-untyped-def]
    return counts.new_empty((total,), dtype=torch.int32), counts.new_empty((1,), dtype=torch.int64)
