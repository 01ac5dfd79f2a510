"""Calls as operators of torch, at which torch.compile does not break: `import upsweep.torch_ops`.

They are torch.ops.upsweep.sort and so on, and the functions of this module. Results are new tensors; there are no gradients.
"""

# No annotations as text here: torch reads them.

import torch

from . import _compact, _scan, _sort


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
    """upsweep.cumsum(x, axis), or exclusive_sum"""
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
