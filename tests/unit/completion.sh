#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bash and zsh complete exactly the arguments that the commands accept: each command, each option of its help, and the values.
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=${SCOPE:-build/san/scope}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$scope" completion bash > "$work/bash"
"$scope" completion zsh > "$work/_scope"
# shellcheck source=/dev/null
source "$work/bash"

# What bash offers for the last of these words.
offered() {	# WORD...
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_scope
	[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
}

is() {	# WANTED WORD...
	local wanted=$1 got
	shift
	got=$(offered "$@" | xargs)
	[ "$got" = "$wanted" ] || { echo "after '$*' bash offers '$got', not '$wanted'"; exit 1; }
}

commands=$("$scope" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<< "$commands")" -ge 10 ]
for command in $commands; do
	[ "$(offered scope "$command")" = "$command" ]
	"$scope" "$command" --help | grep -oE '^  (-[a-z], |    )--[a-z-]+' | grep -oE -- '--?[a-z-]+' | sort > "$work/wanted"
	[ -s "$work/wanted" ]
	offered scope "$command" - | sort | diff "$work/wanted" - || { echo "scope $command -"; exit 1; }
	grep -qx "$command)" "$work/_scope"
	# In zsh: each long option of the help, in the command's own part.
	sed -n "/^$command)/,/;;/p" "$work/_scope" > "$work/part"
	grep -oE -- '--[a-z-]+' "$work/part" | sort -u > "$work/zsh"
	grep -- '^--' "$work/wanted" | diff - "$work/zsh" || { echo "zsh, scope $command"; exit 1; }
done
is 'text json html' scope report --format ''
is kmod scope record --source k
is 'bash zsh' scope completion ''
is '' scope report --duration ''
is '--format' scope-report --form
is 'folded folded-off folded-probe folded-diff' scope export folded
offered scope doctor -p "$$" | grep -qx "$$"
touch "$work/a.trace"
is "$work/a.trace" scope dump "$work/a"
is "$work/a.trace" scope-report -i "$work/a"
is '' scope nothing -
status=0
"$scope" completion fish 2> "$work/said" || status=$?
[ "$status" = 2 ]
grep -q "bash or zsh, not 'fish'" "$work/said"

command -v zsh > /dev/null || { echo "zsh is not there: its script is not read by it"; exit 0; }
zsh -n "$work/_scope"
# What zsh itself offers: a terminal with a prompt, and Tab twice. A busy machine needs longer for it.
cat > "$work/ask" <<'ASK'
zmodload zsh/zpty
zpty shell zsh -f
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -D -u; zstyle ':completion:*' list-prompt ''; LISTMAX=1000"
sleep $3
zpty -w -n shell "$2"$'\t\t'
sleep $3
while zpty -r -t shell line; do print -r -- $line; done
zpty -d shell
ASK
zsh_offers() {	# LINE WORD
	local seconds
	for seconds in 1 4 16; do
		zsh -f "$work/ask" "$work" "$1" $seconds > "$work/zsh-said" 2>&1
		! grep -q "$2" "$work/zsh-said" || return 0
	done
	echo "not ok - zsh does not offer $2 for '$1'"
	return 1
}
zsh_offers 'scope rep' 'scope report'
zsh_offers 'scope report --format ' json
