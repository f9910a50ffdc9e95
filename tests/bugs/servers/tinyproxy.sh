# SPDX-License-Identifier: GPL-2.0-only
# Tinyproxy in the bench: a thread for each connection, before one backend.
# shellcheck disable=SC2154
bug_tarball=yes

configure_tinyproxy() {
	./configure --quiet --disable-manpage_support CFLAGS="$cflags"
}

make_tinyproxy() {
	make -s -j"$jobs" -C src tinyproxy
}

install_tinyproxy() {
	cp src/tinyproxy "$1/"
}

# 2,000 rules that do not match come before the last one, which lets clients at 127.0.0.2 in.
tinyproxy_rules() {
	local i
	echo 'Allow 127.0.0.1'
	for ((i = 0; i < 2000; i++)); do echo "Deny 10.$((i / 250)).$((i % 250)).0/24"; done
	echo 'Allow 127.0.0.2'
}

# Sites that may be asked for: the usual one first, the rare one last. With type=bre as patterns, otherwise as names.
tinyproxy_sites() {	# TYPE
	local i dot='.' begin= end= any='*'
	[ "$1" != bre ] || dot='\.' begin='^' end='$' any='.*'
	echo "${begin}127${dot}0${dot}0${dot}1$end"
	for ((i = 0; i < 3000; i++)); do echo "$begin${any}shop$i${dot}example$end"; done
	echo "${begin}127${dot}0${dot}0${dot}3$end"
}

server_tinyproxy() {
	local type=fnmatch
	backend=$((port + 10000))
	{
		printf '%s\n' "Port $port" 'Listen 127.0.0.1' 'Timeout 600' 'MaxClients 300' "LogFile \"$work/proxy.log\"" \
			'LogLevel Error' 'DisableViaHeader Yes'
		case "$case_name" in
		history-acl) tinyproxy_rules ;;
		history-filter)
			[ "$name" != history-filter ] || type=bre
			tinyproxy_sites "$type" >"$work/sites"
			printf '%s\n' "Filter \"$work/sites\"" "FilterType $type" 'FilterDefaultDeny Yes' 'Allow 127.0.0.1'
			;;
		*) echo 'Allow 127.0.0.0/8' ;;
		esac
	} >"$work/proxy.conf"
	"$program" -d -c "$work/proxy.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
