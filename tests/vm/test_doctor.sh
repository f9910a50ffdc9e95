#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Show what scope doctor says where the kernel takes signed modules only, and of processes with and
# without symbols.
#
# Usage: tests/vm/test_doctor.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
set -euo pipefail

kernel=6.1
while getopts k: option; do
	case $option in
	k) kernel=$OPTARG ;;
	*) sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2 ;;
	esac
done

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
"$root/scripts/setup.sh" build vm
unpacked=$("$root/scripts/kernel.sh" "$kernel")
build=${BUILD:-$root/build}
work=$build/vm/doctor-$kernel
mkdir -p "$work"

make -s -C "$root" user
gcc -O1 -g -pthread -o "$work/named" "$here/record_work.c"
gcc -O1 -s -pthread -Wl,--build-id -o "$work/stripped" "$here/record_work.c"
module=$("$root/scripts/kernel.sh" -x "$kernel" "$root/scripts/kmod.sh" "$unpacked/headers")
# By a key that no firmware knows, as that of DKMS before it is enrolled.
openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=scope test/' -outform DER \
	-keyout "$work/key" -out "$work/cert" 2>"$work/openssl.log"
"$(find "$unpacked/headers/scripts/" "$unpacked/root/usr/lib" -name sign-file | head -n 1)" \
	sha256 "$work/key" "$work/cert" "$module" "$work/signed.ko"
exec "$here/run.sh" -k "$kernel" -a module.sig_enforce=1 -t "${SCOPE_VM_SECONDS:-200}" -o "$work/out" -- \
	"$here/doctor_guest.sh" "$build/user/scope" "$module" "$work"
