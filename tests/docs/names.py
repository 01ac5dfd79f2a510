"""What must hold of the reference's names, in the XML that Doxygen writes of the public headers.

    python3 tests/docs/names.py FOLDER     the folder of the XML

Each public name has a docstring: types, members, enumerators, calls, constants. A docstring that lists parameters lists
all of them. Each call that returns an error, `upsweep::f` and `upsweep::runtime::f`, lists its parameters, and says
which errors it returns and what it costs; calls of `upsweep::drop_in` have the parameters of CUB.

Exit status: 0 all is well, 1 something is not (each is named with its file and line), 2 a mistake on the command line.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ET

# What calls of users return, and where these lie: not members of classes, whose names say more.
returns_error = re.compile(r"\b(?:error_of|cudaError_t|status)\b")
of_users = re.compile(r"upsweep::(?:runtime::)?\w+")


def text(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def said(element):
    return text(element.find("briefdescription")) + text(element.find("detaileddescription"))


def is_plain(member):
    """Whether a member says all by its declaration: comparisons, what is defaulted or deleted, what frees itself."""
    name, arguments = member.findtext("name"), member.findtext("argsstring") or ""
    return member.get("kind") == "friend" or name.startswith("~") or bool(re.search(r"=\s*(?:default|delete)$", arguments))


def wrong_of(member, scope):
    """What is wrong with a member of a namespace or a type."""
    name = member.findtext("qualifiedname") or f"{scope}::{member.findtext('name')}"
    if not said(member) and not is_plain(member):
        yield f"{name} has no docstring"
    for value in member.iter("enumvalue"):
        if not said(value):
            yield f"{name}::{value.findtext('name')} has no docstring"
    if member.get("kind") != "function":
        return
    parameters = [p.findtext("declname") or p.findtext("defname") for p in member.findall("param")]
    listed = {text(p) for p in member.iter("parametername")}
    is_call = bool(returns_error.search(text(member.find("type")))) and bool(of_users.fullmatch(name)) and not name.endswith("::status_of")
    missing = [p for p in parameters if p and p not in listed]
    if missing and (listed or is_call):
        yield f"the docstring of {name} does not list {', '.join(missing)}"
    if is_call:
        titles = {text(title).rstrip(":") for title in member.iter("title")}
        everything = said(member)
        for part in ("Errors", "Cost"):
            if part not in titles and f"{part}:" not in everything:
                yield f"the docstring of {name} has no '{part}:'"


def main(arguments):
    if len(arguments) != 1 or not (pathlib.Path(arguments[0]) / "index.xml").is_file():
        print(__doc__, file=sys.stderr)
        return 2
    wrong, names = set(), 0
    for file in sorted(pathlib.Path(arguments[0]).glob("*.xml")):
        for compound in ET.parse(file).getroot().iter("compounddef"):
            kind, scope = compound.get("kind"), compound.findtext("compoundname")
            if kind not in ("namespace", "class", "struct", "union", "concept") or compound.get("prot") == "private":
                continue
            where = compound.find("location").get("file") if compound.find("location") is not None else scope
            if kind != "namespace" and not said(compound):
                wrong.add(f"{where}: {scope} has no docstring")
            for member in compound.iter("memberdef"):
                if member.get("prot") == "private":
                    continue
                names += 1
                place = member.find("location")
                wrong.update(f"{place.get('file')}:{place.get('line')}: {what}" for what in wrong_of(member, scope))
    print("\n".join(sorted(wrong)), file=sys.stderr, end="\n" if wrong else "")
    print(f"{names} names")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
