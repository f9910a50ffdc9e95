# SPDX-License-Identifier: GPL-2.0-only
# Rbldnsd in the bench: one loop that answers from a list of addresses, which is written again each six seconds.
# shellcheck disable=SC2154
bug_tarball=yes

configure_rbldnsd() {
	./configure
}

make_rbldnsd() {
	make -s CFLAGS="$cflags" rbldnsd
}

install_rbldnsd() {
	cp rbldnsd "$1/"
}

# The healthy one answers by a child while it reads the list.
server_rbldnsd() {
	local beside=(-f)
	# shellcheck disable=SC2034
	udp=yes
	[ "$name" != blind-rbldnsd-reload ] || beside=()
	chmod 755 "$work"
	awk 'BEGIN { print ":127.0.0.2:listed"; for (i = 0; i < 2200000; i++) printf "host%d.example\n", i * 7919 % 2200000 }' \
		>"$work/list"
	"$program" -n -b "127.0.0.1/$port" -u nobody -w "$work" -c 2 "${beside[@]}" bl.test:dnset:list \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	(while sleep 6; do touch "$work/list" || break; done) </dev/null >/dev/null 2>&1 &
	end_with_server $!
	# A child that answers when its parent is ended would stay.
	(while children=$(cat "/proc/$server_pid/task/$server_pid/children" 2>/dev/null); do
		last=${children:-${last:-}}
		sleep 0.2
	done
	for child in ${last:-}; do
		[ "$(readlink "/proc/$child/exe")" != "$(readlink -f "$program")" ] || kill "$child"
	done) </dev/null >/dev/null 2>&1 &
}
