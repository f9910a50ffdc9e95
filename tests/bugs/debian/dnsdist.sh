# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's dnsdist with a few or many patterns that a name is compared with. Sourced by start.sh.

server_dnsdist() {
	local rules=20
	# shellcheck disable=SC2034
	udp=yes
	[ "$name" != blind-dnsdist-rules ] || rules=4000
	cat >"$work/dnsdist.conf" <<-LUA
	setLocal('127.0.0.1:$port')
	setSecurityPollSuffix('')
	addAction('near.test.', SpoofAction('192.0.2.1'))
	for i = 1, $rules do
	  addAction(RegexRule('(spam|bot)' .. i .. '[0-9]*\\\\.example'), DropAction())
	end
	addAction(AllRule(), SpoofAction('192.0.2.2'))
	LUA
	"$program" --supervised --disable-syslog -C "$work/dnsdist.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
