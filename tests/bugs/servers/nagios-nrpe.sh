# SPDX-License-Identifier: GPL-2.0-only
# NRPE in the bench: processes for each connection of a monitor, which run commands.
# shellcheck disable=SC2154
bug_tarball=yes

configure_nagios-nrpe() {
	./configure --quiet --disable-ssl --enable-command-args CFLAGS="$cflags"
}

make_nagios-nrpe() {
	make -s nrpe
}

install_nagios-nrpe() {
	cp src/nrpe "$1/nagios-nrpe"
}

# Whether a host may ask is known, or asked of a name server; a command writes more than a pipe takes.
server_nagios-nrpe() {
	local hosts=127.0.0.1
	[ "$name" != blind9-nrpe-hosts ] || hosts=127.0.0.1,a.far.test
	pick rate_of 80 120
	name_server 25
	printf '%s\n' "server_port=$port" server_address=127.0.0.1 nrpe_user=nobody nrpe_group=nogroup "pid_file=$work/pid" "allowed_hosts=$hosts" dont_blame_nrpe=0 debug=0 \
		command_timeout=300 'command[near]=/bin/true' 'command[far]=/bin/true' 'command[long]=/usr/bin/seq 20000' >"$work/nrpe.cfg"
	"${with_names[@]}" "$program" -c "$work/nrpe.cfg" -f >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
