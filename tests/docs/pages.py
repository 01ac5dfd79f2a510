"""What must hold of the pages for users, README.md, CONTRIBUTING.md and docs/.

    python3 tests/docs/pages.py quotes            each program in a page is the text of the compiled file
    python3 tests/docs/pages.py quotes --write    makes it so
    python3 tests/docs/pages.py links             each link leads to a file that is here, and to a heading of it
    python3 tests/docs/pages.py html FOLDER       each link of these HTML pages leads to a file and a place in it
    python3 tests/docs/pages.py version [TAG]     packages, CHANGELOG and SECURITY name the version of version.hpp, and TAG is v and that
    python3 tests/docs/pages.py words             none of the words of tests/docs/words.txt, sources and messages included

A program in a page comes after a comment that names its file, and, for a part of it, where the part begins and what comes
after it. A part is written without its indent, if the comment's first text begins with it:

    <!-- program: apps/examples/top_k.cu -->
    <!-- program: scan/examples/block_scan_in_your_kernel.cu from "using block_scan" to "// A warp a ray" -->
    <!-- program: apps/examples/first_calls.cu from "  const upsweep::stream_pool" to "  // The results of" -->

Exit status: 0 all is well, 1 something is not (each is named with its file and line), 2 a mistake on the command line.
"""

import pathlib
import re
import subprocess
import sys
import textwrap

root = pathlib.Path(__file__).resolve().parents[2]
program = re.compile(r'<!-- program: (\S+)(?: from "(.+?)" to "(.+?)")? -->\n(?:```\w*\n.*?\n```\n)?', re.DOTALL)
languages = {".cu": "cpp", ".cuh": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".sh": "sh", ".txt": "cmake"}


def tracked(*patterns):
    """Files of the repository: of git where this is a checkout, else all that are not in build/."""
    found = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "--", *patterns],
                           capture_output=True, text=True)
    if found.returncode == 0:
        return sorted(root / name for name in found.stdout.splitlines() if (root / name).is_file())
    every = (path for pattern in patterns for path in root.rglob(pattern) if path.is_file())
    return sorted(path for path in every if path.relative_to(root).parts[0] not in ("build", "dist", ".git"))


def pages():
    return tracked("*.md")


def where(path, text, at):
    return f"{path.relative_to(root)}:{text.count(chr(10), 0, at) + 1}"


def quotes(write):
    wrong = []
    for page in pages():
        text = page.read_text()

        def quoted(found):
            source, first, behind = root / found[1], found[2], found[3]
            at = where(page, text, found.start())
            if not source.is_file():
                wrong.append(f"{at}: there is no {found[1]}")
                return found[0]
            code = source.read_text()
            if first:
                begin, end = code.find(first), code.find(behind)
                if not 0 <= begin < end:
                    wrong.append(f"{at}: {found[1]} does not have '{first}' and then '{behind}'")
                    return found[0]
                code = code[begin:end]
            name = found[0].splitlines()[0]
            right = f"{name}\n```{languages.get(source.suffix, '')}\n{textwrap.dedent(code).strip()}\n```\n"
            if right != found[0] and not write:
                wrong.append(f"{at}: not the text of {found[1]}; ./run docs makes it so")
            return right

        now = program.sub(quoted, text)
        if write and now != text:
            page.write_text(now)
            print(f"{page.relative_to(root)} is written again")
    return wrong


def anchors(text):
    """The names by which GitHub knows the headings of a page."""
    names, seen = set(), {}
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        names.add(name if name not in seen else f"{name}-{seen[name]}")
        seen[name] = seen.get(name, 0) + 1
    return names


def links():
    wrong = []
    for page in pages():
        text = page.read_text()
        plain = re.sub(r"```.*?```|`[^`\n]*`", lambda code: re.sub(r"[^\n]", " ", code[0]), text, flags=re.DOTALL)
        for found in re.finditer(r"\]\(([^)\s]+)\)|<(?:img|source)[^>]*?(?:src|srcset)=\"([^\"]+)\"", plain):
            target = found[1] or found[2]
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            path = (page.parent / file).resolve() if file else page
            at = where(page, text, found.start())
            if not path.exists():
                wrong.append(f"{at}: {target} leads nowhere")
            elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
                wrong.append(f"{at}: {file or page.name} has no heading #{anchor}")
    return wrong


def html(folder):
    folder = pathlib.Path(folder).resolve()
    places, wrong = {}, []
    for page in sorted(folder.rglob("*.html")):
        text = page.read_text(errors="replace")
        places[page] = (set(re.findall(r'\b(?:id|name)="([^"]+)"', text)), re.findall(r'\b(?:href|src)="([^"]+)"', text))
    for page, (_, targets) in places.items():
        for target in targets:
            file, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target) or target.startswith("$"):
                continue
            path = (page.parent / file).resolve() if file else page
            if not path.exists():
                wrong.append(f"{page.name}: {target} leads nowhere")
            elif anchor and path in places and anchor not in places[path][0]:
                wrong.append(f"{page.name}: there is no place {target}")
    if not places:
        wrong.append(f"there are no pages in {folder}")
    return sorted(set(wrong))


def words():
    """A line of words.txt: a regular expression, two blanks or more, what to write instead."""
    worst = []
    for line in (root / "tests/docs/words.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            expression, instead = re.split(r"  +", line.strip(), maxsplit=1)
            worst.append((re.compile(rf"\b(?:{expression})\b".replace(" ", r"(?:\s+(?://+|#|\*)?\s*)"), re.IGNORECASE), instead))
    wrong = []
    kinds = ("*.md", "*.hpp", "*.cuh", "*.cpp", "*.cu", "*.py", "*.cmake", "*.txt", "*.json", "*.sh", "run", ".ci/run", "*.in")
    for path in tracked(*kinds):
        name = str(path.relative_to(root))
        # Notes of the lab are quoted as they were written.
        if name.startswith(("tests/docs/", "docs/lab/", "configs/bench/recorded/")):
            continue
        text = path.read_text()
        for expression, instead in worst:
            for found in expression.finditer(text):
                said = re.sub(r"\s+", " ", found[0])
                wrong.append(f"{where(path, text, found.start())}: '{said}': write {instead}")
    return wrong


def version(tag=None):
    header = (root / "scan/include/upsweep/version.hpp").read_text()
    parts = [re.search(rf"#define UPSWEEP_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    whole, minor = ".".join(parts), ".".join(parts[:2])
    wrong = []
    for name, before, right in [
        ("CHANGELOG.md", r"^## ", whole),
        ("cmake/packaging/vcpkg/upsweep/vcpkg.json", r'"version": "', whole),
        ("cmake/packaging/conda/recipe.yaml", r'^  version: "', whole),
        ("cmake/packaging/debian/changelog", r"^upsweep \(", whole),
        ("README.md", r"find_package\(upsweep ", minor),
        ("docs/linking.md", r"find_package\(upsweep ", minor),
        ("docs/linking.md", r"The version is ", minor),
        ("SECURITY.md", r"newest minor version, ", minor),
    ]:
        text = (root / name).read_text()
        found = re.search(before + r"(\d+(?:\.\d+)*)", text, re.MULTILINE)
        if found is None or found[1] != right:
            at = where(root / name, text, found.start() if found else 0)
            wrong.append(f"{at}: the version is {found[1] if found else 'not named'}; version.hpp has {right}")
    if tag is not None and tag != f"v{whole}":
        wrong.append(f"the tag is {tag}; version.hpp has {whole}, so it should be v{whole}")
    return wrong


def main(arguments):
    checks = {"quotes": lambda: quotes(False), "links": links, "words": words, "version": version}
    if arguments == ["quotes", "--write"]:
        wrong = quotes(True)
    elif len(arguments) == 2 and arguments[0] == "html":
        wrong = html(arguments[1])
    elif len(arguments) == 2 and arguments[0] == "version":
        wrong = version(arguments[1])
    elif len(arguments) == 1 and arguments[0] in checks:
        wrong = checks[arguments[0]]()
    else:
        print(__doc__, file=sys.stderr)
        return 2
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
