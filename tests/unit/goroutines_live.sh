#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A server in Go, stripped, traced by perf events: the report names the functions whose goroutines wait in slow requests, for a lock, a channel, a
# sleep or a child process, or the functions for which they wait. For a healthy server it finds nothing abnormal. If this host is busy a verdict may
# name the host; stacks and their names do not depend on the load.
#
# Usage: tests/unit/goroutines_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here, or there is no Go.
. "$(dirname "$0")/live.bash"
command -v go > "$dir/go" || { echo "skipped: golang-go is not installed"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: goroutines are read on x86-64 only"; exit 77; }

cat > "$dir/serve.go" <<'END'
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"
)

var (
	ledger sync.Mutex
	orders = make(chan chan byte)
	total  int
)

//go:noinline
func addOrder() {
	ledger.Lock()
	total++
	ledger.Unlock()
}

// writeLedger holds the lock while it sleeps.
//
//go:noinline
func writeLedger(c chan bool) {
	ledger.Lock()
	c <- true
	time.Sleep(30 * time.Millisecond)
	ledger.Unlock()
}

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
func readHook() {
	from, to, _ := os.Pipe()
	hook := exec.Command("sleep", "0.03")
	hook.Stdout = to
	hook.Start()
	to.Close()
	from.Read(make([]byte, 1))
	from.Close()
	go hook.Wait()
}

func serve(c net.Conn) {
	kind := make([]byte, 1)
	for {
		if n, err := c.Read(kind); n == 0 || err != nil {
			return
		}
		switch kind[0] {
		case 'l':
			locked := make(chan bool)
			go writeLedger(locked)
			<-locked
		case 'c':
			askPacker()
		case 's':
			takeNap()
		case 'p':
			readHook()
		}
		addOrder()
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
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			addOrder()
		}
	}()
	for {
		if c, err := l.Accept(); err == nil {
			go serve(c)
		}
	}
}
END
(cd "$dir" && GOCACHE=$dir/cache GO111MODULE=off go build -ldflags '-s -w' -o serve serve.go) || exit 1

ask() {	# KINDS
	local port
	rm -f "$dir"/a.trace*
	capture_begin "$dir/serve" || exit 1
	read -r port <&"${WORK[0]}"
	python3 tests/unit/interpreter_load.py "$port" "$1" 500
	capture_end || exit 1
	kill "$target"
	wait "$target" 2>/dev/null
	target=
	"$scope" report -v -i "$dir/a.trace" > "$dir/report"
}

ask l
report_says "a lock" '^ +[12] +main\.(addOrder|writeLedger) ' 'sync\.\(\*Mutex\)\.lockSlow ← main\.addOrder|time\.Sleep ← main\.writeLedger'
ask c
report_says "a channel" '^ +[12] +main\.(askPacker|packOrders) ' 'runtime\.chan(recv|send)1 ← main\.askPacker|time\.Sleep ← main\.packOrders'
ask s
report_says "a sleep" 'time\.Sleep ← main\.takeNap'
# The goroutine that reads the pipe, or the one that waits for the child process: which has more of the time differs from run to run.
ask p
report_says "a pipe" '^ +1 +main\.readHook(\.func1)? '
ask ''
if grep -qE '^(SLOWDOWN in|HANG|SPIN)' "$dir/report"; then
	echo "not ok - a healthy server"
	cat "$dir/report"
	bad=1
else
	echo "ok - a healthy server"
fi
# What it takes, besides the search for the list as it begins: about 1 % of a CPU. It has run away with 5 %.
"$scope" dump "$dir/a.trace" | awk '
	$1 == "meta" && $2 == "snapshots" { cpu = $NF }
	$1 == "meta" && $2 == "begin_ns" { begin = $3 }
	$1 == "meta" && $2 == "end_ns" { end = $3 }
	END {
		share = (cpu - 3e7) / (end - begin)
		printf "%s - the reader took %.2f %% of a CPU\n", share <= 0.05 ? "ok" : "not ok", 100 * cpu / (end - begin)
		exit share > 0.05
	}' || bad=1
exit $bad
