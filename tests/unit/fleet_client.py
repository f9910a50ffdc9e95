# SPDX-License-Identifier: GPL-2.0-only
"""The trace of a client, as text, made from that of its server on standard input: each request is sent 60 us before it came and
the answer read 50 us after it was sent. Both are on the connection 10.0.0.1:4000 to 10.0.0.2:80.

Usage: fleet_client.py server|client AHEAD_NS [opened]
AHEAD_NS: the client's clock is ahead by that. opened: a call of each trace opens the connection, which PEER records describe.
"""
import re
import sys


def name(inode, own, peer):
    return f"socket:[{inode}] from {own} to {peer}".replace(" ", r"\x20")


def opens(time, cpu, tid, call, own, peer):
    """A call that opens descriptor 7, and what the module says of it. own, peer: last byte of the address, and port."""
    mapped = 0xffff << 32 | 10 << 24
    print(f"{time} {cpu} syscall {tid} {call} enter={time} ret={7 if call == 'accept4' else 0} args={5 if call == 'accept4' else 7}")
    print(f"{time} {cpu} peer {tid} 7 own_port={own[1]} peer_port={peer[1]} own0=0 own1={mapped | own[0]} peer0=0 "
          f"peer1={mapped | peer[0]}")


side, ahead = sys.argv[1], int(sys.argv[2])
opened = len(sys.argv) > 3
lines = sys.stdin.read().splitlines()
if side == "server":
    for line in lines:
        known = re.match(r"fd \d+ 7 accepted", line)
        first = re.match(r"\d+ (\d+) syscall (\d+) read enter=(\d+) .*args=7", line)
        if opened and known:
            continue
        if opened and first:
            opens(first[3], first[1], first[2], "accept4", (2, 80), (1, 4000))
            opened = False
        print(known[0] + " " + name(9, "10.0.0.2:80", "10.0.0.1:4000") if known else line)
    sys.exit()
print("meta host front")
print("meta command front")
print(f"meta wall_clock_ns {1764158400000000000 + ahead}")
for line in lines:
    if re.match(r"meta (kernel|source|begin_ns|end_ns|sample_ns) ", line):
        print(line)
print("meta pid 300")
if not opened:
    print("fd 300 7 connected", name(5, "10.0.0.1:4000", "10.0.0.2:80"))
came = None
for line in lines:
    call = re.match(r"(\d+) \d+ syscall \d+ (read|write) enter=(\d+) .*args=7", line)
    if call and call[2] == "read":
        came = int(call[1])
    elif call and came:
        if opened:
            opens(came - 60000, 0, 300, "connect", (1, 4000), (2, 80))
            opened = False
        print(f"{came - 55000} 0 syscall 300 write enter={came - 60000} ret=64 args=7")
        print(f"{int(call[1]) + 50000} 0 syscall 300 read enter={came - 50000} ret=64 args=7")
        came = None
