"""Writes docs/python_reference.md: every public name of the Python package, from its source and its docstring.

    python3 docs/python_reference.py            writes the page
    python3 docs/python_reference.py --check    says what is missing: a docstring, a parameter, or the page of today

Nothing is imported and nothing is built: the sources are parsed. Each parameter must be named in the docstring, or be one of
the function whose parameters it says these are; in upsweep.jax, of the function of the same name. Exit status: 0 all is well, 1 something is not, 2 a mistake on the command line.
"""

from __future__ import annotations

import ast
import inspect
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[1]
package = root / "apps/python/upsweep"
page = root / "docs/python_reference.md"
sections = {
    "Sums and scans": "cumsum exclusive_sum scan",
    "Selections": "select compact partition nonzero",
    "Runs and groups": "run_length_encode reduce_by_key unique group_by histogram expand",
    "Sorts, merges and searches": "sort argsort sort_by_key segmented_sort topk merge searchsorted",
    "Plans": "sort_plan argsort_plan select_plan cumsum_plan Plan",
    "Counts in device memory": "DeviceCount",
    "The installation": "has_cuda architectures free_workspaces workspace_bytes_held",
}
# What a docstring says of parameters that are those of another function.
elsewhere = re.compile(r"(?:\bparameters|\bas for)\b[^`.;]*`(\w+)`|`(\w+)`, whose[^.;]* parameters")


def parsed(name):
    return ast.parse((package / (f"{name}.pyi" if name == "_core" else f"{name}.py")).read_text())


def public(tree):
    """The functions and classes of a module that are not private, by name."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name: node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")}


def exported():
    """What `upsweep` exports, by the module that defines it."""
    tree = parsed("__init__")
    names = next(ast.literal_eval(n.value) for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    modules = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if alias.asname is None and alias.name in names:
                    modules.setdefault(node.module, []).append(alias.name)
    return modules, set(names) - {"__version__"}


def parameters(function):
    """Its parameters as they are written, without types, and their names."""
    a = function.args
    positional = [*a.posonlyargs, *a.args]
    before = [None] * (len(positional) - len(a.defaults)) + list(a.defaults)
    told = [(p.arg, d) for p, d in zip(positional, before) if p.arg not in ("self", "cls")]
    text = [n if d is None else f"{n}={ast.unparse(d)}" for n, d in told]
    names = [n for n, _ in told]
    if a.vararg:
        text.append(f"*{a.vararg.arg}")
        names.append(a.vararg.arg)
    elif a.kwonlyargs:
        text.append("*")
    for p, d in zip(a.kwonlyargs, a.kw_defaults):
        text.append(p.arg if d is None else f"{p.arg}={ast.unparse(d)}")
        names.append(p.arg)
    if a.kwarg:
        text.append(f"**{a.kwarg.arg}")
    return [t.replace("'", '"') for t in text], names


def signature(name, words):
    """A call in lines of at most 100 characters."""
    lines, line = [], f"{name}("
    for i, word in enumerate(words):
        word += ")" if i == len(words) - 1 else ","
        if len(line) + len(word) > 98:
            lines.append(line.rstrip())
            line = "    "
        line += word + " "
    return "\n".join([*lines, line.rstrip()]) if words else f"{name}()"


def divided(doc):
    """A docstring as its text, its parameters, what it returns, and its examples."""
    text, fields, examples = [], [], []
    for line in inspect.cleandoc(doc).splitlines():
        field = re.match(r":(param|returns)\s?([^:]*): (.*)", line)
        if field:
            fields.append([field[1], field[2], field[3]])
        elif line.startswith(">>> ") or (examples and line):
            examples.append(line)
        elif fields and line.startswith("    "):
            fields[-1][2] += " " + line.strip()
        else:
            text.append(line)
    return "\n".join(text).strip(), fields, examples


class writer:
    def __init__(self):
        self.wrong, self.lines, self.nodes = [], [], {}

    def linked(self, text, of=""):
        def link(found):
            return f"[`{found[1]}`](#{found[1].lower()})" if found[1] in self.nodes and found[1] != of else found[0]

        return re.sub(r"`(\w+)`", link, text)

    def checked(self, node, name, same=None):
        """The docstring of a function or class; what it lacks is wrong. `same`: a function with the same parameters."""
        doc = ast.get_docstring(node, clean=False)
        if not doc:
            self.wrong.append(f"{name} has no docstring")
            return ""
        if isinstance(node, ast.FunctionDef):
            told = " ".join(doc.split())
            others = [self.nodes.get(found[1] or found[2]) for found in elsewhere.finditer(told)] + [same]
            known = {p for other in others if isinstance(other, ast.FunctionDef) for p in parameters(other)[1]}
            for parameter in parameters(node)[1]:
                named = rf":param [^:]*\b{parameter}\b[^:]*:|`{parameter}`|\b{parameter}=|\([^)]*\b{parameter}\b[^)]*\)"
                if parameter not in known and not re.search(named, told):
                    self.wrong.append(f"{name}: its docstring does not say what {parameter} is")
        return doc

    def entry(self, node, name):
        doc = self.checked(node, name)
        text, fields, examples = divided(doc)
        initial = node
        if isinstance(node, ast.ClassDef):
            initial = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
        self.lines += [f"### {name}", ""]
        if initial is not None:
            self.lines += ["```python", signature(name, parameters(initial)[0]), "```", ""]
        paragraphs = [self.linked(" ".join(paragraph.split()), name) + "\n" for paragraph in text.split("\n\n")]
        self.lines += [p for p in paragraphs if not p.startswith(("Errors: ", "Cost: "))]
        table = [f for f in fields if f[0] == "param"]
        if table:
            self.lines += ["| parameter | |", "|---|---|"]
            for _, names, meaning in table:
                cell = self.linked(meaning, name).replace("|", "\\|")
                self.lines.append(f"| {', '.join(f'`{n}`' for n in names.split(', '))} | {cell} |")
            self.lines.append("")
        self.lines += [f"Returns {self.linked(f[2], name)}.\n" for f in fields if f[0] == "returns"]
        self.lines += [p for p in paragraphs if p.startswith(("Errors: ", "Cost: "))]
        if isinstance(node, ast.ClassDef):
            self.members(node, name)
        if examples:
            self.lines += ["```python", *examples, "```", ""]

    def members(self, node, name):
        for member in node.body:
            if not isinstance(member, ast.FunctionDef) or (member.name.startswith("_") and member.name != "__call__"):
                continue
            doc = self.checked(member, f"{name}.{member.name}")
            is_property = any(getattr(d, "id", "") == "property" for d in member.decorator_list)
            call = "" if is_property else signature("", parameters(member)[0])
            said = "plan" + call if member.name == "__call__" else f"{name}.{member.name}{call}"
            self.lines.append(f"* `{said}`: {self.linked(' '.join(doc.split()))}")
        self.lines.append("")

    def table(self, module, head):
        """The functions of a module whose parameters are those of the calls above, one in a row."""
        tree = parsed(module)
        self.lines += [head, "", "| call | |", "|---|---|"]
        for name, node in public(tree).items():
            text, fields, _ = divided(self.checked(node, f"{module}.{name}", self.nodes.get(name) if module == "jax" else None))
            said = [" ".join(text.split())] + [f"`{names}`: {meaning}." for _, names, meaning in fields]
            call = " ".join(signature(name, parameters(node)[0]).split())
            self.lines.append(f"| `{call}` | {' '.join(said)} |")
        self.lines.append("")

    def whole(self):
        modules, names = exported()
        self.nodes = {n: node for module, ours in modules.items() for n, node in public(parsed(module)).items() if n in ours}
        in_sections = " ".join(sections.values()).split()
        self.wrong += [f"{name} of __all__ is in no section of docs/python_reference.py" for name in sorted(names - set(in_sections))]
        self.wrong += [f"{name} of a section is not in __all__" for name in in_sections if name not in names]
        self.lines = [
            "# Python reference",
            "",
            "Written by `docs/python_reference.py` from the docstrings of [apps/python/upsweep](../apps/python/upsweep). "
            "[Python](python.md) is the page to begin with.",
            "",
        ]
        self.lines += ["| | |", "|---|---|"]
        for title, calls in sections.items():
            self.lines.append(f"| {title} | {', '.join(f'[`{name}`](#{name.lower()})' for name in calls.split())} |")
        self.lines += ["| In `jax.jit`, in `torch.compile` | [`upsweep.jax`](#upsweepjax), [`upsweep.torch_ops`](#upsweeptorch_ops) |", ""]
        for title, calls in sections.items():
            self.lines += [f"## {title}", ""]
            for name in calls.split():
                if name in self.nodes:
                    self.entry(self.nodes[name], name)
                else:
                    self.wrong.append(f"{name} is not a function or class of a module that __init__.py imports it from")
        jax = ast.get_docstring(parsed("jax"))
        self.lines += ["## upsweep.jax", ""]
        self.table("jax", indented_as_code(jax))
        self.lines += ["## upsweep.torch_ops", ""]
        self.table("torch_ops", indented_as_code(ast.get_docstring(parsed("torch_ops"))))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines)).rstrip() + "\n"


def indented_as_code(doc):
    """A module's docstring in Markdown: what is indented is code."""
    paragraphs = []
    for paragraph in doc.split("\n\n"):
        if paragraph.startswith("    "):
            paragraphs.append("```python\n" + inspect.cleandoc("\n" + paragraph) + "\n```")
        else:
            paragraphs.append(paragraph.replace("\n", " "))
    return "\n\n".join(paragraphs)


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    now = writer()
    text = now.whole()
    before = page.read_text() if page.is_file() else ""
    if arguments:
        if before != text:
            now.wrong.append(f"{page.relative_to(root)} is not what the docstrings say; ./run docs writes it")
    elif before != text:
        page.write_text(text)
        print(f"{page.relative_to(root)} is written again")
    print("\n".join(now.wrong), file=sys.stderr, end="\n" if now.wrong else "")
    return 1 if now.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
