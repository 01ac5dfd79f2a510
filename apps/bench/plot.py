"""The charts of upsweep-bench plot, and of upsweep-bench report, whose page is in report.py.

Standard input: [{"name": "a.json", "record": {...}}, ...], documents as upsweep-bench --json writes them.
Standard output: {"scan_throughput_u32.svg": "<svg ...", ...}, the same bytes for the same input.
The program carries this text in itself; run_python in python.cpp starts it, with a call of main() behind it.
"""
import sys

if sys.path and sys.path[0] == "":
    del sys.path[0]  # a json.py in the current directory is not ours

import io
import json
import math
import os
import re
import statistics
from collections import defaultdict

try:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(78)  # no_module in python.cpp

# Every colour has a contrast of at least 3.6 to 1 on white and on #0d1117.
GRAY = "#767e88"
PALETTE = ["#2a7fd4", "#0f8f66", "#a66bd4", "#8a7a00", "#1b93a3", "#d8538f", "#5c8f1e", "#7c78e6"]
MARKERS = ["o", "^", "D", "v", "P", "p", "<", "X", ">"]  # one more than colours, so that no pair comes twice
# What a name begins with when it is none of ours: how it is called, colour, marker.
REFERENCES = {
    "cub": ("CUB", "#d95f0e", "s"),
    "thrust": ("Thrust", "#a9744f", "X"),
    "serial": ("CPU loop", GRAY, "x"),
    "copy": ("copy", GRAY, "."),
}
MODES = {
    "cold": "one call at a time, L2 flushed before each",
    "warm": "one call at a time, L2 not flushed",
    "graph": "replays of a captured graph, L2 not flushed",
}
MOST_SUBJECTS = 8  # beyond it only the best of each strategy is drawn on top
MOST_BARS = 40  # in one panel
THIN = "thin: other blocks and tiles of the strategy"

STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "upsweep-bench",
    "font.size": 10,
    "text.color": GRAY,
    "axes.edgecolor": GRAY,
    "axes.labelcolor": GRAY,
    "xtick.color": GRAY,
    "ytick.color": GRAY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.axisbelow": True,
    "text.parse_math": False,
}


# --- words ---------------------------------------------------------------------------------------------------------


def power_text(n):
    """2^20 as "2²⁰", another number as it is."""
    exponent = n.bit_length() - 1
    if n < 16 or n != 1 << exponent:
        return f"{n:,}"
    return "2" + str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def time_text(ms, _=None):
    for unit, scale in (("s", 1e-3), ("ms", 1), ("µs", 1e3)):
        if ms * scale >= 0.9995 or unit == "µs":
            return f"{ms * scale:.3g} {unit}"


def type_text(row):
    return row["type"] + ("+" + row["value_type"] if "value_type" in row else "")


def facet_text(row, kept_only=False):
    """What went in, apart from its length and types."""
    words = [] if kept_only else [row["distribution"]]
    if "kept" in row:
        words.insert(0, f"{100 * row['kept']:.3g} % kept")
    return ", ".join(words)


def reference_of(name):
    """The key of REFERENCES, or None for one of ours."""
    words = name.split()
    return words[0] if words and words[0] in REFERENCES else None


def versioned(reference, sources):
    """What a reference is called, with its version where all the sources have the same one, and whether they have."""
    called = REFERENCES[reference][0] if reference in REFERENCES else reference
    versions = {str(source.versions.get(reference, "")) for source in sources}
    return " ".join([called] + [v for v in versions if v and len(versions) == 1]), len(versions) == 1


def plain(text):
    """A name for a file or an element."""
    return re.sub("[^a-z0-9]+", "_", text.lower()).strip("_")


def broken(text, longest=32):
    """A long variant on two lines."""
    return text.replace("/", "/\n", 1) if len(text) > longest else text


# --- what is drawn ---------------------------------------------------------------------------------------------------


class Source:
    """One input file."""

    def __init__(self, name, record):
        self.name, self.record, self.device = name, record, record["device"]["name"]
        self.sim = record["device"]["backend"] == "sim"
        self.versions = record["versions"]


class Series:
    """One line, or the bars of one colour: a subject or a reference, on one kind of input, from one file."""

    def __init__(self, source, facet, name, first_row):
        self.source, self.facet, self.name = source, facet, name
        self.kept_only = facet_text(first_row, kept_only=True)
        self.reference = reference_of(name)
        self.strategy = name.split("/")[0]
        self.rows = defaultdict(list)  # n -> rows
        self.values = {}  # n -> what is drawn
        self.doubtful = set()  # n of values that were not verified, or not stable
        self.front = True

    def same_input(self, other):
        return self.source is other.source and self.facet == other.facet


def series_of(rows, value, references=True):
    """The series of (source, row) pairs; `value(row, side)` is drawn, None is not."""
    found = {}

    def add(source, row, name, side):
        if row["n"] < 1 or value(row, side) is None:
            return
        key = (source.name, facet_text(row), name)
        series = found.setdefault(key, Series(source, facet_text(row), name, row))
        series.rows[row["n"]].append((row, side))

    for source, row in rows:
        add(source, row, row["subject"]["name"], row["subject"])
        if references and "reference_timing" in row:
            add(source, row, row["reference"], row["reference_timing"])
    for series in found.values():
        for n in sorted(series.rows):
            series.values[n] = statistics.median(value(*pair) for pair in series.rows[n])
            if not all(row["verified"] and row["stable"] for row, _ in series.rows[n]):
                series.doubtful.add(n)
    return list(found.values())


def name_and_colour(all_series, better):
    """Sets front, colour, marker, dash and label of every series. `better` is min or max."""
    subjects = [s for s in all_series if not s.reference]
    sources = list(dict.fromkeys(s.source.name for s in all_series))
    facets = list(dict.fromkeys(s.facet for s in all_series))
    kept_says_all = len(facets) == len({s.kept_only for s in all_series})
    names = list(dict.fromkeys(s.name for s in subjects))
    grouped = len(subjects) > MOST_SUBJECTS and len(names) > 1

    groups = defaultdict(list)
    for s in subjects:
        groups[s.source.name, s.facet, s.strategy if grouped else s.name].append(s)
    for place, group in enumerate(groups.values()):
        longest = max(max(s.values) for s in group)
        best = better((s for s in group if max(s.values) == longest), key=lambda s: s.values[longest])
        for s in group:
            s.front = s is best
            s.colour, s.marker = PALETTE[place % len(PALETTE)], MARKERS[place % len(MARKERS)]
            s.dash, s.others = "-", len(group) - 1
    many_inputs = len({(s.source.name, s.facet) for s in all_series}) > 1
    for s in all_series:
        if s.reference:
            _, s.colour, s.marker = REFERENCES[s.reference]
            beside = next((o for o in subjects if many_inputs and o.same_input(s)), None)
            s.colour = beside.colour if beside else s.colour
            s.dash, s.others = "--", 0

    devices = {s.source.device for s in all_series}
    by_device = len(devices) == len(sources)
    for s in all_series:
        words = []
        if s.reference:
            words.append(versioned(s.reference, [s.source])[0])
        elif len(names) > 1:
            words.append(broken(s.name))
        else:
            words.append("upsweep")
        if len(facets) > 1:
            words.insert(0, s.kept_only if kept_says_all else s.facet)
        if len(sources) > 1:
            words.append(s.source.device if by_device else s.source.name)
        s.label = ", ".join(words)


def how_text(all_series, mode, grouped):
    """The lines under a title: where, how, and of what. `grouped` says what became of the others of a strategy."""
    rows = [pair for s in all_series for pairs in s.rows.values() for pair in pairs]
    sources = list({s.source.name: s.source for s in all_series}.values())
    counts = [side["samples"] for _, side in rows if side["samples"] > 0]
    devices = ", ".join(dict.fromkeys(s.device for s in sources))
    dates = ", ".join(dict.fromkeys(s.record["time"][:10] for s in sources))
    if sources[0].sim:
        devices = "sim: kernels run thread by thread on the CPU. This shows that they work, not how fast a GPU is"
    where = f"{devices} · {dates}"
    how = MODES[mode]
    if counts:
        few, most = min(counts), max(counts)
        how += f" · medians of {few if few == most else f'{few} to {most}'} samples"
    what = []
    names = list(dict.fromkeys(s.name for s in all_series if not s.reference))
    if len(names) == 1:
        what.append(f"upsweep: {names[0]}")
    facets = list(dict.fromkeys(s.facet for s in all_series))
    if len(facets) == 1:
        what.append(f"input: {facets[0]}")
    elif len({s.kept_only for s in all_series}) == len(facets):
        what.append("input: " + all_series[0].facet.split(", ")[-1])
    lines = [where, how]
    if any(s.others for s in all_series):
        what.append(grouped)
    if any(s.doubtful for s in all_series):
        what.append("hollow: not verified, or not stable in time")
    return lines + [" · ".join(what)] if what else lines


# --- how it is drawn -------------------------------------------------------------------------------------------------


class SvgFiles:
    """Each chart is a file of its own: title and labels are drawn, too."""

    width, tall = 7.6, 1

    def hover(self, axis, x, y, text):
        """Where numbers stand by the pointer: not in a file."""

    def labels(self, axis, entries):
        put_labels(axis, entries)

    def ratio(self, called):
        return f"times as fast as {called}"

    def legend(self, axis, found):
        if len(found) > 1:
            put_legend(axis, found)

    def finished(self, figure, axis, title, lines, all_series, text):
        put_title(axis, title, lines)
        return svg_text(figure, title)


def new_figure(page, panels=1, height=4.2):
    figure = Figure(figsize=(page.width, height * page.tall * panels))
    axes = figure.subplots(panels, 1, squeeze=False)[:, 0]
    for axis in axes:
        axis.grid(color=GRAY, alpha=0.25, linewidth=0.6)
        axis.tick_params(length=3)
    return figure, axes


def put_title(axis, title, lines):
    """Above the axis, left-aligned: what it is, then how it was taken."""
    step = 13
    for i, line in enumerate(reversed(lines)):
        axis.annotate(line, (0, 1), (0, 12 + step * i), "axes fraction", "offset points", fontsize=9)
    axis.annotate(title, (0, 1), (0, 15 + step * len(lines)), "axes fraction", "offset points", fontsize=13,
                  fontweight="bold")


def svg_text(figure, title):
    file = io.StringIO()
    figure.savefig(file, format="svg", bbox_inches="tight", pad_inches=0.15, transparent=True,
                   metadata={"Date": None, "Creator": "upsweep-bench plot", "Title": title})
    return file.getvalue()


def put_labels(axis, entries):
    """A column right of the axis: what each line is, beside its end where there is room. (y, text, line style)"""
    placed, inch = [], axis.get_window_extent().height / axis.figure.dpi
    line = 12.5 / 72 / inch
    for y, text, style in sorted(entries, key=lambda e: -e[0]):
        place = axis.transAxes.inverted().transform(axis.transData.transform((1, y)))[1]
        half = line * (1 + text.count("\n")) / 2
        placed.append([min(max(place, 0), 1), half, text, style])
    for above, here in zip(placed, placed[1:]):
        here[0] = min(here[0], above[0] - above[1] - here[1])
    # What was pushed below the axis goes up again, and lifts what is in its way.
    lowest = 0
    for entry in reversed(placed):
        entry[0] = max(entry[0], lowest + entry[1])
        lowest = entry[0] + entry[1]
    for place, _, text, style in placed:
        axis.add_line(Line2D([1.02, 1.045, 1.07], [place] * 3, transform=axis.transAxes, clip_on=False, markevery=[1],
                             **style))
        axis.annotate(text, (1.085, place), xycoords="axes fraction", va="center", fontsize=9, color=style["color"],
                      linespacing=1.1)


def set_n_axis(axis, counts):
    low, high = math.floor(math.log2(min(counts))), math.ceil(math.log2(max(counts)))
    step = max(1, math.ceil((high - low) / 11))
    axis.set_xscale("log", base=2)
    margin = 2 ** (0.025 * max(1, high - low))
    axis.set_xlim(min(counts) / margin, max(counts) * margin)
    axis.xaxis.set_major_locator(FixedLocator([2 ** i for i in range(low, high + 1) if (high - i) % step == 0]))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: power_text(round(x))))
    axis.set_xlabel("n, items")


def point_text(s, n, text):
    return f"{s.label.replace(chr(10), '')}, n = {power_text(n)}: {text(s, n)}"


def draw_lines(page, axis, all_series, text):
    """`text(series, n)`: the number that is drawn, with its unit."""
    entries = []
    for s in sorted(all_series, key=lambda s: s.front):
        counts, values = list(s.values), list(s.values.values())
        if not s.front:
            axis.plot(counts, values, s.dash, color=s.colour, linewidth=0.6, alpha=0.55)
            continue
        style = {"color": s.colour, "linestyle": s.dash, "linewidth": 1.6, "marker": s.marker, "markersize": 4}
        axis.plot(counts, values, gid=plain(s.label), **style)
        doubtful = [n for n in counts if n in s.doubtful]
        axis.plot(doubtful, [s.values[n] for n in doubtful], s.marker, markersize=7, markerfacecolor="none",
                  color=s.colour)
        entries.append((values[-1], s.label, style))
        for n in counts:
            page.hover(axis, n, s.values[n], point_text(s, n, text))
    return entries


def time_of(s, n):
    return time_text(statistics.median(side["median_ms"] for _, side in s.rows[n]))


def copy_rates(all_series):
    """(GB/s, label) of the copies that were measured beside."""
    rates = {}
    for s in all_series:
        if "copy_gb_per_s" in s.source.record:
            rates.setdefault(s.source.name, (s.source.record["copy_gb_per_s"], s.source))
    for rate, source in rates.values():
        yield rate, f"copy, {rate:,.0f} GB/s" + (f",\n{source.device}" if len(rates) > 1 else "")


COPY_STYLE = {"color": GRAY, "linestyle": (0, (6, 3)), "linewidth": 1.2}


def throughput_chart(page, operation, types, mode, rows):
    all_series = series_of(rows, lambda row, side: side.get("bytes", row["bytes"]) / side["median_ms"] / 1e6 if side.get("median_ms")
                           else None)
    if not all_series:
        return None
    name_and_colour(all_series, max)
    figure, (axis,) = new_figure(page)
    text = lambda s, n: f"{s.values[n]:,.4g} GB/s, {time_of(s, n)}"
    entries = draw_lines(page, axis, all_series, text)
    top = max(max(s.values.values()) for s in all_series)
    copies = list(copy_rates(all_series))
    for rate, label in copies:
        axis.axhline(rate, gid=plain(label), **COPY_STYLE)
        entries.append((rate, label, COPY_STYLE))
    set_n_axis(axis, [n for s in all_series for n in s.values])
    axis.set_ylabel("GB/s of the fewest bytes")
    if copies and top < max(rate for rate, _ in copies) / 4:
        axis.set_yscale("log")
    else:
        axis.set_ylim(0, 1.06 * max([top] + [rate for rate, _ in copies]))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.10g}"))
    page.labels(axis, entries)
    title = f"{operation} of {types}: throughput" + (", sim" if rows[0][0].sim else "")
    return page.finished(figure, axis, title, how_text(all_series, mode, THIN), all_series, text)


def survey_chart(page, types, mode, rows):
    all_series = series_of(rows, lambda _, side: side.get("median_ms") or None)
    if not all_series:
        return None
    name_and_colour(all_series, min)
    for s in all_series:
        if s.front and s.others:
            s.label += f"\nand {s.others} more"
    figure, (axis,) = new_figure(page, height=5.6)
    axis.set_yscale("log")
    entries = draw_lines(page, axis, all_series, time_of)
    set_n_axis(axis, [n for s in all_series for n in s.values])
    bounds = axis.get_ylim()
    if not any(s.reference == "copy" for s in all_series):
        bytes_of = {row["n"]: row["bytes"] for _, row in rows if row["n"] > 0}
        for rate, label in copy_rates(all_series):
            times = {n: bytes_of[n] / rate / 1e6 for n in sorted(bytes_of)}
            axis.plot(list(times), list(times.values()), **COPY_STYLE)
            entries.append((list(times.values())[-1], label, COPY_STYLE))
        axis.set_ylim(bounds[0] / 2, bounds[1])  # a copy of few bytes would take no time at all
    axis.yaxis.set_major_formatter(FuncFormatter(time_text))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.set_ylabel("time of one scan")
    page.labels(axis, entries)
    title = f"every scan variant, {types}: time against n" + (", sim" if rows[0][0].sim else "")
    return page.finished(figure, axis, title, how_text(all_series, mode, THIN), all_series, time_of)


def selected(counts, most):
    """At most `most` of the sorted counts, at equal steps, the last among them."""
    step = math.ceil(len(counts) / most)
    return counts[(len(counts) - 1) % step::step]


def speedup_chart(page, operation, reference, mode, rows):
    panels = defaultdict(list)
    for source, row in rows:
        panels[type_text(row)].append((source, row))
    drawn = {types: series_of(pairs, lambda row, _: row["speedup"]["median"], references=False)
             for types, pairs in panels.items()}
    drawn = {types: found for types, found in drawn.items() if found}
    if not drawn:
        return None
    everything = [s for found in drawn.values() for s in found]
    called, same_version = versioned(reference, [s.source for s in everything])
    title = f"{operation}: speedup over {called}" + (", sim" if rows[0][0].sim else "")
    if len(drawn) == 1:
        title = title.replace(operation, f"{operation} of {next(iter(drawn))}", 1)
    figure, axes = new_figure(page, len(drawn), height=2.3 if len(drawn) > 1 else 4.2)
    figure.subplots_adjust(hspace=0.35)
    values = [v for s in everything for v in s.values.values()]
    said = None
    for axis, (types, found) in zip(axes, drawn.items()):
        name_and_colour(found, max)
        for s in found if not same_version else []:
            s.label += f", over {versioned(reference, [s.source])[0]}"
        draw_bars(page, axis, [s for s in found if s.front], logarithmic=max(values) > 12)
        axis.set_ylabel(f"{types}\n{page.ratio(called)}" if len(drawn) > 1 else f"times as fast as {called}")
        labels = [s.label for s in found if s.front]
        if labels != said:
            page.legend(axis, [s for s in found if s.front])
        said = labels
    axes[-1].set_xlabel("n, items")
    lines = how_text(everything, mode, "the best of each strategy")
    for s in everything if len(drawn) > 1 else []:
        s.label = f"{type_text(s.rows[next(iter(s.rows))][0][0])}, {s.label}"
    return page.finished(figure, axes[0], title, lines + ["whiskers: confidence interval of the median ratio"], everything,
                         speedup_text)


def speedup_text(s, n):
    low, high = interval_of(s, n)
    return f"{s.values[n]:.3g} ({low:.3g} to {high:.3g})"


def interval_of(s, n):
    return tuple(statistics.median(row["speedup"][end] for row, _ in s.rows[n]) for end in ("low", "high"))


def draw_bars(page, axis, found, logarithmic):
    counts = selected(sorted({n for s in found for n in s.values}), max(2, min(10, MOST_BARS // len(found))))
    bars = []  # (middle, series, n, value, low, high)
    width = 0.8 / len(found)
    for i, s in enumerate(found):
        for place, n in enumerate(counts):
            if n in s.values:
                low, high = interval_of(s, n)
                bars.append((place + (i - (len(found) - 1) / 2) * width, s, n, s.values[n], low, high))
    highest = max([1] + [high for *_, high in bars])
    if logarithmic:
        axis.set_yscale("log")
    else:
        axis.set_ylim(0, 1.12 * highest)
    line = 11 / 72 / (axis.get_window_extent().height / axis.figure.dpi) * 1.12 * highest  # height of a number
    for middle, s, n, value, low, high in bars:
        bottom = 1 if logarithmic else 0
        axis.bar(middle, value - bottom, 0.9 * width, bottom=bottom, edgecolor=s.colour, linewidth=1,
                 facecolor="none" if n in s.doubtful else s.colour)
        axis.errorbar(middle, value, [[max(0, value - low)], [max(0, high - value)]], color=GRAY, linewidth=1.2,
                      capsize=2)
        page.hover(axis, middle, value, point_text(s, n, speedup_text))
        if len(bars) <= 3.2 * page.width:
            top = 1 if 1 - line < high < 1 else high  # not across the line at 1
            axis.annotate(f"{value:.2f}", (middle, top), (0, 2), textcoords="offset points", ha="center", fontsize=8)
    axis.axhline(1, color=GRAY, linewidth=1.4)
    axis.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:.4g}"))
    axis.grid(False, axis="x")
    axis.set_xticks(range(len(counts)), [power_text(n) for n in counts])


def put_legend(axis, found):
    entries = [Line2D([], [], color=s.colour, linewidth=6, label=s.label) for s in found]
    axis.legend(handles=entries, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=9,
                labelcolor="linecolor", handlelength=1)


# --- which charts there are ------------------------------------------------------------------------------------------


def charts_of(sources, page):
    """The name of every chart that the records have something for, and what `page` makes of it."""
    lines, ratios = defaultdict(list), defaultdict(list)
    for source in sources:
        survey = source.record["command"] == "survey"
        for row in source.record["rows"]:
            end = ("" if row["mode"] == "cold" else "_" + row["mode"]) + ("_sim" if source.sim else "")
            operation, types = row["operation"], type_text(row)
            name = ("survey_" if survey else operation + "_throughput_") + types.replace("+", "_") + end
            lines[name, survey, operation, types, row["mode"]].append((source, row))
            if "speedup" in row and not survey:
                name = f"{operation}_speedup_{row['reference']}{end}"
                ratios[name, operation, row["reference"], row["mode"]].append((source, row))
    for (name, survey, operation, types, mode), rows in lines.items():
        yield name, survey_chart(page, types, mode, rows) if survey else throughput_chart(page, operation, types, mode, rows)
    for (name, operation, reference, mode), rows in ratios.items():
        yield name, speedup_chart(page, operation, reference, mode, rows)


def clean(document):
    """Without characters that XML does not have."""
    return {key: "".join(c if c.isprintable() else "?" for c in value) if isinstance(value, str) else value
            for key, value in document.items()}


def read_sources():
    matplotlib.rcdefaults()
    matplotlib.rcParams.update({key: value for key, value in STYLE.items() if key in matplotlib.rcParams})
    files = json.load(sys.stdin.buffer, object_hook=clean)
    short = [os.path.basename(file["name"]) for file in files]
    distinct = len(set(short)) == len(short)
    return [Source(name if distinct else file["name"], file["record"]) for name, file in zip(short, files)]


def main():
    charts = {plain(name) + ".svg": text for name, text in charts_of(read_sources(), SvgFiles()) if text}
    json.dump(charts, sys.stdout)
