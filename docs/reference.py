"""How Doxygen reads a header or a page of upsweep: the filter of docs/Doxyfile.

    python3 docs/reference.py HEADER|PAGE.md

A docstring is plain text: what a call does, a line for each parameter, sentences that begin with `Errors:` and `Cost:`,
and an example that is indented. Doxygen wants commands for these, and it does not read nested inline namespaces. Links
of a page that leave the reference become their text. Nothing is said here that the sources do not say.
"""

import pathlib
import re
import sys

parameter = re.compile(r"   (\w+(?:, \w+)*)  +(\S.*)")
titled = re.compile(r" (Errors|Cost|Example): (.*)")


def docstring(lines):
    """The text of a docstring, line for line without its slashes, in Doxygen's words."""
    found, kind = [], "text"
    for line in lines:
        if kind == "code" and not line.startswith("     "):
            found.append("@endcode")
            kind = "text"
        item, title = parameter.fullmatch(line), titled.fullmatch(line)
        if kind == "parameter" and line.startswith("     "):
            found.append(line)
        elif item:
            found.append(f"@param {item[1].replace(', ', ',')} {item[2]}")
            kind = "parameter"
        elif line.startswith("     "):
            if kind != "code":
                found.append("@code{.cpp}")
            kind = "code"
            found.append(line[5:])
        else:
            if title:
                found += [f"@par {title[1]}", title[2]]
            else:
                found += ["", line] if kind != "text" else [line]
            kind = "text"
    return found + (["@endcode"] if kind == "code" else [])


def page(text, path):
    """The text of a page, in which links lead to pages of the reference or are plain text."""
    here = pathlib.Path(path).parent

    def link(found):
        file, _, anchor = found[3].partition("#")
        target = (here / file).resolve()
        if found[1]:
            return f"![{found[2]}]({target.name})"  # Doxygen looks for pictures by their name
        is_page = target.suffix == ".md" and target.parent.name == "docs" and target.is_file() and not anchor
        return found[0] if is_page or re.match(r"[a-z]+:", file) else found[2]

    return re.sub(r"(!?)\[((?:[^\[\]]|\n)*)\]\(([^)\s]+)\)", link, text)


def filtered(text):
    block, indent = [], ""
    lines = text.splitlines()
    # What a header begins with is said of the file; code in it is indented by three blanks.
    head = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    about = ["  " + line[2:] if line.startswith("//   ") else line[2:] for line in lines[:head]]
    yield from (f"/// {said}".rstrip() for said in ["@file"] + docstring(about))
    lines = [""] + lines[head:]
    for line in lines:
        several = re.fullmatch(r"  ([\w:]+) (\w+(?: = [^,;]+)?(?:, \w+(?: = [^,;]+)?)+);  +(///< .*)", line)
        if several:  # each of them has the docstring
            yield from (f"  {several[1]} {name}; {several[3]}" for name in several[2].split(", "))
            continue
        comment = re.fullmatch(r"(\s*)///(?!<)(.*)", line)
        if comment:
            indent = comment[1]
            block.append(comment[2])
            continue
        if block:
            yield from (f"{indent}/// {said}".rstrip() for said in docstring(block))
            block = []
        yield re.sub(r"::inline UPSWEEP_\w+ \{", " {", line)


if __name__ == "__main__":
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    print(page(text, sys.argv[1]) if sys.argv[1].endswith(".md") else "\n".join(filtered(text)))
