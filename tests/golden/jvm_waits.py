# SPDX-License-Identifier: GPL-2.0-only
"""A server in Java: what runs is compiled and has native stacks, and what waits has snapshots as well. 5 % of the requests sleep for 20 ms in ask, which
is interpreted: native stacks have its caller alone, and the interpreter.
Answer: ask, called by handle."""
from interpreted import APP, Interpreted, serve


def name_of(function):
    return f"void\\x20app.Server.{function.strip('<>')}()"


class Jvm(Interpreted):
    BEGIN = 0x900000  # above those that the trace gives to libraries

    @staticmethod
    def native():
        return [("Interpreter", "[jit]")] + [(name_of(function), "[jit]") for function in APP + ["parse", "reply"]]

    @staticmethod
    def stack_of(path, asleep):
        compiled = [name_of(function) for function in path if function != "ask"]
        return compiled + (["Interpreter", "libc:futex"] if asleep else [])

    def symbol(self, name):
        return name_of(name)


serve(81, lambda server: server.sleep("futex", 20_000_000, APP + ["ask"], args="0x7f00,393,0", ret=-110), kind=Jvm)
