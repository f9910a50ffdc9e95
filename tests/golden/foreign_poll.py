# SPDX-License-Identifier: GPL-2.0-only
"""An event loop over epoll that asks a resolver in the middle of a request and waits for its answer in a poll of its own,
which does not come.
Answer: a hang in resolve, that alone."""
from spinning import LOOP, begin

loop = begin(85)
loop.sleep("epoll_wait", 300_000, ret=1, args="5", path=LOOP + ["libc:epoll_wait"])
loop.call("read", 5_000, ret=64, args="7", path=LOOP + ["read_request"])
since = loop.now
loop.stuck("poll", args="0x7ffc10")
loop.state("sleeping", call="poll", since=since, args="0x7ffc10,1,5000,0,0,0",
           path=LOOP + ["handle", "resolve", "libc:poll"], at_stop=True)
loop.trace.print()
