#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A server in the control group of a container, as docker and Kubernetes name them: the head of the report has the container, and the pod.
#
# Usage: tests/unit/container_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events or control groups cannot be used here.
. "$(dirname "$0")/live.bash"
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$mount" ] || mount=$(awk '$3 == "cgroup" && $4 ~ /cpu/ { print $2; exit }' /proc/mounts)
[ -n "$mount" ] && mkdir "$mount/scope-test-$$.slice" 2> "$dir/errors" || {
	echo "skipped: no control group can be made here"
	exit 77
}
top=$mount/scope-test-$$.slice
id=$(printf '%064x' "$$" | tr 0 a)
uid=0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9

# expect NAME GROUP HEAD JSON: of a server in that group.
expect() {
	local name=$1 group=$top/$2 json

	mkdir -p "$group"
	sh -c 'echo $$ > "$1/cgroup.procs"; while :; do read -r x < /proc/self/stat; sleep 0.05; done' sh "$group" &
	target=$!
	sleep 0.3
	"$scope" record -p "$target" --source perf -d 1 -o "$dir/a.trace" 2> "$dir/errors"
	kill "$target"
	wait "$target" 2> /dev/null
	target=
	"$scope" report -i "$dir/a.trace" > "$dir/report"
	"$scope" report -i "$dir/a.trace" --format json > "$dir/json"
	if grep -Fq -- "$3" "$dir/report"; then
		echo "ok - $name: the head"
	else
		echo "not ok - $name: no '$3' in"
		cat "$dir/errors" "$dir/report"
		bad=1
	fi
	json=$(python3 -c 'import json, sys; print(*json.load(sys.stdin)["trace"]["container"].values())' < "$dir/json")
	if [ "$json" = "$4" ]; then
		echo "ok - $name: JSON"
	else
		echo "not ok - $name: JSON has '$json' instead of '$4'"
		bad=1
	fi
	for _ in $(seq 50); do
		[ -s "$group/cgroup.procs" ] || break
		sleep 0.1
	done
	rm -f "$dir/a.trace"
	rmdir "$group"
	while [ "${group%/*}" != "$top" ]; do
		group=${group%/*}
		rmdir "$group"
	done
}

expect docker "docker-$id.scope" "docker ${id:0:12}: " "docker $id "
expect pod "kubepods-burstable.slice/kubepods-burstable-pod${uid//-/_}.slice/cri-containerd-$id.scope" \
	"pod ${uid:0:8}, containerd ${id:0:12}: " "containerd $id $uid"
rmdir "$top"
exit "$bad"
