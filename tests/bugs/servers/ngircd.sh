# SPDX-License-Identifier: GPL-2.0-only
# Ngircd in the bench: one loop for all who chat.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_ngircd() {
	./configure --quiet CFLAGS="$cflags"
}

make_ngircd() {
	make -s -j"$jobs"
}

install_ngircd() {
	cp src/ngircd/ngircd "$1/"
}

server_ngircd() {
	export SIZE=20
	[ "$name" != blind-ngircd-quit ] || SIZE=2000
	[ "$name" != blind-ngircd-bans ] || SIZE=6000
	# An input buffer takes a line of up to 512 bytes.
	[ "$case_name" != blind-ngircd-junk ] || SIZE=300
	[ "$name" != blind-ngircd-junk ] || SIZE=700
	cat >"$work/ngircd.conf" <<-CONF
	[Global]
	Name = irc.example.com
	AdminEMail = a@example.com
	Info = x
	Listen = 127.0.0.1
	Ports = $port
	MotdPhrase = hello
	ServerUID = root
	ServerGID = root
	[Limits]
	MaxConnections = 0
	MaxConnectionsIP = 0
	MaxJoins = 0
	MaxPenaltyTime = 0
	PingTimeout = 600
	PongTimeout = 600
	[Options]
	DNS = no
	Ident = no
	PAM = no
	[Operator]
	Name = admin
	Password = secret
	CONF
	"$program" -n -f "$work/ngircd.conf" >/dev/null 2>&1 </dev/null &
	server_pid=$!
}
