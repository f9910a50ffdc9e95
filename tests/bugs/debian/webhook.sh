# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's webhook, which compares what it is sent with rules, and runs scripts. Sourced by start.sh.

webhook_rules() {	# KIND KEY
	local i
	for ((i = 0; i < 300; i++)); do
		printf '%s{"match": {"type": "%s", "%s": "^(spam|bot)[0-9]+-%d.*$", "parameter": {"source": "url", "name": "who"}}}' \
			"$([ "$i" = 0 ] || echo ,)" "$1" "$2" "$i"
	done
}

server_webhook() {
	local far near out='>/dev/null 2>&1'
	if [ "$case_name" = blind-webhook-regex ]; then
		near='"trigger-rule": {"match": {"type": "value", "value": "x", "parameter": {"source": "url", "name": "who"}}}'
		far="\"trigger-rule\": {\"or\": [$(webhook_rules value value)]}"
		[ "$name" = "$case_name" ] && far="\"trigger-rule\": {\"or\": [$(webhook_rules regex regex)]}"
	else
		near='"include-command-output-in-response": true' far=$near
		[ "$name" != "$case_name" ] || out=
	fi
	# The child that outlives the script has its output open, or not.
	printf '%s\n' '#!/bin/sh' "sleep 0.05 $out &" 'echo done' >"$work/far"
	printf '%s\n' '#!/bin/sh' 'echo done' >"$work/near"
	chmod +x "$work/far" "$work/near"
	printf '[{"id": "near", "execute-command": "%s", %s}, {"id": "far", "execute-command": "%s", %s}]\n' "$work/near" "$near" \
		"$work/far" "$far" >"$work/hooks.json"
	"$program" -ip 127.0.0.1 -port "$port" -hooks "$work/hooks.json" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
