#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Run one command as root under another kernel: QEMU boots it with the host's user land.
#
# Usage: tests/vm/run.sh [OPTION...] -- COMMAND [ARG...]
#   -k KEY    kernel: a row of scripts/kernel.sh (default 6.1), or one put into build/kernels/KEY by
#             other means: vmlinux or bzImage, version (uname -r) and, unless all is built in,
#             root/lib/modules/VERSION indexed by depmod
#   -m MB     memory (1024)           -c N     processors (2)
#   -t S      seconds until the guest is ended, booting included (120)
#   -o DIR    results go here; without it they are deleted
#   -a 'ARGS' more kernel arguments
#   -i        count instructions: 1 ns of guest time is one instruction. One processor; idle time
#             is skipped, so wait for events, never for time
#   -f        the command makes allocations fail: what the allocators say of that is no warning
#   -n RATE   from the moment the command prints a line with "scope-vm: nmi", send RATE
#             non-maskable interrupts a second to the first processor
#   -v        show on stderr how long booting and the command took
#
# VM_SHIFT=N makes an instruction 2^N ns with -i (0): work takes less of the host's time for each second.
#
# VM_THREAD=multi gives each processor a thread of the host's; by default they share one. That is
# slower where the host has processors to spare, but steadier, and README.md says what fails otherwise.
#
# In the guest the host's files are there at the same paths and may be changed: changes stay in the
# guest's memory. /tmp is empty there, unless the project or the working directory is in it. The
# command starts in the caller's working directory with a plain environment (pass variables with
# env A=B COMMAND) and no standard input; modprobe finds the guest kernel's modules. Files it leaves
# in $VM_OUT appear in DIR. There the harness itself writes
#   output   stdout and stderr of the command, also sent live to stdout
#   dmesg    the kernel's log      status   the exit status      console   the serial console
#   leaks    what a kernel with kmemleak found at the end
#
# Exit status: the command's own, or
#   70   the kernel warned after the command began; its lines are on stderr
#   71   the guest died (panic, reset); the end of its log is on stderr
#   124  the time was up
#   2    wrong usage, 1 the guest could not be prepared
set -euo pipefail

usage() { sed -n '/^# Usage/,/^set -e/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
die() { echo "run.sh: $*" >&2; exit 1; }

. "$(dirname "$0")/warnings.sh"

arguments=("$@")
kernel=6.1 memory=1024 cpus=2 limit=120 out='' extra='' icount='' verbose='' failing='' nmi=''
while getopts k:m:c:t:o:a:ifn:v option; do
	case $option in
	k) kernel=$OPTARG ;;
	m) memory=$OPTARG ;;
	c) cpus=$OPTARG ;;
	t) limit=$OPTARG ;;
	o) out=$OPTARG ;;
	a) extra=$OPTARG ;;
	i) icount=1 ;;
	f) failing=1 ;;
	n) nmi=$OPTARG ;;
	v) verbose=1 ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(mkdir -p "${BUILD:-$root/build}/vm" && cd "${BUILD:-$root/build}" && pwd)
for tool in qemu-system-x86_64 cpio modprobe gcc-12; do
	command -v "$tool" >/dev/null || { "$root/scripts/setup.sh" vm; break; }
done
# A directory without the stamp of kernel.sh has another origin, and is used unchanged.
if [ ! -e "$build/kernels/$kernel/version" ] || [ -e "$build/kernels/$kernel/stamp" ]; then
	"$root/scripts/kernel.sh" "$kernel" >/dev/null
fi
image=$build/kernels/$kernel/vmlinux
[ -e "$image" ] || image=$build/kernels/$kernel/bzImage
[ -e "$image" ] || die "build/kernels/$kernel has neither vmlinux nor bzImage: remove it and run again"

# The part of the initramfs that is the same in every run with this kernel: init, modules.
build_initramfs() {	# OUTPUT
	local dir=$work/base version name path number=10
	version=$(cat "$build/kernels/$kernel/version")
	mkdir -p "$dir/modules" "$dir/dev"
	gcc-12 -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -static -o "$dir/init" "$root/tests/vm/init.c"
	# Mainline has an overlay since 3.18.
	{ [ ! -d "$build/kernels/$kernel/root" ] || for name in virtio_pci 9pnet_virtio 9p \
		$(grep -qs /overlay.ko "$build/kernels/$kernel/root/lib/modules/$version"/modules.{order,builtin} &&
			echo overlay); do
		modprobe -d "$build/kernels/$kernel/root" -S "$version" --show-depends "$name"
	done; } | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$work/modules"
	while read -r path; do
		name=$(basename "$path")
		case $path in
		*.xz) xz -dc "$path" ;;
		*.zst) zstd -qdc "$path" ;;
		*) cat "$path" ;;
		esac >"$dir/modules/$((number++))-${name%%.*}.ko"
	done <"$work/modules"
	mknod "$dir/dev/console" c 5 1
	(cd "$dir" && find . | cpio --quiet -o -H newc) >"$work/base.cpio"
	mkdir -p "$(dirname "$1")"
	mv "$work/base.cpio" "$1"
}

# The kernel unpacks archives that follow one another: the job is a second one.
write_job() {	# COMMAND...
	local modules tmp=tmpfs
	modules=$build/kernels/$kernel/root/lib/modules/$(cat "$build/kernels/$kernel/version")
	[ -d "$modules" ] || modules=''
	case "$PWD/ $build/ $root/" in
	/tmp/* | *" /tmp/"*) tmp=keep ;;
	esac
	printf '%s\0' "$modules" "$tmp" "$PWD" "$@" >"$work/job"
	(cd "$work" && echo job | cpio --quiet -o -H newc) | cat "$base" - >"$work/initramfs"
}

# Lines of the kernel's log since the command began, the console's when the guest could not save it.
log_since_start() {
	sed '1,/scope-vm: command starts/d' "$out/dmesg" |
		sed "${failing:+/vmalloc error:\|percpu: allocation failed/,/<\/TASK>/d}"
}

work=$(mktemp -d "$build/vm/run.XXXXXX")
qemu='' follow='' watch='' hammer=''
end() {
	local pid
	for pid in $qemu $follow $watch $hammer; do
		if kill "$pid" 2>/dev/null; then wait "$pid" 2>/dev/null || true; fi
	done
	rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

base=$build/vm/$kernel/initramfs
if [ ! "$base" -nt "$root/tests/vm/init.c" ] || [ ! "$base" -nt "$image" ] || [ ! "$base" -nt "$0" ]; then
	build_initramfs "$base"
fi
write_job "$@"
log_hint=''
[ -n "$out" ] || { out=$work/out log_hint='; -o DIR keeps the whole log'; }
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out/status" "$out/dmesg" "$out/output" "$out/console" "$out/registers"
: >"$out/output"

# A kernel with KASAN is one for finding faults: the first warning ends it. With ACPI it would take
# 23 s for each PCI device. It is so slow under emulation that a thread may wait for a CPU longer than
# the kernel allows a reader of RCU. While 6.1 finds out what the processor can, it forgets for a moment
# that page tables have five levels: an interrupt then meets addresses that KASAN takes for wild.
if grep -qs '^CONFIG_KASAN=y' "$build/kernels/$kernel/config"; then
	extra="pci=noacpi no5lvl panic_on_warn=1 rcupdate.rcu_cpu_stall_timeout=150 watchdog_thresh=50 $extra"
fi

# Emulated, a fifth level of page tables and strings moved byte by byte (which a kernel takes for the fastest way where
# the processor says so) take a seventh of the time. What checks the kernel (SMAP, SMEP) stays. Figures in instructions
# are of a processor that has all.
machine=(-cpu max,-la57,-erms -accel "tcg,thread=${VM_THREAD:-single}" -smp "$cpus")
[ -z "$icount" ] ||
	machine=(-cpu max -accel 'tcg,thread=single' -icount "shift=${VM_SHIFT:-0},sleep=off" -smp 1)
# With several processors and no tsc=reliable the guest falls back to a clock that traps each read.
# After an oops no later result is reliable, and locks may be held: end immediately.
# Nor is the timer tested at boot: on a busy host that takes too long, and the kernel gives up.
append="console=ttyS0 loglevel=7 panic=-1 oops=panic softlockup_panic=1 tsc=reliable no_timer_check"
[ ! -e "$build/kernels/$kernel/arguments" ] || append+=" $(cat "$build/kernels/$kernel/arguments")"
append+=" log_buf_len=4M $extra"

# A background process has no terminal, so Ctrl-C reaches this script alone. Should this script be
# killed outright, timeout gets the signal, and passes it to QEMU.
setpriv --pdeathsig TERM timeout -k 5 "$limit" \
	qemu-system-x86_64 -M pc "${machine[@]}" -m "$memory" \
	-nodefaults -no-user-config -display none -no-reboot \
	-kernel "$image" -initrd "$work/initramfs" -append "$append" \
	-monitor "unix:$work/monitor,server=on,wait=off" \
	-chardev "socket,id=nmi,path=$work/nmi,server=on,wait=off" -mon chardev=nmi \
	-chardev file,id=console,path="$out/console" -serial chardev:console \
	-device isa-debug-exit,iobase=0xf4,iosize=0x04 \
	-virtfs local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap \
	-virtfs local,path="$out",mount_tag=out,security_model=none,multidevs=remap \
	</dev/null >"$work/qemu.log" 2>&1 &
qemu=$!
setpriv --pdeathsig TERM tail -q -s 0.1 -n +1 -f --pid="$qemu" "$out/output" 2>/dev/null &
follow=$!
# Just before the time limit, print where every processor is, because a silent guest shows nothing else.
setpriv --pdeathsig TERM perl -MIO::Socket::UNIX -e '
	sleep $ARGV[0];
	$s = IO::Socket::UNIX->new(Peer => $ARGV[1]) or exit;
	$s->autoflush(1);
	print $s "info registers -a\ninfo registers -a\n";
	local $SIG{ALRM} = sub { exit }; alarm 2;
	while (<$s>) { print if /CPU#|RIP|^R[A-S]/ }' $((limit - 4)) "$work/monitor" \
	>"$out/registers" 2>/dev/null &
watch=$!

if [ -n "$nmi" ]; then
	# Read the answers of the monitor, because it would wait until they are read.
	setpriv --pdeathsig TERM perl -MIO::Socket::UNIX -e '
		my ($output, $path, $rate) = @ARGV;
		for (;;) {
			if (open my $file, "<", $output) { last if grep /scope-vm: nmi/, <$file> }
			select undef, undef, undef, 0.1;
		}
		$s = IO::Socket::UNIX->new(Peer => $path) or exit;
		$s->autoflush(1);
		for (;;) {
			print $s "nmi\n" or exit;
			sysread $s, $answer, 65536;
			select undef, undef, undef, 1 / $rate;
		}' "$out/output" "$work/nmi" "$nmi" &
	hammer=$!
fi

code=0
wait "$qemu" || code=$?
qemu=''
wait "$follow" || true
follow=''
for pid in $watch $hammer; do
	kill "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
done
watch='' hammer=''
[ -s "$out/registers" ] || rm -f "$out/registers"

if [ -e "$out/dmesg" ] && [ -e "$out/status" ]; then
	sed -i 's/^<[0-9]*>//' "$out/dmesg"
else
	tr -d '\r' <"$out/console" >"$out/dmesg" 2>/dev/null || true
fi
if [ -n "$verbose" ]; then
	sed -n 's/^\[ *\([0-9.]*\)\] scope-vm: \(command .*\)/run.sh: \2 \1 s after boot/p' "$out/dmesg" >&2
fi

# With VM_THREAD=multi QEMU's TCG now and then goes on executing a breakpoint that the kernel has long taken back, when
# tracepoints are switched on or off (live patching of their jump labels): the processor then traps
# for ever where memory holds a NOP or a jump. tests/vm/README.md says how to see it without
# scope.ko. Signs that no fault of the guest's could give: stuck on a NOP, in the entry of the
# breakpoint trap, or deaf to an NMI.
# grep -q would end at the first match, and the writer of the pipe with it: a failure, by pipefail.
has() { [ "$(grep -cE "$1")" -gt 0 ]; }	# PATTERN
emulator_failed() {
	log_since_start | grep -A30 -E 'soft lockup|rcu:.*stall|backtrace for cpu' |
		has 'Code: .*<(66> 90|0f> 1f|90>)|RIP: .*(asm_exc_int3|exc_int3|poke_int3)' ||
		tail -n 1 "$out/dmesg" | has 'Sending NMI from CPU'
}
if [ -z "${VM_SECOND_TRY:-}" ] && emulator_failed; then
	echo "run.sh: the emulator executes code that is not there any more; starting again" >&2
	code=0
	VM_SECOND_TRY=1 "$0" "${arguments[@]}" || code=$?
	exit "$code"
fi
if log_since_start | has "$warnings"; then
	echo "run.sh: the kernel warned${log_hint:-, whole log in $out/dmesg}:" >&2
	log_since_start | grep -E -m1 -A40 "$warnings" >&2 || true
	exit 70
fi
case $code in
33) [ -s "$out/status" ] && exit "$(cat "$out/status")" ;;
124 | 137)
	echo "run.sh: the time of $limit s was up${log_hint}; the log ends with" >&2
	tail -n 5 "$out/dmesg" >&2
	exit 124
	;;
esac
echo "run.sh: the guest died (QEMU ended with $code)${log_hint}; its log ends with" >&2
cat "$work/qemu.log" >&2
tail -n 40 "$out/dmesg" >&2
exit 71
