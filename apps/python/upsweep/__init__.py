"""Scan, stream compaction and radix sort for arrays of NumPy, PyTorch, CuPy, JAX and any library that speaks DLPack.

Arrays on a GPU are worked on there, on the current stream of their library; arrays on the host are worked on by the same
kernels on the CPU, for tests and small work. Results come in the library of the input, or in `out=`.

>>> import numpy, upsweep
>>> upsweep.cumsum(numpy.array([3, 1, 4, 1, 5]))
array([ 3,  4,  8,  9, 14])
>>> x = numpy.array([5, 2, 9, 2], dtype=numpy.float32)
>>> upsweep.argsort(x)
array([1, 3, 0, 2], dtype=int32)
>>> upsweep.select(x, x > 4)
array([5., 9.], dtype=float32)
"""

from . import _load

_load.choose_core(__name__)

from ._arrays import DeviceCount  # noqa: E402
from ._compact import compact, nonzero, partition, select
from ._core import Plan, free_workspaces, has_cuda, workspace_bytes_held
from ._load import architectures
from ._plans import argsort_plan, cumsum_plan, select_plan, sort_plan
from ._runs import expand, group_by, histogram, reduce_by_key, run_length_encode, unique
from ._scan import cumsum, exclusive_sum, scan
from ._sort import argsort, merge, searchsorted, segmented_sort, sort, sort_by_key, topk
from ._version import version as __version__

__all__ = [
    "DeviceCount",
    "Plan",
    "__version__",
    "architectures",
    "argsort",
    "argsort_plan",
    "compact",
    "cumsum",
    "cumsum_plan",
    "exclusive_sum",
    "expand",
    "free_workspaces",
    "group_by",
    "has_cuda",
    "histogram",
    "merge",
    "nonzero",
    "partition",
    "reduce_by_key",
    "run_length_encode",
    "scan",
    "searchsorted",
    "segmented_sort",
    "select",
    "select_plan",
    "sort",
    "sort_by_key",
    "sort_plan",
    "topk",
    "unique",
    "workspace_bytes_held",
]
