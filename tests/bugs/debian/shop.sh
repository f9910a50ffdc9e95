# SPDX-License-Identifier: GPL-2.0-only
# Give start.sh what both databases need: their load through sysbench, and how they run as no user.
# Sourced; uses name, work, port, seed, duration and pick() of start.sh.

# Neither database server runs as root.
as_nobody=()
[ "$(id -u)" -ne 0 ] || as_nobody=(setpriv --reuid=nobody --regid=nogroup --clear-groups)

own_work() {
	[ "$(id -u)" -ne 0 ] || chown nobody:nogroup "$work"
}

# load_shop_by DRIVER OPTIONS...: rare, usual and ids are set by the server's part.
load_shop_by() {
	local threads rate longs driver=$1
	shift
	pick threads 8 14
	pick rate 300 500
	pick longs 4 8
	MIX_SHARE=0.0$longs MIX_RARE=$rare MIX_USUAL=$usual MIX_IDS=$ids nice -n 5 \
		sysbench --db-driver="$driver" "$@" --threads="$threads" --rate="$rate" \
		--time="$duration" --events=0 --rand-seed="$seed" --report-interval=1 \
		"$bugs_dir/debian/shop.lua" run >"$work/load.log" 2>&1 </dev/null &
	load_pid=$!
	wait_for 30 grep -q '^\[ 1s' "$work/load.log" || die "no load: see $work/load.log"
}
