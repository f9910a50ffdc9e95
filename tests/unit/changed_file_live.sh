#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The files of a target change while it is captured: its program is replaced or deleted; its library is cut after the loaded part, overwritten
# there, or cut in such a way that the target crashes. Each capture ends normally, and its functions have the names of the
# code that ran.
#
# Usage: tests/unit/changed_file_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
export LC_ALL=C
cat > "$dir/library.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
volatile unsigned long sum;
__attribute__((noinline)) void burn_inside(unsigned n) { for (unsigned i = 0; i < n; i++) sum += i * i; }
void burn(unsigned n) { burn_inside(n); sum++; }
C
cat > "$dir/program.c" <<'C'
#include <unistd.h>
void burn(unsigned n);
int main(void)
{
	int ends[2];
	char byte = 1;

	if (pipe(ends))
		return 1;
	for (;;) {
		burn(500000);
		if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			return 1;
	}
}
C
sed 's/burn/boil/g' "$dir/library.c" > "$dir/other.c"
# With macros as debug information: half of the file is not loaded.
gcc -O1 -g3 -shared -fPIC -o "$dir/good.so" "$dir/library.c" || exit 1
gcc -O1 -g3 -shared -fPIC -o "$dir/other.so" "$dir/other.c" || exit 1
cp "$dir/good.so" "$dir/libwork.so"
gcc -O1 -g -o "$dir/good" "$dir/program.c" -L"$dir" -lwork -Wl,-rpath,"$dir" || exit 1
loaded=0
while read -r offset bytes; do
	((offset + bytes <= loaded)) || loaded=$((offset + bytes))
done < <(readelf -lW "$dir/good.so" | awk '$1 == "LOAD" { print $2, $5 }')
whole=$(stat -c %s "$dir/good.so")
ok() { if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; bad=1; fi; }
[ "$whole" -gt $((loaded + 30000)) ]
ok "much of the library is not loaded: $((whole - loaded)) of $whole bytes" $?

change() {	# HOW
	case $1 in
	replaced)	cp "$dir/other.so" "$dir/new" && mv "$dir/new" "$dir/work" && cp --remove-destination "$dir/other.so" "$dir/libwork.so" ;;
	deleted)	rm "$dir/work" "$dir/libwork.so" ;;
	cut)		truncate -s $((loaded + 4096)) "$dir/libwork.so" ;;
	zeros)		dd if=/dev/zero of="$dir/libwork.so" bs=4096 seek=$((loaded / 4096 + 2)) count=$(((whole - loaded) / 4096 - 2)) \
				conv=notrunc status=none ;;
	emptied)	truncate -s 0 "$dir/libwork.so" ;;
	overwritten)	cat "$dir/other.so" > "$dir/libwork.so" ;;
	esac
}

captured() {	# HOW
	local status
	cp --remove-destination "$dir/good.so" "$dir/libwork.so"
	cp --remove-destination "$dir/good" "$dir/work"
	"$dir/work" &
	target=$!
	timeout 60 "$scope" record -p "$target" --source perf --stack-budget 0 -d 2 -o "$dir/$1.trace" > "$dir/said" 2>&1 &
	recorder=$!
	begun "$recorder" "$dir/$1.trace"
	sleep 0.7
	change "$1"
	wait "$recorder"
	status=$?
	kill "$target" 2> /dev/null
	wait "$target" 2> /dev/null
	target=
	ok "$1: the capture ends well" $status
	[ $status = 0 ] || { cat "$dir/said"; return; }
	rm -f "$dir/folded"
	"$scope" export folded "$dir/$1.trace" -o "$dir/folded"
	grep -q 'main;burn;burn_inside' "$dir/folded"
	ok "its functions have their names" $?
	! grep -q boil "$dir/folded"
	ok "and none of another file" $?
	"$scope" report -v -i "$dir/$1.trace" > "$dir/report" 2>&1
	ok "and a report" $?
	rm -f "$dir/$1.trace"
}

for how in replaced deleted cut zeros emptied overwritten; do
	captured "$how"
done 2> "$dir/ends"
exit "$bad"
