#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the includes of each source file and header of the module with the list of headers that declare the names it uses.

Usage: scripts/check-needs.py          prints a line for each include that is missing; exits 1 where one is
       scripts/check-needs.py -l       prints what each file needs: file: header header ...
       scripts/check-needs.py SCOPE.KO prints which functions and variables that a built module takes from the
                                       kernel, and the source names, are not in the list; exits 1 where one is

kmod/compat/needs.txt is the list. A file has to include the header that gives a name, itself, by a header of the
project's, or by compat.h, which is included before each source file and before the headers of kmod/. The headers of
compat/ have to do without. What the kernel's headers include counts for nothing: that differs from kernel to
kernel, and was what failed on kernels nobody had tried. What a header of compat/ supplies under a name of the
kernel's is given by that header.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
KMOD = os.path.join(ROOT, "kmod")


def read_list():
    """A dictionary from each name to the header that gives it."""
    gives = {}
    with open(os.path.join(KMOD, "compat", "needs.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            header, names = line.split(":")
            for name in names.split():
                if name in gives:
                    sys.exit(f"check-needs.py: {name} is in the list twice")
                gives[name] = header.strip()
    return gives


def code_of(path):
    """The text of a C file without comments and strings."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    includes = re.findall(r'^[ \t]*#[ \t]*include[ \t]+([<"])([^>"]+)', text, flags=re.M)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text), includes


def defined(text):
    """The names that a text defines, as macros or functions in a header."""
    names = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, flags=re.M))
    return names | set(re.findall(r"^static [^;=\n]*?\b([a-z_]\w*)\(", text, flags=re.M))


def add_substitutes(gives):
    """Lets what compat/ supplies under a name of the kernel's be given by that header of compat/."""
    for path in sorted(glob.glob(KMOD + "/compat/*.h")):
        text = code_of(path)[0]
        if not re.search("^#ifndef SCOPE_.*_H$", text, flags=re.M):
            continue
        for name in defined(text):
            if not re.match("scope_|SCOPE_|check_trace_", name):
                gives[name] = os.path.basename(path)


def own_header(quote, name):
    """The path of a header of the project's, or None."""
    folders = ["include"] if quote == "<" else ["kmod", "kmod/compat"]
    for folder in folders:
        path = os.path.join(ROOT, folder, name)
        if os.path.exists(path):
            return path
    return None


def included(path, seen):
    """The headers that a file includes, itself and by headers of the project's."""
    if path in seen:
        return set()
    seen.add(path)
    found = set()
    for quote, name in code_of(path)[1]:
        own = own_header(quote, name)
        if own:
            found |= {name} | included(own, seen)
        else:
            found.add(name)
    return found


def needs(path, gives):
    """A dictionary from each header that a file needs to the names it uses of it."""
    text = code_of(path)[0]
    # What a shim defines is its own.
    own = defined(text)
    found = {}
    for name in re.findall(r"\b[A-Za-z_]\w*", text):
        if name in gives and name not in own:
            found.setdefault(gives[name], set()).add(name)
    return found


def check_list(module, gives):
    """Prints the names that the list lacks; whether there are none."""
    symbols = subprocess.run(["nm", "-u", module], capture_output=True, text=True, check=True).stdout
    taken = {line.split()[-1] for line in symbols.splitlines() if line.strip()}
    named = set()
    for path in glob.glob(KMOD + "/*.c"):
        named |= set(re.findall(r"\b[A-Za-z_]\w*", code_of(path)[0]))
    lacking = sorted((taken & named) - set(gives))
    if lacking:
        print(f"kmod/compat/needs.txt lacks {' '.join(lacking)}")
    return not lacking


def main():
    """Checks all files or the list, or prints what the files need."""
    gives = read_list()
    add_substitutes(gives)
    if len(sys.argv) == 2 and sys.argv[1] != "-l":
        sys.exit(0 if check_list(sys.argv[1], gives) else 1)
    before = {"compat.h"} | included(os.path.join(KMOD, "compat", "compat.h"), set())
    missing = 0
    for path in sorted(glob.glob(KMOD + "/*.[ch]") + glob.glob(KMOD + "/compat/*.[ch]")):
        name = os.path.relpath(path, KMOD)
        wanted = needs(path, gives)
        if sys.argv[1:] == ["-l"]:
            print(f"{name}: {' '.join(sorted(wanted)) or '-'}")
            continue
        there = included(path, set())
        if not name.startswith("compat/") or name.endswith(".c"):
            there |= before
        for header in sorted(set(wanted) - there):
            print(f"{name}: uses {', '.join(sorted(wanted[header]))} and does not include <{header}>")
            missing = 1
    sys.exit(missing)


main()
