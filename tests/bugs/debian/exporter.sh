# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's node exporter (Go), which reads metrics that other programs left in files. Sourced by start.sh.

server_exporter() {
	local many=2
	[ "$name" != blind4-exporter-files ] || many=150
	mkdir "$work/files"
	for ((i = 0; i < many; i++)); do
		for ((j = 0; j < 10; j++)); do
			printf '# HELP job%d_m%d A count.\n# TYPE job%d_m%d gauge\njob%d_m%d{of="a"} %d\n' $i $j $i $j $i $j "$j"
		done >"$work/files/job$i.prom"
	done
	"$program" --web.listen-address="127.0.0.1:$port" --collector.disable-defaults --collector.time --collector.textfile \
		--collector.textfile.directory="$work/files" --web.disable-exporter-metrics >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
