# SPDX-License-Identifier: GPL-2.0-only
# Gearmand in the bench: threads with a loop each, and one that keeps the queues of jobs.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_gearmand() {
	[ -x configure ] || autoreconf -fi
	./configure --quiet --disable-dtrace --disable-libmemcached --disable-libpq --disable-hiredis --without-mysql --disable-libtokyocabinet --disable-libdrizzle \
		--disable-ssl CFLAGS="$cflags" CXXFLAGS="$cflags"
}

make_gearmand() {
	make -s configmake.h libgearman/command.hpp libgearman/error_code.hpp libhashkit-1.0/configure.h && make -s -j"$jobs" gearmand/gearmand
}

install_gearmand() {
	cp gearmand/gearmand "$1/"
}

# There are many functions; there are files enough, or not.
server_gearmand() {
	export SIZE=60000
	unset SPARE
	[ "$name" != blind9-gearmand-files ] || export SPARE=9
	pick rate_of 300 400
	"$program" -L 127.0.0.1 -p "$port" -t 4 -l "$work/gearmand.log" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
