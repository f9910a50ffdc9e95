# SPDX-License-Identifier: GPL-2.0-only
# Begin a test of a watch on this host: what live.bash does, and the server $dir/work (watch_work.c). The processes $watcher and $beside end
# with the test.
. "$(dirname "${BASH_SOURCE[0]}")/live.bash"
gcc -O1 -g -Wall -Wextra -Werror -pthread -o "$dir/work" tests/unit/watch_work.c || exit 1

watcher=
beside=
finish() {
	local pid
	for pid in $watcher $beside $target; do kill "$pid" 2> /dev/null; done
	wait $watcher $beside $target 2> /dev/null
	rm -rf "$dir"
}
trap finish EXIT

is() {	# WHAT CONDITION...
	local what=$1
	shift
	if "$@"; then
		echo "ok - $what"
	else
		echo "not ok - $what"
		bad=1
	fi
}
