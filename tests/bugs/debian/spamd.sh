# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's spamd of SpamAssassin (Perl), forked workers, which asks a name server who is on a list. Sourced by start.sh.

# The name server is slow, or it is not.
server_spamd() {
	local late=1
	[ "$name" != blind7-spamd-list ] || late=40
	name_server "$late"
	mkdir "$work/rules"
	chmod a+rx "$work" "$work/rules"
	printf 'loadplugin Mail::SpamAssassin::Plugin::%s\n' Check DNSEval BodyEval HeaderEval >"$work/rules/v.pre"
	cat >"$work/rules/local.cf" <<-CF
	dns_available yes
	dns_server $names_at
	rbl_timeout 5
	trusted_networks 127/8 10/8
	header LISTED eval:check_rbl('far-lastexternal', 'bl.test.')
	tflags LISTED net
	score LISTED 1
	body MONEY /\b(?:money|prize|winner)\b/i
	header EMPTY Subject =~ /^\s*\$/
	CF
	"$program" -T /usr/sbin/spamd -x -u nobody -C "$work/rules" --siteconfigpath "$work/rules" -m 3 --min-children 3 -i 127.0.0.1 -p "$port" -r "$work/pid" -s stderr >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
