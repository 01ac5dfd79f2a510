"""What must hold of the reference in a browser: on a phone no page is wider than the screen, no picture is missing, and the
search finds a call.

    python3 tests/docs/browser.py build/docs/html

Loads every page of docs/, the README and one page in eight of the others into a frame of 390 pixels, in headless Chromium.

Exit status: 0 all is well, 1 something is not (each is named with its page), 2 a mistake on the command line, 77 there is
no Chromium here.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from html import unescape

phone = 390  # pixels
sought = "exclusive_sum"

harness = """<!DOCTYPE html><meta charset="utf-8"><pre id="report">unfinished</pre><script>
const pages = PAGES, wrong = [], wait = ms => new Promise(done => setTimeout(done, ms));
async function opened(page) {
  const frame = document.createElement("iframe");
  frame.style = "width: WIDTHpx; height: 800px; border: 0";
  frame.src = page;
  await new Promise(done => { frame.onload = done; document.body.append(frame); });
  await wait(100);
  return frame;
}
async function look() {
  for (const page of pages) {
    const frame = await opened(page), shown = frame.contentDocument;
    const parts = [shown.documentElement, shown.body, shown.getElementById("doc-content")].filter(part => part);
    const wide = Math.max(...parts.map(part => part.scrollWidth));
    if (wide > WIDTH) wrong.push(`${page}: ${wide} pixels wide on a phone of WIDTH`);
    for (const picture of shown.images)
      if (picture.complete && !picture.naturalWidth) wrong.push(`${page}: the picture ${picture.getAttribute("src")} is missing`);
    frame.remove();
  }
  const frame = await opened("index.html"), field = frame.contentDocument.getElementById("MSearchField");
  field.dispatchEvent(new Event("focus"));
  field.value = "SOUGHT";
  frame.contentWindow.searchBox.Search();
  for (let turn = 0, found = false; !found; ++turn) {
    await wait(100);
    const list = frame.contentDocument.getElementById("MSearchResults");
    const results = list && (list.contentDocument ? list.contentDocument.body : list);
    found = results && [...results.querySelectorAll(".SRResult")].some(r => r.style.display != "none" && r.textContent.includes("SOUGHT"));
    if (turn == 50) { wrong.push("the search does not find SOUGHT"); break; }
  }
}
look().catch(e => wrong.push(String(e))).then(() => document.getElementById("report").textContent = JSON.stringify(wrong));
</script>"""


def main(arguments):
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("no Chromium is installed here, so widths, pictures and search were not checked", file=sys.stderr)
        return 77
    folder = pathlib.Path(arguments[0]).resolve()
    names = sorted(page.name for page in folder.glob("*.html"))
    chosen = [name for i, name in enumerate(names) if name.startswith(("md_", "index")) or i % 8 == 0]
    text = harness.replace("PAGES", json.dumps(chosen)).replace("WIDTH", str(phone)).replace("SOUGHT", sought)
    with tempfile.TemporaryDirectory() as scratch:
        # Beside the pages, so that the frames are of the same folder.
        page = folder / "browser-check.html"
        page.write_text(text)
        try:
            seen = subprocess.run(
                [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                 f"--user-data-dir={scratch}", "--virtual-time-budget=600000", "--dump-dom", page.as_uri()],
                capture_output=True, text=True, timeout=900)
        finally:
            page.unlink()
    report = re.search(r'<pre id="report">(.*?)</pre>', seen.stdout, re.DOTALL)
    if report is None or report[1] == "unfinished":
        print(f"{chromium} did not finish:\n{seen.stderr[-2000:]}", file=sys.stderr)
        return 1
    wrong = json.loads(unescape(report[1]))
    print("\n".join(wrong) if wrong else f"{len(chosen)} pages and the search are right at {phone} pixels", file=sys.stderr if wrong else sys.stdout)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
