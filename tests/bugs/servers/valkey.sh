# SPDX-License-Identifier: GPL-2.0-only
# Valkey in the bench: one loop for all commands.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_valkey() {
	:
}

make_valkey() {
	make -s -j"$jobs" -C src valkey-server OPTIMIZATION=-O2 MALLOC=libc
}

install_valkey() {
	cp src/valkey-server "$1/valkey"
}

# Many patterns of channels are listened to, or few; all is saved by the loop, or by a process beside it.
server_valkey() {
	export SIZE=20 KEYS=1000
	[ "$name" != blind9-valkey-patterns ] || SIZE=8000
	[ "$name" != blind9-valkey-save ] || KEYS=1500000
	pick rate_of 300 450
	"$program" --port "$port" --bind 127.0.0.1 --dir "$work" --save '' --enable-debug-command yes --rdbchecksum yes >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
