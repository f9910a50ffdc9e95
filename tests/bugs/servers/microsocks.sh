# SPDX-License-Identifier: GPL-2.0-only
# MicroSocks in the bench: a thread for each connection through it, which stays open.
# shellcheck disable=SC2154
bug_tarball=yes

configure_microsocks() { :; }

make_microsocks() {
	make -s CFLAGS="$cflags -std=c99"
}

install_microsocks() {
	cp microsocks "$1/"
}

server_microsocks() {
	backend=$((port + 10000))
	"$program" -i 127.0.0.1 -p "$port" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
