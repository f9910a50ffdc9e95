# SPDX-License-Identifier: GPL-2.0-only
"""The server of greets_first, which is healthy: each client waits 2 ms for its greeting, and some a little longer, by more calls. Requests take
0.1 ms.
Answer: nothing abnormal. The few greetings with more calls are compared with other greetings."""
from conns import serve_by_connection
from greets_first import connection

serve_by_connection(44, lambda thread, fd, random: connection(thread, fd, random, late=0))
