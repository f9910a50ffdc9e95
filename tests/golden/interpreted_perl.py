# SPDX-License-Identifier: GPL-2.0-only
"""A server in Perl whose script only starts a module that is installed for all programs: the script's body is no function to
blame, so in 5 % of the requests the module's Starman::Server::end_int runs for 12 ms.
Answer: end_int."""
from interpreted import APP, Interpreted, serve


class Perl(Interpreted):
    """Functions in Perl's own names."""

    @staticmethod
    def native():
        return [("perl_run", "perl"), ("Perl_runops_standard", "perl")]

    @staticmethod
    def stack_of(path, asleep):
        del path, asleep
        return ["perl_run", "Perl_runops_standard"]

    def symbol(self, name):
        return f"pl::<main>:{self.body}" if name == "<module>" else f"pl::Starman::Server::{name}:{self.file}"


serve(35, lambda server: server.run(12_000_000, APP + ["end_int"]), file="/usr/share/perl5/Starman/Server.pm", body="/srv/app.pl", kind=Perl)
