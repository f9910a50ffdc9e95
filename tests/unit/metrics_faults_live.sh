#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The page faults of a program that scope metrics --memory counts by perf events equal the kernel's own count for the time of the
# trace exactly, also for a thread that did not exist at the begin. A thread that touches pages of a file which
# are not in memory waits for faults, and one that reads them does not.
#
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
cat > "$dir/work.c" << 'E'
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int done[2];

static void *touch(void *pages)
{
	char *page = mmap(NULL, 4096 * (size_t)pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char byte;

	madvise(page, 4096 * (size_t)pages, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < (size_t)pages; i++)
		page[4096 * i] = 1;
	return read(done[0], &byte, 1) == 1 ? page : NULL; /* it sleeps here until all is read */
}

int main(void)
{
	pthread_t thread;
	char byte[2];

	if (pipe(done))
		return 1;
	puts("ready");
	fflush(stdout);
	if (read(0, byte, 1) != 1 || pthread_create(&thread, NULL, touch, (void *)5000))
		return 1;
	for (int i = 0; i < 30; i++) {
		char *page = mmap(NULL, 4096 * 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (int j = 0; j < 100; j++)
			page[4096 * j] = 1;
		munmap(page, 4096 * 100);
		usleep(100000);
	}
	puts("end");
	fflush(stdout);
	if (read(0, byte, 1) != 1 || write(done[1], byte, 1) != 1)
		return 1;
	return pthread_join(thread, NULL);
}
E
gcc -O1 -Wall -Wextra -Werror -pthread -o "$dir/work" "$dir/work.c" || exit 1

# Minor and major faults of all threads of the process, as the kernel counts them.
faults() { cat /proc/"$target"/task/*/stat | sed 's/.*) //' | awk '{ minor += $8; major += $10 } END { print minor, major }'; }

asleep() { [ "$(sed 's/.*) //' "/proc/$target/stat" | cut -c1)" = S ]; }

once() {
	local recorder before after said
	rm -f "$dir"/a.trace* "$dir/in"
	mkfifo "$dir/in"
	"$dir/work" < "$dir/in" > "$dir/out" &
	target=$!
	exec 7> "$dir/in"
	until grep -q ready "$dir/out" && asleep; do sleep 0.05; done
	"$scope" record --source perf --memory --no-stacks --no-samples -d 60 -p "$target" -o "$dir/a.trace" > "$dir/said" 2>&1 &
	recorder=$!
	begun "$recorder" "$dir/a.trace" || { kill "$recorder"; exit 1; }
	before=$(faults)
	echo >&7
	until grep -q end "$dir/out" && asleep; do sleep 0.05; done
	after=$(faults)
	kill -INT "$recorder"
	wait "$recorder"
	echo >&7
	exec 7>&-
	wait "$target"
	target=
	"$scope" metrics -i "$dir/a.trace" --by group --format json > "$dir/metrics.json" || exit 1
	said=$(python3 -c '
import json, sys
document = json.load(open(sys.argv[1]))
# The line of the host has totals of its own.
print(*(sum(one["totals"].get(name, 0) for one in document["series"]) for name in ("minor_faults", "major_faults")))' "$dir/metrics.json")
	read -r minor major <<< "$said"
	read -r minor_before major_before <<< "$before"
	read -r minor_after major_after <<< "$after"
	echo "$minor minor and $major major faults; by the kernel $((minor_after - minor_before)) and $((major_after - major_before))" > "$dir/why"
	[ "$minor" -gt 8000 ] && [ "$minor" -eq $((minor_after - minor_before)) ] && [ "$major" -eq $((major_after - major_before)) ]
}

cat > "$dir/cold.py" << 'E'
import mmap, os, random, sys, threading, time
file = os.open(sys.argv[1], os.O_RDONLY)
SIZE, SECONDS = os.fstat(file).st_size, 6

def touch(end):
    pages = mmap.mmap(file, 0, prot=mmap.PROT_READ)
    pages.madvise(mmap.MADV_RANDOM)
    while time.monotonic() < end:
        pages[random.randrange(SIZE)]

def read(end):
    direct, page = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
    while time.monotonic() < end:
        os.preadv(direct, [page], 4096 * random.randrange(SIZE // 4096))

def run(work):
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as comm:
        comm.write(work.__name__)
    work(time.monotonic() + SECONDS)

threads = [threading.Thread(target=run, args=(work,)) for work in (touch, read)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
E

# No page of the file is in memory as the threads begin.
faults_are_apart() {
	dd if=/dev/urandom of="$dir/cold" bs=1M count=128 conv=fsync 2> "$dir/said" || return 1
	dd if="$dir/cold" iflag=nocache count=0 2>> "$dir/said" || return 1
	python3 "$dir/cold.py" "$dir/cold" &
	target=$!
	sleep 0.5
	"$scope" metrics --source perf -d 3 -p "$target" --format json -o "$dir/cold.json" 2> "$dir/said" || return 1
	wait "$target"
	target=
	python3 -c '
import json, sys
document = json.load(open(sys.argv[1]))
asleep = {one["name"]: [one["totals"].get(name, 0) / 1e6 for name in ("fault_wait_time", "io_wait", "uninterruptible")]
          for one in document["series"]}
print("ms asleep for faults, in iowait, uninterruptible:", {name: asleep[name] for name in ("touch", "read")})
sys.exit(not 0 < asleep["touch"][0] <= sum(asleep["touch"][1:]) or asleep["read"][0] > 0 or not sum(asleep["read"][1:]))
' "$dir/cold.json" > "$dir/why"
}

if [ "$(stat -f -c %T "$dir")" = tmpfs ]; then
	echo "skipped: files of $dir are always in memory"
elif faults_are_apart; then
	echo "ok - $(cat "$dir/why")"
else
	echo "not ok - $(cat "$dir/why" "$dir/said")"
	exit 1
fi

# Major faults while it sleeps at the begin, before it is counted, are possible once.
for _ in 1 2; do
	once && { echo "ok - $(cat "$dir/why")"; exit 0; }
done
echo "not ok - $(cat "$dir/why")"
cat "$dir/said"
exit 1
