# SPDX-License-Identifier: GPL-2.0-only
# NSCA in the bench: one loop that takes the results of checks from other hosts.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_nsca() {
	./configure --quiet CFLAGS="$cflags"
}

make_nsca() {
	make -s all
}

install_nsca() {
	cp src/nsca "$1/"
}

# Who sends a result must have the address of the host that it names, which a name server says, or may be anybody.
server_nsca() {
	local strict=0
	[ "$name" != blind9-nsca-strict ] || strict=1
	pick rate_of 300 400
	name_server 20
	: >"$work/commands"
	printf '%s\n' "server_port=$port" server_address=127.0.0.1 nsca_user=root nsca_group=root debug=0 "command_file=$work/commands" "alternate_dump_file=$work/dump" \
		"pid_file=$work/pid" aggregate_writes=0 append_to_file=0 max_packet_age=0 decryption_method=0 "strict_mode_spoofing=$strict" >"$work/nsca.cfg"
	"${with_names[@]}" "$program" -c "$work/nsca.cfg" -f --single >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
