"""A frame of particles inside of jax.jit, on JAX's GPU, or on the CPU."""

from __future__ import annotations

import jax
from upsweep import jax as ups


@jax.jit
def frame(depth, alive):
    kept, n = ups.select(depth, alive)  # n: an int32 scalar; kept has room for all
    return ups.sort(kept, n=n), n


# %% What it returns
depth = jax.numpy.array([3.0, 1.0, 2.0, 5.0])
kept, n = frame(depth, depth > 1.5)
print(kept[: int(n)])
assert int(n) == 3 and kept[:3].tolist() == [2, 3, 5]
