"""Times of upsweep beside torch, CuPy, JAX and cuda.compute (PyPI: cuda-cccl) on one GPU.

    python apps/python/bench/compare.py           the table: median times of calls, in microseconds
    python apps/python/bench/compare.py --host    host time of a call on 2^10 items
    python apps/python/bench/compare.py --memory  what argsort takes of the GPU's memory
    python apps/python/bench/compare.py topk sum  the lines whose names have one of these words

A call with its launches is timed twice: from an idle GPU to an idle GPU, and in a row of such calls, divided by how many they
are. Inputs lie in the GPU's memory; results are new arrays of the library, unless out= is told. JAX's calls are compiled before.
"""

from __future__ import annotations

import os
import sys
import time

import numpy

# JAX begins on all GPUs, and leaves the last one as the current one, on which torch's arrays of the first are refused.
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")


def median_us(call, wait, repeats=21):
    """From an idle GPU to an idle GPU. `wait` is given what the last call returned."""
    for _ in range(3):
        told = call()
    wait(told)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        told = call()
        wait(told)
        times.append(time.perf_counter() - start)
    return sorted(times)[repeats // 2] * 1e6


def row_us(call, wait, of_one):
    """In a row of calls, as long as one of them says, the median of 7 rows, a call."""
    times = int(min(100, max(4, 20e3 / of_one)))
    told = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(times):
            last = call()
        wait(last)
        told.append((time.perf_counter() - start) / times)
    return sorted(told)[3] * 1e6


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


def memory(torch, upsweep):
    """Of the places and of what a call works in, the keys not counted. Pools keep what they took, so the driver tells."""
    try:
        import cupy
    except ImportError:
        cupy = None
    try:
        import jax
    except ImportError:
        jax = None
    n = 1 << 28
    ints = torch.randint(-(1 << 31), (1 << 31) - 1, (n,), dtype=torch.int32, device="cuda")

    def taken(call):
        torch.cuda.empty_cache()
        upsweep.free_workspaces()
        if cupy is not None:
            cupy.get_default_memory_pool().free_all_blocks()
        torch.cuda.synchronize()
        before = torch.cuda.mem_get_info()[0]
        places = call()
        torch.cuda.synchronize()
        taken = before - torch.cuda.mem_get_info()[0]
        del places
        return taken

    def taken_by_jax(x):
        x, sort = jax.dlpack.from_dlpack(x), jax.jit(jax.numpy.argsort)
        device = jax.devices()[0]
        before = device.memory_stats()["bytes_in_use"]
        sort(x).block_until_ready()
        return device.memory_stats()["peak_bytes_in_use"] - before

    upsweep.argsort(ints[:1000])
    torch.argsort(ints[:1000])
    print("| GB for argsort of 2^28 | ours | torch | cupy | jax |\n|---|---|---|---|---|")
    for name, x in (("i32", ints), ("f32", ints.to(torch.float32))):
        row = [taken(lambda: upsweep.argsort(x)), taken(lambda: torch.argsort(x))]
        row.append(taken(lambda: cupy.argsort(cupy.asarray(x))) if cupy is not None else None)
        row.append(taken_by_jax(x) if jax is not None else None)
        print(f"| {name} | " + " | ".join("" if b is None else f"{b / 1e9:.2f}" for b in row) + " |", flush=True)


def table(torch, upsweep):
    def wait(_=None):
        torch.cuda.synchronize()

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
    names = "ours | torch | cupy | jax | fastest of them over ours | cuda.compute |"
    head = f"| us, idle to idle | {names} in a row: {names}"
    print(head + "\n" + "|---" * (head.count("|") - 1) + "|")

    words = [w for w in sys.argv[1:] if not w.startswith("-")]

    def line(name, ours, of_torch, of_cupy=None, of_jax=None, repeats=21, of_compute=None, wait_of_ours=wait):
        if words and not any(w in name for w in words):
            return
        calls = [(ours, wait_of_ours), (of_torch, wait)]
        calls.append((of_cupy if "cupy" in libraries else None, lambda _: cupy.cuda.Device().synchronize()))
        calls.append((of_jax if "jax" in libraries else None, lambda a: a.block_until_ready()))
        calls.append((of_compute if compute is not None else None, wait))
        cells = [""] * len(calls), [""] * len(calls)
        took = [{}, {}]
        for i, (call, until) in enumerate(calls):
            if call is None:
                continue
            try:
                took[0][i] = median_us(call, until, repeats)
                took[1][i] = row_us(call, until, took[0][i])
            except Exception as e:  # what cuda.compute compiles at run time may be missing
                if call is not of_compute:
                    raise
                cells[0][i] = f"{type(e).__name__}: {str(e)[:60]}".splitlines()[0]
        for texts, times in zip(cells, took):
            for i, t in times.items():
                texts[i] = f"{t:.0f}" if t >= 100 else f"{t:.1f}"
            texts.insert(4, f"{min(t for i, t in times.items() if 0 < i < 4) / times[0]:.2f}")
        print(f"| {name} | " + " | ".join(cells[0] + cells[1]) + " |", flush=True)

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
            return None if jax is None else lambda: jitted[f](in_jax[i])

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
                line(f"{f} in JAX {size}", lambda: eager(in_jax[i]), None, None, of_jax(f, i), repeats,
                     wait_of_ours=lambda a: a.block_until_ready())
        in_jax = c = numbers = sorted_keys = None
    two = torch.randn(1 << 20, 2, device="cuda")
    out = torch.empty_like(two)
    line("cumsum f32 (2^20, 2) axis 0", lambda: upsweep.cumsum(two, axis=0, out=out), lambda: torch.cumsum(two, 0),
         (lambda a: lambda: cupy.cumsum(a, axis=0))(cupy.asarray(two)) if "cupy" in libraries else None, None)
    line("cumsum f32 reproducible (2^20, 2) axis 0", lambda: upsweep.cumsum(two, axis=0, out=out, reproducible=True),
         lambda: torch.cumsum(two, 0))


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
    if "--memory" in sys.argv:
        memory(torch, upsweep)
        return 0
    host(torch, upsweep)
    if "--host" not in sys.argv:
        print()
        table(torch, upsweep)
    return 0


if __name__ == "__main__":
    sys.exit(main())
