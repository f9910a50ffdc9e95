#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Find words that have a plainer one in comments, printed text and documents.

Usage: scripts/check-words.py [--lower] [ROOT]     ROOT: a git repository (default: this one)

ROOT/scripts/words.tsv has a row for each: a regular expression of whole words, and what to write instead.
ROOT/scripts/words-allowed.tsv has the uses that stay: the file, the expression, the number of uses. The list may only
shrink. Prints FILE:LINE, the word and its replacement for each use that the list does not allow, and each row that
allows more uses than there are. --lower removes that surplus from the list; it never adds anything.
Exit status: 0 nothing is printed; 1 something is.
"""
import pathlib
import re
import subprocess
import sys

# Files whose text is a document as a whole, files with comments as in C, and files with comments after a #.
DOCUMENT = re.compile(r'\.(md|1|json)$')
LIKE_C = re.compile(r'\.([chS]|js|css)$')
LIKE_SHELL = re.compile(r'(\.(sh|bash|py|spec|conf|rules|service)|/(rules|control|run)|(^|/)(Makefile|Kbuild))$')

# A comment, a string, or a character, which may be a quote.
C_TEXT = re.compile(r'''/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+\'''', re.S)
SHELL_TEXT = re.compile(r'''""".*?"""|(?<![^\s])\#[^\n]*|"(?:\\.|[^"\\])*"|'[^'\n]*\'''', re.S)
# Of a page: a program's output, names of code, targets of links.
QUOTED = re.compile(r'^```.*?^```|`[^`\n]*`|\]\([^)\n]*\)', re.S | re.M)
# Of a string in shell: the name of a variable.
VARIABLE = re.compile(r'\$\{?[#!]?\w+')
# What begins a line of a comment that goes on: a phrase may continue after it.
LEADER = re.compile(r'^[ \t]*(?:\*(?=\s)|#|//)', re.M)


def blank(text):
    """As many lines, of blanks."""
    return ' ' + '\n' * text.count('\n') + ' '


def prose(name, text):
    """The text of a file that people read, all else as blanks, so that lines keep their numbers."""
    if DOCUMENT.search(name):
        return QUOTED.sub(lambda found: blank(found.group(0)), text) if name.endswith('.md') else text
    kept, end = [], 0
    for found in (C_TEXT if LIKE_C.search(name) else SHELL_TEXT).finditer(text):
        kept += blank(text[end:found.start()]), found.group(0)
        end = found.end()
    return VARIABLE.sub(' ', LEADER.sub(lambda found: blank(found.group(0)), ''.join(kept)))


def files(root):
    """Names of the files that are read: not the tests' damaged or recorded input."""
    listed = subprocess.run(['git', '-C', root, 'ls-files', '-z'], check=True, capture_output=True, text=True).stdout
    for name in listed.split('\0'):
        known = any(kind.search(name) for kind in (DOCUMENT, LIKE_C, LIKE_SHELL))
        if known and '/corpus/' not in name and (root / name).is_file():
            yield name


def rows(path):
    return [line.split('\t') for line in path.read_text().splitlines() if line and not line.startswith('#')]


def uses(root):
    """A dictionary from (file, expression) to its uses there: line, word, replacement."""
    table = rows(root / 'scripts/words.tsv')
    known = '|'.join(f'(?P<row{number}>{row[0]})' for number, row in enumerate(table)).replace(' ', r'\s+')
    pattern = re.compile(rf'(?<![\w-])(?:{known})(?![\w-])', re.I)
    found = {}
    for name in files(root):
        text = prose(name, (root / name).read_text(errors='replace'))
        for use in pattern.finditer(text):
            expression, instead = table[int(use.lastgroup[3:])]
            found.setdefault((name, expression), []).append(
                (text.count('\n', 0, use.start()) + 1, ' '.join(use.group(0).split()), instead))
    return found


def main():
    lower = '--lower' in sys.argv[1:]
    named = [argument for argument in sys.argv[1:] if argument != '--lower']
    root = pathlib.Path(named[0] if named else pathlib.Path(__file__).resolve().parent.parent)
    path = root / 'scripts/words-allowed.tsv'
    allowed = {(name, expression): int(number) for name, expression, number in rows(path)}
    found = uses(root)
    bad = False
    for key, places in sorted(found.items()):
        if len(places) > allowed.get(key, 0):
            bad = True
            for line, word, instead in places:
                print(f'{key[0]}:{line}: "{word}": write {instead}')
    for key, number in sorted(allowed.items()):
        left = len(found.get(key, []))
        if left < number and not lower:
            bad = True
            print(f'scripts/words-allowed.tsv: {key[0]} has {left} of the {number} uses of "{key[1]}" that are allowed: '
                  'run scripts/check-words.py --lower')
    if lower:
        kept = {key: min(number, len(found.get(key, []))) for key, number in allowed.items()}
        head = [line for line in path.read_text().splitlines() if line.startswith('#')]
        path.write_text('\n'.join(head + [f'{name}\t{expression}\t{kept[name, expression]}'
                                          for name, expression in sorted(kept) if kept[name, expression]]) + '\n')
    return int(bad)


sys.exit(main())
