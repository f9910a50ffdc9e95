# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# For tests that source it first: takes -k KEY, enters the top folder, has the programs and the kernel
# ready. Gives kernel, unpacked (where that kernel is), build, work (a folder of the test's own there),
# all absolute; module and compile.

set -euo pipefail

kernel=6.1
while getopts k: option; do
	case $option in
	k) kernel=$OPTARG ;;
	*) sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2 ;;
	esac
done

work=$(basename "$0" .sh)
work=${work#test_}
cd "$(dirname "$0")/../.."
scripts/setup.sh build vm
unpacked=$(scripts/kernel.sh "$kernel")
mkdir -p "${BUILD:-build}"
build=$(cd "${BUILD:-build}" && pwd)
work=$build/vm/$work-$kernel
mkdir -p "$work"
make -s user

# Prints the path of scope.ko for that kernel, built where it has to be.
module() { scripts/kernel.sh -x "$kernel" scripts/kmod.sh "$unpacked/headers"; }

# A program of tests/vm/ that guests run, to $work/NAME.
compile() {	# NAME
	gcc -O1 -g -Wall -Wextra -pthread -o "$work/$1" "tests/vm/$1.c"
}
