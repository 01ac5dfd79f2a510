"""Masks, sorts and draws particles, as a renderer does every frame.

    python particles.py [picture.png] [--count N]

On a GPU if torch and upsweep-cu13 are installed, else on the CPU with NumPy. The picture needs matplotlib.
"""

from __future__ import annotations

import argparse

import numpy

import upsweep


def on_a_gpu():
    if not upsweep.has_cuda():
        return None
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


# %% A cloud, and how long each particle has to live
arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("picture", nargs="?", help="a file that matplotlib writes; none: no picture")
arguments.add_argument("--count", type=int, default=20_000)
given = arguments.parse_args()

r = numpy.random.default_rng(1)
place = r.standard_normal((given.count, 3)).astype(numpy.float32)
life = r.uniform(-1, 1, given.count).astype(numpy.float32)
torch = on_a_gpu()
if torch is not None:
    place, life = torch.from_numpy(place).cuda(), torch.from_numpy(life).cuda()

# %% Those that live, with both arrays in one pass
place, life = upsweep.compact([place, life], life > 0)

# %% From back to front
depth = place.reshape(-1, 3)[:, 2]
depth = depth.contiguous() if torch is not None else numpy.ascontiguousarray(depth)
depth, place, life = upsweep.sort_by_key(depth, place, life, descending=True)

# %% Drawn
print(f"{len(life)} of {given.count} particles live; the nearest is at {float(depth[-1]):.2f}")
if given.picture:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    place, life = (x.cpu().numpy() if torch is not None else x for x in (place, life))
    pyplot.scatter(place[:, 0], place[:, 1], s=8 * life, c=place[:, 2], cmap="magma")
    pyplot.savefig(given.picture)
