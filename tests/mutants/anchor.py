#!/usr/bin/env python3
"""The table of mutants, tests/mutants/*.mutants, and where in the sources each belongs. mutants.sh calls it.

anchor.py list        checks all, and prints of each its name, what is wrong, its file and its tests, a line each
anchor.py plant NAME FOLDER
                      edits the sources in the folder, files of which are replaced, not written to

Old lines are found by their tokens: neither white space and line breaks count, nor the qualifiers `upsweep::` and
`detail::`; comments, and whether nothing else is on the lines, only where the tokens occur several times. They are looked for
in the file that the record names and, when they are not there, in the module of that file.
"""
import bisect
import collections
import difflib
import glob
import os
import re
import sys

TOKEN = re.compile(r'''
    (?P<nothing> \s+ | \\\n | //[^\n]* | /\*.*?\*/ )
  | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+'
  | \w(?:\w|'(?=\w)|\.(?=\d))*   # a number may have ' and . inside
  | :: | .''', re.X | re.S)
QUALIFIERS = ('upsweep', 'detail')
NEAR = 0.85  # of the tokens are the same in what is worth a hint
MARGIN = 0.05  # by which the second best must be worse


class tokens:
    """The tokens of a text that count, and where they stand."""

    def __init__(self, text):
        self.text = text
        self.words, self.starts = [], []
        self.comments = {}  # the words of those before a token, by its number
        for m in TOKEN.finditer(text):
            if m['nothing']:
                if m[0].startswith('/'):
                    self.comments.setdefault(len(self.words), []).extend(m[0].strip('/*').split())
            elif m[0] == '::' and self.words and self.words[-1] in QUALIFIERS:
                self.words.pop()
                self.starts.pop()
            else:
                self.words.append(m[0])
                self.starts.append(m.start())
        self.line_starts = [0] + [m.end() for m in re.finditer('\n', text)]
        # With a separator before each word and after the last, so that a run of words is found as a string.
        self.offsets, size = [], 0
        for word in self.words:
            self.offsets.append(size)
            size += len(word) + 1
        self.joined = '\0' + ''.join(word + '\0' for word in self.words)

    def line(self, token):
        """The number, from 0, of the line on which the token stands."""
        return bisect.bisect_right(self.line_starts, self.starts[token]) - 1

    def find(self, old):
        """The numbers of the first tokens where these stand."""
        places, at = [], self.joined.find(old.joined)
        while at >= 0 and old.words:
            places.append(bisect.bisect_left(self.offsets, at))
            at = self.joined.find(old.joined, at + 1)
        for tell_apart in (self.has_the_comments, self.has_more_comments, self.on_whole_lines):
            if len(places) > 1:
                places = [first for first in places if tell_apart(first, old)] or places
        return places

    def has_the_comments(self, first, old):
        return all(self.comments.get(first + slot, []) == words for slot, words in old.comments.items())

    def has_more_comments(self, first, old):
        def as_text(words):
            return f' {" ".join(words)} '
        return all(as_text(words) in as_text(self.comments.get(first + slot, [])) for slot, words in old.comments.items())

    def on_whole_lines(self, first, old):
        behind = first + len(old.words)
        return ((first == 0 or self.line(first - 1) < self.line(first)) and
                (behind == len(self.words) or self.line(behind - 1) < self.line(behind)))

    def replaced(self, first, count, new):
        """The text with these lines instead of so many tokens; what else stands on their lines stays."""
        behind = first + count
        top, bottom = self.line(first), self.line(behind - 1)
        begin = self.line_starts[top]
        end = self.text.find('\n', self.starts[behind - 1])
        end = len(self.text) if end < 0 else end
        indent = re.match(r'[ \t]*', self.text[begin:])[0]
        lines = [indent + line for line in new]
        if first > 0 and self.line(first - 1) == top:
            lines.insert(0, self.text[begin:self.starts[first]].rstrip())
        if behind < len(self.words) and self.line(behind) == bottom:
            lines.append(indent + self.text[self.starts[behind]:end])
        if self.text[:end].endswith('\\'):  # a macro goes on
            lines = [line if line.endswith('\\') else line + ' \\' for line in lines]
        return self.text[:begin] + '\n'.join(lines) + ('\n' if lines else '') + self.text[end + 1:]


class source_tree:
    def __init__(self, folder):
        self.folder, self.known = folder, {}

    def tokens_of(self, path):
        if path not in self.known:
            try:
                with open(os.path.join(self.folder, path), encoding='utf-8') as file:
                    self.known[path] = tokens(file.read())
            except FileNotFoundError:
                self.known[path] = None
        return self.known[path]

    def module_of(self, path):
        """The files of the module that this one belongs to."""
        module = path.split('/')[0]
        found = []
        for part in ('include', 'src'):
            for place, _, names in os.walk(os.path.join(self.folder, module, part)):
                found += [os.path.relpath(os.path.join(place, name), self.folder) for name in names]
        return sorted(name for name in found if name.endswith(('.hpp', '.cuh', '.cpp', '.cu')))

    def find(self, path, old):
        """(file, first token) of each place, in the file if it is there, else in its module."""
        here = self.tokens_of(path)
        places = [(path, first) for first in here.find(old)] if here else []
        if not places:
            for other in self.module_of(path):
                places += [(other, first) for first in self.tokens_of(other).find(old)]
        return places

    def nearest(self, path, old):
        """'file:line' of what is most like the old lines, or nothing when that is not clear."""
        size, ranked = len(old.words), []
        count_of = collections.Counter(old.words)
        for other in self.module_of(path):
            there = self.tokens_of(other)
            words = there.words
            # A window of as many tokens slides over the file; where it shares the most with the old ones, they are compared.
            window, shared = collections.Counter(), 0
            best = []
            for at, word in enumerate(words):
                window[word] += 1
                shared += window[word] <= count_of[word]
                if at >= size:
                    gone = words[at - size]
                    shared -= window[gone] <= count_of[gone]
                    window[gone] -= 1
                if shared >= NEAR * size:
                    best.append((shared, -max(at - size + 1, 0)))
            for _, first in sorted(best, reverse=True)[:20]:
                ratio = difflib.SequenceMatcher(None, old.words, words[-first:-first + size], autojunk=False).ratio()
                ranked.append((ratio, other, there.line(-first) + 1, -first))
        ranked.sort(key=lambda place: (-place[0], place[1:]))
        if not ranked or ranked[0][0] < NEAR:
            return ''
        ratio, other, line, first = ranked[0]
        for second in ranked[1:]:
            if (second[1] != other or abs(second[3] - first) >= size) and second[0] > ratio - MARGIN:
                return ''
        return f'{other}:{line}'


class mutant:
    def __init__(self, name, place):
        self.name, self.place = name, place
        self.why = self.file = self.tests = ''
        self.edits = []  # of lists of old and of new lines

    def places(self, tree):
        """Of each edit (file, first token, tokens, new lines), or what is wrong with it, as a string."""
        for old_lines, new_lines in self.edits:
            old = tokens('\n'.join(old_lines))
            found = tree.find(self.file, old)
            if len(found) == 1:
                yield (*found[0], len(old.words), new_lines)
                continue
            text = '\n'.join(line.lstrip() for line in old_lines)
            wrong = f'occurs more than once in {found[0][0]}' if found else f'does not occur in {self.file}'
            if len({path for path, _ in found}) > 1:
                wrong = 'occurs in ' + ' and '.join(sorted({path for path, _ in found}))
            hint = '' if found else tree.nearest(self.file, old)
            yield f'this {wrong}:\n{text}' + (f'\nnearest: {hint}' if hint else '')


def stop(words):
    print(f'run: {words}', file=sys.stderr)
    sys.exit(1)


def read_table():
    mutants = []
    for path in sorted(glob.glob('tests/mutants/*.mutants')):
        kind, one = '', None
        with open(path, encoding='utf-8') as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines, 1):
            place = f'{path}:{number}'
            field, _, value = line.partition(': ')
            if not line or line[0] == '#':
                continue
            if field == 'mutant':
                one = mutant(value, place)
                mutants.append(one)
            elif field not in ('why', 'file', 'tests') and line[0] not in '-+':
                stop(f"{place}: neither a field, nor '-' or '+', nor a comment: {line}")
            elif one is None:
                stop(f"{place}: a record begins with 'mutant: NAME'")
            elif line[0] == '-':
                if kind != '-':
                    one.edits.append(([], []))
                one.edits[-1][0].append(line[1:])
            elif line[0] == '+':
                if kind not in ('-', '+'):
                    stop(f"{place}: a '+' line comes after the '-' lines that it replaces")
                one.edits[-1][1].append(line[1:].removeprefix(' '))
            else:
                setattr(one, field, value)
            kind = line[0]
    return mutants


def check(mutants, tree):
    """Whether every mutant is complete and its old lines occur exactly once; says all that is wrong."""
    fine, names = True, set()
    for m in mutants:
        wrong = []
        if not re.fullmatch('[a-z0-9_]+', m.name):
            wrong.append('a name is lower-case letters, digits and _')
        if m.name in names:
            wrong.append('there is another of that name')
        names.add(m.name)
        wrong += [f"it has no '{field}:'" for field in ('why', 'file', 'tests') if not getattr(m, field)]
        if not m.edits:
            wrong.append("it changes nothing: it has no '-' line")
        if m.file:
            places = list(m.places(tree))
            wrong += [place for place in places if isinstance(place, str)]
            for other in sorted({place[0] for place in places if not isinstance(place, str)} - {m.file}):
                print(f'run: {m.place}: mutant {m.name}: its lines are in {other} now', file=sys.stderr)
        for words in wrong:
            print(f'run: {m.place}: mutant {m.name}: {words}', file=sys.stderr)
            fine = False
    return fine


def plant(m, tree):
    """Edits the files of the mutant, and prints the first of them."""
    edits = list(m.places(tree))
    if any(isinstance(edit, str) for edit in edits):
        return False
    print(edits[0][0])
    # From the last to the first, which leaves the places of the others as they are.
    for path, first, count, new in sorted(edits, key=lambda edit: edit[1], reverse=True):
        text = tree.tokens_of(path).replaced(first, count, new)
        # A new file instead of the old one, which may have other names.
        file_name = os.path.join(tree.folder, path)
        with open(file_name + '.edited', 'w', encoding='utf-8') as file:
            file.write(text)
        os.replace(file_name + '.edited', file_name)
        tree.known[path] = tokens(text)
    return True


def main():
    mutants = read_table()
    if sys.argv[1:] == ['list']:
        fine = check(mutants, source_tree('.'))
        for m in mutants:
            print(m.name, m.why, m.file, m.tests, sep='\n')
        sys.exit(0 if fine else 1)
    _, name, folder = sys.argv[1:]
    sys.exit(0 if any(m.name == name and plant(m, source_tree(folder)) for m in mutants) else 1)


if __name__ == '__main__':
    main()
