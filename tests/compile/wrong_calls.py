"""Compiles each call of wrong_calls.txt: it must not compile, the first error must be the sentence that stands with it, and
all that the compiler says must be short.

    wrong_calls.py COMPILER FLAG...
"""

import pathlib
import subprocess
import sys
import tempfile

MOST_LINES = 12
HERE = pathlib.Path(__file__).parent


def table():
    blocks = (HERE / "wrong_calls.txt").read_text().split("\n\n")
    for block in blocks:
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            name, call, sentence = lines
            yield name, call.strip(), sentence.strip()


def compiled(command, source):
    return subprocess.run([*command, "-fsyntax-only", source], capture_output=True, text=True)


def fault_of(command, folder, call, sentence):
    source = folder / "call.cpp"
    source.write_text(f"void call() {{\n  static_cast<void>({call});\n}}\n")
    said = compiled(command, source)
    lines = said.stderr.splitlines()
    if said.returncode == 0:
        return "it compiles"
    first = next((line for line in lines if "error:" in line), "")
    if f"upsweep: {sentence}" not in first:
        return f"the first error is: {first}"
    if len(lines) > MOST_LINES:
        return f"{len(lines)} lines, more than {MOST_LINES}:\n" + "\n".join(line[:160] for line in lines)
    return ""


def main():
    compiler, *flags = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        headers = folder / "wrong_calls.hpp"
        headers.write_text((HERE / "wrong_calls.hpp").read_text())
        base = [compiler, "-std=c++20", *flags]
        # Compiled once, the headers take a tenth of the time.
        precompiled = folder / ("wrong_calls.hpp.gch" if "clang" not in compiler else "wrong_calls.hpp.pch")
        subprocess.run([*base, "-x", "c++-header", headers, "-o", precompiled], check=True)
        include = ["-include-pch", str(precompiled)] if "clang" in compiler else ["-include", str(headers)]
        right = folder / "right.cpp"
        right.write_text("status call() { return exclusive_sum(w, in, out, n, stream); }\n")
        said = compiled([*base, *include], right)
        if said.returncode != 0:
            sys.exit(f"a right call does not compile:\n{said.stderr}")
        rows = list(table())
        for what, call, sentence in rows:
            fault = fault_of([*base, *include], folder, call, sentence)
            if fault:
                failed += 1
                print(f"{what}: {call}\n  expected: {sentence}\n  {fault}\n")
    print(f"{len(rows) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not rows else 0)


main()
