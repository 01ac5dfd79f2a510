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
    def part(self, begin: int, end: int, /) -> Array:
        """The items [begin, end) of a dense array of one axis, 0 <= begin <= end <= items."""

class Plan:
    """A call that is made ready: by `sort_plan`, `argsort_plan`, `select_plan` or `cumsum_plan`."""

    def __call__(self, *arrays: Any) -> None:
        """Does the call with these `arrays`, in the order that the function that made the plan names."""
    @property
    def workspace_bytes(self) -> int:
        """How much GPU memory the call needs beside its arrays, in bytes."""

def has_cuda() -> bool:
    """Whether GPUs can be used: by upsweep-cu13."""

def free_workspaces() -> None:
    """Frees the GPU memory that is kept for the workspaces of later calls. Waits for the GPUs."""

def workspace_bytes_held() -> int:
    """How many bytes are kept for the workspaces of later calls."""

def read(object: Any, name: str) -> Array: ...
def read_output(
    object: Any, name: str, dtype: str, items: int, exactly: bool, lead: Array, /
) -> Array: ...
def check_same_device(a: Array, name: str, b: Array, other: str, /) -> None: ...
def check_apart(out: Array, name: str, other: Array, its_name: str, /) -> None: ...
def gpu_array(dtype: str, shape: tuple[int, ...], device: int, /) -> Any: ...
def wait(device: int, stream: int, /) -> None: ...
def read_count(count: Array, stream: int | None) -> int: ...
def scan(
    x: Array, out: Array, op: str, exclusive: bool, init: bytes | None, bound: int, count: Array | None, stream: int | None
) -> None: ...
def scan_axis(
    x: Array,
    out: Array,
    op: str,
    exclusive: bool,
    init: bytes | None,
    outer: int,
    length: int,
    inner: int,
    backward: bool,
    reproducible: bool,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> None: ...
def sum(
    x: Array, out: Array, exclusive: bool, reproducible: bool, bound: int, count: Array | None, stream: int | None
) -> None: ...
def sum_into(x: Any, out: Any, exclusive: bool, stream: int | None) -> bool: ...
def sort_into(x: Any, out: Any, places: bool, descending: bool, nans: int, stream: int | None) -> bool: ...
def scan_by_key(
    x: Array,
    out: Array,
    keys: Array,
    op: str,
    exclusive: bool,
    init: bytes | None,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> None: ...
def scan_segmented(
    x: Array,
    out: Array,
    begins: Array,
    ends: Array,
    op: str,
    exclusive: bool,
    init: bytes | None,
    bound: int,
    count: Array | None,
    stream: int | None,
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
def nonzero_into(x: Any, out: Any, count: Any, stream: int | None) -> bool: ...
def reduce_by_key(
    keys: Array,
    unique: Array,
    values: Array | None,
    sums: Array,
    num_runs: Array | None,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> int: ...
def unique(
    x: Array,
    out: Array,
    lengths: Array | None,
    num_runs: Array | None,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> int: ...
def group_by(
    groups: Array,
    permutation: Array,
    inverse: Array | None,
    offsets: Array,
    how_many: int,
    multiple: int,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> None: ...
def histogram(buckets: Array, counts: Array, bound: int, count: Array | None, stream: int | None) -> None: ...
def expand(
    counts: Array,
    items: Array,
    offsets: Array | None,
    total: Array | None,
    bound: int,
    count: Array | None,
    stream: int | None,
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
    nans: int,
    begin: int,
    end: int,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> None: ...
def segmented_sort(
    x: Array,
    out: Array,
    values: Array | None,
    values_out: Array | None,
    begins: Array,
    ends: Array,
    descending: bool,
    nans: int,
    begin: int,
    end: int,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> None: ...
def topk(
    x: Array,
    out: Array | None,
    places: Array,
    k: int,
    descending: bool,
    nans: int,
    begin: int,
    end: int,
    bound: int,
    count: Array | None,
    stream: int | None,
) -> None: ...
def merge(
    a: Array,
    b: Array,
    out: Array,
    finds_bounds: bool,
    upper: bool,
    descending: bool,
    nans: int,
    n_a: int,
    count_a: Array | None,
    n_b: int,
    count_b: Array | None,
    stream: int | None,
) -> None: ...
def sort_plan(
    x: Array, places: bool, descending: bool, nans: int, counted: bool, begin: int, end: int, stream: int | None
) -> Plan: ...
def select_plan(x: Array, mask: Array, counted: bool, stream: int | None) -> Plan: ...
def sum_plan(x: Array, exclusive: bool, reproducible: bool, counted: bool, stream: int | None) -> Plan: ...

xla_on_the_host: Any
xla_on_a_gpu: Any

def workspace_of_call(
    name: str,
    op: str,
    numbers: dict[str, int],
    arguments: list[tuple[str, list[int]]],
    results: list[tuple[str, list[int]]],
) -> int: ...
