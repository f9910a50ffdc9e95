# SPDX-License-Identifier: GPL-2.0-only
# nginx in the bench: two workers, and what each case sets.
# shellcheck disable=SC2154
# (case_name is the case whose load is sent, name what runs: for a healthy twin they differ.)

configure_nginx() {
	./configure --with-cc-opt="$cflags"
}

make_nginx() {
	make -s -j"$jobs"
}

install_nginx() {
	cp objs/nginx "$1/"
}

# Pages whose URL has an equals sign near the front and 600 letters after it.
search_pages() {
	local i letters
	: >"$work/long.urls"
	for i in {1..8}; do
		printf -v letters '%*s' 200 ''
		letters=/find=$i${letters// /a}/${letters// /b}/${letters// /c}
		mkdir -p "$work/www${letters%/*}"
		printf '%*s' "$page_bytes" '' >"$work/www$letters"
		echo "$letters" >>"$work/long.urls"
	done
}

server_nginx() {
	local log="$work/access.log" place=
	pick pages 10 40
	pick page_bytes 2000 30000
	document_tree
	chmod 755 "$work"
	case "$case_name" in
	nginx-regex) search_pages ;;
	nginx-index) large_directory 2000 ;;
	esac
	case "$name" in
	nginx-regex) place='location ~ .*.*=.* { }' ;;
	nginx-index) place='location /files/ { index none; autoindex on; }' ;;
	nginx-log)
		log=$work/log.fifo
		mkfifo "$log" ;;
	esac
	cat >"$work/nginx.conf" <<-EOT
	daemon off;
	worker_processes 2;
	pid $work/nginx.pid;
	error_log $work/error.log;
	events { }
	http {
		types { text/html html; }
		access_log $log;
		keepalive_requests 1000000;
		server {
			listen 127.0.0.1:$port;
			root $work/www;
			$place
		}
	}
	EOT
	mkdir "$work/logs"
	"$program" -p "$work" -c "$work/nginx.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	# The reader of the log takes 4 KiB at a time, and 110 ms to send them on.
	if [ -p "$log" ]; then
		"$servers_dir/helper" drain "$log" "$server_pid" 4096 110 >"$work/drain.log" 2>&1 </dev/null &
	fi
}
