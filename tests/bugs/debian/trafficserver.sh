# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Traffic Server before one backend, with a few or many patterns of hosts. Sourced by start.sh.

server_trafficserver() {
	local rules=20 dir
	[ "$name" != blind2-traffic-rules ] || rules=4000
	backend=$((port + 10000))
	for dir in etc log run cache; do mkdir "$work/$dir"; done
	cp /etc/trafficserver/* "$work/etc/" 2>/dev/null || true
	chmod -R a+rwX "$work"
	chmod a+rx "$work"
	{
		echo "map http://near.test/ http://127.0.0.1:$backend/"
		awk -v rules="$rules" 'BEGIN { for (i = 0; i < rules; i++)
			printf "regex_map http://(shop|mail)%d-[a-z]*[.]example/ http://127.0.0.1:9/\n", i }'
		echo "regex_map http://far[0-9]*.test/ http://127.0.0.1:$backend/"
	} >"$work/etc/remap.config"
	cat >"$work/etc/records.config" <<-CONF
	CONFIG proxy.config.admin.user_id STRING #-1
	CONFIG proxy.config.http.server_ports STRING $port:ip-in=127.0.0.1
	CONFIG proxy.config.http.cache.http INT 0
	CONFIG proxy.config.exec_thread.autoconfig INT 0
	CONFIG proxy.config.exec_thread.limit INT 2
	CONFIG proxy.config.diags.output.diag STRING L
	CONFIG proxy.config.log.logging_enabled INT 0
	CONFIG proxy.config.crash_log_helper STRING NULL
	CONF
	cat >"$work/runroot.yaml" <<-YAML
	prefix: $work
	exec_prefix: /usr
	bindir: /usr/bin
	sbindir: /usr/sbin
	sysconfdir: $work/etc
	datadir: $work/cache
	includedir: /usr/include
	libdir: /usr/lib
	libexecdir: /usr/lib/trafficserver/modules
	localstatedir: $work/run
	runtimedir: $work/run
	logdir: $work/log
	cachedir: $work/cache
	YAML
	TS_RUNROOT=$work/runroot.yaml "$program" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
