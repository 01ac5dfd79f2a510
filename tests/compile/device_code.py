#!/usr/bin/env python3
"""Device code that one call brings for u32 on sm_90: the sum of all .text of its kernels, which has a budget.

device_code.py NVCC          the native call and that of drop_in together, which share their kernels, against the budgets
device_code.py NVCC --cub    each alone, that of the CUB that comes with nvcc too, and how long each took to compile

Exits with 1 when a call brings more than its budget, with nvcc 13.0; others may need more.
"""
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEYS = 'const unsigned* in, unsigned* out'
PAIRS = KEYS + ', const unsigned* values_in, unsigned* values_out'

# What is called, its budget in bytes; the header, the arguments and the call: native, then of drop_in and CUB.
CALLS = [
    ('exclusive_sum', 109_000, 'scan', KEYS, 'exclusive_sum(w, in, out, n, stream)',
     'device_scan', 'DeviceScan::ExclusiveSum(memory, bytes, in, out, count, stream)'),
    ('select_if', 140_000, 'compact', KEYS + ', long long* kept', 'select_if(w, in, out, kept, n, odd{}, stream)',
     'device_select', 'DeviceSelect::If(memory, bytes, in, out, kept, count, odd{}, stream)'),
    ('sort_keys', 350_000, 'sort', KEYS, 'sort_keys(w, in, out, n, upsweep::sort_order::ascending, {}, stream)',
     'device_radix_sort', 'DeviceRadixSort::SortKeys(memory, bytes, in, out, count, 0, 32, stream)'),
    ('sort_pairs', 450_000, 'sort', PAIRS,
     'sort_pairs(w, in, out, values_in, values_out, n, upsweep::sort_order::ascending, {}, stream)',
     'device_radix_sort',
     'DeviceRadixSort::SortPairs(memory, bytes, in, out, values_in, values_out, count, 0, 32, stream)'),
    ('segmented_sort_keys', 485_000, 'sort', KEYS + ', const long long* begins',
     'segmented_sort_keys(w, in, out, begins, begins + 1, n, n, upsweep::sort_order::ascending, {}, stream)',
     'device_segmented_sort',
     'DeviceSegmentedSort::SortKeys(memory, bytes, in, out, count, count, begins, begins + 1, stream)'),
    ('segmented_sort_pairs', 500_000, 'sort', PAIRS + ', const long long* begins',
     'segmented_sort_pairs(w, in, out, values_in, values_out, begins, begins + 1, n, n, '
     'upsweep::sort_order::ascending, {}, stream)',
     'device_segmented_sort',
     'DeviceSegmentedSort::StableSortPairs(memory, bytes, in, out, values_in, values_out, count, count, begins, '
     'begins + 1, stream)'),
    ('top_k_keys', 995_000, 'sort', KEYS, 'top_k_keys(w, in, out, n, n, upsweep::sort_order::descending, {}, stream)',
     'device_radix_sort', 'DeviceRadixSort::SortKeysDescending(memory, bytes, in, out, count, 0, 32, stream)'),
    ('merge_keys', 25_000, 'sort', KEYS, 'merge_keys(w, in, in, out, n, n, upsweep::less{}, stream)',
     'device_merge', 'DeviceMerge::MergeKeys(memory, bytes, in, count, in, count, out, {}, stream)'),
    ('merge_pairs', 35_000, 'sort', PAIRS,
     'merge_pairs(w, in, in, out, values_in, values_in, values_out, n, n, upsweep::less{}, stream)',
     'device_merge',
     'DeviceMerge::MergePairs(memory, bytes, in, values_in, count, in, values_in, count, out, values_out, {}, stream)'),
    ('group_by', 405_000, 'compact', KEYS + ', std::int64_t* offsets',
     'group_by(w, in, out, offsets, n, 4096, itself{}, stream)',
     'device_radix_sort', 'DeviceRadixSort::SortPairs(memory, bytes, in, out, in, out, count, 0, 12, stream)'),
    ('exclusive_sum_axis', 635_000, 'scan', KEYS,
     'exclusive_sum_axis(w, in, out, upsweep::array_axis{1, n, n}, stream)',
     'device_scan', 'DeviceScan::ExclusiveSum(memory, bytes, in, out, count, stream)'),
    ('expand', 192_000, 'compact', KEYS + ', long long* total', 'expand(w, in, out, total, n, item{}, stream)',
     'device_scan', 'DeviceScan::ExclusiveSum(memory, bytes, in, out, count, stream)'),
    ('histogram', 11_200, 'compact', KEYS, 'histogram(in, out, n, 256, itself{}, stream)',
     'device_histogram', 'DeviceHistogram::HistogramEven(memory, bytes, in, out, 257, 0u, 256u, count, stream)'),
    ('reduce_by_key', 230_000, 'compact', PAIRS + ', long long* runs',
     'reduce_by_key(w, in, out, values_in, values_out, runs, n, upsweep::plus{}, upsweep::equal_to{}, stream)',
     'device_reduce',
     'DeviceReduce::ReduceByKey(memory, bytes, in, out, values_in, values_out, runs, sum{}, count, stream)'),
]
# What the toolkit's CUB has another call for: nothing in drop_in.
NATIVE_ONLY = {'exclusive_sum_axis', 'top_k_keys', 'group_by', 'expand', 'histogram'}
# By the call, or by its module.
NATIVE_HEADER = {'scan': 'scan/scan.cuh', 'compact': 'compact/select.cuh', 'sort': 'sort/radix_sort.cuh',
                 'exclusive_sum_axis': 'scan/axis_scan.cuh',
                 'merge_keys': 'sort/merge.cuh', 'merge_pairs': 'sort/merge.cuh',
                 'segmented_sort_keys': 'sort/segmented_sort.cuh', 'segmented_sort_pairs': 'sort/segmented_sort.cuh',
                 'top_k_keys': 'sort/top_k.cuh', 'group_by': 'compact/group_by.cuh', 'expand': 'compact/expand.cuh',
                 'histogram': 'compact/histogram.cuh', 'reduce_by_key': 'compact/reduce_by_key.cuh'}

FUNCTORS = """
struct odd { __host__ __device__ bool operator()(unsigned x) const { return x % 2 != 0; } };
struct itself { __host__ __device__ unsigned operator()(unsigned x) const { return x; } };
struct item { __host__ __device__ unsigned operator()(long long i, long long) const { return unsigned(i); } };
struct sum { __host__ __device__ unsigned operator()(unsigned x, unsigned y) const { return x + y; } };
"""


def source(call, forms):
    """A file with a function for each of the forms, which makes the call."""
    name, _, module, arrays, native, cub_header, two_phase = call
    headers, functions = '#include <upsweep/simt/workspace.hpp>\n', ''
    for how in forms:
        if how == 'native':
            header = f'upsweep/{NATIVE_HEADER.get(name, NATIVE_HEADER[module])}'
            body = f'return upsweep::{native};'
            parameters = f'upsweep::workspace w, {arrays}, long long n, cudaStream_t stream'
        else:
            header = f'upsweep/{module}/drop_in.cuh' if how == 'drop_in' else f'cub/device/{cub_header}.cuh'
            body = f'return {"upsweep::drop_in" if how == "drop_in" else "cub"}::{two_phase};'
            parameters = f'void* memory, size_t& bytes, {arrays}, int count, cudaStream_t stream'
        headers += f'#include <{header}>\n'
        functions += f'cudaError_t {how}_call({parameters}) {{ {body} }}\n'
    return headers + FUNCTORS + functions


def text_sections(elf):
    """The sizes of the sections of a 64-bit ELF file whose names begin with .text, one of each kernel."""
    at, = struct.unpack_from('<Q', elf, 40)
    entry, count, names = struct.unpack_from('<HHH', elf, 58)
    sections = [struct.unpack_from('<IIQQQQ', elf, at + i * entry) for i in range(count)]
    names = sections[names][4]
    return [size for name, _, _, _, _, size in sections if elf[names + name:].startswith(b'.text')]


def compiled(nvcc, folder, call, forms):
    """Bytes of device code, kernels, and seconds of CPU time that nvcc took."""
    path = pathlib.Path(folder, f'{call[0]}_{"_".join(forms)}.cu')
    path.write_text(source(call, forms))
    out = path.with_suffix('.cubin')
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    includes = [f'-I{ROOT / module / "include"}' for module in ('scan', 'compact', 'sort')]
    run = subprocess.run([nvcc, '-std=c++20', '-O3', '-arch=sm_90', '-cubin', *includes, path, '-o', out],
                         env=dict(os.environ, NVCC_APPEND_FLAGS=''), capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f'device_code.py: {path.name} does not compile:\n{run.stderr}')
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    sizes = text_sections(out.read_bytes())
    if not sizes:
        sys.exit(f'device_code.py: {out.name} holds no kernel')
    return sum(sizes), len(sizes), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    nvcc, with_cub = sys.argv[1], '--cub' in sys.argv[2:]
    version = subprocess.run([nvcc, '--version'], capture_output=True, text=True, check=True).stdout
    release = version.partition('release ')[2].partition(',')[0]
    if release != '13.0':
        print(f'SKIP: the budgets are those of nvcc 13.0, and this is {release}')
        if not with_cub:
            return 0
    rows = [['native'], ['drop_in'], ['CUB']] if with_cub else [['native', 'drop_in']]
    over = []
    print(f'{"u32, sm_90":<22}{"call":<15}{"kB":>7}{"kernels":>9}{"budget":>8}' + (f'{"compiled in":>13}' if with_cub else ''))
    with tempfile.TemporaryDirectory() as folder:
        for call in CALLS:
            for forms in rows:
                if call[0] in NATIVE_ONLY:
                    forms = [form for form in forms if form != 'drop_in']
                if not forms:
                    continue
                size, kernels, seconds = compiled(nvcc, folder, call, forms)
                how, is_ours = ', '.join(forms), forms != ['CUB']
                budget = f'{call[1] / 1000:.0f}' if is_ours else ''
                print(f'{call[0]:<22}{how:<15}{size / 1000:>7.1f}{kernels:>9}{budget:>8}' +
                      (f'{seconds:>11.1f} s' if with_cub else ''), flush=True)
                if is_ours and size > call[1]:
                    over.append(f'{call[0]}, {how}: {size} bytes of device code; expected at most {call[1]}')
    for line in over:
        print(f'device_code.py: {line}', file=sys.stderr)
    return 1 if over and release == '13.0' else 0


if __name__ == '__main__':
    sys.exit(main())
