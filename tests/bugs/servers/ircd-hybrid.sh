# SPDX-License-Identifier: GPL-2.0-only
# Ircd-hybrid in the bench: one loop for all who chat.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_ircd-hybrid() {
	./configure --quiet CFLAGS="$cflags"
}

make_ircd-hybrid() {
	make -s -j"$jobs"
}

install_ircd-hybrid() {
	cp src/ircd "$1/ircd-hybrid"
	mkdir -p "$1/modules/.libs"
	cp modules/*.la "$1/modules/"
	cp modules/.libs/*.so "$1/modules/.libs/"
	grep '^loadmodule' doc/reference.modules.conf >"$1/modules.conf"
}

# Who comes must not have one of many names, or of few.
server_ircd-hybrid() {
	local many=20
	[ "$name" != blind8-ircd-names ] || many=150000
	name_server 1
	# It does not run as root, and nobody may not read where it was built.
	cp -r "${program%/*}/modules" "$program" "$work/"
	{
		printf '%s\n' "module_base_path = \"$work/modules\";"
		cat "${program%/*}/modules.conf"
		cat <<-CONF
		serverinfo { name = "irc.near.test"; description = "near"; network_name = "near"; network_description = "near"; hub = no; sid = "0HY";
			default_max_clients = 400; };
		admin { name = "ann"; email = "ann@near.test"; description = "near"; };
		class { name = "people"; ping_time = 10 minutes; number_per_ip_local = 400; number_per_ip_global = 400; max_number = 400; sendq = 1 megabytes; max_channels = 10; };
		auth { user = "*@*"; class = "people"; flags = exceed_limit; };
		listen { host = "127.0.0.1"; port = $port; };
		general { throttle_count = 10000; throttle_time = 1 second; disable_auth = yes; };
		CONF
		awk -v many="$many" 'BEGIN { for (i = 0; i < many; i++) printf "gecos { name = \"*e*s*o*e*%d*\"; reason = \"no\"; };\n", i }'
	} >"$work/ircd.conf"
	chown -R nobody "$work"
	"${with_names[@]}" setpriv --reuid=nobody --clear-groups "$work/ircd-hybrid" -foreground -configfile "$work/ircd.conf" -logfile "$work/ircd.log" -pidfile "$work/pid" -klinefile "$work/k.db" \
		-dlinefile "$work/d.db" -xlinefile "$work/x.db" -resvfile "$work/r.db" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
