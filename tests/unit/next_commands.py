#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs the next commands that reports suggest, exactly as they are printed.

Usage: tests/unit/next_commands.py SCOPE NAME.json...     each beside its trace, NAME.trace
Those of a trace run as they are; the page that one writes must be there, of 2 MB at most. Those of a process run once
for each form, with a process that sleeps, and for a second. Prints "ok next" or what failed, and exits with 1 then.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

bad = 0
ran = 0


def fail(name, command, why, said=""):
    global bad
    bad = 1
    print("not ok next of %s: '%s' %s" % (name, command, why))
    for line in said.splitlines()[-5:]:
        print("    " + line)


def run(name, command, folder):
    """No command has --fail-on, so each ends with 0."""
    global ran
    ran += 1
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    said = done.stdout.decode("utf-8", "replace")
    if done.returncode:
        fail(name, command, "ends with status %d" % done.returncode, said)
    return said


def of_trace(name, command, folder):
    if command.endswith(" -v"):  # that is how the report itself was made
        return
    said = run(name, command, folder)
    page = re.search(r" -o (\S+\.html)$", command)
    if not page:
        return
    path = os.path.join(folder, page.group(1))
    size = os.path.getsize(path) if os.path.exists(path) else 0
    if not 1000 < size <= 2000000:
        fail(name, command, "wrote a page of %d bytes" % size, said)
    if size:
        os.remove(path)


def one(name, command, folder, forms):
    """Runs a command, or keeps it with forms if it is of a process."""
    if command.startswith(("ss ", "iostat ")):
        if shutil.which(command.split()[0]) and not command.startswith("iostat"):
            run(name, command, folder)
    elif " -p " in command:
        forms.setdefault(re.sub(r" --baseline \S+", " --baseline TRACE", command), (command, folder))
    elif command.startswith("scope"):
        of_trace(name, command, folder)
    else:
        fail(name, command, "is of no known program")


def of_processes(forms):
    # A capture has limits of seconds, which pass where it only gets what others leave of a CPU (scripts/check.sh).
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with subprocess.Popen(["sleep", "600"]) as asleep:
        for command, folder in forms.values():
            command = re.sub(r" -d [0-9]+", "", re.sub(r" -p \S+", " -p %d" % asleep.pid, command, count=1), count=1)
            run("a process", command if command.startswith("scope doctor") else command + " -d 1", folder)
        asleep.kill()


def main(scope, files):
    forms = {}  # a command of a process, and its folder, by its form
    commands = 0
    with tempfile.TemporaryDirectory() as here:
        os.symlink(os.path.realpath(scope), here + "/scope")
        os.symlink("scope", here + "/scope-report")
        os.environ["PATH"] = here + ":" + os.environ["PATH"]
        for path in files:
            name = os.path.basename(path)[:-len(".json")]
            with open(path, encoding="utf-8") as report:
                named = [step["command"] for step in json.load(report)["next"]]
            if not named:
                fail(name, "", "names none")
            for command in named:
                one(name, command, os.path.dirname(os.path.abspath(path)), forms)
            commands += len(named)
        doctor = subprocess.run(["scope", "doctor"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if re.search(r"^ok .*perf events can be used", doctor.stdout, re.M):
            of_processes(forms)
        else:
            print("# left out: %d forms with a process, because perf events cannot be used here" % len(forms))
    if not bad:
        print("ok next: %d commands named, %d run" % (commands, ran))
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
