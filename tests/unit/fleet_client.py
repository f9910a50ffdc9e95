# SPDX-License-Identifier: GPL-2.0-only
"""The trace of a client, as text, made from that of its server on standard input: each request is sent 60 us before it came and
the answer read 50 us after it was sent. Both are on the connection 10.0.0.1:4000 to 10.0.0.2:80.

Usage: fleet_client.py server|client AHEAD_NS      the client's clock is ahead by that
"""
import re
import sys


def name(inode, own, peer):
    return f"socket:[{inode}] from {own} to {peer}".replace(" ", r"\x20")


side, ahead = sys.argv[1], int(sys.argv[2])
lines = sys.stdin.read().splitlines()
if side == "server":
    for line in lines:
        known = re.match(r"fd \d+ 7 accepted", line)
        print(known[0] + " " + name(9, "10.0.0.2:80", "10.0.0.1:4000") if known else line)
    sys.exit()
print("meta host front")
print("meta command front")
print(f"meta wall_clock_ns {1764158400000000000 + ahead}")
for line in lines:
    if re.match(r"meta (kernel|source|begin_ns|end_ns|sample_ns) ", line):
        print(line)
print("meta pid 300")
print("fd 300 7 connected", name(5, "10.0.0.1:4000", "10.0.0.2:80"))
came = None
for line in lines:
    call = re.match(r"(\d+) \d+ syscall \d+ (read|write) enter=(\d+) .*args=7", line)
    if call and call[2] == "read":
        came = int(call[1])
    elif call and came:
        print(f"{came - 55000} 0 syscall 300 write enter={came - 60000} ret=64 args=7")
        print(f"{int(call[1]) + 50000} 0 syscall 300 read enter={came - 50000} ret=64 args=7")
        came = None
