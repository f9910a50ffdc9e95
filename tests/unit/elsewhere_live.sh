#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A trace is complete in itself. Programs in C, Go, Python and JavaScript execute others, load a library, start short
# commands, wait in goroutines and hang. Their reports and exports have the same bytes in a root directory that contains only
# the trace and Scope as on this host with all files of the programs. They name the slow functions.
#
# Usage: tests/unit/elsewhere_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here, or this is not root.
. "$(dirname "$0")/live.bash"
[ "$(id -u)" = 0 ] || { echo "skipped: only root can change the root directory"; exit 77; }
! ldd "$scope" | grep -q 'lib[a-z]*san\.' || { echo "skipped: a sanitizer wants /proc"; exit 77; }
export LC_ALL=C TZ=UTC HOME=$dir/home
there=$dir/there
mkdir -p "$there/scope"
cp "$scope" "$there/scope/scope"
ldd "$scope" | grep -o '/[^ ]*' | while read -r file; do
	cp -L "$file" "$there/scope/"
done
loader=$(ldd "$scope" | grep -o '/[^ ]*/ld-[^ ]*')

here() { (cd "$dir" && "$scope" "$@"); }
elsewhere() { chroot "$there" "/scope/${loader##*/}" --library-path /scope /scope/scope "$@"; }

# What is made of the trace FILE there and here is the same.
reports=("report -v -n 99" "report --format json")
all=("${reports[@]}" "export folded" "export script")
same() {	# WHAT FILE PATTERN COMMAND...
	local what=$1 pattern=$3 command
	mv "$2" "$dir/it.trace"
	cp "$dir/it.trace" "$there/"
	shift 3
	for command; do
		if here $command it.trace > "$dir/here.out" 2>&1 && elsewhere $command it.trace > "$dir/there.out" 2>&1 &&
			cmp -s "$dir/here.out" "$dir/there.out"; then
			echo "ok - $what: $command, $(stat -c %s "$dir/here.out") bytes"
		else
			echo "not ok - $what: $command differs elsewhere"
			diff -a "$dir/here.out" "$dir/there.out" | cut -c1-200 | head -40
			bad=1
		fi
	done
	elsewhere report -v it.trace > "$dir/report" 2>&1
	if grep -qE -- "$pattern" "$dir/report"; then
		echo "ok - $what: the report names $pattern"
	else
		echo "not ok - $what: no $pattern in"
		cat "$dir/report"
		bad=1
	fi
}

begin_with() {	# OPTIONS COMMAND...
	local options=$1 word
	shift
	rm -f "$dir"/a.trace*
	coproc WORK { cd "$dir" && exec "$@"; }
	target=$WORK_PID
	read -r word server <&"${WORK[0]}"
	"$scope" record -p "$server" --source perf --subbuf-count 64 $options -o "$dir/a.trace" > "$dir/said" 2>&1 &
	recorder=$!
}

load() {	# KINDS
	local port
	read -r port <&"${WORK[0]}"
	python3 tests/unit/interpreter_load.py "$port" "$1" 500
}

end_target() {
	kill "$target"
	wait "$target" 2>/dev/null
	target=
}

recorded() {	# WHAT PATTERN KINDS COMMAND...
	local what=$1 pattern=$2 kinds=$3
	shift 3
	begin_with "-d 600" "$@"
	begun "$recorder" "$dir/a.trace" || { cat "$dir/said"; exit 1; }
	echo go >&"${WORK[1]}"
	load "$kinds"
	capture_end || exit 1
	end_target
	same "$what" "$dir/a.trace" "$pattern" "${all[@]}"
}

# ---- C ----
printf '%s\n' '#include <time.h>' \
	'static __attribute__((noinline)) void read_prices(void) { nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, 0); }' \
	'void load_prices(void) { read_prices(); __asm__ volatile(""); }' > "$dir/prices.c"
cp tests/unit/elsewhere_work.c "$dir/work.c"
(cd "$dir" && gcc -O2 -g -Wall -Wextra -Werror -shared -fPIC -o libprices.so prices.c &&
	gcc -O2 -g -Wall -Wextra -Werror -pthread -Wl,-rpath,"$dir" -o first work.c -ldl && cp first second) || exit 1
rm "$dir"/*.c	# the text of sources is shown only where they are
recorded "C" '^ +[1-4] +(take_nap|read_prices|load_prices|count_stock|add_order|write_ledger) ' csdlh ./first ./second

# ---- short commands ----
cat > "$dir/burst" <<'SH'
#!/bin/bash
echo "port $$"
read -r _
for i in $(seq 60); do ./burn; done
echo done
read -r _
SH
chmod +x "$dir/burst"
printf '%s\n' 'volatile unsigned long sum;' 'static __attribute__((noinline)) void burn_inside(unsigned long n) { while (n--) sum += n; }' \
	'int main(void) { burn_inside(20000000); return 0; }' > "$dir/burn.c"
(cd "$dir" && gcc -O2 -g -o burn burn.c && rm burn.c) || exit 1
begin_with "-d 600" ./burst
begun "$recorder" "$dir/a.trace" || { cat "$dir/said"; exit 1; }
echo go >&"${WORK[1]}"
read -r _ <&"${WORK[0]}"
capture_end || exit 1
end_target
# (A stack that a command has on one CPU while it is being executed on another one may have no name in exports.)
same "short commands" "$dir/a.trace" 'burst' "${reports[@]}"

# ---- Python and JavaScript ----
python=${PYTHON:-/usr/bin/python3}
cp tests/unit/interpreter_work.py "$dir/work.py"
[ ! -x "$python" ] || recorded "Python" 'doze in work.py' s "$python" work.py
cat > "$dir/serve.js" <<'END'
'use strict';
function little() { let t = 0; for (let i = 0; i < 200; i++) t += i * i; return t; }
function burn() { const end = Date.now() + 40; let t = 0; while (Date.now() < end) t += little(); return t; }
const server = require('net').createServer((c) => c.on('data', (d) => { if (String(d) === 'c') burn(); c.write(d); }));
console.log('port ' + process.pid);
require('readline').createInterface({ input: process.stdin }).once('line', () =>
	server.listen(0, '127.0.0.1', () => console.log(server.address().port)));
END
if command -v node > "$dir/node"; then
	recorded "JavaScript" 'burn' c node serve.js
else
	echo "ok - JavaScript: skipped, node is not there"
fi

# ---- Go ----
command -v go > "$dir/go" || { echo "ok - Go: skipped, golang-go is not installed"; exit $bad; }
[ "$(uname -m)" = x86_64 ] || { echo "ok - Go: skipped, goroutines are read on x86-64 only"; exit $bad; }
cat > "$dir/serve.go" <<'END'
package main

import (
	"fmt"
	"net"
	"os"
	"time"
)

var (
	orders = make(chan chan byte)
	total  int
)

//go:noinline
func packOrders() {
	for answer := range orders {
		time.Sleep(30 * time.Millisecond)
		answer <- 'x'
	}
}

//go:noinline
func askPacker() {
	answer := make(chan byte)
	orders <- answer
	<-answer
}

//go:noinline
func takeNap() { time.Sleep(30 * time.Millisecond) }

//go:noinline
func loseOrder() {
	<-make(chan byte)
	total++
}

func serve(c net.Conn) {
	kind := make([]byte, 1)
	for {
		if n, err := c.Read(kind); n == 0 || err != nil {
			return
		}
		switch kind[0] {
		case 'c':
			askPacker()
		case 's':
			takeNap()
		case 'h':
			go loseOrder()
		}
		c.Write(kind)
	}
}

func main() {
	var line string
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Println("pid", os.Getpid())
	fmt.Scanln(&line)
	fmt.Println(l.Addr().(*net.TCPAddr).Port)
	go packOrders()
	for {
		if c, err := l.Accept(); err == nil {
			go serve(c)
		}
	}
}
END
(cd "$dir" && GOCACHE=$dir/cache GO111MODULE=off go build -ldflags '-s -w' -o serve serve.go && rm -r cache serve.go) || exit 1
recorded "Go" '^ +[12] +main\.(packOrders|askPacker) ' ccch ./serve

# Files that are written while the recording goes on.
load_between() {	# OPTIONS
	rm -f "$dir"/a-*
	begin_with "$1" ./serve
	for _ in $(seq 400); do
		! grep -q 'each file is' "$dir/said" || break
		sleep 0.05
	done
	sleep 1
	echo go >&"${WORK[1]}"
	load sch
}

same_files() {	# WHAT
	local files=("$dir"/a-*.trace) file
	if [ ${#files[@]} -ge 2 ]; then
		echo "ok - $1: ${#files[@]} files"
	else
		echo "not ok - $1: ${files[*]}, two are expected"
		cat "$dir/said"
		bad=1
	fi
	for file in "${files[@]}"; do
		same "$1, ${file##*/a-}" "$file" 'requests|REQUESTS|NOTHING' "${all[@]}"
	done
}

load_between --flight=60
kill -USR1 "$recorder"
for _ in $(seq 400); do
	! compgen -G "$dir/a-*[0-9].trace" > "$dir/written" || break
	sleep 0.05
done
sleep 1
capture_end || exit 1
end_target
same_files "a flight recorder"
load_between "--rotate 9 --max-size 64k"
capture_end || exit 1
end_target
same_files "rotated files"
exit $bad
