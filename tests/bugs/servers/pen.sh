# SPDX-License-Identifier: GPL-2.0-only
# Pen in the bench: one event loop between clients and a backend, with room for many connections.
# shellcheck disable=SC2154
bug_tarball=yes

configure_pen() {
	./configure --quiet --without-ssl --without-geoip CFLAGS="$cflags"
}

make_pen() {
	make -s -j"$jobs" pen
}

install_pen() {
	cp pen "$1/"
}

server_pen() {
	backend=$((port + 10000))
	"$program" -f -r -x 100000 "127.0.0.1:$port" "127.0.0.1:$backend" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
