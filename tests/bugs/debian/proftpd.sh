# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's ProFTPD, a process for each session, by users of its own. Sourced by start.sh.

# A pattern of names that are not to be deleted: one that backtracks in the bad case.
server_proftpd() {
	local pattern='\.keep$'
	[ "$name" != blind2-proftpd-filter ] || pattern='^(([a-z])+)+[A-Z]$'
	mkdir "$work/files"
	echo page >"$work/files/page"
	printf 'ann:%s:%s:%s::%s:/bin/false\n' "$(openssl passwd -1 secret)" "$(id -u)" "$(id -g)" "$work/files" >"$work/users"
	chmod 600 "$work/users"
	cat >"$work/proftpd.conf" <<-CONF
	ServerName x
	ServerType standalone
	DefaultAddress 127.0.0.1
	SocketBindTight on
	Port $port
	UseIPv6 off
	UseReverseDNS off
	User root
	Group root
	MaxInstances none
	TimesGMT on
	PidFile $work/pid
	ScoreboardFile $work/board
	DelayEngine off
	WtmpLog off
	TransferLog none
	SystemLog $work/system.log
	AuthOrder mod_auth_file.c
	AuthUserFile $work/users
	RequireValidShell off
	RootLogin on
	UseFtpUsers off
	PathDenyFilter $pattern
	CONF
	"$program" -n -q -c "$work/proftpd.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
