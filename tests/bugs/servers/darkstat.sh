# SPDX-License-Identifier: GPL-2.0-only
# Darkstat in the bench: one loop that counts packets and shows pages of hosts.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_darkstat() {
	[ -x configure ] || autoreconf -fi
	./configure --quiet CFLAGS="$cflags"
}

make_darkstat() {
	make -s
}

install_darkstat() {
	cp darkstat "$1/"
}

# Packets came from many hosts, or from few.
server_darkstat() {
	export SIZE=20
	[ "$name" != blind9-darkstat-hosts ] || SIZE=6000
	pick rate_of 200 300
	"$program" -i lo --no-daemon -b 127.0.0.1 -p "$port" --no-promisc --no-dns --no-macs -f 'udp and port 9' --hosts-max 20000 --hosts-keep 15000 >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
