#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Servers in Python, PHP, Ruby and Perl that are started without any special option, traced by perf events: the functions in which slow requests
# compute, sleep, and keep others waiting are named in the languages' own names, and a healthy server has nothing abnormal.
# If this host is busy a verdict may name the host; stacks and their names do not depend on the load.
#
# Usage: tests/unit/interpreter_live.sh      PYTHON= names an interpreter (default /usr/bin/python3)
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here, or there is no such interpreter.
. "$(dirname "$0")/live.bash"
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || { echo "skipped: $python is not there"; exit 77; }

# The names of snapshots' innermost functions of the program, one a line.
innermost() {
	"$scope" dump "$dir/a.trace" | awk '
		$1 == "sym" && $5 ~ /^(py|php|rb|pl)::/ { name[$3] = $5 }
		$3 == "snapshot" {
			count = split($5, address, ",")
			for (i = 1; i <= count; i++) {
				at = address[i]
				if (i > 1)
					sub(/1$/, "0", at)
				if (at in name && name[at] !~ /<internal|\/lib\/python3|\/lib\/ruby\/|\/perl(5|-base)?\//) {
					print name[at]
					break
				}
			}
		}'
}

expect() {	# WHAT LEAST PATTERN
	local found
	found=$(innermost | grep -cE "$3")
	if [ "$found" -ge "$2" ]; then
		echo "ok - $1: $found snapshots"
	else
		echo "not ok - $1: $found snapshots of $3, $2 are expected"
		innermost | sort | uniq -c | sort -n | tail
		"$scope" dump "$dir/a.trace" | grep '^meta snapshots'
		bad=1
	fi
}

report_names() {	# WHAT PATTERN
	if "$scope" report -v -i "$dir/a.trace" > "$dir/report" && grep -qE "$2" "$dir/report"; then
		echo "ok - $1: the report names it"
	else
		echo "not ok - $1: no '$2' in"
		cat "$dir/report"
		bad=1
	fi
}

# In a flame graph the function is below its callers, and no stack of the interpreter alone is beside it.
folded_names() {	# WHAT FORMAT PATTERN
	"$scope" export "$2" "$dir/a.trace" > "$dir/folded"
	if grep -qE "$3" "$dir/folded"; then
		echo "ok - $1: export $2"
	else
		echo "not ok - $1: no line like $3 of export $2:"
		cut -c1-400 "$dir/folded"
		bad=1
	fi
}

ask() {	# KINDS COMMAND...
	local port kinds=$1
	shift
	rm -f "$dir"/a.trace*
	capture_begin "$@" || exit 1
	read -r port <&"${WORK[0]}"
	python3 tests/unit/interpreter_load.py "$port" "$kinds" 500
	capture_end || exit 1
	kill "$target"
	wait "$target" 2>/dev/null
	target=
}

ask_python() { ask "$1" "$python" tests/unit/interpreter_work.py; }	# KINDS
ask_ruby() { ask "$1" ruby tests/unit/interpreter_work.rb; }	# KINDS
is_healthy() {	# WHAT
	if "$scope" report -i "$dir/a.trace" > "$dir/report"; grep -qE '^SLOWDOWN in|^HANG|^SPIN' "$dir/report"; then
		echo "not ok - $1"
		cat "$dir/report"
		bad=1
	fi
}

# Each of 3 connections has 25 slow requests: of 50 ms on a CPU, or of 30 ms asleep.
ask_python c
expect "Python computes" 60 '^py::burn:.*/interpreter_work.py$'
report_names "Python computes" 'burn in interpreter_work.py'
folded_names "Python computes" folded ';serve;handle;burn [0-9]+$'
ask_python s
expect "Python sleeps" 40 '^py::doze:.*/interpreter_work.py$'
report_names "Python sleeps" 'doze in interpreter_work.py'
folded_names "Python sleeps" folded-off ';serve;handle;doze [0-9]+$'
ask_python l
expect "Python has a lock" 40 '^py::hold:.*/interpreter_work.py$'
report_names "Python has a lock" 'hold in interpreter_work.py'
ask_python ''
expect "Python does little" 1 '^py::'
is_healthy "a healthy server in Python"

if command -v ruby > "$dir/ruby"; then
	ask_ruby c
	expect "Ruby computes" 60 '^rb::Work#burn:.*/interpreter_work.rb$'
	report_names "Ruby computes" 'Work#burn in interpreter_work.rb'
	folded_names "Ruby computes" folded ';serve;Work#handle;Work#burn [0-9]+$'
	ask_ruby s
	expect "Ruby sleeps" 40 '^rb::Work#doze:.*/interpreter_work.rb$'
	report_names "Ruby sleeps" 'Work#doze in interpreter_work.rb'
	folded_names "Ruby sleeps" folded-off ';serve;Work#handle;Work#doze [0-9]+$'
	ask_ruby l
	expect "Ruby has a lock" 40 '^rb::Work#hold:.*/interpreter_work.rb$'
	report_names "Ruby has a lock" 'Work#hold in interpreter_work.rb'
	ask c ruby tests/unit/interpreter_work.rb forks
	expect "Ruby computes in processes that were forked" 60 '^rb::Work#burn:.*/interpreter_work.rb$'
	ask_ruby ''
	expect "Ruby does little" 1 '^rb::'
	is_healthy "a healthy server in Ruby"
else
	echo "ok - Ruby: skipped, it is not there"
fi

# Its processes were forked.
if command -v perl > "$dir/perl"; then
	ask_perl() { ask "$1" perl tests/unit/interpreter_work.pl; }	# KINDS
	ask_perl c
	expect "Perl computes" 60 '^pl::Work::(burn|little):.*/interpreter_work.pl$'
	report_names "Perl computes" 'Work::burn in interpreter_work.pl'
	folded_names "Perl computes" folded ';main::serve;Work::handle;Work::burn(;Work::little)? [0-9]+$'
	ask_perl s
	expect "Perl sleeps" 40 '^pl::Work::doze:.*/interpreter_work.pl$'
	report_names "Perl sleeps" 'Work::doze in interpreter_work.pl'
	folded_names "Perl sleeps" folded-off ';main::serve;Work::handle;Work::doze [0-9]+$'
	ask_perl ''
	expect "Perl does little" 1 '^pl::'
	is_healthy "a healthy server in Perl"
else
	echo "ok - Perl: skipped, it is not there"
fi

command -v php > "$dir/php" || { echo "ok - PHP: skipped, it is not there"; exit $bad; }
cat > "$dir/index.php" <<'END'
<?php
namespace Shop;
class Cart {
	static function price($n) { $t = 0; for ($i = 0; $i < $n; $i++) $t += $i * 3; return $t; }
	static function recount() { $end = hrtime(true) + 50000000; while (hrtime(true) < $end) self::price(500); }
	static function ask() { usleep(30000); }
}
Cart::price(1000);
if (($_GET['k'] ?? '') == 'c') Cart::recount();
if (($_GET['k'] ?? '') == 's') Cart::ask();
echo 'x';
END
cat > "$dir/run" <<END
#!/bin/bash
echo "port \$\$"
read -r _
exec php -S 127.0.0.1:0 -t "$dir" 2> "$dir/php.log"
END
chmod +x "$dir/run"
ask_php() {	# KIND
	local port i
	rm -f "$dir"/a.trace*
	capture_begin "$dir/run" || exit 1
	port=
	for i in $(seq 400); do
		port=$(sed -nE 's/.*127\.0\.0\.1:([0-9]+)\) started.*/\1/p' "$dir/php.log" 2>/dev/null)
		[ -z "$port" ] || break
		sleep 0.05
	done
	for i in $(seq 400); do
		curl -s -o "$dir/got" "http://127.0.0.1:$port/?k=$([ $((i % 20)) -ne 0 ] || echo "$1")"
	done
	capture_end || exit 1
	kill "$target"
	wait "$target" 2>/dev/null
	target=
}
ask_php c
expect "PHP computes" 20 '^php::Shop.*Cart::(recount|price):.*/index.php$'
report_names "PHP computes" 'Shop.*Cart::(recount|price) in index.php'
ask_php s
expect "PHP sleeps" 10 '^php::Shop.*Cart::ask:.*/index.php$'
report_names "PHP sleeps" 'Shop.*Cart::ask in index.php'
exit $bad
