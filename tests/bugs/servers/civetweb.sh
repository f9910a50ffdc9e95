# SPDX-License-Identifier: GPL-2.0-only
# CivetWeb in the bench: one thread accepts, workers keep a connection each.
# shellcheck disable=SC2154
bug_tarball=yes

configure_civetweb() { :; }

make_civetweb() {
	# shellcheck disable=SC2086
	cc $cflags -Iinclude -DNO_SSL -o civetweb src/main.c src/civetweb.c -pthread -ldl -lm
}

install_civetweb() {
	cp civetweb "$1/"
}

server_civetweb() {
	local i
	mkdir "$work/www"
	for ((i = 1; i <= 9; i++)); do head -c $((i * 900)) /dev/zero | tr '\0' x >"$work/www/page$i.html"; done
	"$program" -listening_ports "127.0.0.1:$port" -document_root "$work/www" -num_threads 40 -enable_keep_alive yes \
		-keep_alive_timeout_ms 300000 -request_timeout_ms 300000 >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
