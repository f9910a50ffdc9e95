# SPDX-License-Identifier: GPL-2.0-only
# Oidentd in the bench: a process for each question of whose a connection is.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_oidentd() {
	[ -x configure ] || autoreconf -fi
	./configure --quiet CFLAGS="$cflags"
}

make_oidentd() {
	make -s -j"$jobs"
}

install_oidentd() {
	cp src/oidentd "$1/"
}

# The table of all connections takes a while to read, and so does a name server to answer.
server_oidentd() {
	local late=1
	pick rate_of 30 40
	[ "$case_name" != blind9-oidentd-reverse ] || pick rate_of 120 160
	[ "$name" != blind9-oidentd-reverse ] || late=25
	name_server "$late"
	printf 'default { default { allow spoof\n } }\n' >"$work/oidentd.conf"
	"${with_names[@]}" "$program" -i -S -q -l 1000 -a 127.0.0.1 -p "$port" -C "$work/oidentd.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
