#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_service.sh that runs in the guest: systemd, as the first process of a pid namespace.
#
# Usage: service_guest.sh SCOPE SCOPE_KO UNITS
set -uo pipefail

scope=$1 module=$2 units=$3
failures=0
systemd=''

pass() {	# NAME COMMAND...
	local name=$1 begin=$SECONDS
	shift
	if "$@" >/run/why 2>&1; then
		echo "ok $name ($((SECONDS - begin)) s)"
	else
		echo "not ok $name"
		tail -n 20 /run/why
		tail -n 40 /run/systemd.log
		control status --no-pager scope-record@victim.service 2>&1 | tail -n 20
		failures=$((failures + 1))
	fi
}

until_true() {	# SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || { echo "still not after all that time: $*"; return 1; }
		sleep 0.3
	done
}

# systemd accepts no requests from outside of its namespace.
control() { nsenter -t "$systemd" --pid --mount -- systemctl "$@"; }
active() { systemd=$(pgrep -f -o '^/lib/systemd/systemd --unit=few') && control is-active --quiet few.target; }

start_systemd() {
	mkdir -p /run/systemd/system
	cp "$units"/*.service /run/systemd/system/
	printf '[Unit]\nDescription=Nothing else\nDefaultDependencies=no\n' >/run/systemd/system/few.target
	env container=guest unshare --fork --pid --mount-proc /lib/systemd/systemd --unit=few.target \
		>/run/systemd.log 2>&1 &
	until_true 90 active
}

# The unit needs basic.target, which would start all services of the host.
cut_dependencies() {
	mkdir -p /run/systemd/system/scope-record@.service.d
	printf '[Unit]\nDefaultDependencies=no\n' >/run/systemd/system/scope-record@.service.d/few.conf
}

recorder() { control show -p MainPID --value scope-record@victim.service; }
in_use() { [ "$(cat /sys/module/scope/refcnt)" -gt 0 ]; }
unused() { ! in_use; }
starts() {
	control start victim.service scope-record@victim.service &&
		until_true 60 in_use && control is-active scope-record@victim.service
}

snapshot_has_forks() {
	rm -f /var/lib/scope/victim-*
	"$scope" record --snapshot && until_true 60 compgen -G '/var/lib/scope/victim-*' &&
		"$scope" dump /var/lib/scope/victim-* >/run/text && [ "$(grep -c ' fork ' /run/text)" -ge 5 ]
}

writes() {	# the seconds held, of the target
	until_true 60 snapshot_has_forks && grep -q '^meta flight_seconds ' /run/text &&
		[ "$(stat -c %a /var/lib/scope)" = 700 ]
}

follows_restart() {
	local before
	before=$(recorder)
	control restart victim.service && until_true 60 eval "[ \"\$(recorder)\" != $before ] && in_use"
}

stops() { control stop victim.service && until_true 60 unused; }

insmod "$module" || exit 1
cut_dependencies
pass "systemd runs" start_systemd
[ "$failures" -eq 0 ] || exit 1
pass "the recorder starts with its service" starts
pass "a snapshot has what the service did" writes
pass "the recorder follows a restart" follows_restart
pass "it ends with its service" stops
rmmod scope || failures=$((failures + 1))
[ "$failures" -eq 0 ]
