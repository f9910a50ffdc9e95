#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A program that writes by stdio and by write(), looks a name up and uses SQLite, traced by perf events on this host: scope
# libcalls counts exactly the same calls as strace.
#
# Exit status: 0 passed; 1 failed; 77 perf events, or strace, cannot be used here.
. "$(dirname "$0")/live.bash"
command -v strace > "$dir/which" || { echo "skipped: no strace here"; exit 77; }
gcc -O1 -g -Wall -Wextra -Werror -o "$dir/work" tests/unit/libcalls_work.c -lsqlite3 || exit 1
top=$PWD
cd "$dir" || exit 1
# strace may lose its way through a stack on a busy host.
for _ in 1 2 3; do
	strace -f -k -o "$dir/strace" ./work now 2> "$dir/strace.err" && [ "$(grep -c "(by_write+" "$dir/strace")" -ge 5000 ] && break
done
grep -q "(by_write+" "$dir/strace" || { echo "skipped: strace shows no stacks: $(head -n 1 "$dir/strace.err")"; exit 77; }

coproc WORK { exec ./work; }
target=$WORK_PID
read -r _ server <&"${WORK[0]}"
"$scope" libcalls -p "$server" --source perf -d 600 --save "$dir/a.trace" --format json -o "$dir/all.json" > "$dir/said" 2>&1 &
recorder=$!
begun "$recorder" "$dir/a.trace" || { cat "$dir/said"; exit 1; }
echo go >&"${WORK[1]}"
read -r _ _ <&"${WORK[0]}"
sleep 0.3
kill -INT "$recorder"
wait "$recorder" || { cat "$dir/said"; exit 1; }
echo end >&"${WORK[1]}"
wait "$target"
target=
"$scope" libcalls -i "$dir/a.trace" --compare write,fwrite > "$dir/pair.text" || bad=1
python3 "$top/tests/unit/schema.py" "$top/docs/schema/commands.schema.json" "$dir/all.json" || bad=1
python3 - "$dir/all.json" "$dir/strace" "$dir/pair.text" <<'END' || bad=1
"""Compares the counts with those of strace, by the function of the program that each call was made in."""
import collections
import json
import re
import sys

# fopen() jumps to an inner function, which is then the one that the program called, as far as the stack shows.
WAYS = {"by_stdio": ("fopen", "fopen_internal", "fwrite", "fclose"), "by_write": ("open", "write", "close"),
        "look_up": ("getaddrinfo", "freeaddrinfo"), "use_database": ("unlink", "libsqlite3")}
true, call, inside, bad = collections.Counter(), None, None, 0
for line in open(sys.argv[2], encoding="utf-8", errors="replace"):
    frame = re.match(r" > .*?\((\w+)\+0x", line)
    if not frame:
        start = re.match(r"(?:\d+ +)?(\w+)\(", line)
        call, inside = start.group(1) if start else None, None
    elif call and not inside and frame.group(1) in WAYS:
        inside = frame.group(1)
        true[inside, call] += 1
found = collections.Counter()
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
for one in report["functions"]:
    for way, names in WAYS.items():
        function = one["function"]
        if function and (function["module"].split(".")[0] in names or
                         function["name"].lstrip("_").split("@")[0].removesuffix("64") in names):
            for of in one["by_call"]:
                found[way, of["call"]] += of["calls"]


def check(what, right):
    global bad
    print(("ok - " if right else "not ok - ") + what)
    bad |= not right


nobody = collections.Counter({of["call"]: of["calls"] for one in report["functions"] if one["from"] == "nobody"
                              for of in one["by_call"]})
# The heap of the other run grows at other places. A call whose stack ends early is in a line of its own.
for key in sorted(set(true) | set(found)):
    if key[1] not in ("brk", "mmap", "munmap", "getrandom", "exit_group"):
        check(f"{key[0]} {key[1]}: {found[key]:g}, strace has {true[key]}",
              true[key] - nobody[key[1]] <= found[key] <= true[key])
check(f"nearly all stacks show the program ({sum(nobody.values()):g} of {report['calls']} do not)",
      sum(nobody.values()) * 500 <= report["calls"])
check("each call has a stack", report["exact"])
with open(sys.argv[3], encoding="utf-8") as file:
    pair = " ".join(file.read().split())
# 5,000 calls instead of 123, for 500,000 bytes but the last piece, which fclose() writes.
check("the comparison says so", "For each KB write makes 40.6 times the calls of fwrite" in pair)
sys.exit(bad)
END
[ "$bad" -eq 0 ] || cat "$dir/pair.text"

# Libraries in folders of the system stay libraries here, also where a report counts them as the program's.
python3 "$top/tests/golden/calls_libraries.py" > "$dir/libraries.txt"
"$scope" dump --reverse "$dir/libraries.txt" -o "$dir/libraries.trace" && "$scope" libcalls -i "$dir/libraries.trace" > "$dir/libraries" &&
	grep -q '^  libwork\.so\.1 ' "$dir/libraries" || { echo "not ok - libraries stay libraries"; cat "$dir/libraries"; bad=1; }
exit "$bad"
