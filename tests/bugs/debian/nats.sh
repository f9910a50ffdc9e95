# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's NATS server (Go), whose users give a password when they connect. Sourced by start.sh.

# The password is kept as a slow hash (bcrypt, cost 7), or as it is.
server_nats() {
	local kept=secret
	# shellcheck disable=SC2016
	[ "$name" != blind6-nats-password ] || kept='$2a$07$abcdefghijklmnopqrstuuIs/gM0Fa6RfwP3m2cvkz9ya9wGeauxW'
	pick rate_of 300 500
	echo "authorization { users = [ { user: ann, password: \"$kept\" } ] }" >"$work/nats.conf"
	"$program" -c "$work/nats.conf" -a 127.0.0.1 -p "$port" -l "$work/nats.log" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
