"""The page of upsweep-bench report: the charts of plot.py, whose text comes before this one, and their numbers.

Standard input: as for plot.py. Standard output: one HTML file, which needs no other file and no script.
"""
import html

STYLE_SHEET = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --paper: #fff; --line: #d1d9e0; --row: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9198a1; --paper: #0d1117; --line: #3d444d; --row: #151b23; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 78rem; padding: 1rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 0; } p { margin: .25rem 0; }
.soft { color: var(--soft); font-size: .85rem; }
.charts { display: grid; gap: 2.5rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); }
section { min-width: 0; } h1, .records { margin-bottom: 1rem; }
svg { display: block; width: 100%; height: auto; margin: .5rem 0; }
ul { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; font-size: .85rem; }
li::before { content: attr(data-mark); margin-right: .4rem; }
.wide { overflow-x: auto; } summary { cursor: pointer; font-size: .85rem; padding: .3rem 0; }
table { border-collapse: collapse; font-size: .8rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } tr:nth-child(even) { background: var(--row); }
.records td, .records th { text-align: left; }
"""


class Page:
    """Each chart is its curves as SVG; title, legend and numbers are HTML, which breaks lines where a screen is narrow."""

    width, tall = 4.6, 0.75

    def __init__(self):
        self.charts = 0
        self.begin()

    def begin(self):
        self.texts, self.entries = [], []

    def hover(self, axis, x, y, text):
        """An unseen disc about a point, which tells its number."""
        axis.plot([x], [y], "o", markersize=13, alpha=0, gid=f"hover_{len(self.texts)}", scalex=False, scaley=False)
        self.texts.append(text)

    def labels(self, axis, entries):
        self.entries = [(style["color"], "┄" if style["linestyle"] != "-" else "━", text.replace("\n", " "))
                        for _, text, style in sorted(entries, key=lambda e: -e[0])]

    def ratio(self, called):
        return "speedup"

    def legend(self, axis, found):
        for s in found:
            entry = (s.colour, "■", s.label.replace("\n", " "))
            if entry not in self.entries:
                self.entries.append(entry)

    def finished(self, figure, axis, title, lines, all_series, text):
        svg = svg_text(figure, title)
        svg = svg[svg.index("<svg"):]
        svg = re.sub(r"<svg [^>]*viewBox=", lambda _: f'<svg role="img" aria-label="{html.escape(title)}" '
                     'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox=', svg, count=1)
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
        svg = re.sub(r' xmlns="[^"]*" version="[^"]*"', "", svg)
        svg = re.sub(r'(<g id="hover_)(\d+)">', lambda m: m[0] + f"<title>{html.escape(self.texts[int(m[2])])}</title>", svg)
        # Several charts are one document.
        svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>c{self.charts}_", svg)
        legend = "".join(f'<li data-mark="{mark}" style="color:{colour}">{html.escape(label)}</li>'
                         for colour, mark, label in self.entries)
        notes = "".join(f'<p class="soft">{html.escape(line)}</p>' for line in lines)
        numbers = self.table([s for s in all_series if s.front], text)
        self.charts += 1
        self.begin()
        return f"<section><h2>{html.escape(title)}</h2>{notes}{svg}<ul>{legend}</ul>{numbers}</section>\n"

    def table(self, all_series, text):
        counts = sorted({n for s in all_series for n in s.values})
        head = "".join(f"<th>{html.escape(broken(s.label).replace(chr(10), ' '))}</th>" for s in all_series)
        rows = "".join("<tr><th>" + power_text(n) + "</th>" + "".join(
            "<td>" + (html.escape(text(s, n)) + (" ?" if n in s.doubtful else "") if n in s.values else "") + "</td>"
            for s in all_series) + "</tr>" for n in counts)
        return ('<details><summary>The numbers</summary><div class="wide"><table><thead><tr><th>n</th>' + head +
                f"</tr></thead><tbody>{rows}</tbody></table></div></details>")


def records_table(sources):
    rows = []
    for s in sources:
        versions = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in s.versions.items() if value)
        copy = f"{s.record['copy_gb_per_s']:,.0f} GB/s" if "copy_gb_per_s" in s.record else ""
        doubtful = sum(not row["verified"] for row in s.record["rows"])
        cells = (s.name, " ".join(s.record["argv"]), s.device, s.record["time"].replace("T", " "), versions, copy,
                 f"{len(s.record['rows'])}" + (f", {doubtful} not verified" if doubtful else ""))
        rows.append("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>")
    head = "".join(f"<th>{word}</th>" for word in ("file", "command", "device", "time", "versions", "a copy", "rows"))
    return (f'<details class="records"><summary>Where the numbers come from</summary><div class="wide"><table><thead><tr>'
            f'{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div></details>')


def report():
    sources = read_sources()
    charts = [text for _, text in charts_of(sources, Page()) if text]
    if not charts:
        return
    devices = ", ".join(dict.fromkeys(s.device for s in sources))
    title = html.escape(f"upsweep-bench: {devices}")
    note = ("Numbers appear at the point under the pointer, and below each chart. A question mark: not verified, or not stable in "
            "time.")
    sys.stdout.reconfigure(encoding="utf-8")
    print(f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
          '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
          f'<style>{STYLE_SHEET}</style></head><body><h1>{title}</h1><p class="soft">{note}</p>{records_table(sources)}'
          f'<div class="charts">\n{"".join(charts)}</div></body></html>')
