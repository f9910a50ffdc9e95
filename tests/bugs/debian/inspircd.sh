# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's InspIRCd with a few or many patterns that who enters is compared with. Sourced by start.sh.

server_inspircd() {
	local patterns=20
	[ "$name" != history-patterns ] || patterns=4000
	{
		echo 'VERSION 1'
		awk -v n="$patterns" 'BEGIN { for (i = 0; i < n; i++)
			printf "LINE R ^(spam|bot)%d.*!.*@.*host%d.* admin 1700000000 0 :no\n", i, i }'
	} >"$work/xline.db"
	cat >"$work/inspircd.conf" <<-CONF
	<server name="irc.local" description="x" network="X" id="001">
	<admin name="a" nick="a" email="a@irc.local">
	<bind address="127.0.0.1" port="$port" type="clients">
	<connect name="all" allow="*" timeout="60" pingfreq="600" threshold="1000000" commandrate="100000000" fakelag="no"
		localmax="10000" globalmax="10000" resolvehostnames="no" useconnectban="no" useconnflood="no">
	<module name="regex_pcre2">
	<module name="rline">
	<rline matchonnickchange="no" zlineonmatch="no" engine="pcre">
	<module name="xline_db">
	<xlinedb filename="$work/xline.db">
	<pid file="$work/pid">
	<path datadir="$work" logdir="$work" configdir="$work">
	<performance clonesonconnect="no" softlimit="10000" somaxconn="500">
	<log method="file" type="* -USERINPUT -USEROUTPUT" level="default" target="$work/irc.log">
	CONF
	"$program" --nofork --runasroot --config "$work/inspircd.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
