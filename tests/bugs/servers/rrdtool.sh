# SPDX-License-Identifier: GPL-2.0-only
# RRDtool's cache daemon in the bench: a thread for each connection.
# shellcheck disable=SC2154

configure_rrdtool() {
	./configure --quiet --disable-rrd_graph --disable-rrd_restore --disable-perl --disable-python --disable-ruby --disable-lua \
		--disable-tcl --disable-docs --disable-nls --disable-libdbi --disable-librados --disable-libwrap --enable-static --disable-shared \
		CFLAGS="$cflags"
}

make_rrdtool() {
	make -s -j"$jobs" -C src rrdcached rrdtool
}

install_rrdtool() {
	cp src/rrdcached "$1/rrdtool"
	cp src/rrdtool "$1/make"
}

# Twenty files of one value each, and no more open files than it has, and clients that want more.
server_rrdtool() {
	SPARE=0
	[ "$name" != blind5-rrdtool-files ] || SPARE=20
	export SPARE
	mkdir "$work/values"
	for ((i = 0; i < 20; i++)); do
		"$servers_dir/$name/make" create "$work/values/part$i.rrd" --step 1 DS:count:GAUGE:600:U:U RRA:AVERAGE:0.5:1:1000
	done
	"$program" -g -l "127.0.0.1:$port" -b "$work/values" -p "$work/pid" -m 666 >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
