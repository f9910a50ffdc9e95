#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Secrets on stacks, on the heap, in the environment, in registers and beside locks: no trace, report
# or export contains them. With --raw-stacks the trace contains them, and `scope scrub` removes them; the report of
# the new trace is the same.
#
# Usage: tests/unit/canary_live.sh
# capture_by=kmod uses the module.
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
source=${capture_by:-perf}
export LC_ALL=C
gcc -O2 -Wall -Wextra -Werror -pthread -o "$dir/work" tests/unit/canary_work.c || exit 1
coproc WORK { CANARY=EnVisecrEnVisecrEnVisecr exec "$dir/work"; }
read -r target <&"${WORK[0]}"
[ -n "$target" ] || exit 1

# The report, of a file of one name: it names the file.
text_of() {	# NAME
	ln -f "$dir/$1.trace" "$dir/one.trace"
	"$scope" report -v -i "$dir/one.trace"
}
ok() { if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; bad=1; fi; }

# Of each place where a secret was, how often it is in files: as bytes, and as numbers of either order.
found() {	# FILE...
	local tag hex back
	for tag in StAk HeAp EnVi ReGi FuTx StNd ChAi secr; do
		hex=$(printf %s "$tag" | od -An -tx1 | tr -d ' \n')
		back=$(printf %s "$tag" | rev | tr -d '\n' | od -An -tx1 | tr -d ' \n')
		printf '%s %s\n' "$tag" "$(cat "$@" | grep -aoE "$tag|$hex|$back" | wc -l)"
	done
}
none() {	# NAME FILE...
	local name=$1
	shift
	found "$@" > "$dir/found"
	! grep -qv ' 0$' "$dir/found"
	ok "$name" $?
	grep -v ' 0$' "$dir/found"
}
some() { awk -v tag="$1" '$1 == tag && $2 > 0 { found = 1 } END { exit !found }' "$dir/found"; ok "$2" $?; }

"$scope" record -p "$target" --source "$source" --stack-budget 0 -d 3 --compress 0 --raw-stacks \
	-o "$dir/raw.trace" > "$dir/said" 2>&1 || { cat "$dir/said"; exit 1; }
"$scope" record -p "$target" --source "$source" --stack-budget 0 -d 3 --compress 0 \
	-o "$dir/new.trace" > "$dir/said" 2>&1 || { cat "$dir/said"; exit 1; }

# What this test looks for is found where it is.
"$scope" dump "$dir/raw.trace" > "$dir/raw.text"
found "$dir/raw.trace" "$dir/raw.text" > "$dir/found"
some StAk "raw stacks hold what is on the stack"
some StNd "raw stacks hold what is on stacks of threads that stand still"
some ReGi "raw stacks hold what is in registers"
some FuTx "raw stacks hold what is beside a lock"

"$scope" dump "$dir/new.trace" > "$dir/new.text"
none "a trace holds no memory of its target" "$dir/new.trace" "$dir/new.text"
[ "$(grep -cE '^[0-9]+ [0-9]+ (stack|sample) .* unwound' "$dir/new.text")" -gt 20 ]
ok "it has stacks, unwound" $?
[ "$(grep -c '^standing ' "$dir/new.text")" -ge 2 ]
ok "and those of threads that stand still" $?
awk -v tid="$target" '$1 == "lock" && $4 == tid { found = 1 } END { exit !found }' "$dir/new.text"
ok "and the owner of a lock" $?
! grep -qE '^memory | data=' "$dir/new.text"
ok "and no bytes" $?

grep -q '^meta loops\.' "$dir/new.text" || ! ldconfig -p | grep -q libcapstone
ok "and loops of its code" $?
text_of new > "$dir/new.report"
grep -q serve "$dir/new.report" || grep -q stand "$dir/new.report"
ok "its report names functions" $?
"$scope" report -i "$dir/new.trace" --format json > "$dir/new.json"
for format in script folded sqlite perfetto; do
	"$scope" export $format "$dir/new.trace" -o "$dir/new.$format" || bad=1
done
none "no report or export of it does" "$dir"/new.{report,json,script,folded,sqlite,perfetto}

"$scope" scrub "$dir/raw.trace" -o "$dir/scrubbed.trace" > "$dir/said" || bad=1
"$scope" dump "$dir/scrubbed.trace" > "$dir/scrubbed.text"
none "a scrubbed trace holds none either" "$dir/scrubbed.trace" "$dir/scrubbed.text"
for name in raw scrubbed; do
	text_of "$name" > "$dir/$name.report"
	# But for what to do next, which names the file.
	"$scope" report -i "$dir/$name.trace" --format json | grep -v '"command": "scope-report -i' > "$dir/$name.json"
	for format in script folded; do
		"$scope" export $format "$dir/$name.trace" -o "$dir/$name.$format" || bad=1
	done
done
cmp "$dir/raw.report" "$dir/scrubbed.report" && cmp "$dir/raw.json" "$dir/scrubbed.json" &&
	cmp "$dir/raw.folded" "$dir/scrubbed.folded"
ok "its report is that of the raw one, and so are its folded stacks" $?

# Options that take other data: stacks by frame pointers, and what threads sleep on, which only the module has.
with_option() {	# OPTION...
	"$scope" record -p "$target" --source "$source" --stack-budget 0 -d 2 --compress 0 "$@" \
		-o "$dir/option.trace" > "$dir/said" 2>&1 || { cat "$dir/said"; bad=1; }
}
# The words of futexes are decimal in a dump.
option_text() {	# FILE
	"$scope" dump "$1" > "$dir/option.text"
	grep -oE ' futex .*' "$dir/option.text" | grep -oE '=[0-9]+' | tr -d = | xargs -r printf '%08x\n' > "$dir/futexes"
}
options=(--chain)
[ "$source" = perf ] || options+=(--interrupts)
for option in "${options[@]}"; do
	with_option "$option"
	option_text "$dir/option.trace"
	none "nor does one with $option" "$dir/option.trace" "$dir/option.text" "$dir/futexes"
	with_option --raw-stacks "$option"
	option_text "$dir/option.trace"
	if [ "$option" = --chain ]; then
		found "$dir/option.text" > "$dir/found"
		some ChAi "raw stacks by frame pointers hold what is taken for return addresses"
	else
		found "$dir/futexes" > "$dir/found"
		some FuTx "raw stacks hold what threads sleep on"
	fi
	rm -f "$dir/optional.trace"
	"$scope" scrub "$dir/option.trace" -o "$dir/optional.trace" > "$dir/said" || bad=1
	option_text "$dir/optional.trace"
	none "scrubbed, it holds none" "$dir/optional.trace" "$dir/option.text" "$dir/futexes"
done

# On a host without the program.
mv "$dir/work" "$dir/gone"
text_of new > "$dir/new.report2"
"$scope" report -i "$dir/new.trace" --format json > "$dir/new.json2"
"$scope" export folded "$dir/new.trace" -o "$dir/new.folded2"
cmp "$dir/new.report" "$dir/new.report2" && cmp "$dir/new.json" "$dir/new.json2" &&
	cmp "$dir/new.folded" "$dir/new.folded2"
ok "without the program's file report and export are the same" $?
text_of scrubbed > "$dir/scrubbed.report2"
cmp "$dir/scrubbed.report" "$dir/scrubbed.report2"
ok "and so are those of a scrubbed trace" $?
kill "$target"
wait "$target" 2>/dev/null

# Names that come later: the program ran stripped, its debug file is found by build-id.
mkdir "$dir/debug"
objcopy --only-keep-debug "$dir/gone" "$dir/debug/work.debug" && strip "$dir/gone" -o "$dir/work" || bad=1
coproc WORK { exec "$dir/work"; }
read -r target <&"${WORK[0]}"
"$scope" record -p "$target" --source "$source" --stack-budget 0 -d 2 -o "$dir/bare.trace" > "$dir/said" 2>&1 ||
	{ cat "$dir/said"; bad=1; }
rm "$dir/work"
"$scope" export folded "$dir/bare.trace" -o "$dir/bare.folded"
! grep -q 'serve\|stand' "$dir/bare.folded" && grep -q 'work+0x' "$dir/bare.folded"
ok "a stripped program has no names" $?
"$scope" export folded "$dir/bare.trace" --debug-dir "$dir/debug" -o "$dir/named.folded"
grep -q serve "$dir/named.folded"
ok "its debug file gives it some, without the program" $?
kill "$target"
wait "$target" 2>/dev/null

# A program whose file is in memory, and gone with it; also one without a build-id.
objcopy --remove-section .note.gnu.build-id "$dir/gone" "$dir/bare" || bad=1
for file in gone bare; do
	coproc WORK { exec python3 -c 'import os, sys
fd = os.memfd_create("work")
os.write(fd, open(sys.argv[1], "rb").read())
os.execve(fd, ["work"], os.environ)' "$dir/$file"; }
	read -r target <&"${WORK[0]}"
	"$scope" record -p "$target" --source "$source" --stack-budget 0 -d 2 -o "$dir/memory.trace" > "$dir/said" 2>&1 ||
		{ cat "$dir/said"; bad=1; }
	kill "$target"
	wait "$target" 2>/dev/null
	target=
	rm -f "$dir/memory.folded"
	"$scope" export folded "$dir/memory.trace" -o "$dir/memory.folded"
	grep -q 'main;serve' "$dir/memory.folded"
	ok "a program that is a file in memory has names: $file" $?
	rm -f "$dir/memory.trace"
done
exit $bad
