"""The tables of README.md, docs/performance.md (H100) and docs/performance_h200.md, from the records in configs/bench/recorded.

    python3 apps/bench/performance_page.py            writes them between their marks
    python3 apps/bench/performance_page.py --check    only says whether they are those of the records

Exit status: 0 done, 1 a page has other figures than the records.
"""

import json
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[2]
recorded = root / "configs/bench/recorded"
begin, end = "<!-- figures: written by apps/bench/performance_page.py -->\n", "<!-- end of figures -->\n"

# A record without its card, and what it is about.
sections = [
    ("scan", "Exclusive sums"),
    ("scan_large", "Exclusive sums of 2^30"),
    ("scan_narrow", "Exclusive sums of 8 and 16 bits"),
    ("scan_growth", "Exclusive sums up to 2^32"),
    ("scan_reproducible", "Reproducible sums"),
    ("by_key", "Running sums by key of u32"),
    ("by_key_wide", "Running sums by key of u64"),
    ("segmented", "Segmented sums of u32"),
    ("segmented_wide", "Segmented sums of u64"),
    ("axis", "Sums down columns"),
    ("compact", "Compaction of u32"),
    ("compact_types", "Compaction of other types"),
    ("compact_large", "Compaction of 2^30"),
    ("compact_methods", "The methods of compaction"),
    ("flagged", "Compaction by flags"),
    ("flagged_large", "Compaction by flags, more elements"),
    ("flagged_holes", "Compaction in place, in any order"),
    ("partition", "Partitions into two arrays"),
    ("split", "Splits into buckets"),
    ("sort", "Sorts"),
    ("sort_large", "Sorts of 2^30"),
    ("sort_distributions", "Sorts of keys that are not uniform"),
    ("sort_payload", "Sorts of u32 with 64 bytes in four arrays"),
    ("segmented_sort", "Sorts of segments"),
    ("top_k", "The largest k"),
    ("reduce_by_key", "One sum per key"),
    ("run_lengths", "Lengths of runs"),
    ("unique", "Numbers of runs"),
    ("group_by", "Groups"),
    ("splats", "Splats to tiles"),
]
# The rows of README.md: a record, what it calls the row, what the README calls it.
front = [
    ("h100_scan", "u32", "exclusive sum of u32"),
    ("h100_scan", "f64", "exclusive sum of f64"),
    ("h100_scan_narrow", "u8", "exclusive sum of u8"),
    ("h100_by_key", "u32, runs of 1000", "running sum by key of u32, runs of some 1000"),
    ("h100_compact", "u32, 50 % kept", "compaction of u32, half kept"),
    ("h100_flagged", "8 arrays of 4 bytes, 50 % kept", "compaction by flags of 8 arrays, half kept"),
    ("h100_partition", "u32, 50 % kept", "partition of u32 into two arrays, half kept"),
    ("h100_sort", "u32", "sort of u32 keys"),
    ("h100_sort", "u64", "sort of u64 keys"),
    ("h100_sort", "u32 with u32", "sort of u32 keys with u32 values"),
]


def power(n):
    exponent = n.bit_length() - 1
    return f"2^{exponent}" if n == 1 << exponent else f"{n:,}"


def label(row):
    kind = row["distribution"]
    parts = [row["type"] + (f" with {row['value_type']}" if row.get("value_type", "none") != "none" else "")]
    if kind.startswith("lengths_"):
        parts.append(f"{'segments' if row['operation'] == 'segmented_sort' else 'runs'} of {int(kind[8:])}")
    elif kind == "one":
        parts.append("one run")
    elif kind.startswith("bytes_"):
        parts = [f"elements of {kind[6:]} bytes"]
    elif kind == "arrays_8":
        parts = ["8 arrays of 4 bytes"]
    elif kind.startswith("buckets_"):
        parts.append(f"{kind[8:]} buckets")
    elif kind.startswith("columns_"):
        parts.append(f"{kind[8:]} columns")
    elif kind.startswith("groups_"):
        parts.append(f"{kind[7:]} groups")
    elif "k_" in kind:
        parts[0] = "f32" if kind.startswith("f32") else parts[0]
        parts.append(f"k = {kind[kind.index('k_') + 2:]}" + (", zipf" if kind.startswith("zipf") else ""))
    elif kind.startswith("radius_"):
        parts = [f"splats with a radius of up to {kind[7:]} pixels"]
    elif kind == "power_law":
        parts.append("lengths by a power law")
    elif kind not in ("random", "uniform"):
        parts.append(kind)
    if "kept" in row:
        parts.append(f"{row['kept'] * 100:g} % kept")
    if row["subject"]["name"] not in ("default",) and row["operation"] != "partition":
        parts.append(row["subject"]["name"])
    if row.get("reference") not in (None, "cub") and row["operation"] != "group_by":
        parts.append(f"beside {row['reference']}")
    return ", ".join(parts)


def time(ms):
    us = ms * 1000
    for unit, scale in (("us", 1), ("ms", 1000), ("s", 1000000)):
        if us / scale < 999.5 or unit == "s":
            value = us / scale
            return f"{value:.{max(0, 2 - len(str(int(value))) + (value < 100))}f} {unit}"


def cell(row):
    if row is None:
        return ""
    words = time(row["subject"]["median_ms"])
    if "speedup" in row:
        words += f", {row['speedup']['median']:.2f}x"
    return words


def rows_of(record):
    rows = {}
    for row in record["rows"]:
        rows.setdefault(label(row), {})[row["mode"], row["n"]] = row
    return rows


def read(name):
    return json.loads((recorded / f"{name}.json").read_text())


def records_of(card):
    """The records that are there of this card, with their titles."""
    return [(read(f"{card}_{name}"), title) for name, title in sections if (recorded / f"{card}_{name}.json").exists()]


def facts(record):
    device, versions = record["device"], record["versions"]
    return (f"{device['name']}, CUDA {versions['cuda_runtime']}, CUB {versions['cub']}, {record['time'][:10]}; "
            f"a copy of 1 GiB runs at {record['copy_gb_per_s'] / 1000:.2f} TB/s")


def table(record):
    rows = rows_of(record)
    all_columns = {(mode, n) for row in rows.values() for mode, n in row}
    columns = {(mode, n) for mode, n in all_columns if n & (n - 1) == 0} or all_columns
    if len(columns) > 8:
        columns = {(mode, n) for mode, n in columns if (n.bit_length() - 1) % 4 == 0 or (mode == "cold" and n >= 1 << 26)}
    columns = sorted(columns)
    lines = ["| | " + " | ".join(f"{power(n)}{', graph' if mode == 'graph' else ''}" for mode, n in columns) + " |",
             "|---|" + "---|" * len(columns)]
    for name, row in rows.items():
        share = ""
        lines.append(f"| {name}{share} | " + " | ".join(cell(row.get(column)) for column in columns) + " |")
    return lines


def shares(record):
    """The rate of the bytes that must move beside that of a copy, of the largest n of each row."""
    found = []
    for name, row in rows_of(record).items():
        mode, n = max(key for key in row if key[0] == "cold")
        found.append(f"{name} {row[mode, n]['subject']['share_of_copy']:.2f} ({power(n)})")
    return "Of a copy: " + ", ".join(found) + "."


def performance(card):
    lines = []
    for record, title in records_of(card):
        command = " ".join(record["argv"])
        lines += [f"### {title}", f"`{command}`: {facts(record)}.", ""] + table(record) + [""]
        if record["rows"][0]["operation"] in ("scan", "compact", "partition", "flagged", "by_key", "segmented"):
            lines += [shares(record), ""]
    return "\n".join(lines)


def readme():
    lines = ["| | 2^12: cold, graph | 2^20: cold, graph | largest, cold |", "|---|---|---|---|"]
    for name, row_name, title in front:
        row = rows_of(read(name))[row_name]
        mode, n = max(key for key in row if key[0] == "cold")
        small = [", ".join(cell(row[m, e]).replace(", ", " ") for m in ("cold", "graph") if (m, e) in row) for e in (1 << 12, 1 << 20)]
        share = row[mode, n]["subject"].get("share_of_copy", 0)
        last = cell(row[mode, n]).replace(", ", " ")
        if row[mode, n]["operation"] == "sort":
            last += f", {row[mode, n]['subject']['items_per_s'] / 1e9:.0f} billion keys a second"
        else:
            last += f", {share:.2f} of a copy"
        lines.append(f"| {title} | {small[0]} | {small[1]} | {power(n)}: {last} |")
    return "\n".join(lines) + "\n"


def main(arguments):
    wrong = 0
    for name, figures in (("README.md", readme()), ("docs/performance.md", performance("h100")),
                          ("docs/performance_h200.md", performance("h200"))):
        page = root / name
        text = page.read_text()
        first, last = text.index(begin) + len(begin), text.index(end)
        if text[first:last] == figures:
            continue
        if arguments == ["--check"]:
            print(f"{name}: other figures than the records have; python3 {sys.argv[0]} writes them", file=sys.stderr)
            wrong = 1
        else:
            page.write_text(text[:first] + figures + text[last:])
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
