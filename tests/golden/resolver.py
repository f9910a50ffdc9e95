# SPDX-License-Identifier: GPL-2.0-only
"""Four processes that each accept a connection, answer it and close it; in 4 of 100 the client's name
is asked for at a resolver that is gone, with a poll of 5 ms for its answer.
Answer: resolve_client, whose poll is in the middle of a request and is no wait for work."""
from accepting import serve_by_processes


def rarely(process):
    process.call("socket", 4_000, ret=9, args="2,2,0",
                 path=["main", "child_main", "handle", "resolve_client", "libc:socket"])
    process.call("sendto", 6_000, ret=32, args="9",
                 path=["main", "child_main", "handle", "resolve_client", "libc:sendto"])
    process.sleep("poll", 5_000_000, ret=0, args="0x7ffc0010,1,5",
                  path=["main", "child_main", "handle", "resolve_client", "libc:poll"])
    process.call("close", 3_000, args="9",
                 path=["main", "child_main", "handle", "resolve_client"])


serve_by_processes(14, rarely)
