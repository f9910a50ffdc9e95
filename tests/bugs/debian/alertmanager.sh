# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Alertmanager, with or without a rule by which some alerts inhibit others. Sourced by start.sh.

server_alertmanager() {
	export SIZE=300
	printf '%s\n' 'route: {receiver: nobody}' 'receivers: [{name: nobody}]' >"$work/alertmanager.yml"
	[ "$name" != blind2-alertmanager-inhibit ] || printf '%s\n' 'inhibit_rules:' \
		'- {source_match: {severity: critical}, target_match: {severity: warning}, equal: [instance]}' >>"$work/alertmanager.yml"
	"$program" --config.file="$work/alertmanager.yml" --web.listen-address="127.0.0.1:$port" --cluster.listen-address= \
		--storage.path="$work/data" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
