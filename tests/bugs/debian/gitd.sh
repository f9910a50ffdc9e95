# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Git daemon, a process for each who asks for the references of a repository. Sourced by start.sh.

# The references of one repository are files, or packed into one.
server_gitd() {
	local one
	rate_of=100
	export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null HOME=$work
	for one in near far; do
		git init -q --bare "$work/parts/$one"
		git -C "$work/parts/$one" -c user.name=a -c user.email=a@b.test commit-tree -m first "$(git -C "$work/parts/$one" hash-object -w -t tree /dev/null)" >"$work/commit"
		awk -v many="$([ "$one" = near ] && echo 20 || echo 1200)" -v to="$(cat "$work/commit")" \
			'BEGIN { for (i = 0; i < many; i++) printf "create refs/heads/topic%04d %s\n", i, to }' | git -C "$work/parts/$one" update-ref --stdin
	done
	[ "$name" = blind6-git-refs ] || git -C "$work/parts/far" pack-refs --all
	"$program" --listen=127.0.0.1 --port="$port" --base-path="$work/parts" --export-all "$work/parts" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
