# SPDX-License-Identifier: GPL-2.0-only
# Privoxy in the bench: a thread for each connection, and one log, which is read by another program.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_privoxy() {
	autoheader && autoconf && ./configure --quiet --disable-dynamic-pcre CFLAGS="$cflags"
}

make_privoxy() {
	make -s -f GNUmakefile privoxy
}

install_privoxy() {
	cp privoxy "$1/"
}

server_privoxy() {
	local pause=0
	backend=$((port + 10000))
	[ "$name" != blind-privoxy-log ] || pause=250
	mkfifo "$work/log"
	printf '%s\n' "listen-address 127.0.0.1:$port" "confdir $work" 'debug 1' 'debug 512' 'max-client-connections 500' \
		>"$work/config"
	"$program" --no-daemon "$work/config" >"$work/server.log" 2>"$work/log" </dev/null &
	server_pid=$!
	python3 "$bugs_dir/sealed.py" reader "$work/log" "$server_pid" "$pause" >"$work/reader.log" 2>&1 </dev/null &
}
