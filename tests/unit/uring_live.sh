#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A server that accepts, receives and sends by io_uring alone, traced by perf events on this host: scope model reports that it
# uses io_uring, and what of its work is not recorded. The report does the same.
#
# Exit status: 0 passed; 1 failed; 77 perf events, or io_uring, cannot be used here.
. "$(dirname "$0")/live.bash"
gcc -O1 -Wall -Wextra -Werror -pthread -o "$dir/work" tests/unit/uring_work.c || exit 1
status=0
"$dir/work" 1 < /dev/null > "$dir/ready" || status=$?
[ "$status" -ne 77 ] || { echo "skipped: no io_uring here"; exit 77; }

capture_work "$dir/work" 500 || exit 1
"$scope" model -i "$dir/a.trace" --format json > "$dir/model.json" || exit 1
"$scope" report -v -i "$dir/a.trace" > "$dir/report" || exit 1
python3 - "$dir/model.json" <<'END' && echo "ok - the model is io_uring" || bad=1
import json
import sys

model = json.load(open(sys.argv[1]))
if (model["network"] or {}).get("model") != "io_uring" or model["network"]["network_pool"] != 1 or model["listeners"] != 1:
    sys.exit(f"not ok - {model['network']}, {model['listeners']} listeners")
END
for file in model.json report; do
	tr '\n' ' ' < "$dir/$file" | tr -s ' ' | grep -q 'by thread uring-loop (io_uring), whose reads and writes are no calls' &&
		echo "ok - the sentence in $file" || { echo "not ok - no sentence in $file"; cat "$dir/$file"; bad=1; }
done
exit "$bad"
