"""Arrays of any library: what is read of them, how results are made, counts that stay on the GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy

from ._core import Array, gpu_array, read, read_count, read_output, wait


class Library:
    """How a library makes arrays. `like` is an array of it."""

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        return numpy.empty(shape, dtype)

    def beside(self, x: Any, use: str = "") -> Any:
        """A new array of the shape and type of x, or of int32 for "places", in the shortest time. None where that needs
        thought, as for "sums" of another type."""
        return None

    def cast(self, x: Any, dtype: str) -> Any:
        return x.astype(dtype)

    def viewed(self, x: Any, dtype: str) -> Any:
        return x.view(dtype)

    def finish(self, raw: Any, stream: int | None) -> Any:
        """The array of the library that belongs to what `empty` gave, when it has been written."""
        return raw

    takes_out = True
    wraps_sums_at = 64  # bits of the sums of small integers
    unsigned_sums = True


class _Numpy(Library):
    summed = frozenset(map(numpy.dtype, ("float32", "float64", "int64", "uint64")))

    def beside(self, x: Any, use: str = "") -> Any:
        if type(x) is not numpy.ndarray or (use == "sums" and x.dtype not in self.summed):
            return None
        return numpy.empty(x.shape, numpy.int32 if use == "places" else x.dtype)


class _Cupy(Library):
    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        import cupy

        with like.device:
            return cupy.empty(shape, dtype)


class _Torch(Library):
    unsigned_sums = False

    def __init__(self) -> None:
        import torch

        self.torch = torch
        self.dtypes = {}
        for name in ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 float16 bfloat16").split():
            if hasattr(torch, name):
                self.dtypes[name] = getattr(torch, name)
        self.summed = frozenset((torch.float32, torch.float64, torch.int64))

    def beside(self, x: Any, use: str = "") -> Any:
        if x.requires_grad or (use == "sums" and x.dtype not in self.summed):
            return None
        return self.torch.empty_like(x, dtype=self.torch.int32) if use == "places" else self.torch.empty_like(x)

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        if like.requires_grad and "float" in dtype and self.torch.is_grad_enabled():
            raise RuntimeError("the input requires a gradient, and there are none: pass x.detach(), or call in torch.no_grad()")
        return self.torch.empty(shape, dtype=self.dtypes[dtype], device=like.device)

    def cast(self, x: Any, dtype: str) -> Any:
        return x.to(self.dtypes[dtype])

    def viewed(self, x: Any, dtype: str) -> Any:
        return x.view(self.dtypes[dtype])


class _Jax(Library):
    takes_out = False

    def __init__(self) -> None:
        import jax

        self.jax = jax
        self.wraps_sums_at = 64 if getattr(jax.config, "jax_enable_x64") else 32

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        kind, number = like.__dlpack_device__()
        if int(kind) == 2:
            return gpu_array(dtype, shape, number)
        return numpy.empty(shape, self.jax.numpy.dtype(dtype))

    def finish(self, raw: Any, stream: int | None) -> Any:
        if isinstance(raw, numpy.ndarray):
            return self.jax.numpy.asarray(raw)
        # JAX does not say on which stream it will read.
        wait(raw.__dlpack_device__()[1], 1 if stream is None else stream)
        return self.jax.dlpack.from_dlpack(raw)


class _Numba(Library):
    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        from numba import cuda

        return cuda.device_array(shape, dtype)

    def cast(self, x: Any, dtype: str) -> Any:
        raise TypeError(f"numba arrays are not converted; pass an array of {dtype}")


class _Other(Library):
    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        if read(like, "the input").device < 0:
            return numpy.empty(shape, dtype)
        raise TypeError(f"upsweep does not know how {type(like).__module__} makes arrays on a GPU; pass out=")

    def cast(self, x: Any, dtype: str) -> Any:
        raise TypeError(f"arrays of {type(x).__module__} are not converted; pass an array of {dtype}")


_makers: dict[str, type[Library]] = {
    "numpy": _Numpy,
    "cupy": _Cupy,
    "torch": _Torch,
    "jaxlib": _Jax,
    "jax": _Jax,
    "numba": _Numba,
}
_libraries: dict[type, Library] = {}


def beside(x: Any, use: str = "") -> Any:
    """The array that goes with x as its library says; None before one of its type was seen, and of what is none."""
    library = _libraries.get(type(x))
    return None if library is None else library.beside(x, use)


def library_of(x: Any) -> Library:
    kind = type(x)
    library = _libraries.get(kind)
    if library is None:
        if not (hasattr(kind, "__dlpack__") or hasattr(kind, "__cuda_array_interface__")):
            raise TypeError(
                f"{kind.__name__} is not an array; expected one of NumPy, PyTorch, CuPy, JAX or a library that speaks DLPack, "
                f"such as numpy.asarray(x)"
            )
        root = kind.__module__.split(".")[0]
        for base in kind.__mro__:
            if base.__module__.split(".")[0] in _makers:
                root = base.__module__.split(".")[0]
                break
        library = _libraries[kind] = _makers.get(root, _Other)()
    return library


_jax_types: dict[type, bool] = {}


def is_jax(x: Any) -> bool:
    """Whether x is an array of JAX, or a tracer of one in a function that JAX traces."""
    kind = type(x)
    told = _jax_types.get(kind)
    if told is None:
        told = _jax_types[kind] = kind.__module__.split(".")[0] in ("jax", "jaxlib")
    return told


def through_xla(name: str, x: Any, *arguments: Any, out: Any, stream: int | None, **words: Any) -> Any:
    """The call of that name of upsweep.jax, which knows JAX's stream."""
    if out is not None:
        raise TypeError("out is not available for arrays of JAX, which cannot be written; leave out= away")
    if stream is not None:
        raise TypeError("stream is not available for arrays of JAX, which are ready on its own; leave stream= away")
    if DeviceCount in map(type, words.values()):
        raise TypeError("n is a DeviceCount, which JAX does not know; pass an int32 array of no axes, as upsweep.jax.select gives")
    call = _xla_calls.get(name)
    if call is None:
        from importlib import import_module

        call = _xla_calls[name] = getattr(import_module(".jax", __package__), name)
    return call(x, *arguments, **words)


_xla_calls: dict[str, Callable[..., Any]] = {}


def input_array(x: Any, name: str) -> Array:
    """Reads an input. Something that is not an array is refused with a sentence."""
    try:
        return read(x, name)
    except (TypeError, BufferError):
        library_of(x)
        raise


def output(
    out: Any, name: str, like: Any, lead: Array, dtype: str, shape: tuple[int, ...], exactly: bool = True
) -> tuple[Any, Array]:
    """`out` where it can be written to as it is, else a new array of the library of `like`."""
    if out is None:
        raw = library_of(like).empty(shape, dtype, like)
        return raw, read(raw, name)
    if not library_of(out).takes_out:
        raise TypeError(f"{name} is an array of JAX, which cannot be written; leave {name}= away")
    items = 1
    for extent in shape:
        items *= extent
    return out, read_output(out, name, dtype, items, exactly, lead)


def whole(value: Any, name: str, least: int = 0) -> int:
    """A number of a call: an int, or what stands for one."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; expected an int") from None
    if number < least:
        raise ValueError(f"{name} is {number}; expected {least} or more")
    return number


def outputs(out: Any, names: Sequence[str]) -> Sequence[Any]:
    """The places of as many results: none where there is no `out`."""
    if out is None:
        return (None,) * len(names)
    if not isinstance(out, (tuple, list)) or len(out) != len(names):
        told = f"{len(out)} arrays" if isinstance(out, (tuple, list)) else f"one {type(out).__name__}"
        raise ValueError(f"out is {told}; expected a tuple of {len(names)}: {', '.join(names)}")
    return out


def type_name(dtype: Any) -> str:
    """NumPy's name of an element type that is given as a name or a type of any library."""
    text = str(dtype)
    if text.startswith("torch."):
        return text[6:]
    try:
        return str(numpy.dtype(dtype).name)
    except TypeError:
        return text


class DeviceCount:
    """A number of items that only the GPU knows: an int64 in its memory, and a bound that it never exceeds.

    Calls with ``count="device"`` return one and wait for nothing. As ``n=`` of another call it says how many of the items
    count. ``int(count)`` waits and gives the number.

    :param array: one int64 in an array of any library
    :param bound: the most it can be; the smaller of both counts

    >>> x = numpy.arange(6)
    >>> kept, n = select(x, x % 2 == 0, count="device")
    >>> int(n)
    3
    >>> cumsum(kept, n=n)[: int(n)]
    array([0, 2, 6])
    """

    __slots__ = ("array", "bound")

    def __init__(self, array: Any, bound: int) -> None:
        self.array = array
        self.bound = whole(bound, "bound")

    @classmethod
    def empty(cls, like: Any, bound: int) -> DeviceCount:
        """A count of at most `bound`, to be written by a call: on the device of the array `like`, in its library."""
        library = library_of(like)
        if not library.takes_out:
            raise TypeError('JAX arrays are made by the calls that fill them; count="device" is not available for them')
        return cls(library.empty((1,), "int64", like), bound)

    def place(self) -> Array:
        """The array, of which it is known that it is one int64."""
        a = input_array(self.array, "the array of a count")
        if a.dtype != "int64" or a.items != 1:
            raise TypeError(f"the array of a count is {a!r}; expected one int64")
        return a

    def __int__(self) -> int:
        return max(0, min(read_count(self.place(), None), self.bound))

    __index__ = __int__

    def __repr__(self) -> str:
        return f"DeviceCount(at most {self.bound})"


def number_of(
    n: int | DeviceCount | None, x: Array, name: str = "x", along: int | None = None
) -> tuple[int, Array | None]:
    """The bound and the place of an n, of the items of x or of so many along an axis."""
    items = x.items if along is None else along
    if n is None:
        return items, None
    if isinstance(n, DeviceCount):
        place = n.place()
        if place.device != x.device:
            raise ValueError(f"n is {place!r} and {name} is {x!r}; both must lie on one device")
        return min(n.bound, items), place
    bound = whole(n, "n")
    if bound > items:
        raise ValueError(f"n is {bound}; {name} has {items} items" + ("" if along is None else " along the axis"))
    return bound, None


def checked_counts(counts: Any, bound: int | None) -> Any:
    """The first `bound` of how many there are to be of each item, in host memory, in NumPy's array. One that is negative,
    or too large for the 32 bits that it is converted to, is refused."""
    is_dlpack_alone = hasattr(counts, "__dlpack__") and not hasattr(counts, "__array__")
    here = (numpy.from_dlpack(counts) if is_dlpack_alone else numpy.asarray(counts))[:bound]
    most = (1 << (32 if here.dtype == numpy.uint32 else 31)) - 1
    wrong = here[(here < 0) | (here > most)]
    if wrong.size:
        expected = "0 or more" if wrong[0] < 0 else f"{most} or less"
        raise ValueError(f"counts has {wrong[0]}; expected {expected}")
    return here


def want_axes(x: Array, axes: int, name: str, instead: str) -> None:
    if x.axes != axes:
        raise ValueError(f"{name} has shape {x.shape}; expected {axes} axis: {instead}")


_widths = {"bool": 8, "bfloat16": 16}


def bit_range(bits: tuple[int, int] | None, dtype: str) -> tuple[int, int]:
    """The first bit of keys of `dtype` that is compared, and the one after the last; (0, -1): all."""
    if bits is None:
        return 0, -1
    width = _widths.get(dtype) or numpy.dtype(dtype).itemsize * 8
    try:
        begin, end = (index(b) for b in bits)
    except (TypeError, ValueError):
        begin, end = -1, -1
    if not 0 <= begin <= end <= width:
        raise ValueError(f"bits is {bits!r}; expected (begin, end), 0 <= begin <= end <= {width}, of {dtype}")
    return begin, end


def checked_axis(axis: Any, axes: int) -> int | None:
    if axis is None:
        return None
    try:
        number = index(axis)
    except TypeError:
        raise TypeError(f"axis is {axis!r}; expected an int, or None") from None
    if not -max(axes, 1) <= number < max(axes, 1):
        raise ValueError(f"axis is {number}; x has {axes} axes")
    return number
