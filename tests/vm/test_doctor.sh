#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Show what scope doctor says where the kernel takes signed modules only, and of processes with and
# without symbols.
#
# Usage: tests/vm/test_doctor.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
. "$(dirname "$0")/begin.sh"

gcc -O1 -g -pthread -o "$work/named" tests/vm/record_work.c
gcc -O1 -s -pthread -Wl,--build-id -o "$work/stripped" tests/vm/record_work.c
module=$(module)
# By a key that no firmware knows, as that of DKMS before it is enrolled.
openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=scope test/' -outform DER \
	-keyout "$work/key" -out "$work/cert" 2>"$work/openssl.log"
"$(find "$unpacked/headers/scripts/" "$unpacked/root/usr/lib" -name sign-file | head -n 1)" \
	sha256 "$work/key" "$work/cert" "$module" "$work/signed.ko"
exec tests/vm/run.sh -k "$kernel" -a module.sig_enforce=1 -t "${SCOPE_VM_SECONDS:-1200}" -o "$work/out" -- \
	tests/vm/doctor_guest.sh "$build/user/scope" "$module" "$work"
