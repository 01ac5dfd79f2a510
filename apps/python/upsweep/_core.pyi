"""The compiled module. Its functions check what would read or write where it must not; the rest is done by those above."""

from typing import Any

version: str
architectures: str

class Array:
    """What is known of an array of any library."""

    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def items(self) -> int: ...
    @property
    def axes(self) -> int: ...
    @property
    def device(self) -> int: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def address(self) -> int: ...
    @property
    def stream(self) -> int: ...

class Plan:
    """A call that is made ready: see the functions that end in _plan."""

    def __call__(self, *arrays: Any) -> None: ...
    @property
    def workspace_bytes(self) -> int: ...

def has_cuda() -> bool:
    """Whether GPUs can be used: by upsweep-cu13."""

def free_workspaces() -> None:
    """Frees the GPU memory that is kept for the workspaces of later calls. Waits for the GPUs."""

def workspace_bytes_held() -> int:
    """How many bytes are kept so."""

def read(object: Any, name: str) -> Array: ...
def read_output(
    object: Any, name: str, dtype: str, items: int, exactly: bool, lead: Array, /
) -> Array: ...
def check_same_device(a: Array, name: str, b: Array, other: str, /) -> None: ...
def check_apart(out: Array, name: str, other: Array, its_name: str, /) -> None: ...
def gpu_array(dtype: str, shape: tuple[int, ...], device: int, /) -> Any: ...
def wait(device: int, stream: int, /) -> None: ...
def read_count(count: Array, stream: int | None) -> int: ...
def scan(x: Array, out: Array, op: str, exclusive: bool, init: bytes | None, stream: int | None) -> None: ...
def sum(
    x: Array, out: Array, exclusive: bool, reproducible: bool, bound: int, count: Array | None, stream: int | None
) -> None: ...
def sum_by_key(x: Array, out: Array, keys: Array, exclusive: bool, stream: int | None) -> None: ...
def sum_segmented(
    x: Array, out: Array, begins: Array, ends: Array, exclusive: bool, stream: int | None
) -> None: ...
def sum_axis(
    x: Array, out: Array, outer: int, length: int, inner: int, backward: bool, exclusive: bool, stream: int | None
) -> None: ...
def select(
    arrays: list[tuple[Array, Array]],
    mask: Array,
    num_selected: Array | None,
    indices: Array | None,
    capacity: int,
    keep_others_behind: bool,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> int: ...
def select_into(x: Any, mask: Any, out: Any, count: Any, stream: int | None) -> bool: ...
def reduce_by_key(
    keys: Array,
    unique: Array,
    values: Array | None,
    sums: Array,
    starts: Array | None,
    num_runs: Array | None,
    stream: int | None,
) -> int: ...
def group_by(
    groups: Array,
    permutation: Array,
    inverse: Array | None,
    offsets: Array,
    how_many: int,
    multiple: int,
    stream: int | None,
) -> None: ...
def histogram(buckets: Array, counts: Array, stream: int | None) -> None: ...
def expand(
    counts: Array, items: Array, offsets: Array | None, total: Array | None, stream: int | None
) -> int: ...
def sort_keys(
    x: Array,
    out: Array | None,
    places: Array | None,
    descending: bool,
    nans: int,
    begin: int,
    end: int,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> None: ...
def sort_by_key(
    keys: Array,
    keys_out: Array,
    values: list[tuple[Array, Array]],
    descending: bool,
    begin: int,
    end: int,
    stream: int | None,
) -> None: ...
def segmented_sort(
    x: Array,
    out: Array | None,
    values: Array | None,
    values_out: Array | None,
    places: Array | None,
    begins: Array,
    ends: Array,
    descending: bool,
    begin: int,
    end: int,
    stream: int | None,
) -> None: ...
def topk(
    x: Array, out: Array | None, places: Array | None, k: int, descending: bool, begin: int, end: int, stream: int | None
) -> None: ...
def bounds(keys: Array, needles: Array, out: Array, upper: bool, descending: bool, stream: int | None) -> None: ...
def merge(a: Array, b: Array, out: Array, descending: bool, stream: int | None) -> None: ...
def sort_plan(
    x: Array, places: bool, descending: bool, nans: int, begin: int, end: int, stream: int | None
) -> Plan: ...
def select_plan(x: Array, mask: Array, stream: int | None) -> Plan: ...
def sum_plan(x: Array, exclusive: bool, reproducible: bool, stream: int | None) -> Plan: ...
