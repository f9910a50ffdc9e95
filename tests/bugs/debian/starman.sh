# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Starman, forked workers in Perl, with a small application. Sourced by start.sh.

server_starman() {
	unset TRIM_WORDS
	[ "$name" != blind2-starman-trim ] || export TRIM_WORDS=yes
	"$program" /usr/bin/starman --workers 3 --listen "127.0.0.1:$port" --env production "$bugs_dir/debian/notes.psgi" \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
