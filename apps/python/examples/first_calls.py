"""The calls that README and docs/python.md begin with, and what they return.

On a GPU if torch and upsweep-cu13 are installed, else on the CPU with NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy

import upsweep


def on_a_gpu() -> Any:
    if not upsweep.has_cuda():
        return None
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


torch = on_a_gpu()


def array(values: Any) -> Any:
    a = numpy.asarray(values)
    return a if torch is None else torch.from_numpy(a).cuda()


def is_equal(result: Any, right: Any) -> bool:
    return numpy.array_equal(result if torch is None else result.cpu().numpy(), numpy.asarray(right))


particles = array(numpy.arange(12, dtype=numpy.float32).reshape(4, 3))
life = array(numpy.array([0.5, 0.0, 2.0, -1.0], numpy.float32))
depth = array(numpy.array([3.0, 1.0, 2.0, 1.0], numpy.float32))
cells, ids = array([2, 0, 1, 0]), array([10, 11, 12, 13])
counts = array([3, 0, 2, 1])

# %% First calls
alive = upsweep.select(particles, life > 0)  # particles[life > 0]; arrays of NumPy, PyTorch, CuPy and JAX
order = upsweep.argsort(depth)  # int32 indices, stable
cells, ids = upsweep.sort_by_key(cells, ids)
starts = upsweep.exclusive_sum(counts)

# %% What they return
assert is_equal(alive, [[0, 1, 2], [6, 7, 8]])
assert is_equal(order, [1, 3, 2, 0])
assert is_equal(cells, [0, 0, 1, 2]) and is_equal(ids, [11, 13, 12, 10])
assert is_equal(starts, [0, 3, 3, 5])

# %% Counts that stay on the GPU
kept, n = upsweep.select(depth, life > 0, count="device")  # n: a DeviceCount; kept has room for all
kept = upsweep.sort(kept, n=n)
different, runs = upsweep.unique(kept, n=n, count="device")
print(int(runs), "different depths")  # int() waits for the GPU

# %% What is left
assert int(n) == 2 and is_equal(kept[:2], [2, 3])
assert int(runs) == 2 and is_equal(different[:2], [2, 3])
