#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The profile of a server says what it has and a server that is made from the profile does not reproduce: backends, locks,
# io_uring; of a server without them it says nothing.
. "$(dirname "$0")/begin.bash"

# lacks WORD...: of a loop that also does these things in each request.
lacks() {
	python3 - "$@" > "$work/text" <<'END_PYTHON'
"""A loop that answers 200 requests, one each ms."""
import sys

print("meta begin_ns 0\nmeta end_ns 1000000000\nfd 10 3 listen -\nfd 10 5 epoll -\nfd 10 7 accepted -\nfd 10 8 file -\nfd 10 9 connected -\n"
      "1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=work on_cpu")
for i in range(200):
    at = 1000000 * i
    print(f"{at + 60000} 0 syscall 10 epoll_wait enter={at + 1000} ret=1 args=5\n{at + 62000} 0 syscall 10 read enter={at + 61000} ret=64 args=7")
    if "backends" in sys.argv:
        print(f"{at + 65000} 0 syscall 10 write enter={at + 64000} ret=64 args=9\n{at + 67000} 0 syscall 10 read enter={at + 66000} ret=64 args=9")
    if "locks" in sys.argv:
        print(f"{at + 69000} 0 syscall 10 futex enter={at + 68000} ret=0 args=4096,128,2")
    if "io_uring" in sys.argv:
        print(f"{at + 71000} 0 syscall 10 io_uring_enter enter={at + 70000} ret=1 args=8,1,0,1")
    print(f"{at + 86000} 0 syscall 10 sendto enter={at + 81000} ret=64 args=7")
print("200000000 0 syscall 10 epoll_wait enter=199999000 ret=0 args=5")
END_PYTHON
	rm -f "$work/trace" "$work/profile.json"
	"$scope" dump --reverse "$work/text" -o "$work/trace"
	"$scope" model -i "$work/trace" --profile -o "$work/profile.json"
	python3 tests/unit/schema.py docs/schema/profile.schema.json "$work/profile.json"
	python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["lacks"])' "$work/profile.json"
}

same "a server without any of them" "" "$(lacks)"
for word in backends locks io_uring; do
	same "$word" "$word" "$(lacks "$word")"
done
same "all of them" "backends locks io_uring" "$(lacks io_uring locks backends)"
exit "$failed"
