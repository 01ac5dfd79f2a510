#!/usr/bin/env python3
"""programs_with_tests.py BUILD FILTER: the test programs, one a line, whose sources can hold a test that matches the
GoogleTest filter, without building any. A name of a test is put together from strings without blanks, identifiers of
GoogleTest's macros and numbers; a program is listed when a part of a name that the filter asks for can be put together from
those of its own sources and what they include. It may be listed without such a test."""
import json
import os
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*')
# A string without blanks; what a format directive stands for may be any name or number.
STRING = re.compile(r'"([^"\s\\]+)"|\'([^\'\s\\])\'')
DIRECTIVE = re.compile(r'%[a-z]+|\{[^}]*\}')
MACRO = re.compile(r'\b(?:TYPED_)?(?:INSTANTIATE_)?TEST(?:_F|_P|_SUITE_P|_SUITE)?\(\s*(\w+)\s*,\s*(\w+)')


class sources:
    def __init__(self):
        self.known = {}

    def read(self, path):
        """The pieces of names in a file, and what it includes, as written."""
        if path not in self.known:
            try:
                with open(path, encoding='utf-8', errors='replace') as file:
                    text = file.read()
            except OSError:
                text = ''
            included = INCLUDE.findall(text)
            text = INCLUDE.sub('', text)
            text = COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else ' ', text)
            pieces = set()
            for string, character in STRING.findall(text):
                pieces.update(DIRECTIVE.split(string or character))
            for both in MACRO.findall(text):
                pieces.update(both)
            self.known[path] = (pieces - {''}, included)
        return self.known[path]

    def with_includes(self, paths, folders):
        """All files that these files include, and they themselves."""
        found, rest = set(), list(paths)
        while rest:
            path = rest.pop()
            if path in found:
                continue
            found.add(path)
            for name in self.read(path)[1]:
                for folder in [os.path.dirname(path), *folders]:
                    other = os.path.normpath(os.path.join(folder, name))
                    if os.path.isfile(other):
                        rest.append(other)
                        break
        return found


def can_be_put_together(text, pieces):
    """Whether `text` stands in a row of these pieces, of digits and of the separators of names."""
    if any(text in piece for piece in pieces):
        return True
    pieces = pieces | set('0123456789/._')
    reached = {0}
    # The first piece may begin before the text, the last may go on after it.
    reached |= {n for n in range(1, len(text) + 1) if any(piece.endswith(text[:n]) for piece in pieces)}
    for at in range(1, len(text)):
        if at in reached:
            if any(piece.startswith(text[at:]) for piece in pieces):
                return True
            reached |= {at + len(piece) for piece in pieces if text.startswith(piece, at)}
    return len(text) in reached


def main():
    build, wanted = sys.argv[1:]
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        commands = json.load(file)
    programs, folders = {}, {}
    for entry in commands:
        target = re.search(r' -o \S*CMakeFiles/([^/ ]+)\.dir/', entry['command'])
        if target and not entry['file'].endswith('.cxx'):
            programs.setdefault(target[1], set()).add(os.path.normpath(entry['file']))
            for folder in re.findall(r'-I ?(\S+)', entry['command']):
                folders.setdefault(target[1], {})[folder] = None
    with open(os.path.join(build, 'tests-need.txt'), encoding='utf-8') as file:
        tests = {target for line in file for target in line.split()[2:]}
    # After the first '-' comes what is not to run.
    asked = [[part for part in re.split(r'[*?]', pattern) if part] for pattern in wanted.split('-')[0].split(':') if pattern]
    read = sources()
    for program in sorted(tests & programs.keys()):
        pieces = set()
        for path in read.with_includes(programs[program], folders.get(program, {})):
            pieces |= read.read(path)[0]
        if not asked or any(all(can_be_put_together(part, pieces) for part in parts) for parts in asked):
            print(program)


main()
