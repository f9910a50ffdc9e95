# SPDX-License-Identifier: GPL-2.0-only
# The server of interpreter_work.py in Perl: four processes take clients.
use strict;
use warnings;
use IO::Socket::INET;

# A request is a letter.
package Work {
	sub little {
		my $sum = 0;
		$sum += $_ * $_ for 0 .. 199;
		return $sum;
	}

	sub burn {
		my $ending = (times)[0] + 0.05;
		my $total = 0;
		$total += little() while (times)[0] < $ending;
		return $total;
	}

	sub doze { return select undef, undef, undef, 0.03 }

	sub handle {
		my ($kind) = @_;
		little();
		burn() if $kind eq 'c';
		doze() if $kind eq 's';
		return;
	}
}

sub serve {
	my ($connection) = @_;
	while (sysread $connection, my $kind, 1) {
		Work::handle($kind);
		syswrite $connection, $kind;
	}
	return;
}

my $listener = IO::Socket::INET->new(Listen => 16, LocalAddr => '127.0.0.1') or die;
$| = 1;
print "port $$\n";
my $go = <STDIN>;
print $listener->sockport, "\n";
my @workers;
for (1 .. 4) {
	my $pid = fork // die;
	if (!$pid) {
		while (my $connection = $listener->accept) { serve($connection) }
		exit;
	}
	push @workers, $pid;
}
$SIG{TERM} = sub { kill 'KILL', @workers; exit };
wait for @workers;
