# SPDX-License-Identifier: GPL-2.0-only
# Start a service of our own on Debian's Node, which writes down the names of compiled code.
# Sourced by start.sh.
. "$bugs_dir/debian/service.sh"

server_node() {
	local bug=none
	page=/page/@ID@
	case "${TRIGGER:-$name}" in
	node-regex) rare='/search?q=aaaaaaaaaaaaaaaaaa!' ;;
	node-sessions) rare='/visit?user=@ID@' ;;
	node-sync) rare='/login?user=@ID@' ;;
	*) rare=$page ;;
	esac
	[ "$bug_kind" = none ] || bug=${name#node-}
	PORT=$port BUG=$bug "$program" --perf-basic-prof --interpreted-frames-native-stack \
		--no-logfile-per-isolate --logfile="$work/v8.log" \
		"$bugs_dir/debian/node.js" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
