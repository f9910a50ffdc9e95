# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Kamailio, which answers some requests and passes others on. Sourced by start.sh.

# The name server of the bad case takes queries and answers none; a mount of our own has it in resolv.conf.
server_kamailio() {
	local far run=()
	# shellcheck disable=SC2034
	udp=yes backend=$((port + 10000)) backend_kind=calls
	far="\"sip:127.0.0.1:$backend\""
	if [ "$name" = history-far ]; then
		# shellcheck disable=SC2016
		far='"sip:" + $rU + ".example.com:5060"'
		printf '%s\n' 'nameserver 127.0.0.63' 'options timeout:1 attempts:1' >"$work/resolv.conf"
		# shellcheck disable=SC2016
		run=(unshare -m sh -c 'mount --bind "$0" /etc/resolv.conf && exec "$@"' "$work/resolv.conf")
	fi
	cat >"$work/kamailio.cfg" <<-CFG
	#!KAMAILIO
	debug=0
	log_stderror=yes
	children=3
	auto_aliases=no
	listen=udp:127.0.0.1:$port
	dns_try_naptr=no
	dns_use_search_list=no
	dns_retr_time=1
	dns_retr_no=1
	loadmodule "sl.so"
	loadmodule "pv.so"
	request_route {
		if (method == "OPTIONS") { sl_send_reply("200", "OK"); exit; }
		\$du = $far;
		forward();
	}
	CFG
	"${run[@]}" "$program" -f "$work/kamailio.cfg" -DD -E -Y "$work" -P "$work/pid" -m 16 -M 4 -w "$work" \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
