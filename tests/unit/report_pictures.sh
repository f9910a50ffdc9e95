#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Pages of reports as pictures, one for each kind of answer: each picture shows the necessary parts in their colours. The pictures and
# the first screens stay in the folder PICTURES=, if it is set (make pictures).
#
# Usage: [PICTURES=DIR] tests/unit/report_pictures.sh
# Exit status: 0 passed; 1 failed; 77 there is no Chromium.
. "$(dirname "$0")/begin.bash"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	{ echo "skipped: no Chromium, which scripts/setup.sh browser installs"; exit 77; }
out=${PICTURES:-$work/pictures}
mkdir -p "$out"
out=$(realpath "$out")

# picture NAME ANSWER: of the golden trace NAME
picture() {
	PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$1.py" > "$work/$1.text"
	(
		cd "$work"
		"$scope" dump --reverse "$1.text" -o "$1.trace" 2> /dev/null
		"$scope" report -i "$1.trace" > "$out/$2.txt"
		"$scope" report -i "$1.trace" -o "$1.html" 2> /dev/null
		timeout 300 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-color-profile=srgb \
			--user-data-dir="$work/browser" --window-size=900,1400 --screenshot="$out/$2.png" \
			"file://$work/$1.html" > "$work/$1.log" 2>&1
	) || { echo "not ok $2: no picture"; cat "$work/$1.log"; failed=1; return; }
	PYTHONDONTWRITEBYTECODE=1 python3 tests/unit/report_pictures.py "$out/$2.png" "$2" || failed=1
}

picture lock slowdown
picture hang hang
picture spin spin
picture knot bottleneck
picture healthy nothing
picture became_slow change
exit $failed
