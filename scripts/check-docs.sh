#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Compare the documents with the tree: files, the order of folders, options, constants, targets, bugs.
#
# Usage: scripts/check-docs.sh [SCOPE]     SCOPE: the program (default build/user/scope)
# Prints one line for each difference. Exit status: 0 none; 1 some; 77 the program is not built.
# shellcheck disable=SC2016 # backquotes in patterns are meant
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

scope=${1:-build/user/scope}
[ -x "$scope" ] || { echo "skipped: $scope is not built; make docs builds it"; exit 77; }
bad=0
differ() { echo "docs: $*"; bad=1; }
pages=(README.md docs/*.md)

# Lines between <!-- NAME --> and <!-- /NAME --> of a file.
block() { sed -n "/<!-- $1 -->/,/<!-- \/$1 -->/p" "$2"; }

# Text in backquotes, fenced blocks left out.
quoted() { sed '/^```/,/^```/d' "$1" | grep -o '`[^`]*`' | tr -d '`'; }

# The file map: all that is there is in it.
check_map() {
	local map directory file
	map=$(block file-map docs/architecture.md | sed -n 's/^| `\([^`]*\)` .*/\1/p')
	[ -n "$map" ] || differ "docs/architecture.md has no file map"
	while read -r file; do
		directory=$(dirname "$file")/
		grep -qxF -e "$file" -e "$directory" <<<"$map" ||
			differ "$file is missing from the file map of docs/architecture.md"
	done < <(find kmod user -name '*.c' | sort)
	while read -r directory; do
		grep -qF "$directory/" <<<"$map" ||
			differ "$directory/ is missing from the file map of docs/architecture.md"
	done < <(git ls-files | grep -o '^[a-z][^/]*/\([^/]*/\)\?' | sed 's,/$,,' | sort -u)
}

# A heading as links name it: its letters, digits and hyphens in lower case, spaces as hyphens.
has_heading() {	# PAGE ANCHOR
	sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-' | grep -qx -- "$2"
}

# Paths and links in all pages: all that is named is there.
check_paths() {
	local page word
	for page in "${pages[@]}"; do
		while read -r word; do
			case $word in
			*NAME* | *KEY* | *…* | *\** | *PID* | *VERSION*) continue ;;
			esac
			[ -e "${word%% *}" ] || differ "$page names ${word%% *}, which is not there"
		done < <(quoted "$page" | grep -E '^(kmod|user|include|tests|scripts|docs|dkms)/')
		while read -r word; do
			[ -e "$(dirname "$page")/${word%%#*}" ] || differ "$page links to $word, which is not there"
			[[ $word != *#* ]] || has_heading "$([[ $word = \#* ]] && echo "$page" || echo "$(dirname "$page")/${word%%#*}")" "${word#*#}" ||
				differ "$page links to $word, and there is no such heading"
		done < <(grep -o '](\([^)]*\))' "$page" | sed 's/](\(.*\))/\1/' | grep -v '^https\?:')
	done
}

check_targets() {
	local page target
	for page in "${pages[@]}"; do
		while read -r target; do
			grep -qE "^$target:" Makefile || differ "$page names make $target, which is no target"
		done < <(grep -oE '(^|`)make [a-z][a-z0-9-]*' "$page" | sed 's/.*make //' | sort -u)
	done
}

# Options of a command's help, without spaces: -p--pidPID, --flight[=TIME].
helped() {	# COMMAND
	"$scope" "$1" --help | grep -oE '^  (-[a-z], |    )--[a-z-]+(\[=[A-Z]+\]| [A-Z]+\b)?' | tr -d ' ,' | sort -u
}

# The same of those that a man page defines, at the head of an item.
described() {	# COMMAND
	sed 's/\\-/-/g; s/\\f[IR]//g; s/"//g' "docs/man/scope-$1.1" |
		awk '/^\.TP/ { head = 1; next } head { print; head = 0 }' |
		grep -oE -- '(-[a-z] *, *)?--[a-z-]+ *(\[ *=[A-Z]+ *\]|[A-Z]+)?' | tr -d ' ,' | sort -u
}

check_pages() {
	local command option page
	local commands
	commands=$("$scope" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
	[ -n "$commands" ] || differ "$scope --help lists no command"
	for command in $commands; do
		page=docs/man/scope-$command.1
		[ -e "$page" ] || { differ "scope $command has no page $page"; continue; }
		grep -q "^\.BR $command \"" docs/man/scope.1 || differ "docs/man/scope.1 does not list $command"
		while read -r option; do
			differ "$page and scope $command --help differ in $option"
		done < <(comm -3 <(helped "$command" | grep -v help) <(described "$command" | grep -v help) | tr -d '\t')
	done
	for page in docs/man/scope-*.1; do
		command=${page#docs/man/scope-}
		grep -qx "${command%.1}" <<<"$commands" || differ "$page describes no command"
	done
	for page in docs/man/*.1; do
		! command -v groff >/dev/null || groff -man -Tutf8 -ww -z "$page" 2>&1 | grep . && differ "$page: see above"
	done
}

# Rows: | `NAME` | VALUE | `FILE` | text | `TEST` … |
constant_rows() { block constants docs/methods.md | grep '^| `'; }

# Each row is as the code has it, and names tests that are run.
check_rows() {
	local row name value file found test tests
	while read -r row; do
		read -r name value file <<<"$(sed -nE 's/^\| `([^`]*)` \| ([0-9.]+) \| `([^`]*)` \|.*/\1 \2 \3/p' <<<"$row")"
		[ -n "$file" ] || { differ "docs/methods.md: no name, value and file in: $row"; continue; }
		found=$(sed -nE "s/^#define ${name}[ \t]+([0-9.]+)(u|ull|f)?([ \t].*)?$/\1/p; s/^\t+\.$name = ([0-9.]+),.*/\1/p" "$file")
		[ "$found" = "$value" ] || differ "docs/methods.md: $name is $value, in $file '$found'"
		tests=$(cut -d'|' -f6 <<<"$row" | grep -o '`[^`]*`' | tr -d '`')
		[ -n "$tests" ] || [[ $row == *"| – |" ]] || differ "docs/methods.md: no test is named for $name"
		for test in $tests; do
			case $test in
			tests/unit/test_*.c | tests/unit/*.sh | tests/golden/*.py) ;;
			*) differ "docs/methods.md names $test for $name, which is no test that scripts/check.sh runs" ;;
			esac
		done
	done < <(constant_rows)
}

# Folders that decide nothing of what a report says of its units.
not_deciding='base|control|trace|proc|interpreter|source|symbol|capture|perf|recorder|causal|report|export|import|watch|cmd'

# Names of the constants that files have, each with its file; what "no rule" is written beside decides nothing.
deciding_constants() {
	local file
	while read -r file; do
		sed -nE 's/^#define ([A-Z_0-9]+)[ \t]+[0-9.]+(u|ull|f)?([ \t].*)?$/\1\3/p' "$file" |
			sed '/\/\* no rule/d; s/[^A-Z_0-9].*//' | sed "s,\$, $file,"
	done < <(find user -name '*.[ch]' | grep -vE "^user/($not_deciding)/" | sort)
	while read -r file; do
		sed -nE '/_defaults = \{/,/^\};/s/^\t+\.([a-z_]+) = [0-9.]+,.*/\1/p' "$file" | sed "s,\$, $file,"
	done < <(grep -rlE '_defaults = \{' user | sort)
}

# The rules of the verdict, in their order.
check_rules() {
	local -a here there
	mapfile -t here < <(block verdict-rules docs/methods.md | sed -n 's/^| `\([a-z_]*\)`.*/\1/p')
	mapfile -t there < <(grep -A2 '^	\[SCOPE_DECIDED_' user/rank/verdict.c | grep -oE '"[a-z_]+", *(true|false)' | sed 's/"\([a-z_]*\)".*/\1/')
	[ ${#there[@]} -gt 0 ] || differ "user/rank/verdict.c has no rule that this script finds"
	[ "${here[*]}" = "${there[*]}" ] ||
		differ "docs/methods.md has the rules of the verdict: ${here[*]}; user/rank/verdict.c has: ${there[*]}"
}

check_constants() {
	local name file found
	check_rows
	while read -r name file; do
		grep -qE "^\| .$name. \| [0-9.]+ \| .$file. " <<<"$(constant_rows)" ||
			differ "$name of $file is not in the table of constants of docs/methods.md, nor marked /* no rule */"
	done < <(deciding_constants)
	found=$(sed -n 's/^#define SCOPE_VERSION "\(.*\)"/\1/p' include/scope/abi.h)
	grep -qx "PACKAGE_VERSION=\"$found\"" dkms/dkms.conf || differ "dkms/dkms.conf is not of version $found"
	grep -L "scope $found" docs/man/*.1 | while read -r file; do echo "docs: $file is not of version $found"; done |
		grep . && bad=1
}

check_bugs() {
	local named known
	named=$(block bugs tests/bugs/README.md | grep '^| `' | cut -d'|' -f2 | grep -o '`[^`]*`' | tr -d '`' | sort)
	known=$(awk -F '\t' '!/^#/ && NF { print $1 }' tests/bugs/bugs.tsv | sort)
	while read -r name; do
		differ "tests/bugs/README.md and tests/bugs/bugs.tsv differ in the bug $name"
	done < <(comm -3 <(echo "$named") <(echo "$known") | tr -d '\t')
	while read -r name; do
		grep -qx "$name" <<<"$known" || differ "README.md names the bug $name, tests/bugs/bugs.tsv does not"
	done < <(block bugs README.md | sed -n 's/^| `\([^`]*\)` .*/\1/p')
}

# Rows of guarantees: each names a test at its end, and a test of the module is in the table that runs it.
check_held() {
	local row tests test found=0
	while read -r row; do
		tests=$(cut -d'|' -f3 <<<"$row" | grep -oE '`tests/[a-z]+/[a-z0-9_.]+`' | tr -d '`')
		[ -n "$tests" ] || differ "docs/security.md: no test is named for: $row"
		found=$((found + 1))
		for test in $tests; do
			[ -e "$test" ] || differ "docs/security.md names $test, which is not there"
			case $test in
			tests/unit/test_*.c | tests/unit/*.sh | tests/vm/test_*.sh | tests/fuzz/fuzz_*.c | tests/golden/*) ;;
			tests/kmod/test_*.c)
				run_by_table "$test" || differ "docs/security.md names $test, no test of which is in tests/kmod/main.c" ;;
			*) differ "docs/security.md names $test, which is no test that scripts/check.sh runs" ;;
			esac
		done
	done < <(block held docs/security.md | grep '^|' | grep -v -e '^|---' -e '^| guarantee')
	[ $found -gt 0 ] || differ "docs/security.md has no rows of guarantees"
}

run_by_table() { grep -oE '^void test_[a-z_0-9]+' "$1" | cut -d' ' -f2 | grep -qwf - tests/kmod/main.c; }	# FILE

# The order of the folders of user/: who includes or calls only uses what comes before.
check_order() {
	local order file from to what uses=0 folder
	order=$(block order docs/architecture.md | grep -v '^<' | xargs)
	for folder in user/*/; do
		[ "$(grep -ow "$(basename "$folder")" <<<"$order" | wc -l)" = 1 ] ||
			differ "$folder is not once in the order of folders in docs/architecture.md"
	done
	while read -r from to what; do
		uses=$((uses + 1))
		case " ${order// /  } " in
		*" $to "*" $from "*) ;;
		*) differ "user/$from/ comes before user/$to/ in docs/architecture.md, and $what" ;;
		esac
	done < <(includes_across; calls_across)
	[ $uses -gt 0 ] || differ "no folder of user/ uses another one: $scope has no objects beside it"
}

# Rows: the folder, the folder that it uses, how.
includes_across() {
	grep -HoE '^#include "[a-z_0-9]+/[a-z_0-9]+\.h"' user/*/*.[ch] | tr -d '"' |
		awk -F '[/: ]' '$2 != $5 { print $2, $5, "user/" $2 "/" $3, "includes", $5 "/" $6 }'
}

# The same by symbols.
calls_across() {
	symbols | awk '
		{
			name = $1; sub(/:$/, "", name); count = split(name, path, "/")
			folder = path[count - 1]; file = path[count]; sub(/\.o$/, ".c", file)
			if ($3 != "U") { defined[$2] = folder; next }
			use[++uses] = $2; by[uses] = folder; in_file[uses] = file
		}
		END {
			for (i = 1; i <= uses; i++)
				if (use[i] in defined && defined[use[i]] != by[i])
					print by[i], defined[use[i]], "user/" by[i] "/" in_file[i], "uses", use[i]
		}'
}

# Rows of nm for all objects of user/, each after its file. Objects whose source is gone are left out.
symbols() {
	local source object objects
	objects=$(dirname "$scope")/user
	for source in user/*/*.c; do
		object=$objects/${source#user/}
		object=${object%.c}.o
		[ ! -e "$object" ] || case $source in *_absent.c) ;; *) echo "$object" ;; esac
	done | xargs nm -A --extern-only --format=posix
}

# A function or table that leaves its file is used by another file of user/. Tests do not count.
check_exports() {
	local file name
	while read -r file name; do
		differ "$file exports $name, and no other file of user/ uses it"
	done < <(symbols | awk '
		{ file = $1; sub(/:$/, "", file) }
		$3 == "U" { used[$2] = 1; next }
		$2 !~ /\./ && $2 != "main" { from[$2] = file }
		END { for (name in from) if (!(name in used)) print from[name], name }' | sort)
}

# A name that leaves its file begins with scope_ and its folder, or the plural of that. base/ is everyone's: its names have no folder.
check_prefixes() {
	local file name
	while read -r file name; do
		differ "$file exports $name, which does not begin with its folder's name"
	done < <(symbols | awk '
		$3 != "U" && $2 != "main" && $2 !~ /\./ {
			count = split($1, path, "/"); folder = path[count - 1]
			if ($2 !~ (folder == "base" ? "^scope_" : "^scope_" folder "s?(_|$)")) { sub(/:$/, "", $1); print $1, $2 }
		}')
}

# The order of kmod's files, FILE.c and FILE.h as one: each uses only those before it. A pair that uses each
# other has a row that says why. A feature of a kernel is asked for in compat alone.
check_kmod() {
	local order pairs file from to what uses
	uses=$(kmod_includes; kmod_calls)
	order=$(block kmod-order docs/architecture.md | grep -v '^<' | xargs)
	pairs=$(block kmod-pairs docs/architecture.md | sed -nE 's/^\| `([a-z_]+)` `([a-z_]+)` \| .*/\1 \2/p')
	while read -r file; do
		[ "$(tr ' ' '\n' <<<"$order" | grep -cx "$file")" = 1 ] ||
			differ "kmod/$file is not once in the order of kmod's files in docs/architecture.md"
	done < <(find kmod -maxdepth 1 -name '*.[chS]' -printf '%f\n' | sed 's/\..$//' | sort -u)
	while read -r from to what; do
		case " ${order// /  } " in
		*" $to "*" $from "*) ;;
		*)
			grep -qx -e "$to $from" -e "$from $to" <<<"$pairs" ||
				differ "kmod's $from comes before $to in docs/architecture.md, and $what" ;;
		esac
	done <<<"$uses"
	[ "$(wc -l <<<"$uses")" -gt 100 ] || differ "the files of kmod/ hardly use each other"
	while read -r from to; do
		case " $order " in *" $from $to "*) ;; *) differ "$from and $to are a pair, and not side by side in the order of kmod's files" ;; esac
		if ! grep -q "^$from $to " <<<"$uses" || ! grep -q "^$to $from " <<<"$uses"; then
			differ "$from and $to are no pair: they do not use each other"
		fi
	done <<<"$pairs"
	while read -r what; do differ "$what: features of a kernel are for kmod/compat/ to ask for"; done < <(
		grep -nE 'SCOPE_HAVE_|LINUX_VERSION_CODE|^# *ifn?def (CONFIG_|.*/\* before [0-9])' kmod/*.[chS] | cut -d: -f1,2)
}

# Rows: the file without its ending, the one that it uses, how.
kmod_includes() {
	grep -HoE '^#include "[a-z_0-9]+\.h"' kmod/*.[chS] | tr -d '"' | awk -F '[/: .]' '
		{ file = $5; if ($2 == file || system("test -e kmod/" file ".h")) next
		  print $2, file, "includes " file ".h" }'
}

# The same by names: what one file defines for others, and another one writes.
kmod_calls() {
	awk '
		FNR == 1 { file = FILENAME; sub(/.*\//, "", file); sub(/\..$/, "", file) }
		/^[ \t]*(\/\*|\*)/ { next }
		pass == 1 && /^SYM_FUNC_START\(/ { name = $0; gsub(/.*\(|\).*/, "", name); by[name] = file; next }
		!/^(static|extern|#|[ \t{}])/ && pass == 1 && match($0, /scope_[a-z_0-9]+(\(| =|;|\[| __)/) {
			name = substr($0, RSTART, RLENGTH); sub(/[^a-z_0-9].*/, "", name)
			if (!(name in by)) by[name] = file
		}
		pass == 2 {
			line = $0
			while (match(line, /scope_[a-z_0-9]+/)) {
				name = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
				if (name in by && by[name] != file && !((file, name) in told)) {
					told[file, name] = 1
					print file, by[name], "uses " name
				}
			}
		}' pass=1 kmod/*.[cS] pass=2 kmod/*.[cS]
}

# What reads the events of a trace: the one pass, and the files of which docs/architecture.md says why they do it as well.
check_passes() {
	local file here there
	here=$(block passes docs/architecture.md | sed -n 's/^| `\([^`]*\)` |.*/\1/p' | sort)
	there=$(grep -lE '\bscope_(trace_(next|take|feed|feed_all)|timeline_run)\(' user/*/*.c | grep -v -e '^user/trace/' -e '^user/timeline/' | sort)
	[ -n "$there" ] || differ "no file of user/ reads the events of a trace"
	while read -r file; do
		differ "$file is not both in the table of passes of docs/architecture.md and a file that reads the events of a trace"
	done < <(comm -3 <(echo "$here") <(echo "$there") | tr -d '\t')
}

# What commands say on stderr may hold anybody's names: user/cmd/common.c makes it plain, and prints it.
check_stderr() {
	while read -r place; do
		differ "$place prints to stderr itself: scope_cmd_say() does, plain"
	done < <(grep -n -e 'printf(stderr' -e 'put[cs]*(.*stderr)' user/cmd/*.c | grep -v '^user/cmd/common.c:' |
		cut -d: -f1,2)
}

# The walk from the kernel to the report: each step names a function that its file has.
check_walk() {
	local file function steps=0
	while read -r file function; do
		steps=$((steps + 1))
		grep -qsE "^[a-zA-Z_].*\b$function\(" "$file" || differ "docs/walk.md: $file has no function $function"
	done < <(sed -nE 's/^\| .* \| `([^`]*)` \| `([^`]*)` \|$/\1 \2/p' docs/walk.md)
	[ $steps -gt 20 ] || differ "docs/walk.md has $steps steps"
	check_example
}

# What the page quotes of its example: lines of the trace and of the report, and the numbers of requests.
check_example() {
	local work line count=0
	work=$(mktemp -d)
	python3 tests/golden/three_bugs.py > "$work/text"
	"$scope" dump --reverse "$work/text" -o "$work/trace" && "$scope" report -v -i "$work/trace" > "$work/report"
	sed 's/^ *//; s/  */ /g' "$work/text" "$work/report" > "$work/lines"
	while read -r line; do
		count=$((count + 1))
		grep -qF -- "$line" "$work/lines" || differ "docs/walk.md quotes '$line', which the example does not have"
	done < <(sed -n '/^    /{s/^ *//; s/  */ /g; p}' docs/walk.md | grep -v -e '^python3 ' -e '^build/user/scope ' -e '^# '
		grep -oE '[0-9,]+ of [0-9,]+ requests' docs/walk.md)
	[ $count -ge 6 ] || differ "docs/walk.md quotes $count lines of its example"
	rm -r "$work"
}

# Functions and tables that pages, man pages and the read-me name are in the sources.
check_functions() {
	local page name known
	known=$(grep -rhoE '\bscope_[a-z_0-9]+\(' kmod user include tests --include='*.[chS]' | tr -d '(' | sort -u)
	for page in "${pages[@]}" docs/man/*.1; do
		while read -r name; do
			grep -qx "$name" <<<"$known" || differ "$page names $name(), and there is no such function"
		done < <(grep -oE '\bscope_[a-z_0-9]+\(' "$page" | tr -d '(' | sort -u)
	done
}

# No two files of user/ have one name: folders distinguish them, but people, logs and debuggers name files alone.
check_names() {
	local name
	while read -r name; do
		differ "user/ has several files $name: $(find user -name "$name" | sort | xargs)"
	done < <(find user -name '*.[ch]' -printf '%f\n' | sort | uniq -d)
}

# Words that have a plainer one: see scripts/check-words.py.
check_words() {
	scripts/check-words.py || bad=1
}

# Texts of a list of user/report/layout.h: labels, or heads of columns.
listed() {	# LIST
	sed -n "/^#define $1(X)/,/[^\\\\]$/p" user/report/layout.h | grep -o '"[^"]*"' | sed 's/^" *//; s/"$//' | sort -u
}

# Words in bold (B) or italics (I) of the lines of a page.
set_in() {	# B|I; lines on standard input
	sed -nE "s/^\\.$1 (.*)/\\1/p; s/^\\.$1[RI] (.*)/\\1/p; s/^\\.R$1 \\S+ (\\S+).*/\\1/p" |
		sed 's/" *, *" */\n/g; s/ "[,;]"//g; s/ [.,;:]$//; s/ (;|,|\.)$//; s/"//g; s/\\(->/→/g' | sed 's/^ *//; s/ *[,;.:]*$//'
}

# The labels and columns of the report are explained in its page, and the page explains no other ones.
check_labels() {
	local page=docs/man/scope-report.1 screen details
	screen=$(sed -n '/^\.SH THE REPORT/,/^\.SS With/p' "$page" | grep -A1 '^\.TP' | set_in B | sort -u)
	details=$(sed -n '/^\.B Details/,/^\.RE/p' "$page" | grep -A1 '^\.TP' | set_in B | sort -u)
	while read -r label; do
		differ "$page and the labels of user/report/layout.h differ in \"$label\""
	done < <(comm -3 <(listed SCOPE_SCREEN_LABEL_LIST) <(echo "$screen") | tr -d '\t'
		comm -3 <(listed SCOPE_DETAIL_LABEL_LIST) <(echo "$details") | tr -d '\t')
	while read -r label; do
		sed -n '/^\.SH THE REPORT/,/^\.SH EXIT/p' "$page" | set_in I | grep -qxF -- "$label" ||
			differ "$page does not explain the column \"$label\" of user/report/layout.h"
	done < <(listed SCOPE_RANKING_COLUMN_LIST; listed SCOPE_TIMES_COLUMN_LIST; sed -n 's/^#define SCOPE_TIMES_REST "\(.*\)".*/\1/p' user/report/layout.h)
}

check_demo() {
	[ "$(grep -c -e '^<!-- demo-output -->$' -e '^<!-- /demo-output -->$' README.md)" = 2 ] ||
		differ "README.md has lost the marks of its demo output"
}

# Marks like @result@ hold the place of what somebody has still to measure or write.
check_marks() {
	local mark
	while read -r mark; do
		differ "$mark: what belongs there is missing"
	done < <(grep -noE '@[a-z]+@' "${pages[@]}" docs/man/*.1)
}

check_map
check_marks
check_paths
check_targets
check_pages
check_constants
check_rules
check_bugs
check_held
check_order
check_exports
check_prefixes
check_kmod
check_walk
check_functions
check_names
check_words
check_labels
check_demo
check_stderr
check_passes
[ $bad -ne 0 ] || echo "docs: they agree with the tree"
exit $bad
