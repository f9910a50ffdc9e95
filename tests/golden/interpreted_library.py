# SPDX-License-Identifier: GPL-2.0-only
"""A server that is all of Python's own library: no function of the program is on its stacks, and in 5 % of the requests the
library's end_int runs for 12 ms. It comes first, because there is no caller in the program."""
from interpreted import APP, serve

serve(35, lambda server: server.run(12_000_000, APP + ["end_int"]), file="/usr/lib/python3.11/xmlrpc/client.py")
