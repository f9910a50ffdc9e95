#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope report --kind-by on real servers, by the module, in a guest: which kinds there are, that nothing else of a request is
# in the trace, and what is said if the server speaks another protocol, or ends.
#
# Usage: tests/vm/test_kinds.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test, "skipped" for a server that is not installed; exits 1 if any failed.
# Writes below build/ only.
. "$(dirname "$0")/begin.sh"

module=$(module)
compile kinds_work
# A database takes long to make in a guest.
rm -rf "$work/data"
if command -v mariadb-install-db > /dev/null && command -v mariadbd > /dev/null; then
	mariadb-install-db --no-defaults --user=root --datadir="$work/data" --skip-test-db --skip-name-resolve \
		--auth-root-authentication-method=normal --innodb-log-file-size=8M > "$work/install.log" 2>&1 || rm -rf "$work/data"
fi
cp "$build/user/scope" "$work/scope"
exec tests/vm/run.sh -k "$kernel" -m 1536 -t "${SCOPE_VM_SECONDS:-1200}" -- \
	tests/vm/kinds_guest.sh "$work/scope" "$module" "$work"
