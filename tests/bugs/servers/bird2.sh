# SPDX-License-Identifier: GPL-2.0-only
# BIRD in the bench: one loop, asked by a socket of its own.
# shellcheck disable=SC2154

configure_bird2() {
	./configure --quiet --disable-client --disable-libssh CFLAGS="$cflags"
}

make_bird2() {
	make -s -j"$jobs"
}

install_bird2() {
	cp bird "$1/bird2"
}

# The list of networks that a filter lets in has many, or few; it is read whenever the configuration is.
server_bird2() {
	local many=500
	[ "$name" != blind5-bird-configure ] || many=300000
	udp=yes
	{
		printf '%s\n' 'router id 192.0.2.1;' 'protocol device { scan time 600; }' 'protocol static { ipv4;'
		for ((i = 0; i < 256; i++)); do
			echo "route 10.0.$i.0/24 unreachable;"
		done
		echo '}'
		echo 'filter known { if net ~ ['
		awk -v many="$many" 'BEGIN { for (i = 0; i < many; i++) printf "%s%d.%d.%d.0/24", i ? ",\n" : "", 11 + int(i / 65536), int(i / 256) % 256, i % 256 }'
		printf '%s\n' '] then accept; reject; }' 'protocol bgp peer {' 'local 127.0.0.1 as 65001;' 'neighbor 127.0.0.2 as 65002;' 'passive; multihop;' \
			'ipv4 { import filter known; export none; };' '}'
	} >"$work/bird.conf"
	"$program" -f -c "$work/bird.conf" -s "$work/control" -P "$work/pid" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
