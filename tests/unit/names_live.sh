#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Names for the code that ran: programs that ended, were deleted, replaced or hidden in a namespace,
# libraries that were loaded and unloaded, 32-bit code, the kernel, and what Node and Java compile at run time,
# and stripped programs of Go.
#
# Usage: tests/unit/names_live.sh [CASE...]
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
source=$PWD/tests/unit/names_work.c
chmod 755 "$dir"
cd "$dir" || exit 1
gcc -O1 -g -Wall -Wextra -Werror -Wl,--build-id -o full "$source" &&
	gcc -O1 -Wall -Wextra -Werror -DLIBRARY -shared -fPIC -o library.so "$source" || exit 1

# Starts a target that waits for a line; says where to write it: descriptor 7.
start() {	# COMMAND...
	coproc TARGET { exec "$@"; }
	target=$TARGET_PID
	exec 7>&"${TARGET[1]}" 8<&"${TARGET[0]}"
	read -r _ <&8
}

# Traces it from before its work to its end; with stays=1 until it is done and has stood still long enough
# to be called hung.
trace() {	# [OPTION...]
	local recorder
	"$scope" record -p "$target" --source perf -d 600 "$@" -o a.trace > said 2>&1 &
	recorder=$!
	begun "$recorder" a.trace || { cat said; return 1; }
	echo go >&7
	[ -z "${stays:-}" ] || { read -r _ <&8; sleep 3; kill -INT "$recorder"; }
	wait "$recorder" || { cat said; return 1; }
	exec 7>&- 8<&-
}

stop() {
	kill "$target" 2>/dev/null
	wait "$target" 2>/dev/null
	target=
}

# The stacks hold the name (or do not: not PATTERN).
named() {	# PATTERN [OPTION...]
	local not= pattern=$1
	shift
	[ "$pattern" != not ] || { not=not pattern=$1; shift; }
	"$scope" export folded a.trace "$@" > folded 2> exported
	if grep -Eq -- "$pattern" folded; then
		[ -z "$not" ] || { echo "is named, and should not: $pattern"; return 1; }
	else
		[ -n "$not" ] || { echo "not named: $pattern"; cut -c 1-200 folded | sort -k 2 -nr | head -5; return 1; }
	fi
}

# Processes that ended before anybody asked for names.
case_ended() {
	start ./full 0.5 && trace
	stop
	named 'main;program_burns'
}

# Deleted while it ran: the capture still reads it. Of raw stacks it is named by a copy elsewhere, and the report
# says what is missing.
case_deleted() {
	cp full deleted && start ./deleted 0.5 && rm deleted && trace
	stop
	named 'main;program_burns' || return 1
	cp full deleted && start ./deleted 0.5 && rm deleted && trace --raw-stacks
	stop
	mkdir -p copies && cp full copies/deleted
	"$scope" report -v -i a.trace > report
	grep -q "deleted.*--debug-dir" report || { echo "the report names no remedy"; cat report; return 1; }
	named not program_burns && named program_burns --debug-dir copies
}

# Replaced by another build, as an update does.
case_replaced() {
	cp full replaced && start ./replaced 0.5 && cp library.so new && mv new replaced && trace
	stop
	named 'main;program_burns' || return 1
	cp full replaced && start ./replaced 0.5 && cp library.so new && mv new replaced && trace --raw-stacks
	stop
	mkdir -p old && cp full old/replaced
	"$scope" report -v -i a.trace > report
	grep -Eq "replaced.*build-id.*--debug-dir|replaced.*--debug-dir.*build-id" report ||
		{ echo "the report does not distinguish the builds"; cat report; return 1; }
	named not program_burns && named program_burns --debug-dir old
}

# Stripped on the host; the debug file is had later.
case_stripped() {
	objcopy --only-keep-debug full stripped.debug && strip -o stripped full
	start ./stripped 0.5 && trace
	stop
	mkdir -p later && mv stripped.debug later
	named not program_burns && named program_burns --debug-dir later
}

# In a mount namespace where only it sees its program: asked while it lives.
case_namespace() {
	unshare -m true 2>/dev/null || { echo "left out: no mount namespaces here"; return 0; }
	mkdir -p hidden
	start unshare -m sh -c "mount -t tmpfs none hidden && cp full hidden/inside && exec hidden/inside 20"
	echo go >&7
	"$scope" record -p "$target" --source perf -d 5 -o a.trace > said 2>&1
	named 'main;program_burns' || { cat said; return 1; }
	stop
	exec 7>&- 8<&-
}

refused() {	# PATTERN OPTION...
	local pattern=$1 code=0
	shift
	"$scope" report -v -i a.trace "$@" > report 2>&1 || code=$?
	[ "$code" -eq 2 ] && grep -q -- "$pattern" report || { echo "$* gives $code"; cat report; return 1; }
}

# Which files are the system's is a setting; and what cannot be done is said before anything is. Of a thread
# that does not move, which a busy host does not change.
case_options() {
	start ./full 0.5
	"$scope" record -p "$target" --source perf -d 3 -o a.trace > said 2>&1
	stop
	exec 7>&- 8<&-
	"$scope" report -v -i a.trace > report
	grep -q '^  1  main  ' report || { cat report; return 1; }
	"$scope" report -v -i a.trace --system-libraries 'default,fu*' > report
	! grep -q '^  1  main  ' report || { echo "a library is named"; cat report; return 1; }
	[ "$("$scope" report --system-libraries show | grep -c so)" -gt 20 ] || return 1
	refused '--debug-dir.*nowhere' --debug-dir /nowhere &&
		DEBUGINFOD_URLS='' refused 'DEBUGINFOD_URLS' --debuginfod
}

# A library that is opened and closed again between the beginning and the end of the trace.
case_library() {
	start ./full 1 ./library.so 6 && trace
	stop
	named 'main;.*library_burns' && named 'main;program_burns'
}

# Deep: the caller of it all is seen, or the stack is marked as cut.
case_recursion() {
	start ./full 0.5 50 && trace
	stop
	named 'full;_start;.*main;program_recurses;.*program_burns' || return 1
	start ./full 0.5 20000 && trace
	stop
	named 'full;\[cut\];program_recurses' && named not 'main;program_recurses'
}

# A child that its parent made by vfork, and waits for.
case_vfork() {
	start python3 -c 'import subprocess, sys
print("ready", flush=True)
sys.stdin.readline()
subprocess.run(["./full", "0.7"], input=b"go\n")' && trace
	stop
	named 'full;.*main;program_burns'
}

case_32bit() {
	gcc -m32 -I/usr/include/x86_64-linux-gnu -O1 -o small "$source" 2>/dev/null ||
		{ echo "left out: no 32-bit compiler"; return 0; }
	start ./small 0.5 20 && trace
	stop
	named 'small;.*main;program_recurses;.*program_burns' || return 1
	gcc -m32 -I/usr/include/x86_64-linux-gnu -O1 -pthread -o sleeper "${source%/*}/perf_work.c" || return 1
	# All stacks, of full length from the first: in two seconds slices have hardly grown.
	start ./sleeper holes 1 40 && stays=1 trace --stack-budget 0 --stack-bytes 32768
	stop
	"$scope" export folded-off a.trace > folded
	grep -Eq 'work;calls_into_hole;sleeps_in_hole;.*nanosleep' folded || { cat folded; return 1; }
	# Its threads end in pause(), which has another number in 64-bit programs.
	"$scope" report -v -i a.trace > report
	grep -q 'call path   pause ← work' report || { cat report; return 1; }
}

# In the kernel: where a thread sleeps as the capture ends, by name if that may be read; else why not.
# What samples hit there has names where addresses may be read; else it is one frame, and the trace says why.
case_kernel() {
	start ./full 0.5
	"$scope" record -p "$target" --source perf -d 1 -o a.trace > said 2>&1
	exec 7>&- 8<&-
	stop
	"$scope" dump a.trace > text
	if cat /proc/self/stack > /dev/null 2>&1; then
		grep -Eq '^meta kernel_stack\.[0-9]+ .*pipe_' text || { grep '^meta' text; return 1; }
	else
		grep -Eq '^meta kernel_stacks .*/stack' text || { grep '^meta' text; return 1; }
	fi
	dd if=/dev/zero of=/dev/null bs=4M 2> said.dd &
	target=$!
	"$scope" record -p "$target" --source perf -d 2 -o a.trace > said 2>&1
	setpriv --bounding-set -syslog --inh-caps -syslog "$scope" record -p "$target" --source perf -d 2 \
		-o hidden.trace > said 2>&1
	stop
	if grep -q '^0*[1-9a-f][0-9a-f]* . _text$' /proc/kallsyms; then
		named 'dd;.*(write|read);(rep_stos|clear_user|__clear_user|iov_iter_zero|read_zero)[a-z_]* ' || return 1
		"$scope" dump a.trace > text
		# It has no address of the kernel: they count from where all kernels would begin.
		grep -q '^sym 0 0xffffffff8[0-9a-f]* 0x[0-9a-f]* .* \[kernel\] library$' text || return 1
	fi
	mv hidden.trace a.trace
	named 'dd;.*(write|read);\[kernel\] ' && "$scope" dump a.trace > text || return 1
	! grep 'kernel_ip' text && grep -q '^meta kernel_names .*kptr_restrict' text
}

burn_js='function burnsInScript(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i ^ s); return s; }
process.stdin.once("data", () => { while (process.cpuUsage().user < 2e6) burnsInScript(1e6); process.exit(0); });
console.log("ready");'

# From its memory, without an option. The function is not in a file, and its callers are on the stack.
case_node() {
	command -v node >/dev/null || { echo "left out: nodejs is not installed"; return 0; }
	echo "$burn_js" > burn.js
	start node burn.js && trace
	stop
	named 'burn.js;burnsInScript|anonymous at 2:[0-9]*.;burnsInScript'
}

case_node_map() {
	command -v node >/dev/null || { echo "left out: nodejs is not installed"; return 0; }
	echo "$burn_js" > burn.js
	start node --perf-basic-prof burn.js && trace
	stop
	rm -f /tmp/perf-*.map.old
	named 'burnsInScript'
}

# The same by jitdump, which it leaves in its working directory.
case_node_dump() {
	command -v node >/dev/null || { echo "left out: nodejs is not installed"; return 0; }
	echo "$burn_js" > burn.js
	start node --perf-prof burn.js && trace
	stop
	named 'burnsInScript'
}

case_java() {
	command -v javac >/dev/null ||
		{ echo "left out: no JDK is installed"; return 0; }
	cat > Burn.java <<-'END'
	public class Burn {
		static double burnsInJava(int n) { double s = 0; for (int i = 0; i < n; i++) s += Math.sqrt(i + s); return s; }
		static long used() {
			return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1000000;
		}
		public static void main(String[] a) throws Exception {
			double s = 0;
			for (long end = used() + 700; used() < end;) s += burnsInJava(100000);
			System.out.println("ready");
			System.in.read();
			for (long end = used() + 1500; used() < end;) s += burnsInJava(100000);
			System.exit(s > 1 ? 0 : 1);
		}
	}
	END
	javac Burn.java && start java -cp . Burn && trace
	stop
	named 'Burn.main;Burn.burnsInJava'
}

# A server in Go, stripped, at a fixed address and not: the function that makes some requests slow has its name and
# lines, what it calls has all its callers, what waits for work is the runtime's, and doctor knows it.
case_go() {
	command -v go >/dev/null || { echo "left out: golang-go is not installed"; return 0; }
	mkdir -p go.cache
	cat > serve.go <<-'END'
	package main

	import ("bufio"; "bytes"; "fmt"; "net"; "os")

	var orders = make([]byte, 1<<16)

	//go:noinline
	func findOrder() int { return bytes.IndexByte(orders, 1) }

	//go:noinline
	func scrambleOrder(n int) uint64 {
		s := uint64(n)
		for i := 0; i < n / 1000; i++ { s += uint64(findOrder()) }
		for i := 0; i < n; i++ { s = s*6364136223846793005 + 1442695040888963407; s ^= s >> 29 }
		return s
	}

	func serve(c net.Conn) {
		for r := bufio.NewReader(c); ; {
			line, err := r.ReadString('\n')
			if err != nil { return }
			n := 1000
			if line == "slow\n" { n = 30000000 }
			fmt.Fprintln(c, scrambleOrder(n))
		}
	}

	func main() {
		l, _ := net.Listen("unix", os.Args[1])
		fmt.Println("ready")
		for { if c, err := l.Accept(); err == nil { go serve(c) } }
	}
	END
	cat > ask.py <<-'END'
	import random, socket, sys, threading, time
	def ask(seed):
	    pick, s, end = random.Random(seed), socket.socket(socket.AF_UNIX), time.time() + 8
	    s.connect(sys.argv[1])
	    while time.time() < end:
	        s.sendall(b"slow\n" if pick.random() < 0.05 else b"fast\n")
	        s.recv(100)
	        time.sleep(0.01)
	for seed in range(3):
	    threading.Thread(target=ask, args=(seed,)).start()
	END
	local mode client
	for mode in exe pie; do
		GOCACHE=$PWD/go.cache GO111MODULE=off go build -ldflags '-s -w' -buildmode=$mode -o "serve.$mode" serve.go || return 1
		start "./serve.$mode" "$PWD/$mode.socket"
		python3 ask.py "$mode.socket" > asked 2>&1 &
		client=$!
		"$scope" record -p "$target" --source perf -d 5 -o a.trace > said 2>&1
		"$scope" doctor -p "$target" > doctor 2>&1
		wait "$client"
		stop
		exec 7>&- 8<&-
		"$scope" report -v -i a.trace > report
		grep -q 'main\.scrambleOrder' report || { cat report; return 1; }
		# Code that has no frame is below its caller.
		named "serve.$mode;.*main.scrambleOrder;main.findOrder;indexbytebody" && named "runtime.mcall;runtime.park_m;runtime.schedule" || return 1
		"$scope" dump a.trace > text
		grep -q '^code .*main.scrambleOrder 1 .*serve.go' text || { grep '^code .*main' text; return 1; }
		! grep -q "serve.$mode+0x" report || { cat report; return 1; }
		grep -q '^ok .*have names' doctor || { cat doctor; return 1; }
	done
}

cases=("$@")
[ $# -gt 0 ] || cases=(ended deleted replaced stripped namespace options library recursion vfork 32bit kernel node node_map node_dump java go)
for name in "${cases[@]}"; do
	if "case_$name" > why 2>&1; then
		echo "ok - $name$(sed -n 's/^left out: \(.*\)/ # skipped: \1/p' why)"
	else
		echo "not ok - $name"
		sed 's/^/    /' why
		bad=1
	fi
	stop 2>/dev/null
done
exit "$bad"
