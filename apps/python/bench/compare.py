"""Times of upsweep beside torch, CuPy, JAX and cuda.compute (PyPI: cuda-cccl) on one GPU.

    python apps/python/bench/compare.py           the table: median times of calls, in microseconds
    python apps/python/bench/compare.py --host    host time of a call on 2^10 items
    python apps/python/bench/compare.py topk sum  the lines whose names have one of these words

What is timed is a call with its launches, from an idle GPU to an idle GPU, whose inputs lie in its memory; results are new arrays
of the library, unless out= is told. JAX's calls are compiled before.
"""

from __future__ import annotations

import sys
import time

import numpy


def median_us(call, wait, repeats=21):
    for _ in range(3):
        call()
    wait()
    times = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - start)
    return sorted(times)[repeats // 2] * 1e6


def host_us(call, wait, times=300, rounds=31):
    """Of calls enqueued one after the other, fewer than the queue of a GPU takes, the median round, a call."""
    call()
    told = []
    for _ in range(rounds):
        wait()
        start = time.perf_counter()
        for _ in range(times):
            call()
        told.append((time.perf_counter() - start) / times)
        wait()
    return sorted(told)[rounds // 2] * 1e6


def host(torch, upsweep):
    n = 1 << 10
    x = torch.randint(-(1 << 30), 1 << 30, (n,), dtype=torch.int32, device="cuda")
    f = torch.randn(n, device="cuda")
    mask, out, sums = x > 0, torch.empty_like(x), torch.empty_like(f)
    places = torch.empty_like(x)
    count = upsweep.DeviceCount.empty(x, n)
    wait = torch.cuda.synchronize
    plans = {
        "select": (upsweep.select_plan(x, mask), (x, mask, out, count.array)),
        "sort": (upsweep.sort_plan(x), (x, out)),
        "argsort": (upsweep.argsort_plan(x), (x, places)),
        "cumsum": (upsweep.cumsum_plan(f), (f, sums)),
    }
    calls = {
        "select": lambda: upsweep.select(x, mask, out=out, count=count),
        "sort": lambda: upsweep.sort(x, out=out),
        "argsort": lambda: upsweep.argsort(x, out=places),
        "cumsum": lambda: upsweep.cumsum(f, out=sums),
    }
    others = {
        "select": lambda: x[mask],
        "sort": lambda: torch.sort(x),
        "argsort": lambda: torch.argsort(x),
        "cumsum": lambda: torch.cumsum(f, 0),
    }
    print("| host time of a call, n = 2^10, us | plan | function | torch |\n|---|---|---|---|")
    for name, (plan, arguments) in plans.items():
        row = [host_us(lambda: plan(*arguments), wait), host_us(calls[name], wait), host_us(others[name], wait)]
        print(f"| {name} | " + " | ".join(f"{t:.2f}" for t in row) + " |", flush=True)


def table(torch, upsweep):
    wait = torch.cuda.synchronize
    libraries = {}
    try:
        import cupy

        libraries["cupy"] = cupy
    except ImportError:
        pass
    try:
        import jax

        libraries["jax"] = jax
    except ImportError:
        pass
    try:
        from cuda import compute
    except ImportError as e:
        print(f"cuda.compute (PyPI: cuda-cccl) is left out: {e}\n")
        compute = None
    head = "| us | ours | torch | cupy | jax | fastest of them over ours | cuda.compute |"
    print(head + "\n" + "|---" * (head.count("|") - 1) + "|")

    words = [w for w in sys.argv[1:] if not w.startswith("-")]

    def line(name, ours, of_torch, of_cupy=None, of_jax=None, repeats=21, of_compute=None):
        if words and not any(w in name for w in words):
            return
        told = [median_us(ours, wait, repeats), median_us(of_torch, wait, repeats)]
        told.append(median_us(of_cupy, cupy.cuda.Device().synchronize, repeats) if of_cupy and "cupy" in libraries else None)
        told.append(median_us(of_jax, lambda: None, repeats) if of_jax and "jax" in libraries else None)
        best = min(t for t in told[1:] if t is not None)
        cells = " | ".join("" if t is None else f"{t:.0f}" for t in told)
        beside = ""
        if of_compute is not None and compute is not None:
            try:
                beside = f"{median_us(of_compute, wait, repeats):.0f}"
            except Exception as e:  # what it compiles at run time may be missing
                beside = f"{type(e).__name__}: {str(e).splitlines()[0][:60]}" if str(e) else type(e).__name__
        print(f"| {name} | {cells} | {best / told[0]:.2f} | {beside} |", flush=True)

    jax = libraries.get("jax")
    for log in (20, 28):
        n = 1 << log
        repeats = 21 if log == 20 else 7
        rng = torch.Generator(device="cuda").manual_seed(1)
        ints = torch.randint(-(1 << 31), (1 << 31) - 1, (n,), dtype=torch.int32, device="cuda", generator=rng)
        floats = torch.randn(n, device="cuda", generator=rng)
        few = ints % (1 << 16)
        mask, count = ints > 0, upsweep.DeviceCount.empty(ints, n)
        out, places = torch.empty_like(ints), torch.empty(n, dtype=torch.int64, device="cuda")
        sums = torch.empty_like(floats)
        in_jax = None
        jitted = {}
        if jax is not None:
            in_jax = [jax.dlpack.from_dlpack(t) for t in (ints, floats)]
            for f in ("argsort", "cumsum", "sort"):
                jitted[f] = jax.jit(getattr(jax.numpy, f))
        c = [cupy.asarray(t) for t in (ints, floats, mask, few)] if "cupy" in libraries else [None] * 4

        def of_jax(f, i):
            return None if jax is None else lambda: jitted[f](in_jax[i]).block_until_ready()

        def of_cupy(call):
            return call if "cupy" in libraries else None

        numbers, sorted_keys = torch.arange(n, dtype=torch.int32, device="cuda"), torch.empty_like(ints)

        def compute_sort(keys, values=None):
            moved = {} if values is None else {"d_in_values": values, "d_out_values": out}
            keys_out = sorted_keys.view(keys.dtype)
            return lambda: compute.radix_sort(
                d_in_keys=keys, d_out_keys=keys_out, num_items=n, order=compute.SortOrder.ASCENDING, **moved)

        def compute_sum():
            compute.inclusive_scan(d_in=floats, d_out=sums, op=compute.OpKind.PLUS, init_value=None, num_items=n)

        size = f"2^{log}"
        line(f"argsort i32 {size}", lambda: upsweep.argsort(ints, out=out), lambda: torch.argsort(ints),
             of_cupy(lambda: cupy.argsort(c[0])), of_jax("argsort", 0), repeats,
             compute_sort(ints, numbers))
        line(f"argsort f32 {size}", lambda: upsweep.argsort(floats, out=out), lambda: torch.argsort(floats),
             of_cupy(lambda: cupy.argsort(c[1])), of_jax("argsort", 1), repeats,
             compute_sort(floats, numbers))
        line(f"argsort f32 by bits {size}", lambda: upsweep.argsort(floats, nan="bits", out=out),
             lambda: torch.argsort(floats), None, None, repeats)
        line(f"sort i32 {size}", lambda: upsweep.sort(ints, out=out), lambda: torch.sort(ints),
             of_cupy(lambda: cupy.sort(c[0])), of_jax("sort", 0), repeats,
             compute_sort(ints))
        line(f"x[mask], device count {size}", lambda: upsweep.select(ints, mask, out=out, count=count), lambda: ints[mask],
             of_cupy(lambda: c[0][c[2]]), None, repeats)
        line(f"x[mask], host count {size}", lambda: upsweep.select(ints, mask), lambda: ints[mask], None, None, repeats)
        for name, to in (("nonzero", out), ("nonzero to int64", places)):
            line(f"{name}, device count {size}", lambda: upsweep.nonzero(mask, out=to, count=count),
                 lambda: mask.nonzero(), of_cupy(lambda: cupy.nonzero(c[2])), None, repeats)
        line(f"cumsum f32 {size}", lambda: upsweep.cumsum(floats, out=sums), lambda: torch.cumsum(floats, 0),
             of_cupy(lambda: cupy.cumsum(c[1])), of_jax("cumsum", 1), repeats,
             compute_sum)
        line(f"running maximum f32 {size}", lambda: upsweep.scan(floats, "max", out=sums), lambda: torch.cummax(floats, 0),
             None, None, repeats)
        line(f"cumsum f32 reproducible {size}", lambda: upsweep.cumsum(floats, out=sums, reproducible=True),
             lambda: torch.cumsum(floats, 0), None, None, repeats)
        line(f"unique of 2^16 {size}", lambda: upsweep.unique(few), lambda: torch.unique(few),
             of_cupy(lambda: cupy.unique(c[3])), None, repeats)
        line(f"unique of 2^16, device count {size}", lambda: upsweep.unique(few, count="device"), lambda: torch.unique(few),
             of_cupy(lambda: cupy.unique(c[3])), None, repeats)
        line(f"topk 100 i32 {size}", lambda: upsweep.topk(ints, 100), lambda: torch.topk(ints, 100), None, None, repeats)
        if jax is not None:
            for f in ("sort", "argsort", "cumsum"):
                i = 1 if f == "cumsum" else 0
                eager = getattr(upsweep, f)
                line(f"{f} in JAX {size}", lambda: eager(in_jax[i]).block_until_ready(),
                     lambda: jitted[f](in_jax[i]).block_until_ready(), None, None, repeats)
        in_jax = c = numbers = sorted_keys = None
    two = torch.randn(1 << 20, 2, device="cuda")
    out = torch.empty_like(two)
    line("cumsum f32 (2^20, 2) axis 0", lambda: upsweep.cumsum(two, axis=0, out=out), lambda: torch.cumsum(two, 0),
         (lambda a: lambda: cupy.cumsum(a, axis=0))(cupy.asarray(two)) if "cupy" in libraries else None, None)


def main() -> int:
    import os

    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    start = time.perf_counter()
    import upsweep

    print(f"import upsweep: {(time.perf_counter() - start) * 1e3:.1f} ms beyond numpy {numpy.__version__}")
    import torch

    x = torch.zeros(1 << 10, dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()
    start = time.perf_counter()
    upsweep.sort(x)
    torch.cuda.synchronize()
    print(f"the first call: {(time.perf_counter() - start) * 1e3:.1f} ms")
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name(0)}\n")
    host(torch, upsweep)
    if "--host" not in sys.argv:
        print()
        table(torch, upsweep)
    return 0


if __name__ == "__main__":
    sys.exit(main())
