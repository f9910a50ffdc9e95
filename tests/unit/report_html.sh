#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The report as a page: in a browser its figures equal those of the JSON, names of the target are not interpreted as markup, nothing
# is loaded from another place, and it is small. The same without the library that draws metrics over time, if it was built with it.
#
# Usage: tests/unit/report_html.sh
# Exit status: 0 passed; 1 failed; 77 there is no Chromium.
. "$(dirname "$0")/begin.bash"
set +e
bad=0

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "skipped: no Chromium, which scripts/setup.sh browser installs"; exit 77; }

drawn=plain
[ ! -e "${BUILD:-build}/page/done" ] || drawn=chart

# The names of threads and functions that would break out of where they are put.
hostile() {
	sed -e 's/keeper/<\/script><i>/g; s/worker\([0-9]\)/"><u>\&\1/g' \
		-e "s/rebalance/<\/script><img\/src=x\/onerror=document.title=1>]]>-->/g; s/get_item/'\"><svg\/onload=1>/g"
}

# page NAME [OPTION...]: of the trace NAME.text
page() {
	local name=$1
	shift
	(
		cd "$work" || exit 1
		"$scope" dump --reverse "$name.text" -o "$name.trace" &&
			"$scope" report -i "$name.trace" "$@" > "$name.screen" &&
			"$scope" report -i "$name.trace" "$@" --format json -o "$name.json" &&
			"$scope" report -i "$name.trace" "$@" -o "$name.html" &&
			"$scope" report -i "$name.trace" "$@" --format html | cmp - "$name.html" || exit 1
	) || { echo "not ok - $name: no page"; bad=1; return; }
	seen "$name" "$drawn"
}

# narrow NAME: in a window of 600 pixels nothing, open or not, is wider than the window
narrow() {
	sed '/^<meta http-equiv="Content-Security-Policy"/d' "$work/$1.html" > "$work/narrow.html"
	cat >> "$work/narrow.html" <<-'JS'
	<script>
	document.querySelectorAll("details").forEach(one => one.open = true);
	const page = document.documentElement;
	document.title = page.scrollWidth > page.clientWidth ? "wider: " + page.scrollWidth : "fits " + page.clientWidth;
	</script>
	JS
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" --window-size=600,900 \
		--virtual-time-budget=5000 --dump-dom "file://$work/narrow.html" 2> /dev/null |
		grep -q '<title>fits ' || { echo "not ok - $1: it is wider than a window of 600 pixels"; bad=1; }
}

# seen NAME chart|plain: the page NAME.html in the browser
seen() {
	local name=$1
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" \
		--enable-logging=stderr --virtual-time-budget=5000 --dump-dom "file://$work/$name.html" \
		> "$work/$name.dom" 2> "$work/$name.log"
	narrow "$name"
	if grep -a 'CONSOLE' "$work/$name.log"; then
		echo "not ok - $name: its scripts complain"
		bad=1
	elif [ "$(stat -c %s "$work/$name.html")" -gt 2097152 ]; then
		echo "not ok - $name: the page has more than 2 MiB"
		bad=1
	elif python3 tests/unit/report_html.py "$work/$name.dom" "$work/$name.json" "$work/$name.screen" "$2" > "$work/said"; then
		echo "ok - $name: $(cat "$work/said")"
	else
		sed 's/^/    /' "$work/said"
		echo "not ok - $name: the page differs from the report"
		bad=1
	fi
}

golden() { PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$1.py"; }

for name in lock hang healthy spin_accept became_slow freezes two_bugs slow_disk taken knot background in_kernel kinds_of_requests own_lock; do
	golden "$name" > "$work/$name.text"
	page "$name"
done
golden healthy > "$work/healthy.text"
golden every_request > "$work/every_request.text"
page every_request --baseline healthy.trace
if [ "$drawn" = chart ]; then
	# As built without the library: its line is gone, and with it the sum of all scripts that the head has.
	sed -e '/^var uPlot=/d' -e '/^<meta http-equiv="Content-Security-Policy"/d' "$work/became_slow.html" > "$work/plain.html"
	for kind in json screen; do cp "$work/became_slow.$kind" "$work/plain.$kind"; done
	seen plain plain
	grep -q 'Permission is hereby granted' "$work/became_slow.html" || { echo "not ok - the library has no licence"; bad=1; }
fi
golden lock | hostile > "$work/hostile.text"
page hostile
# A line of source that is long.
line=$(printf '{"line":1,"share":1,"inlined":"","text":"%0200d"}' 0)
place='{"share":1,"lines":[{"file":"server.c","line":1,"function":""}]}'
sed -e 's/"source_lines":\[\]/"source_lines":['"$line"']/' -e 's/"source":\[\]/"source":['"$place"']/' "$work/lock.html" > "$work/source.html"
grep -qF "$line" "$work/source.html" || { echo "not ok - source: no finding without lines in the page"; bad=1; }
narrow source
grep -q '<u>' "$work/hostile.html" && { echo "not ok - a name is in the page as it is"; bad=1; }
grep -qF "</script><img" "$work/hostile.html" && { echo "not ok - a function is in the page as it is"; bad=1; }
exit $bad
