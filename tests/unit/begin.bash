# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Begin a test that reads saved traces: in the top folder, with the program as $scope (SCOPE=, default build/san/scope) and
# a folder of its own as $work, which goes in the end. same counts in failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scope=$(realpath "${SCOPE:-build/san/scope}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

same() {	# WHAT EXPECTED FOUND
	if [ "$2" = "$3" ]; then
		echo "ok $1: $2"
	else
		echo "not ok $1: $3 instead of $2"
		failed=1
	fi
}
