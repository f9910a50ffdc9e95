# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's chasquid (Go), which asks a name server who may send letters of a domain. Sourced by start.sh.

# The name server is slow, or it is not.
server_chasquid() {
	local late=1
	[ "$name" != blind7-chasquid-senders ] || late=25
	name_server "$late"
	mkdir -p "$work/conf/certs/near.test" "$work/conf/domains/near.test" "$work/data"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/conf/certs/near.test/privkey.pem" -out "$work/conf/certs/near.test/fullchain.pem" -days 2 -subj /CN=near.test \
		-addext subjectAltName=DNS:near.test >/dev/null 2>&1
	seq -f 'ann%.0f: bob@near.test' 0 99 >"$work/conf/domains/near.test/aliases"
	printf '%s\n' 'hostname: "near.test"' "smtp_address: \"127.0.0.1:$port\"" "submission_address: \"127.0.0.1:$((port + 10000))\"" "submission_over_tls_address: \"127.0.0.1:$((port + 20000))\"" \
		'mail_delivery_agent_bin: "/bin/true"' "data_dir: \"$work/data\"" "mail_log_path: \"$work/mail.log\"" >"$work/conf/chasquid.conf"
	"${with_names[@]}" "$program" -config_dir "$work/conf" -logfile "$work/chasquid.log" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
