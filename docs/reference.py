"""How Doxygen reads a header or a page of upsweep: the filter of docs/Doxyfile.

    python3 docs/reference.py HEADER|PAGE.md

A docstring is plain text: what a call does, a line for each parameter, sentences that begin with `Errors:` and `Cost:`,
and an example that is indented. Doxygen wants commands for these, and it does not read nested inline namespaces. What
it would ask of each member by itself is said here once: the calls of CUB, and what the library alone calls. Links of a
page that leave the reference become their text.
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


# A name without a docstring, by how its line begins, and what it is.
members = [
    (r".*\b\w+_workspace_bytes\(", "Bytes of workspace of the call of that name with these arguments: a host formula."),
    (r"\w+\(.*\) -> ", "Deduces the types from the arguments."),
    (r".*\bname_of\(", "The name of it in options, configs and reports."),
    (r".*\b\w+_names(?:\[\])? =", "The names, in the order of the enumerators."),
    (r".*\bis_bitwise_copyable<", "As the type itself, or as CUDA's pairs of halves."),
    (r".*\bexecutor_of\(", "What launches kernels on this stream."),
    (r"constexpr array_axis along\(", "The same of a list."),
    (r"using default_\w+_policy =", "The default policy of a call."),
    (r"using arg_max =", "The pair with the largest value; of equal ones that with the smaller index."),
    (r".*\breversed\(const T& ", "A field that is compared the other way than the rest of its key."),
    (r"\w+_digits<.*> \w+_by\(", "An order of keys, to be given to a sort."),
    (r".*\bversion_\w+ =|#define UPSWEEP_VERSION_", "Of these headers."),
    (r"inline constexpr (?:lane_mask full_warp|int warp_size)", "Of 32 lanes."),
    (r"inline constexpr (?:block|device)_scope_t", "The threads among which an atomic access is ordered."),
    (r".*\bportable_cluster_blocks", "As many blocks as a cluster may have on any GPU that has clusters."),
    (r"static (?:cudaError_t|std::enable_if_t<.*>) \w+\(", "The call of CUB of that name: the same parameters and results, in two phases. What differs: from_cub.md."),
    (r"using votes_by_index", "The library knows by it that the functor is called with an index."),
    (r"(?:auto|std::array<.*>) (?:reads|uses)\(", "The library calls it: the memory that is read or written, which arrays must not overlap."),
    (r"\w+ at\(int shift", "The library calls it: the digit of `width` bits from `shift` on."),
    (r".*\bat\(int shift", "The library calls it: the digit of `width` bits from `shift` on."),
    (r".*\boperator\(\)\(", "The result for these operands."),
    (r".*\bwanted\(\) const", "Whether it is asked for."),
    (r".*\bput\(", "A kernel calls it: writes the result."),
    (r".*\bis_limited\(\) const", "Whether there is a capacity."),
    (r".*\bclamped\(", "The library calls it: no more than the capacity."),
    (r"using (?:value_type|iterator_type) =", "As CUB has it."),
    (r"UPSWEEP_HOST_DEVICE (?:explicit FutureValue|operator T|DoubleBuffer|T\* (?:Current|Alternate))", "As CUB has it."),
    (r"using select_results::select_results;", "The count alone."),
]


def undocumented(line, before):
    """The docstring of a name that has none; `before` is the line before it."""
    said = line.strip()
    if line.startswith("   ") or before.strip().startswith(("///", "template", "requires")):
        return None
    return next((text for begin, text in members if re.match(begin, said)), None)


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
    block, indent, before = [], "", ""
    lines = text.splitlines()
    # What a header begins with is said of the file; code in it is indented by three blanks.
    head = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    about = ["  " + line[2:] if line.startswith("//   ") else line[2:] for line in lines[:head]]
    yield from (f"/// {said}".rstrip() for said in ["@file"] + docstring(about))
    lines = [""] + lines[head:]
    for i, line in enumerate(lines):
        # The docstring of a template belongs before its first line.
        name, space = line, re.match(r" *", line)[0]
        if re.match(r" *template <", line):
            behind = (l for l in lines[i + 1:] if re.match(space + r"\S", l))
            name = next((l for l in behind if not re.match(r" *(?:template <|requires)", l)), line)
        said = undocumented(name, before)
        if said and not block:
            yield f"{space}/// {said}"
        before = line
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
